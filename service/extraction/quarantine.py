"""Which candidates wait in the inbox instead of becoming memories, whatever their confidence.

A memory comes back in later contexts, so that an instruction in one is a planted instruction. What reads like one is
held back, and so is what comes from a message that does. A preference of the agent's own user ("always answer me in
French") stays a memory: it is for that user to say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from service.domain.placeholders import secret_kinds
from service.extraction.candidates import Candidate, Turn
from service.extraction.instructions import instruction_in
from service.extraction.provenance import turn_origin

ATTACK = "reads like an attack on an agent: it overrides, hides, impersonates, or sends data away"
DIRECTIVE = "reads like an instruction to an agent, and is not its user's own word"


def of_roles(turns: Sequence[Turn], roles: Collection[str]) -> list[Turn]:
    """The turns, without the text of those of other roles."""
    return [turn if turn.role in roles else replace(turn, content="") for turn in turns]


def held_back(candidates: Sequence[Candidate], turns: Sequence[Turn], *, secrets: bool) -> list[Candidate]:
    """The candidates, with ``held`` set on those that are not to become memories unseen. ``secrets``: also what comes
    from a message in which a secret was masked."""
    by_id = {turn.id: turn for turn in turns}
    return [
        candidate if reason is None else replace(candidate, held=reason)
        for candidate in candidates
        for reason in (_reason(candidate, by_id, secrets=secrets),)
    ]


def _reason(candidate: Candidate, turns: Mapping[UUID, Turn], *, secrets: bool) -> str | None:
    cited = [turns[id_] for id_ in candidate.evidence if id_ in turns]
    read = [instruction_in(text) for text in (candidate.content, *(turn.content for turn in cited))]
    if "attack" in read:
        return ATTACK
    if "directive" in read and any(turn_origin(turn) != "own_user" for turn in cited):
        return DIRECTIVE
    if secrets and (kinds := sorted({kind for turn in cited for kind in secret_kinds(turn.content)})):
        return f"its message had a secret: {', '.join(kinds)}"
    return None
