"""``reverie eval pairs``: thresholds that fit a decision model. Labelled pairs are put to it as a dream would, to find
how often it is right from each probability on. Without one, the embedder's similarity stands in, for merging alone.

Pairs are labelled by hand, or by what people decided: merges and replacements of an agent's dreams that they let stand,
undid or reverted, and proposals that they accepted, edited or rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.markup import escape

from service.domain.changed_values import changes_value
from service.domain.field_types import Content
from service.domain.guards import contradicts, may_merge, same_particulars
from service.domain.llm_settings import LLMSettings
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.spending import paid_by
from service.domain.validation import reason_of
from service.domain.verdicts import ASKED_FROM, Outcome, PairVerdict, likeliest
from service.domain.workspace import WorkspaceSettings
from service.embedding.embedder import Embedder, EmbeddingFailed
from service.errors import InvalidInput, Unavailable
from service.export_import import open_workspace
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory.access.redaction import masked_names, workspace_masking
from service.memory.access.workspace import get_settings, put_settings
from service.memory.agents import put_agent
from service.memory.prompts import listed_pairs, pair_question
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.settings import Settings
from service.store import agents
from service.store.settings import agent_settings

Threshold = Literal["merge_at", "replace_at", "distinct_at"]
DecidedKind = Literal["stood", "undone", "reverted", "accepted", "edited", "rejected"]

PAIRS_MAX: Final = 20_000
"""Of a file."""
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
class DecidedPairs:
    """Pairs, and how many of them come from which decisions of people: none where they are labelled by hand."""

    pairs: Sequence[LabelledPair]
    kinds: dict[DecidedKind, int]


@dataclass(frozen=True, slots=True)
class Row:
    """Quality of the verdicts from a threshold on; a share of none is None. ``contradictions``: among the merges."""

    setting: Threshold
    threshold: float
    said: int
    precision: float | None
    recall: float | None
    contradictions: int


@dataclass(frozen=True, slots=True)
class Fit:
    """Fit of thresholds. ``by``: who judged; ``kinds``: how many pairs come from which decisions of people;
    ``by_guards``: pairs that rules decide; ``unusable``: answers that decide nothing. ``recommended``: by setting,
    where a threshold is good enough; ``too_few``: settings that have too few pairs; ``written``: whether what is
    recommended is in the settings."""

    by: str
    pairs: int
    kinds: dict[DecidedKind, int]
    by_guards: int
    unusable: int
    rows: list[Row]
    recommended: dict[Threshold, float]
    too_few: list[Threshold]
    written: bool


async def measure(
    settings: Settings, workspace: str, pairs: Sequence[LabelledPair], agent: str | None, *,
    stood_days: float, write: bool,
) -> Fit:  # fmt: skip
    """Measure on these pairs or, with an ``agent``, on what people decided on its dreams and proposals. Raises NotFound
    for an unknown workspace or agent, and what ``fit`` raises."""
    async with open_workspace(settings, workspace) as (runtime, principal):
        if agent is None:
            return await fit_workspace(runtime, principal, pairs, write=write)
        masking = await workspace_masking(runtime, principal.workspace_id)
        (name,) = await masked_names(runtime, principal.workspace_id, masking, [(("agent",), agent)], refuse=False)
        return await fit_agent(runtime, principal, name, stood_days=stood_days, write=write)


async def fit_workspace(runtime: Runtime, principal: Principal, pairs: Sequence[LabelledPair], *, write: bool) -> Fit:
    """Find which thresholds fit a workspace; ``write`` puts what is recommended into its settings."""
    choices = (await get_settings(runtime, principal)).llm
    found = await fit(runtime, principal, DecidedPairs(pairs, {}), choices, write=write)
    if found.written:
        await put_settings(runtime, principal, WorkspaceSettings.model_validate({"dream": found.recommended}))
    return found


async def fit_agent(runtime: Runtime, principal: Principal, agent: str, *, stood_days: float, write: bool) -> Fit:
    """Find which thresholds fit an agent, by its ``decided_pairs``; ``write`` puts what is recommended into the agent's
    settings."""
    decided_by_people = await decided_pairs(runtime, principal, agent, stood_days=stood_days)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        row = await agents.existing_agent(connection, principal.workspace_id, agent)
        choices = (await agent_settings(connection, principal.workspace_id, row.id)).llm
    found = await fit(
        runtime, principal, decided_by_people, choices, write=write, labelled_min=LABELLED_MIN, agent=agent
    )
    if found.written:
        own = row.settings | {"dream": row.settings.get("dream", {}) | found.recommended}
        await put_agent(runtime, principal, agent, {"settings": own})
    return found


async def fit(
    runtime: Runtime,
    principal: Principal,
    given: DecidedPairs,
    choices: LLMSettings,
    *,
    write: bool,
    labelled_min: int = 1,
    agent: str | None = None,
) -> Fit:
    """Judge the pairs that rules leave open, by the model that a workspace or an ``agent`` has for that and at its
    expense. A threshold is recommended only where ``labelled_min`` of the judged pairs have an outcome that it is for.

    Raises InvalidInput where nothing can judge, or nothing that is to be written, Unavailable where it fails, and
    BudgetReached."""
    llm, embedder = runtime.model("decide", principal.workspace_id, choices), runtime.embedder
    if llm is None and embedder is None:
        raise InvalidInput(("LLM_STEPS", "decide"), "set LLM_STEPS.decide: there is no embedder to judge instead")
    if llm is None and write:
        raise InvalidInput(("write",), "similarities are no probabilities: thresholds need a model (LLM_STEPS.decide)")
    asked = [pair for pair in given.pairs if not _is_settled(pair)]
    try:
        with paid_by(principal.payer(agent)):
            if llm is not None:
                verdicts, by = await _by_model(llm, asked), llm.model
            else:
                assert embedder is not None
                verdicts, by = await _by_similarity(embedder, asked), embedder.model
    except (LLMUnavailable, EmbeddingFailed) as error:
        raise Unavailable(error.message) from error
    judged = list(zip(asked, verdicts, strict=True))
    names: tuple[Threshold, ...] = tuple(SETTINGS) if llm else ("merge_at",)
    rows = [row for name in names for row in _rows(name, judged)]
    labels = [pair.label for pair in asked]
    too_few = [name for name, outcomes in SETTINGS.items() if sum(one in outcomes for one in labels) < labelled_min]
    recommended = {name: at for name, at in (_recommended(rows) if llm else {}).items() if name not in too_few}
    return Fit(
        by, len(given.pairs), given.kinds, len(given.pairs) - len(asked), sum(one is None for one in verdicts), rows,
        recommended, too_few, written=write and bool(recommended),
    )  # fmt: skip


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


def _rows(name: Threshold, judged: Sequence[tuple[LabelledPair, PairVerdict | None]]) -> Iterable[Row]:
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
        yield Row(
            name, threshold, len(said), right / len(said) if said else None, right / labelled if labelled else None,
            contradictions,
        )  # fmt: skip


def _recommended(rows: Sequence[Row]) -> dict[Threshold, float]:
    """Return the lowest threshold of each setting down to which enough verdicts are right and no contradiction is
    merged."""
    found: dict[Threshold, float] = {}
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


async def decided_pairs(runtime: Runtime, principal: Principal, agent: str, *, stood_days: float) -> DecidedPairs:
    """Return the pairs of an agent, no two of the same statements. A change stands once it is ``stood_days`` old; of
    several decisions on the same two statements the newest change of a dream counts. Raises NotFound for an agent that
    is not there."""
    workspace = principal.workspace_id
    before = runtime.now() - timedelta(days=stood_days)
    async with runtime.db.transaction(workspace) as connection:
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
    beside_known = await _beside_known(runtime, principal, agent, proposals)
    for pair, kind in chain(of_changes, of_edits, beside_known):
        found.setdefault((pair.a, pair.b), (pair, kind))
    kinds = Counter(kind for _, kind in found.values())
    return DecidedPairs([pair for pair, _ in found.values()], dict(kinds))


async def _beside_known(
    runtime: Runtime, principal: Principal, agent: str, proposals: Sequence[_DecidedProposal]
) -> list[tuple[LabelledPair, DecidedKind]]:
    """Return decided proposals, each beside the memories nearest to it when it was said that a dream would have asked
    about.

    What was kept beside them is different, and what replaced one an update; what was rejected did neither."""
    nearest: list[tuple[UUID, str, _DecidedProposal]] = []
    for one in proposals:
        request = SearchRequest(agent=agent, query=one.content, about=one.user, limit=NEAREST, as_of=one.said_at)
        found = await recall(runtime, principal, request, count_access=False)
        known = [result.memory for result in found.results if result.memory]
        nearest += [
            (memory.id, memory.content, one)
            for memory in known
            if memory.id != one.memory_id and memory.user == one.user
        ]
    near = await _alike(runtime, [(content, one.content) for _, content, one in nearest])
    asked = [beside for beside, is_near in zip(nearest, near, strict=True) if is_near]
    async with runtime.db.transaction(principal.workspace_id) as connection:
        rows = await connection.fetch(
            "labels_beside", workspace=principal.workspace_id, older=[id_ for id_, _, _ in asked],
            newer=[one.memory_id for _, _, one in asked],
        )  # fmt: skip
    return [
        (LabelledPair(a=content, b=one.content, label=row["label"]), one.kind)
        for (_, content, one), row in zip(asked, rows, strict=True)
        if row["label"] is not None
    ]


async def _alike(runtime: Runtime, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return which of these are so similar that a dream asks about them; none where nothing can be embedded."""
    try:
        found = await cosines(runtime.embedder, pairs) if runtime.embedder else []
    except EmbeddingFailed:
        found = []
    return [cosine >= ASKED_FROM for cosine in found] or [False] * len(pairs)


def read(file: Path) -> list[LabelledPair]:
    """Return the pairs of a file of JSON lines. Raises InvalidInput naming the line."""
    found: list[LabelledPair] = []
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found.append(LabelledPair.model_validate_json(line))
            except ValidationError as error:
                wrong = error.errors(include_input=False, include_url=False)[0]
                field = ".".join(map(str, wrong["loc"])) or "the line"
                raise InvalidInput(("data",), f"line {number}: {field}: {reason_of(wrong)}") from None
            if len(found) > PAIRS_MAX:
                raise InvalidInput(("data",), f"has more than {PAIRS_MAX:,} pairs")
    if not found:
        raise InvalidInput(("data",), f"{file} has no pairs")
    return found


def described(found: Fit) -> list[str]:
    """Return the table of a fit, and what it recommends, line by line."""
    lines = [
        f"{found.pairs:,} pairs: {found.by_guards:,} are settled by rules, the others judged by {escape(found.by)}"
        + (f", {found.unusable:,} without a usable verdict." if found.unusable else "."),
        "setting      from   verdicts  precision  recall  contradictions merged",
        *map(_line, found.rows),
    ]
    if found.recommended:
        listed = ", ".join(f"dream.{name} {at:g}" for name, at in found.recommended.items())
        lines.append(f"{'Written' if found.written else 'Recommended'}: {listed}")
    else:
        lines.append("No threshold is recommended: none has verdicts that are right often enough.")
    if found.too_few:
        few = ", ".join(f"dream.{name}" for name in found.too_few)
        lines.append(f"[yellow]Too few labelled pairs to recommend anything for {few}.[/]")
    return lines


def _line(row: Row) -> str:
    precision, recall = (f"{value:.3f}" if value is not None else "-" for value in (row.precision, row.recall))
    merged = f"{row.contradictions:>8}" if row.setting == "merge_at" else ""
    return f"{row.setting:<12} {row.threshold:<6g} {row.said:>7}  {precision:>9}  {recall:>6}  {merged}"
