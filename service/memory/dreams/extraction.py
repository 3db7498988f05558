"""Extraction of candidates from turns, by the rules and by a language model, and its masking of personal data.

The model is asked once for each bounded chunk of turns, four at a time. A chunk that fails is cut in halves until the
message that breaks it stands alone; that one is skipped and reported, and the rest goes on. Whether it is the message
or the model that is broken, a canary request with a harmless turn shows: where that fails too, the failure is raised,
and the dream fails with it.

Personal data is masked in what is read, before any model sees it, and in what is proposed: messages may be older than
the workspace's rule, so what is stored is not taken for clean.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Protocol
from uuid import UUID

from service.domain.dream_filter import DreamFilter
from service.domain.field_types import reject_unstorable, reject_unstorable_json
from service.domain.guards import normalize
from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.own_types import NO_KINDS, NO_TYPES, EntityKind, OwnType, check_entity, check_memory, like
from service.domain.placeholders import holds_placeholder
from service.domain.times import Period
from service.domain.types import POLICIES, MemoryType
from service.domain.workspace import Masking, WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.errors import BudgetReached
from service.extraction.candidates import Candidate, Extraction, Mention, Turn, evidence_of, proposed_in, stated_in
from service.extraction.english.dates import ground
from service.extraction.english.sentences import without_injected
from service.extraction.rules import extract as apply_rules
from service.extraction.trust import held_back, of_roles
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory.access.redaction import masked_names, redact_lenient, refused_kinds
from service.memory.in_flight import Steps
from service.memory.prompts import (
    CANARY_TURN,
    EXTRACT,
    Noted,
    NotedEntity,
    NotedOfOwnKind,
    NotedOfOwnType,
    Notes,
    notes_form,
    steered,
    with_own_types,
)
from service.privacy.redactor import PiiPolicy, PiiRejected
from service.runtime import Runtime

BATCH = 200

NOT_SHOWN = "it cites a message that was not shown"
OTHER_ROLE = "it cites a message of a role that is not read"
NOT_THE_USERS = "it takes a preference, identity or goal of the user from the assistant"
UNSTORABLE = "its text cannot be stored"
UNFIT = "its metadata does not fit its type"
UNFIT_ENTITY = "the metadata of an entity does not fit its kind"
PERSONAL = "it holds personal data that the workspace refuses"

_OF_THE_USER = frozenset({MemoryType.PREFERENCE, MemoryType.IDENTITY, MemoryType.GOAL})
_YEARS_AROUND = 150
PREPARED_TURNS = 200
CHUNK_TURNS = 40
CHUNK_TOKENS = 3_000
TURN_TOKENS_MAX = 3_000
ANSWER_TOKENS_MAX = 4_000
CALLS_AT_ONCE = 4
SKIPPED_MAX = 10
_BROKEN = (LLMInvalidOutput, LLMUnavailable)
BATCH_TURNS = 200


@dataclass(frozen=True, slots=True)
class Masked:
    """Turns whose texts and names a model may see, and by its mask each name that is ``stored`` as it was given."""

    turns: list[Turn]
    stored: Mapping[str, str]


async def masked_turns(runtime: Runtime, workspace: UUID, rule: Masking, turns: Sequence[Turn], steps: Steps) -> Masked:
    """Return the turns with personal data masked in what was said, and in the names of who said it, unless it is
    allowed."""
    if rule.off:
        return Masked(list(turns), {})
    said: list[str] = []
    for _, part in steps.batches(turns, stated_in, BATCH):
        async with steps.step("redact", [turn.id for turn in part]):
            said += await redact_lenient(runtime, rule, [turn.content for turn in part])
    names = sorted({name for turn in turns for name in (turn.speaker, turn.user) if name})
    masks = await masked_names(runtime, workspace, rule, [(("name",), name) for name in names], refuse=False)
    users = await masked_names(runtime, workspace, rule, [(("user",), name) for name in names], refuse=False)
    mask_of = dict(zip(names, masks, strict=True))
    shown = [
        replace(turn, content=content, speaker=mask_of.get(turn.speaker or ""), user=mask_of.get(turn.user or ""))
        for turn, content in zip(turns, said, strict=True)
    ]
    return Masked(shown, {mask: user for mask, user in zip(masks, users, strict=True) if mask != user})


def with_stored_names(turns: Sequence[Turn], stored: Mapping[str, str]) -> list[Turn]:
    """Return the turns of the users that they are stored for: by these it is told whose word something is."""
    return [
        replace(
            turn,
            speaker=stored.get(turn.speaker or "", turn.speaker),
            user=stored.get(turn.user or "", turn.user),
        )
        for turn in turns
    ]


async def allowed_candidates(
    runtime: Runtime, rule: Masking, candidates: Sequence[Candidate], stored: Mapping[str, str], steps: Steps,
    refused: Counter[str],
) -> list[Candidate]:  # fmt: skip
    """Return the candidates with personal data masked, or without those that hold any where the workspace refuses it,
    counted in ``refused``; about users by their names as they are stored."""
    if rule.off:
        return list(candidates)
    allowed: list[Candidate] = []
    for _, part in steps.batches(candidates, proposed_in, BATCH):
        async with steps.step("redact_candidates", evidence_of(part)):
            allowed += await _allowed(runtime, rule, part, stored, refused)
    return allowed


async def _allowed(
    runtime: Runtime, rule: Masking, candidates: Sequence[Candidate], stored: Mapping[str, str], refused: Counter[str]
) -> list[Candidate]:
    policy = PiiPolicy.of(rule, lenient=True)
    allowed: list[Candidate] = []
    texts = [
        [candidate.content, candidate.value or "", *(mention.name for mention in candidate.mentions)]
        for candidate in candidates
    ]
    redacted = iter(await runtime.redactor.redact([text for some in texts for text in some], policy))
    for candidate, some in zip(candidates, texts, strict=True):
        content, value, *names = islice(redacted, len(some))
        if refused_kinds(rule, (*content.found, *value.found)):
            refused[PERSONAL] += 1
            continue
        try:
            metadata, *described = [
                await runtime.redactor.redact_json(dict(value), PiiPolicy.of(rule))
                for value in (candidate.metadata, *(mention.metadata for mention in candidate.mentions))
            ]
        except PiiRejected:
            refused[PERSONAL] += 1
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


def candidates_of(
    notes: Notes,
    turns: Sequence[Turn],
    types: Mapping[str, OwnType] = NO_TYPES,
    kinds: Mapping[str, EntityKind] = NO_KINDS,
) -> tuple[list[Candidate], Counter[str]]:
    """Return the statements that hold, and how many did not by the reason: they cite no turn that was shown, quote the
    assistant, cannot be stored, or have metadata that does not fit their type; and metadata that does not fit the kind
    of its entity, which is left out alone."""
    kept: list[Candidate] = []
    rejected: Counter[str] = Counter()
    for noted in notes.memories:
        described = [_metadata_of_entity(entity, kinds) for entity in noted.entities]
        candidate = _candidate(noted, turns, types, described)
        if isinstance(candidate, str):
            rejected[candidate] += 1
        else:
            kept.append(candidate)
            rejected[UNFIT_ENTITY] += described.count(None)
    return kept, rejected


def _candidate(
    noted: Noted, turns: Sequence[Turn], types: Mapping[str, OwnType], described: Sequence[JsonObject | None]
) -> Candidate | str:
    """Return the candidate that a statement is, or why it is none."""
    numbers = list(dict.fromkeys(noted.evidence))
    if not all(1 <= number <= len(turns) for number in numbers):
        return NOT_SHOWN
    cited = [turns[number - 1] for number in numbers]
    if any(turn.role == "system" for turn in cited):
        return OTHER_ROLE
    base = like(types, noted.type)
    if base in _OF_THE_USER and not any(turn.role == "user" for turn in cited):
        return NOT_THE_USERS
    content = _clean(noted.content)
    metadata = _metadata(noted, types)
    if not content or metadata is None:
        return UNSTORABLE if not content else UNFIT
    last = max(cited, key=lambda turn: turn.at)
    grounded = ground(content, last.at, future=base in (MemoryType.TODO, MemoryType.GOAL))
    happened = _period(noted.occurred_on, last.at) or grounded.period
    if happened is None and POLICIES[base].happens:
        happened = grounded.happened(last.at)
    slot = normalize(_clean(noted.slot or "")) or None
    value = normalize(_clean(noted.value or "")) or None
    return Candidate(
        type=noted.type if noted.type in types else base,
        content=grounded.text,
        evidence=tuple(turn.id for turn in cited),
        subject=_subject(noted, last),
        polarity=noted.polarity,
        slot=slot if value else None,
        value=value if slot else None,
        occurred=happened,
        importance=round(noted.importance, 2),
        confidence=round(noted.confidence, 2),
        own_like=base if noted.type in types else None,
        metadata=metadata,
        mentions=tuple(
            Mention(name, entity.kind, metadata or {})
            for entity, metadata in zip(noted.entities, described, strict=True)
            if (name := _printable(entity.name)) and name.casefold() in content.casefold()
        ),
    )


def _metadata(noted: Noted, types: Mapping[str, OwnType]) -> JsonObject | None:
    """Return the metadata of a statement of a type of the workspace's own; None where it does not fit the type's
    schema."""
    if not isinstance(noted, NotedOfOwnType) or noted.type not in types or types[noted.type].metadata_schema is None:
        return {}
    return _json_object(noted.metadata, lambda metadata: check_memory(types, noted.type, metadata))


def _metadata_of_entity(entity: NotedEntity, kinds: Mapping[str, EntityKind]) -> JsonObject | None:
    """Return the metadata of an entity of a kind with a schema; None where it does not fit."""
    kind = kinds.get(entity.kind)
    if not isinstance(entity, NotedOfOwnKind) or kind is None or kind.metadata_schema is None:
        return {}
    return _json_object(entity.metadata, lambda metadata: check_entity(kinds, entity.kind, metadata))


def _json_object(text: str | None, check: Callable[[JsonObject], None]) -> JsonObject | None:
    """Return the object that a text holds, an empty one where there is none; None where it is none or does not pass."""
    try:
        value = reject_unstorable_json(json.loads(text or "{}"))
        if not isinstance(value, dict):
            return None
        check(value)
    except (ValueError, RecursionError):
        return None
    return value


def _clean(text: str) -> str:
    """Return one line of text that Postgres can store; nothing for what it cannot."""
    try:
        return reject_unstorable(" ".join(text.replace("\x00", " ").split()))
    except ValueError:
        return ""


def _printable(name: str) -> str:
    return "".join(char for char in _clean(name) if char.isprintable()).strip()[:200]


def _subject(noted: Noted, turn: Turn) -> str | None:
    """Return the subject by the name its session knows it by, so that it is one person whatever the model calls them;
    none for masked personal data, which may be anybody's."""
    named = _printable(noted.subject or "")
    if not named:
        return None
    for known in (turn.speaker, turn.user):
        if known and known.casefold() == named.casefold():
            return known
    return None if holds_placeholder(named) else named


def _period(written: str | None, spoken_at: datetime) -> Period | None:
    """Return the ISO date, time or range told, if it is one and not absurdly far away; by the clock of who spoke."""
    try:
        period = Period.parse(written or "", spoken_at.tzinfo)
    except ValueError:
        return None
    near = all(abs(at.year - spoken_at.year) <= _YEARS_AROUND for at in (period.begin, period.last))
    return period if near and 1 < period.begin.year < 9999 else None


class ModelCalls(Protocol):
    """Calls of the model. ``used``: the hashes of the calls whose results may be kept."""

    @property
    def used(self) -> list[str]: ...

    async def once(
        self, step: str, question: JsonValue, message_ids: Sequence[UUID], work: Callable[[LLM], Awaitable[JsonObject]]
    ) -> JsonObject:
        """Return what ``work`` gives for this question about these messages; a kept result, where there is one."""

    async def call(self, step: str, work: Callable[[LLM], Awaitable[JsonObject]]) -> JsonObject:
        """Return what ``work`` gives, whatever has been kept."""


@dataclass(slots=True)
class _Chunk:
    """Result of one chunk. ``by_rules``: how many of its turns the rules have read in place of the model."""

    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[UUID, str]] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    by_rules: int = 0


@dataclass(frozen=True, slots=True)
class _Extractor:
    """Context of every call of an extraction."""

    settings: WorkspaceSettings
    calls: ModelCalls
    steps: Steps

    @property
    def rules_stand_in(self) -> bool:
        """Return whether the rules read what no model can."""
        return self.settings.llm.extract.rules_stand_in


async def extract_by_llm(
    turns: Sequence[Turn],
    settings: WorkspaceSettings,
    calls: ModelCalls,
    done: Callable[[int, Sequence[Candidate]], None],
    steps: Steps,
) -> Extraction:
    """Return what the turns state, by the language model under these settings, up to where the budget ends. ``done`` is
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
        found.by_rules += result.by_rules
    if len(found.skipped) > SKIPPED_MAX:
        raise LLMInvalidOutput(f"{len(found.skipped)} messages in one dream could not be read: {found.skipped[0][1]}")
    return found


async def prompts_for(turns: Sequence[Turn], settings: WorkspaceSettings, steps: Steps) -> list[list[dict[str, str]]]:
    """Return the prompts in which a model would be shown the turns, one for each call."""
    shown = [await steps.run(_messages, chunk) for chunk in await _chunked(turns, steps)]
    return [_worded(messages, settings) for messages in shown if messages]


async def _chunked(turns: Sequence[Turn], steps: Steps) -> list[list[Turn]]:
    costs: list[int] = []
    for _, part in steps.batches(turns, stated_in, PREPARED_TURNS):
        async with steps.step("read", [turn.id for turn in part]):
            costs += await steps.run(_costs, part)
    return _chunks(turns, costs)


def _costs(turns: Sequence[Turn]) -> list[int]:
    """Return the tokens of each turn. Each is also brought into the form in which it is shown, so that a turn that ends
    the process does so here, where it is known which one it was."""
    for turn in turns:
        _messages([turn])
    return [min(count_tokens(turn.content), TURN_TOKENS_MAX) for turn in turns]


def _chunks(turns: Sequence[Turn], costs: Sequence[int]) -> list[list[Turn]]:
    """Return turns in order, cut where a chunk would grow past its bounds, and between sessions of different users:
    what one of them tells the model cannot touch what it notes of another."""
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
    """Read one chunk, cut in halves where it fails although the model works."""
    try:
        return await _ask(turns, asking)
    except _BROKEN:
        try:
            await _ask([_canary_turn(turns[0])], asking, keep=False)
        except _BROKEN:
            if not asking.rules_stand_in:
                raise
            return await _read_by_rules(turns, asking)
    return await _bisect(turns, asking)


async def _read_by_rules(turns: Sequence[Turn], asking: _Extractor) -> _Chunk:
    found = await extract_by_rules(turns, lambda _, __: None, asking.steps)
    return _Chunk(found.candidates, by_rules=len(turns))


async def _bisect(turns: Sequence[Turn], asking: _Extractor) -> _Chunk:
    """Return the two halves of a chunk that failed, and theirs; a turn that fails alone is skipped."""
    middle = len(turns) // 2
    if middle == 0:
        try:
            return await _ask(turns, asking)
        except _BROKEN as error:
            if asking.rules_stand_in:
                return await _read_by_rules(turns, asking)
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
        whole.by_rules += part.by_rules
    return whole


async def _ask(turns: Sequence[Turn], asking: _Extractor, *, keep: bool = True) -> _Chunk:
    """Call the model about these turns, or take the call from its checkpoint when it has been made before."""
    messages = await asking.steps.run(_messages, turns)
    if not messages:
        return _Chunk()
    messages = _worded(messages, asking.settings)
    form = form_of(asking.settings)

    async def call(llm: LLM) -> JsonObject:
        return (await llm.structured(messages, form, tokens_max=ANSWER_TOKENS_MAX)).kept()

    if not keep:
        await asking.calls.call("extract", call)
        return _Chunk()
    ids = [turn.id for turn in turns]
    result = await asking.calls.once("extract", messages, ids, call)
    if result["cut_off"] and len(turns) > 1:
        raise LLMInvalidOutput("What these messages say does not fit into one answer.")
    async with asking.steps.step("note", ids):
        candidates, rejected = await asking.steps.run(
            candidates_of,
            form.model_validate(result["value"]),
            turns,
            asking.settings.memory_types,
            asking.settings.entity_kinds,
        )
    return _Chunk(candidates, rejected=rejected + Counter(result["rejected"]))


def form_of(settings: WorkspaceSettings) -> type[Notes]:
    """Return the form of the answer to a prompt under these settings."""
    return notes_form(tuple(settings.memory_types), tuple(settings.entity_kinds))


def _worded(messages: list[dict[str, str]], settings: WorkspaceSettings) -> list[dict[str, str]]:
    return steered(with_own_types(messages, settings), settings.dream)


def _canary_turn(like: Turn) -> Turn:
    return Turn(like.id, like.session, like.seq, "user", CANARY_TURN, like.at, None, "ann")


def _messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """Return the prompt, or nothing when there is nothing in the turns to read."""
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
        line = {"turn": number, "at": _local(turn.at), "role": turn.role, "who": who, "said": _clipped(said)}
        lines.append(dumps(line).decode().replace("</", r"<\/"))  # the same in JSON, and no end of the turns
    if not lines:
        return []
    return [
        {"role": "system", "content": EXTRACT},
        {"role": "user", "content": "<turns>\n" + "\n".join(lines) + "\n</turns>"},
    ]


def _local(moment: datetime) -> str:
    """Return a local time with its offset and the name of its zone, as RFC 9557 writes it."""
    zone = getattr(moment.tzinfo, "key", None)
    return moment.isoformat() + (f"[{zone}]" if zone else "")


def _clipped(text: str) -> str:
    """Return at most about ``TURN_TOKENS_MAX`` tokens of a turn: its beginning and its end."""
    chars = TURN_TOKENS_MAX * 4
    return text if len(text) <= chars else f"{text[: chars // 2]}\n[…]\n{text[-chars // 2 :]}"


async def extract_by_rules(
    turns: Sequence[Turn], done: Callable[[int, Sequence[Candidate]], None], steps: Steps
) -> Extraction:
    """Return what the turns state, by the built-in rules; off the event loop. ``done`` is given the number of turns of
    each few read, and the candidates in them."""
    people = {turn.speaker for turn in turns if turn.role == "user" and turn.speaker}
    found = Extraction(covered=len(turns))
    for start, stretch in steps.batches(turns, stated_in, BATCH_TURNS):
        before = turns[start - 1] if start else None
        async with steps.step("read", [turn.id for turn in stretch]):
            candidates = await steps.run(partial(apply_rules, stretch, before=before, people=people))
        found.candidates += candidates
        done(len(stretch), candidates)
    return found


async def extract(
    runtime: Runtime,
    settings: WorkspaceSettings,
    masked: Masked,
    calls: ModelCalls | None,
    done: Callable[[int, Sequence[Candidate]], None],
    steps: Steps,
) -> Extraction:
    """Return the candidates that may be kept of these turns, those of a model where ``calls`` are given. ``done`` is
    given the number of turns of each few read, and the candidates in them as they were found (``only_allowed``).

    Raises LLMUnavailable and LLMInvalidOutput.
    """
    roles = frozenset(settings.dream.extract_from)
    turns = of_roles(masked.turns, roles)
    if calls is None:
        found = await extract_by_rules(turns, done, steps)
    else:
        found = await extract_by_llm(turns, settings, calls, done, steps)
    return await only_allowed(runtime, settings, masked, found, steps)


async def only_allowed(
    runtime: Runtime, settings: WorkspaceSettings, masked: Masked, found: Extraction, steps: Steps
) -> Extraction:
    """Return ``found`` without what may not be kept of it, with personal data masked."""
    roles = frozenset(settings.dream.extract_from)
    turns = of_roles(masked.turns, roles)
    silent = {turn.id for turn in turns if turn.role not in roles}
    cited = [one for one in found.candidates if silent.isdisjoint(one.evidence)]
    found.rejected[OTHER_ROLE] += len(found.candidates) - len(cited)
    found.candidates = await allowed_candidates(runtime, settings.masking, cited, masked.stored, steps, found.rejected)
    held: list[Candidate] = []
    for _, part in steps.batches(found.candidates, proposed_in, BATCH):
        async with steps.step("quarantine", evidence_of(part)):
            held += await steps.run(partial(held_back, part, turns, secrets=settings.secrets.mode == "quarantine"))
    found.candidates = held
    found.keep(DreamFilter.of(settings.dream))
    return found
