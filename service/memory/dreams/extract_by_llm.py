"""Extraction by a language model: one call for each bounded chunk of turns, four at a time.

A chunk that fails is cut in halves until the message that breaks it stands alone; that one is skipped and reported,
and the rest goes on. Whether it is the message or the model that is broken, a canary request with a
harmless turn shows: where that fails too, the failure is raised, and the dream fails with it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.workspace import WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.extraction.candidates import Candidate, Extraction, Turn, stated_in
from service.extraction.english.sentences import without_injected
from service.llm import LLM, BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.dreams.in_flight import Steps
from service.memory.dreams.llm_candidates import candidates_of
from service.memory.dreams.prompts import CANARY_TURN, EXTRACT, Notes, notes_form
from service.memory.dreams.steering import steered, with_own_types

PREPARED_TURNS = 200
CHUNK_TURNS = 40
CHUNK_TOKENS = 3_000
TURN_TOKENS_MAX = 3_000
ANSWER_TOKENS_MAX = 4_000
CALLS_AT_ONCE = 4
SKIPPED_MAX = 10

_BROKEN = (LLMInvalidOutput, LLMUnavailable)


class ModelCalls(Protocol):
    """How the model is called. ``used``: the hashes of the calls whose results may be kept."""

    @property
    def used(self) -> list[str]: ...

    async def once(
        self, step: str, question: JsonValue, message_ids: Sequence[UUID], work: Callable[[LLM], Awaitable[JsonObject]]
    ) -> JsonObject:
        """What ``work`` gives for this question about these messages; a kept result, where there is one."""

    async def call(self, step: str, work: Callable[[LLM], Awaitable[JsonObject]]) -> JsonObject:
        """What ``work`` gives, whatever has been kept."""


@dataclass(slots=True)
class _Chunk:
    """What became of one chunk."""

    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[UUID, str]] = field(default_factory=list)
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class _Extractor:
    """What every call of an extraction goes through."""

    settings: WorkspaceSettings
    calls: ModelCalls
    steps: Steps


async def extract_by_llm(
    turns: Sequence[Turn],
    settings: WorkspaceSettings,
    calls: ModelCalls,
    done: Callable[[int, Sequence[Candidate]], None],
    steps: Steps,
) -> Extraction:
    """What the turns state, by the language model under these settings, up to where the budget ends. ``done`` is
    given the number of turns of each few read, and the candidates in them.

    Raises LLMUnavailable or LLMInvalidOutput when the model answers nothing of use, and LeaseLost.
    """
    chunks = await _chunked(turns, steps)
    at_once = asyncio.Semaphore(CALLS_AT_ONCE)
    asking = _Extractor(settings, calls, steps)

    async def read(chunk: Sequence[Turn]) -> _Chunk | BudgetReached:
        async with at_once:
            try:
                result = await _read(chunk, asking)
            except BudgetReached as reached:
                return reached
            done(len(chunk), result.candidates)
            return result

    found = Extraction(covered=0, steps=calls.used)
    tasks = [asyncio.ensure_future(read(chunk)) for chunk in chunks]
    try:
        results = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for chunk, result in zip(chunks, results, strict=True):
        if isinstance(result, BudgetReached):
            found.stopped = result.message
            break
        found.covered += len(chunk)
        found.candidates += result.candidates
        found.skipped += result.skipped
        found.rejected += result.rejected
    if len(found.skipped) > SKIPPED_MAX:
        raise LLMInvalidOutput(f"{len(found.skipped)} messages in one dream could not be read: {found.skipped[0][1]}")
    return found


async def prompts_for(turns: Sequence[Turn], settings: WorkspaceSettings, steps: Steps) -> list[list[dict[str, str]]]:
    """The prompts in which a model would be shown the turns, one for each call."""
    shown = [await steps.run(_messages, chunk) for chunk in await _chunked(turns, steps)]
    return [_worded(messages, settings) for messages in shown if messages]


async def _chunked(turns: Sequence[Turn], steps: Steps) -> list[list[Turn]]:
    costs: list[int] = []
    for _, part in steps.batches(turns, stated_in, PREPARED_TURNS):
        async with steps.step("read", [turn.id for turn in part]):
            costs += await steps.run(_costs, part)
    return _chunks(turns, costs)


def _costs(turns: Sequence[Turn]) -> list[int]:
    """The tokens of each turn. Each is also brought into the form in which it is shown, so that a turn that ends the
    process does so here, where it is known which one it was."""
    for turn in turns:
        _messages([turn])
    return [min(count_tokens(turn.content), TURN_TOKENS_MAX) for turn in turns]


def _chunks(turns: Sequence[Turn], costs: Sequence[int]) -> list[list[Turn]]:
    """Turns in order, cut where a chunk would grow past its bounds, and between sessions of different users: what one
    of them tells the model cannot touch what it notes of another."""
    users: dict[str, set[str | None]] = defaultdict(set)
    for turn in turns:
        users[turn.session].add(turn.user)
    chunks: list[list[Turn]] = []
    tokens = 0
    for turn, cost in zip(turns, costs, strict=True):
        full = not chunks or len(chunks[-1]) == CHUNK_TURNS or tokens + cost > CHUNK_TOKENS
        if full or users[turn.session] != users[chunks[-1][-1].session]:
            chunks.append([])
            tokens = 0
        chunks[-1].append(turn)
        tokens += cost
    return chunks


async def _read(turns: Sequence[Turn], asking: _Extractor) -> _Chunk:
    """One chunk, cut in halves where it fails although the model works."""
    try:
        return await _ask(turns, asking)
    except _BROKEN:
        await _ask([_canary_turn(turns[0])], asking, keep=False)
    return await _bisect(turns, asking)


async def _bisect(turns: Sequence[Turn], asking: _Extractor) -> _Chunk:
    """The two halves of a chunk that failed, and theirs; a turn that fails alone is skipped."""
    middle = len(turns) // 2
    if middle == 0:
        try:
            return await _ask(turns, asking)
        except _BROKEN as error:
            return _Chunk(skipped=[(turns[0].id, error.message[:500])])
    whole = _Chunk()
    for half in (turns[:middle], turns[middle:]):
        try:
            part = await _ask(half, asking)
        except _BROKEN:
            part = await _bisect(half, asking)
        whole.candidates += part.candidates
        whole.skipped += part.skipped
        whole.rejected += part.rejected
    return whole


async def _ask(turns: Sequence[Turn], asking: _Extractor, *, keep: bool = True) -> _Chunk:
    """One call about these turns, from its checkpoint when it has been made before."""
    messages = await asking.steps.run(_messages, turns)
    if not messages:
        return _Chunk()
    messages = _worded(messages, asking.settings)
    form = form_of(asking.settings)

    async def call(llm: LLM) -> JsonObject:
        answer = await llm.structured(messages, form, tokens_max=ANSWER_TOKENS_MAX)
        return answer.value.model_dump(mode="json")

    if not keep:
        await asking.calls.call("extract", call)
        return _Chunk()
    ids = [turn.id for turn in turns]
    result = await asking.calls.once("extract", messages, ids, call)
    async with asking.steps.step("note", ids):
        candidates, rejected = await asking.steps.run(
            candidates_of,
            form.model_validate(result),
            turns,
            asking.settings.memory_types,
            asking.settings.entity_kinds,
        )
    return _Chunk(candidates, rejected=rejected)


def form_of(settings: WorkspaceSettings) -> type[Notes]:
    """The form of the answer to a prompt under these settings."""
    return notes_form(tuple(settings.memory_types), tuple(settings.entity_kinds))


def _worded(messages: list[dict[str, str]], settings: WorkspaceSettings) -> list[dict[str, str]]:
    return steered(with_own_types(messages, settings), settings.dream)


def _canary_turn(like: Turn) -> Turn:
    return Turn(like.id, like.session, like.seq, "user", CANARY_TURN, like.at, None, "ann")


def _messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """The prompt, or nothing when there is nothing in the turns to read."""
    lines: list[str] = []
    session: str | None = None
    for number, turn in enumerate(turns, start=1):
        said = without_injected(turn.content).strip()
        if not said or turn.role == "system":
            continue
        if turn.session != session:
            lines.append(f"(session {len({t.session for t in turns[:number]})})")
            session = turn.session
        who = turn.speaker or (turn.user if turn.role == "user" else None) or turn.role
        line = {"turn": number, "at": turn.at, "role": turn.role, "who": who, "said": _clipped(said)}
        lines.append(dumps(line).decode().replace("</", r"<\/"))  # the same in JSON, and no end of the turns
    if not lines:
        return []
    return [
        {"role": "system", "content": EXTRACT},
        {"role": "user", "content": "<turns>\n" + "\n".join(lines) + "\n</turns>"},
    ]


def _clipped(text: str) -> str:
    """At most about ``TURN_TOKENS_MAX`` tokens of a turn: its beginning and its end."""
    chars = TURN_TOKENS_MAX * 4
    return text if len(text) <= chars else f"{text[: chars // 2]}\n[…]\n{text[-chars // 2 :]}"
