"""Folding a full window: its oldest messages become a summary memory, and only then leave it.

The summary is made outside any transaction. One transaction stores it, ties it to the messages it covers and moves the
window; a summary that fails or comes too late leaves a longer window, never a lost message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import takewhile
from uuid import UUID

import structlog

from service.domain.drafts import MemoryDraft
from service.domain.dream_settings import DreamChoices
from service.domain.folding import with_missing
from service.domain.identifiers import identifiers
from service.domain.origin import Origin, least_trusted, origin_of
from service.domain.session import Message
from service.domain.spending import paid_by, payer
from service.domain.turns import text_of
from service.domain.types import MemoryType
from service.domain.workspace import Masking, WindowSettings, WorkspaceSettings
from service.errors import BudgetReached
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory.access.redaction import masked_names, redact_lenient
from service.memory.in_flight import InFlight, Tracker
from service.memory.prompts import COMPACT_WINDOW, steered
from service.memory.saving.remember import insert_of
from service.memory.saving.scopes import ScopeIds
from service.runtime import Runtime
from service.store import memories, sessions
from service.store.settings import agent_settings
from service.store.vectors import EmbeddingBatch

log = structlog.get_logger(__name__)

ACTOR = "compaction"
WORDS_MAX = 150
SUMMARY_CHARS_MAX = 2_000
SENTENCE_CHARS_MAX = 200
LISTED_MAX = 2_000
TURN_CHARS_MAX = 4_000
READ_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class _Session:
    """The session of a window."""

    id: UUID
    agent_id: UUID
    session: str
    user_name: str | None
    window_seq: int


@dataclass(frozen=True, slots=True)
class _Fold:
    """The part of a window about to be folded; ``masks`` are its speakers as a text may name them."""

    session: _Session
    messages: list[Message]
    masks: Mapping[str, str] = field(default_factory=dict)

    @property
    def to_seq(self) -> int:
        return self.messages[-1].seq

    @property
    def user(self) -> str | None:
        """Return the user it is about; none where several people speak."""
        people = {self.speaker(message) for message in self.messages if message.role == "user"}
        return self.session.user_name if people <= {self.session.user_name} else None

    def speaker(self, message: Message) -> str:
        """Return who said a message: by name, as the user it was sent for, or, of the session's user's, as that
        user."""
        users = message.user or self.session.user_name if message.role == "user" else None
        return message.name or users or message.role

    def named(self, message: Message) -> str:
        """Return its speaker, as a text may name them."""
        speaker = self.speaker(message)
        return self.masks.get(speaker, speaker)

    @property
    def origin(self) -> Origin:
        """Return the least trusted one of its messages."""
        owner = self.session.user_name
        return least_trusted(
            origin_of(message.role, own=owner in (None, self.speaker(message))) for message in self.messages
        )

    @property
    def ids(self) -> list[UUID]:
        """Return the ids of its messages."""
        return [message.id for message in self.messages]

    def of_one_owner(self) -> _Fold:
        """Return it with the messages before the first that belongs to others than the first one does."""
        owners = self.messages[0].owners
        return replace(self, messages=list(takewhile(lambda message: message.owners == owners, self.messages)))

    def first(self, count: int | None) -> _Fold:
        """Return it with no more than its first ``count`` messages."""
        return replace(self, messages=self.messages[:count])


async def compact_agent(runtime: Runtime, workspace: UUID, agent_id: UUID, flight: InFlight) -> bool:
    """Fold every window of the agent that is past its bounds; return False when one is left for later, which another
    worker is at, or has died over a moment ago."""
    async with runtime.db.transaction(workspace) as connection:
        bounds = (await agent_settings(connection, workspace, agent_id)).window
        full = await connection.fetch(
            "full_windows",
            workspace=workspace,
            agent_id=agent_id,
            messages_max=bounds.messages_max,
            tokens_max=bounds.tokens_max,
        )
    done = True
    for row in full:
        tracker = await flight.open(workspace, "compaction", row["id"])
        done = done and tracker is not None
        while tracker is not None and await compact(runtime, workspace, row["id"], tracker):
            pass
    return done


async def compact(
    runtime: Runtime, workspace: UUID, session_id: UUID, tracker: Tracker | None = None, *, even_if_room: bool = False
) -> bool:
    """Fold the oldest messages of a window that is past its bounds; return whether it was.

    ``even_if_room`` folds the older half of a window that is within its bounds as well. Of messages that are set aside
    nothing is read. ``tracker`` is a worker's, which finds those that it dies on.
    """
    async with runtime.db.transaction(workspace) as connection:
        session = await connection.first(_Session, "session_by_id", workspace=workspace, id=session_id)
        if session is None:
            return False
        settings = await agent_settings(connection, workspace, session.agent_id)
        fold = _window_to_compact(
            session,
            await connection.many(Message, "window_messages", workspace=workspace, session_id=session_id),
            settings.window,
            even_if_room=even_if_room,
        )
        if fold is None:
            return False
        fold = fold.of_one_owner().first(tracker.batch_max if tracker else None)
        dead = {row["message_id"] for row in await connection.fetch("dead_messages", workspace=workspace, ids=fold.ids)}
    fold = await _with_masked_names(runtime, workspace, settings.masking, fold)
    texts, named = await _read(runtime, settings.masking, fold, dead, tracker)
    gist = await _summary_text(runtime, workspace, fold, texts, settings)
    async with _step(tracker, "summarize", fold.ids):
        content = await runtime.executor.run(_summary, fold, gist, named, characters=len(named) * len(gist) // 16)
        embedded = await runtime.embed([content])
    draft = MemoryDraft(
        type=MemoryType.OBSERVATION,
        content=content,
        user=fold.user,
        owners=fold.messages[0].owners,
        origin=fold.origin,
        importance=0.3,
        confidence=0.9,
        tags=["summary"],
        decay_exempt=True,
        metadata={"identifiers": named} if named else {},
        source={
            "kind": "window",
            "session": fold.session.session,
            "from_seq": fold.messages[0].seq,
            "to_seq": fold.to_seq,
        },
        occurred_at=fold.messages[-1].created_at,
    )
    done = await _store(runtime, workspace, fold, draft, embedded)
    if tracker is not None:
        tracker.mark_processed(fold.ids)
    return done


def _step(tracker: Tracker | None, name: str, ids: Sequence[UUID]) -> AbstractAsyncContextManager[None]:
    return tracker.step(name, ids) if tracker else nullcontext()


async def _with_masked_names(runtime: Runtime, workspace: UUID, pii: Masking, fold: _Fold) -> _Fold:
    """Return the window with the masked form of each speaker: messages may be older than the rule of the workspace."""
    names = sorted({fold.speaker(message) for message in fold.messages})
    masks = await masked_names(runtime, workspace, pii, [(("name",), name) for name in names], refuse=False)
    return replace(fold, masks=dict(zip(names, masks, strict=True)))


def _window_to_compact(
    session: _Session, messages: list[Message], bounds: WindowSettings, *, even_if_room: bool
) -> _Fold | None:
    """Return the oldest messages, so many that the window is down to where it is trimmed to; None where it is."""
    if len(messages) < 2:
        return None
    tokens = sum(message.tokens for message in messages)
    if len(messages) <= bounds.messages_max and tokens <= bounds.tokens_max and not even_if_room:
        return None
    keep = min(bounds.trim_to, len(messages) // 2) if even_if_room else min(bounds.trim_to, len(messages) - 1)
    keep = max(1, keep)
    left = sum(message.tokens for message in messages[-keep:])
    while keep > 1 and left > bounds.tokens_max // 2:
        left -= messages[-keep].tokens
        keep -= 1
    while keep > 1 and messages[-keep].role == "tool":  # a tool's result stays with the call before it
        keep -= 1
    return _Fold(session, messages[:-keep])


async def _read(
    runtime: Runtime, pii: Masking, fold: _Fold, dead: set[UUID], tracker: Tracker | None
) -> tuple[list[str], list[str]]:
    """Return the texts of the messages, masked, empty for those that are set aside; and every identifier in them."""
    said = [(id_, "" if id_ in dead else text_of(message.content))
            for id_, message in zip(fold.ids, fold.messages, strict=True)]  # fmt: skip
    batches = tracker.batches(said, lambda one: one, READ_AT_ONCE) if tracker else [(0, said)]
    texts: list[str] = []
    named: dict[str, None] = {}
    for _, part in batches:
        async with _step(tracker, "read", [id_ for id_, _ in part]):
            some = await redact_lenient(runtime, pii, [text for _, text in part])
            found = await runtime.executor.each(lambda text: identifiers([text]), some, len)
            named |= dict.fromkeys(token for tokens in found for token in tokens)
        texts += some
    return texts, list(named)[:LISTED_MAX]


async def _summary_text(
    runtime: Runtime, workspace: UUID, fold: _Fold, texts: Sequence[str], settings: WorkspaceSettings
) -> str:
    """Return what was said, in brief: by the language model where it answers, else by rules."""
    llm = runtime.model("summary", workspace, settings.llm)
    if llm is not None:
        try:
            with paid_by(replace(payer(), owners=tuple(fold.messages[0].owners))):
                return await _summary_by_llm(llm, fold, texts, settings.dream)
        except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
            log.warning("window_summary_by_rules", error=error.message)
    return await runtime.executor.run(_summary_by_rules, fold, texts, characters=sum(map(len, texts)))


def _summary(fold: _Fold, gist: str, named: list[str]) -> str:
    """Return the summary, which names all that it has room for."""
    return with_missing(f"Conversation {fold.session.session}, {_when(fold)}: {gist}", named)


async def _summary_by_llm(llm: LLM, fold: _Fold, texts: Sequence[str], choices: DreamChoices) -> str:
    lines = [
        f"{fold.named(message)}: {text[:TURN_CHARS_MAX]}" for message, text in zip(fold.messages, texts, strict=True)
    ]
    messages = [
        {"role": "system", "content": COMPACT_WINDOW.format(words_max=WORDS_MAX)},
        {"role": "user", "content": "<turns>\n" + "\n".join(lines) + "\n</turns>"},
    ]
    answer = await llm.complete(steered(messages, choices), tokens_max=WORDS_MAX * 4)
    return " ".join(answer.text.split())[:SUMMARY_CHARS_MAX]


def _summary_by_rules(fold: _Fold, texts: Sequence[str]) -> str:
    """Return the first sentence of each turn, as far as there is room: those of people first."""
    sentences: dict[int, str] = {}
    room = SUMMARY_CHARS_MAX
    order = sorted(range(len(texts)), key=lambda n: fold.messages[n].role != "user")
    for n in order:
        line = " ".join(texts[n].split())
        end = min((at + 1 for mark in ".!?。" if (at := line.find(mark)) > 20), default=len(line))
        sentence = f"{fold.named(fold.messages[n])}: {line[: min(end, SENTENCE_CHARS_MAX)]}"
        if len(sentence) + 1 <= room and line:
            sentences[n] = sentence
            room -= len(sentence) + 1
    return " ".join(sentences[n] for n in sorted(sentences)) or "nothing was said in words."


def _when(fold: _Fold) -> str:
    first = fold.messages[0].created_at
    return f"{first.day} {first:%B %Y}, turns {fold.messages[0].seq} to {fold.to_seq}"


async def _store(runtime: Runtime, workspace: UUID, fold: _Fold, draft: MemoryDraft, embedded: EmbeddingBatch) -> bool:
    """Store the summary and move the window on; return False when it has moved or a message has gone meanwhile."""
    now, ids = runtime.now(), fold.ids
    async with runtime.db.transaction(workspace) as connection:
        window_seq: int = await connection.value("lock_session", workspace=workspace, id=fold.session.id)
        present: int = await connection.value("messages_present", workspace=workspace, ids=ids)
        if window_seq != fold.session.window_seq or present != len(ids):
            return False
        agent_id = fold.session.agent_id
        place = ScopeIds(agent_id, agent_id, None, None, fold.session.id)
        new = insert_of(draft, place, ACTOR, now, dream_analysis={})
        memory_id = new.memory.id
        if not await memories.insert(connection, workspace, [new], embedded):
            found = await memories.find_duplicate(connection, workspace, new.memory)
            assert found is not None
            memory_id = found
        await memories.add_sources(connection, workspace, [(memory_id, id_) for id_ in ids])
        await sessions.compact_window(
            connection, workspace, fold.session.id,
            from_seq=fold.messages[0].seq, to_seq=fold.to_seq, memory_id=memory_id,
        )  # fmt: skip
    log.info("window_compacted", session_id=str(fold.session.id), messages=len(ids))
    return True
