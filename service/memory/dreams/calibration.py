"""Thresholds that fit a decision model: labelled pairs put to it as a dream would, and how often it is right from
each probability on. Without one, the similarity of the embedder stands in, for merging alone.

Pairs are labelled by hand, or by what people decided: merges and replacements of an agent's dreams that they let stand,
undid or reverted, and proposals that they accepted, edited or rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Final, Literal
from uuid import UUID

import numpy as np
from pydantic import BaseModel, ConfigDict

from service.domain.calibration import Calibration, CalibrationRow, DecidedKind, Threshold
from service.domain.changed_values import changes_value
from service.domain.field_types import Content
from service.domain.guards import contradicts, may_merge, same_particulars
from service.domain.llm_settings import LLMSettings
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.spending import paid_by
from service.domain.verdicts import ASKED_FROM, Outcome, PairVerdict, likeliest
from service.embedding.embedder import Embedder, EmbeddingFailed
from service.errors import InvalidInput, Unavailable
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory.agents import put_agent
from service.memory.engine import Engine
from service.memory.prompts import listed_pairs, pair_question
from service.memory.search.recall import recall
from service.store import agents
from service.store.settings import agent_settings

THRESHOLDS: Final = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99, 0.999)
PRECISION_MIN: Final = 0.95
"""Of a recommended threshold."""
PAIRS_PER_CALL: Final = 40
EMBED_BATCH: Final = 128
SETTINGS: Final[dict[Threshold, frozenset[Outcome]]] = {
    "merge_at": frozenset({"duplicate"}),
    "replace_at": frozenset({"update", "contradiction"}),
    "distinct_at": frozenset({"different"}),
}
"""Which outcomes each threshold is for."""

CHANGES_MAX: Final = 1_000
"""The newest changes of dreams that are looked at."""
PROPOSALS_MAX: Final = 100
"""The newest decided proposals that are looked at; each is a search."""
NEAREST: Final = 3
LABELLED_MIN: Final = 30
"""Fewer pairs say too little of how often a model is right."""


class LabelledPair(BaseModel):
    """An older statement, a newer one, and what the newer one is."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    a: Content
    b: Content
    label: Outcome


@dataclass(frozen=True, slots=True)
class Fit:
    """Fit of thresholds. ``by``: who judged; ``by_guards``: pairs that rules decide; ``unusable``: answers that
    decide nothing. ``recommended``: by setting, where a threshold is good enough; ``too_few``: settings that have too
    few pairs."""

    by: str
    pairs: int
    by_guards: int
    unusable: int
    rows: list[CalibrationRow]
    recommended: dict[str, float]
    too_few: list[Threshold]


async def calibrate(
    llm: LLM | None, embedder: Embedder | None, pairs: Sequence[LabelledPair], *, labelled_min: int = 1
) -> Fit:
    """Judge the pairs that rules leave open. A threshold is recommended only where ``labelled_min`` of the judged pairs
    have an outcome that it is for. Raises LLMUnavailable, BudgetReached, EmbeddingFailed, and ValueError where there is
    neither a model nor an embedder."""
    asked = [pair for pair in pairs if not _is_settled(pair)]
    if llm is not None:
        verdicts, by = await _by_model(llm, asked), llm.model
    elif embedder is not None:
        verdicts, by = await _by_similarity(embedder, asked), embedder.model
    else:
        raise ValueError("neither a decision model (LLM_DECIDE, llm.decide) nor an embedder is configured")
    judged = list(zip(asked, verdicts, strict=True))
    names: tuple[Threshold, ...] = tuple(SETTINGS) if llm else ("merge_at",)
    rows = [row for name in names for row in _rows(name, judged)]
    labels = [pair.label for pair in asked]
    too_few = [name for name, outcomes in SETTINGS.items() if sum(one in outcomes for one in labels) < labelled_min]
    recommended = _recommended(rows) if llm else {}
    return Fit(
        by, len(pairs), len(pairs) - len(asked), sum(one is None for one in verdicts), rows,
        {name: at for name, at in recommended.items() if name not in too_few}, too_few,
    )  # fmt: skip


async def calibrate_for(
    engine: Engine,
    principal: Principal,
    pairs: Sequence[LabelledPair],
    *,
    choices: LLMSettings,
    write: bool,
    labelled_min: int = 1,
    agent: str | None = None,
) -> Fit:
    """Judge pairs by the model that a workspace or an ``agent`` has for that, at the caller's expense.

    Raises InvalidInput where nothing can judge, or nothing that is to be written, Unavailable where it fails, and
    BudgetReached."""
    llm = engine.model("decide", principal.workspace_id, choices)
    if llm is None and engine.embedder is None:
        raise InvalidInput(("LLM_DECIDE",), "there is neither a decision model (LLM_DECIDE) nor an embedder")
    if llm is None and write:
        raise InvalidInput(("body", "write"), "similarities are no probabilities: thresholds need a model (LLM_DECIDE)")
    try:
        with paid_by(principal.payer(agent)):
            return await calibrate(llm, engine.embedder, pairs, labelled_min=labelled_min)
    except (LLMUnavailable, EmbeddingFailed) as error:
        raise Unavailable(error.message) from error


def _is_settled(pair: LabelledPair) -> bool:
    """Return whether the guards of a dream decide without asking."""
    return may_merge(pair.a, pair.b) or contradicts(pair.a, pair.b) or bool(changes_value(pair.a, pair.b))


async def _by_model(llm: LLM, pairs: Sequence[LabelledPair]) -> list[PairVerdict | None]:
    verdicts: list[PairVerdict | None] = []
    for start in range(0, len(pairs), PAIRS_PER_CALL):
        some = pairs[start : start + PAIRS_PER_CALL]
        text = listed_pairs((pair.a, pair.b) for pair in some)
        try:
            answers = await llm.decide(text, [pair_question(number) for number in range(1, len(some) + 1)])
        except LLMInvalidOutput:
            answers = [None] * len(some)
        verdicts += [_guarded(pair, likeliest(answer)) for pair, answer in zip(some, answers, strict=True)]
    return verdicts


async def _by_similarity(embedder: Embedder, pairs: Sequence[LabelledPair]) -> list[PairVerdict | None]:
    found = await cosines(embedder, [(pair.a, pair.b) for pair in pairs])
    return [_guarded(pair, PairVerdict("duplicate", cosine)) for pair, cosine in zip(pairs, found, strict=True)]


async def cosines(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the similarity of each pair of texts, from -1 to 1. Raises EmbeddingFailed."""
    found: list[float] = []
    for start in range(0, len(pairs), EMBED_BATCH // 2):
        vectors = np.asarray(await embedder.embed(list(chain(*pairs[start : start + EMBED_BATCH // 2]))))
        found += (vectors[0::2] * vectors[1::2]).sum(axis=1).tolist()
    return found


def _guarded(pair: LabelledPair, verdict: PairVerdict | None) -> PairVerdict | None:
    """Return the verdict, None for a merge that the guards forbid."""
    forbidden = verdict is not None and verdict.outcome == "duplicate" and not same_particulars(pair.a, pair.b)
    return None if forbidden else verdict


def _rows(name: Threshold, judged: Sequence[tuple[LabelledPair, PairVerdict | None]]) -> Iterable[CalibrationRow]:
    outcomes = SETTINGS[name]
    labelled = sum(pair.label in outcomes for pair, _ in judged)
    for threshold in THRESHOLDS:
        said = [
            pair
            for pair, verdict in judged
            if verdict is not None and verdict.outcome in outcomes and (verdict.probability or 0) >= threshold
        ]
        right = sum(pair.label in outcomes for pair in said)
        contradictions = sum(pair.label == "contradiction" for pair in said) if name == "merge_at" else 0
        yield CalibrationRow(
            name, threshold, len(said), right / len(said) if said else None, right / labelled if labelled else None,
            contradictions,
        )  # fmt: skip


def _recommended(rows: Sequence[CalibrationRow]) -> dict[str, float]:
    """Return the lowest threshold of each setting down to which enough verdicts are right and no contradiction is
    merged."""
    found: dict[str, float] = {}
    for name in SETTINGS:
        for row in reversed([row for row in rows if row.setting == name and row.said]):
            if (row.precision or 0) < PRECISION_MIN or row.contradictions:
                break
            found[name] = row.threshold
    return found


@dataclass(frozen=True, slots=True)
class _DecidedChange:
    """A statement, one that a dream merged with it or let replace it, and what the latter is by what became of that."""

    a: str
    b: str
    label: Outcome
    kind: Literal["stood", "undone", "reverted"]


@dataclass(frozen=True, slots=True)
class _DecidedProposal:
    """What was ``proposed``, and the memory that came of it: ``content`` is the memory's, of a rejected one its own."""

    kind: Literal["accepted", "edited", "rejected"]
    proposed: str
    content: str
    user: str | None
    said_at: datetime
    memory_id: UUID | None


@dataclass(frozen=True, slots=True)
class DecidedPairs:
    """Pairs, no two of the same statements, and how many there are of each kind."""

    pairs: list[LabelledPair]
    kinds: dict[DecidedKind, int]


async def decided_pairs(engine: Engine, principal: Principal, agent: str, *, stood_days: float) -> DecidedPairs:
    """Return the pairs of an agent. A change stands once it is ``stood_days`` old; of several decisions on the same two
    statements the newest change of a dream counts. Raises NotFound for an agent that is not there."""
    workspace = principal.workspace_id
    before = engine.now() - timedelta(days=stood_days)
    async with engine.db.transaction(workspace) as connection:
        row = await agents.existing_agent(connection, workspace, agent)
        changes = await connection.many(
            _DecidedChange, "decided_changes", workspace=workspace, agent_id=row.id, before=before, limit=CHANGES_MAX
        )
        proposals = await connection.many(
            _DecidedProposal, "decided_proposals", workspace=workspace, agent_id=row.id, limit=PROPOSALS_MAX
        )
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
    engine: Engine, principal: Principal, agent: str, proposals: Sequence[_DecidedProposal]
) -> list[tuple[LabelledPair, DecidedKind]]:
    """Return decided proposals, each beside the memories nearest to it when it was said that a dream would have asked
    about.

    What was kept beside them is different, and what replaced one an update; what was rejected did neither."""
    nearest: list[tuple[UUID, str, _DecidedProposal]] = []
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
        rows = await connection.fetch(
            "labels_beside", workspace=principal.workspace_id, older=[id_ for id_, _, _ in asked],
            newer=[one.memory_id for _, _, one in asked],
        )  # fmt: skip
    return [
        (LabelledPair(a=content, b=one.content, label=row["label"]), one.kind)
        for (_, content, one), row in zip(asked, rows, strict=True)
        if row["label"] is not None
    ]


async def _alike(engine: Engine, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return which of these are so similar that a dream asks about them; none where nothing can be embedded."""
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
