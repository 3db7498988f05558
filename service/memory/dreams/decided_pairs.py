"""Labelled pairs of what people decided: merges and replacements of an agent's dreams that they let stand, undid or
reverted, and proposals that they accepted, edited or rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Final
from uuid import UUID

from service.domain.calibration import Calibration, DecidedKind
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.verdicts import ASKED_FROM
from service.embedding.base import EmbeddingFailed
from service.memory.dreams.agents import put_agent
from service.memory.dreams.calibration import LabelledPair, calibrate_for, cosines
from service.memory.engine import Engine
from service.memory.search.recall import recall
from service.store import agents, decided
from service.store.decided import DecidedProposal
from service.store.settings import agent_settings

CHANGES_MAX: Final = 1_000
"""The newest changes of dreams that are looked at."""
PROPOSALS_MAX: Final = 100
"""The newest decided proposals that are looked at; each is a search."""
NEAREST: Final = 3
LABELLED_MIN: Final = 30
"""Fewer pairs say too little of how often a model is right."""


@dataclass(frozen=True, slots=True)
class DecidedPairs:
    """Pairs, no two of the same statements, and how many there are of each kind."""

    pairs: list[LabelledPair]
    kinds: dict[DecidedKind, int]


async def decided_pairs(engine: Engine, principal: Principal, agent: str, *, stood_days: float) -> DecidedPairs:
    """The pairs of an agent. A change stands once it is ``stood_days`` old; of several decisions on the same two
    statements the newest change of a dream counts. Raises NotFound for an agent that is not there."""
    workspace = principal.workspace_id
    before = engine.now() - timedelta(days=stood_days)
    async with engine.db.transaction(workspace) as connection:
        row = await agents.existing_agent(connection, workspace, agent)
        changes = await decided.changes(connection, workspace, row.id, before=before, limit=CHANGES_MAX)
        proposals = await decided.proposals(connection, workspace, row.id, limit=PROPOSALS_MAX)
    found: dict[tuple[str, str], tuple[LabelledPair, DecidedKind]] = {}
    of_changes = [(LabelledPair(a=one.a, b=one.b, label=one.label), one.kind) for one in changes]
    of_edits = [
        (LabelledPair(a=one.proposed, b=one.content, label="update"), one.kind)
        for one in proposals
        if one.kind == "edited" and one.proposed != one.content
    ]
    beside_known = await _beside_known(engine, principal, agent, proposals)
    for pair, kind in chain(of_changes, of_edits, beside_known):
        found.setdefault((pair.a, pair.b), (pair, kind))
    kinds = Counter(kind for _, kind in found.values())
    return DecidedPairs([pair for pair, _ in found.values()], dict(kinds))


async def _beside_known(
    engine: Engine, principal: Principal, agent: str, proposals: Sequence[DecidedProposal]
) -> list[tuple[LabelledPair, DecidedKind]]:
    """Decided proposals, each beside the memories nearest to it when it was said that a dream would have asked about.

    What was kept beside them is different, and what replaced one an update; what was rejected did neither."""
    nearest: list[tuple[UUID, str, DecidedProposal]] = []
    for one in proposals:
        request = SearchRequest(agent=agent, query=one.content, about=one.user, limit=NEAREST, as_of=one.said_at)
        found = await recall(engine, principal, request, count_access=False)
        known = [result.memory for result in found.results if result.memory]
        nearest += [
            (memory.id, memory.content, one)
            for memory in known
            if memory.id != one.memory_id and memory.user == one.user
        ]
    near = await _alike(engine, [(content, one.content) for _, content, one in nearest])
    asked = [beside for beside, is_near in zip(nearest, near, strict=True) if is_near]
    async with engine.db.transaction(principal.workspace_id) as connection:
        labels = await decided.labels(
            connection, principal.workspace_id, [(id_, one.memory_id) for id_, _, one in asked]
        )
    return [
        (LabelledPair(a=content, b=one.content, label=label), one.kind)
        for (_, content, one), label in zip(asked, labels, strict=True)
        if label is not None
    ]


async def _alike(engine: Engine, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Which of these are so similar that a dream asks about them; none where nothing can be embedded."""
    try:
        found = await cosines(engine.embedder, pairs) if engine.embedder else []
    except EmbeddingFailed:
        found = []
    return [cosine >= ASKED_FROM for cosine in found] or [False] * len(pairs)


async def calibrate_on_decisions(
    engine: Engine, principal: Principal, agent: str, *, stood_days: float, write: bool
) -> Calibration:
    """Find which thresholds fit an agent, by its ``decided_pairs``; ``write`` puts what is recommended into the agent's
    settings. Raises what ``calibrate_for`` raises, Forbidden, NotFound."""
    principal.require_write()
    workspace = principal.workspace_id
    found = await decided_pairs(engine, principal, principal.check_owns(agent), stood_days=stood_days)
    async with engine.db.transaction(workspace) as connection:
        row = await agents.existing_agent(connection, workspace, agent)
        choices = (await agent_settings(connection, workspace, row.id)).llm
    fit = await calibrate_for(
        engine, principal, found.pairs, choices=choices, write=write, labelled_min=LABELLED_MIN, agent=agent
    )
    written = write and bool(fit.recommended)
    if written:
        own = row.settings | {"dream": row.settings.get("dream", {}) | fit.recommended}
        await put_agent(engine, principal, agent, {"settings": own})
    return Calibration(
        by=fit.by, pairs=fit.pairs, kinds=found.kinds, by_guards=fit.by_guards, unusable=fit.unusable, rows=fit.rows,
        recommended=fit.recommended, too_few=[*fit.too_few], written=written,
    )  # fmt: skip
