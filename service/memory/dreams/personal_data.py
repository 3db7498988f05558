"""Personal data in dreams: masked in what is read, before any model sees it, and in what is proposed.

Messages may be older than the workspace's rule, so what is stored is not taken for clean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from uuid import UUID

from service.domain.workspace import Masking
from service.extraction.candidates import Candidate, Mention, Turn, evidence_of, proposed_in, stated_in
from service.memory.access.redaction import masked_names, redact_lenient, refused_kinds
from service.memory.dreams.in_flight import Steps
from service.memory.engine import Engine
from service.privacy.redactor import PiiPolicy, PiiRejected

BATCH = 200


@dataclass(frozen=True, slots=True)
class Masked:
    """Turns whose texts and names a model may see, and by its mask each name that is ``stored`` as it was given."""

    turns: list[Turn]
    stored: Mapping[str, str]


async def masked_turns(engine: Engine, workspace: UUID, rule: Masking, turns: Sequence[Turn], steps: Steps) -> Masked:
    """The turns with personal data masked in what was said, and in the names of who said it, unless it is allowed."""
    if rule.off:
        return Masked(list(turns), {})
    said: list[str] = []
    for _, part in steps.batches(turns, stated_in, BATCH):
        async with steps.step("redact", [turn.id for turn in part]):
            said += await redact_lenient(engine, rule, [turn.content for turn in part])
    names = sorted({name for turn in turns for name in (turn.speaker, turn.user) if name})
    masks = await masked_names(engine, workspace, rule, [(("name",), name) for name in names], refuse=False)
    users = await masked_names(engine, workspace, rule, [(("user",), name) for name in names], refuse=False)
    mask_of = dict(zip(names, masks, strict=True))
    shown = [
        replace(turn, content=content, speaker=mask_of.get(turn.speaker or ""), user=mask_of.get(turn.user or ""))
        for turn, content in zip(turns, said, strict=True)
    ]
    return Masked(shown, {mask: user for mask, user in zip(masks, users, strict=True) if mask != user})


def with_stored_names(turns: Sequence[Turn], stored: Mapping[str, str]) -> list[Turn]:
    """The turns of the users that they are stored for: by these it is told whose word something is."""
    return [
        replace(
            turn,
            speaker=stored.get(turn.speaker or "", turn.speaker),
            user=stored.get(turn.user or "", turn.user),
        )
        for turn in turns
    ]


async def allowed_candidates(
    engine: Engine, rule: Masking, candidates: Sequence[Candidate], stored: Mapping[str, str], steps: Steps
) -> list[Candidate]:
    """The candidates with personal data masked, or without those that hold any where the workspace refuses it; about
    users by their names as they are stored."""
    if rule.off:
        return list(candidates)
    allowed: list[Candidate] = []
    for _, part in steps.batches(candidates, proposed_in, BATCH):
        async with steps.step("redact_candidates", evidence_of(part)):
            allowed += await _allowed(engine, rule, part, stored)
    return allowed


async def _allowed(
    engine: Engine, rule: Masking, candidates: Sequence[Candidate], stored: Mapping[str, str]
) -> list[Candidate]:
    policy = PiiPolicy.of(rule, lenient=True)
    allowed: list[Candidate] = []
    texts = [
        [candidate.content, candidate.value or "", *(mention.name for mention in candidate.mentions)]
        for candidate in candidates
    ]
    redacted = iter(await engine.redactor.redact([text for some in texts for text in some], policy))
    for candidate, some in zip(candidates, texts, strict=True):
        content, value, *names = islice(redacted, len(some))
        if refused_kinds(rule, (*content.found, *value.found)):
            continue
        try:
            metadata, *described = [
                await engine.redactor.redact_json(dict(value), PiiPolicy.of(rule))
                for value in (candidate.metadata, *(mention.metadata for mention in candidate.mentions))
            ]
        except PiiRejected:
            continue
        mentions = tuple(
            Mention(mention.name, mention.kind, of_it)
            for mention, name, of_it in zip(candidate.mentions, names, described, strict=True)
            if not name.found
        )
        subject = stored.get(candidate.subject or "", candidate.subject)
        allowed.append(
            replace(
                candidate,
                content=content.text,
                value=value.text or None,
                subject=subject,
                mentions=mentions,
                metadata=metadata,
            )
        )
    return allowed
