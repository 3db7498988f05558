"""Pages, the versions of their answers, and when they are due. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make
from service.domain.json import JsonObject
from service.domain.pages import VERSIONS_MAX, CitedMemory, PageContent, PageScope, PageSentence

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page with its newest version, whose fields are None where it has no answer."""

    id: UUID
    agent: str
    agent_id: UUID
    owners: list[str]
    question: str
    scope: JsonObject
    trigger: str
    max_tokens: int
    revision: int
    due_at: datetime | None
    due_dream_id: UUID | None
    created_at: datetime
    updated_at: datetime
    version: int | None
    sentences: list[PageSentence] | None
    writer: str | None
    dropped: int | None
    inputs_hash: str | None
    dream_id: UUID | None
    written_at: datetime | None

    @property
    def content(self) -> PageContent:
        """Return what the page asks."""
        return PageContent(
            question=self.question, scope=PageScope.model_validate(self.scope), trigger=self.trigger,
            max_tokens=self.max_tokens,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AskedPage:
    """What a page asks, and of which memories."""

    id: UUID
    question: str
    scope: JsonObject


@dataclass(frozen=True, slots=True)
class SaidVersion:
    """What a version of a page says."""

    page_id: UUID
    version: int
    sentences: list[PageSentence]


@dataclass(frozen=True, slots=True)
class CitedMemoryState:
    """What a cited memory is now: ``holds`` unless it is superseded or no longer valid."""

    digest: str
    holds: bool
    superseded_by: UUID | None


@dataclass(frozen=True, slots=True)
class NewVersion:
    """An answer about to be stored."""

    sentences: list[PageSentence]
    writer: str
    dropped: int
    inputs_hash: str


async def add(
    connection: Connection, workspace: UUID, page_id: UUID, content: PageContent, *, agent_id: UUID,
    due_at: datetime | None, created_by: str, now: datetime,
) -> None:  # fmt: skip
    """Add a page without an answer."""
    await connection.run(
        "add_page", workspace=workspace, id=page_id, agent_id=agent_id, due_at=due_at, created_by=created_by, now=now,
        **_columns(content),
    )  # fmt: skip


async def change(
    connection: Connection, workspace: UUID, page_id: UUID, content: PageContent, *, due_at: datetime | None,
    now: datetime,
) -> None:  # fmt: skip
    """Give a locked page another content; an answer to its former question is not stored."""
    await connection.run("change_page", workspace=workspace, id=page_id, due_at=due_at, now=now, **_columns(content))


def _columns(content: PageContent) -> dict[str, object]:
    return {
        "question": content.question,
        "owners": content.owners,
        "scope": content.scope.model_dump(mode="json", exclude_none=True),
        "trigger": content.trigger,
        "max_tokens": content.max_tokens,
    }


async def cited_states(
    connection: Connection, workspace: UUID, sentences: Mapping[UUID, Iterable[PageSentence]], now: datetime
) -> dict[tuple[UUID, UUID], CitedMemoryState]:
    """Return what the memories that ``sentences`` cite are now, by page and memory; those that are gone, or that the
    page's agent may not read, are missing."""
    pairs = list(
        dict.fromkeys(
            (page, UUID(str(memory["id"])))
            for page, of_page in sentences.items()
            for sentence in of_page
            for memory in sentence["memories"]
        )
    )
    if not pairs:
        return {}
    rows = await connection.fetch(
        "cited_memories", workspace=workspace, page_ids=[page for page, _ in pairs],
        ids=[memory for _, memory in pairs], now=now,
    )  # fmt: skip
    return {(row["page_id"], row["id"]): make(CitedMemoryState, row) for row in rows}


async def hold_inputs(connection: Connection, workspace: UUID, memories: Sequence[CitedMemory], now: datetime) -> bool:
    """Return whether all these memories still hold and say the same; then nobody changes them until the transaction
    ends."""
    rows = await connection.fetch(
        "hold_page_inputs", workspace=workspace, ids=[memory["id"] for memory in memories], now=now
    )
    return {(row["id"], row["digest"]) for row in rows} == {(one["id"], one["digest"]) for one in memories}


async def add_version(
    connection: Connection, workspace: UUID, page_id: UUID, new: NewVersion, dream_id: UUID | None, now: datetime
) -> None:
    """Add the next version, after ``hold_inputs`` in the same transaction; the newest ``VERSIONS_MAX`` are kept."""
    newest: int = await connection.value(
        "add_page_version", workspace=workspace, page_id=page_id, sentences=new.sentences, writer=new.writer,
        dropped=new.dropped, inputs_hash=new.inputs_hash, dream_id=dream_id, now=now,
    )  # fmt: skip
    await connection.run("trim_page_versions", workspace=workspace, page_id=page_id, newest=newest, kept=VERSIONS_MAX)


async def take_back(connection: Connection, workspace: UUID, dream_id: UUID, agent_id: UUID, now: datetime) -> None:
    """Remove the versions that a dream gave reason for; its agent's pages are looked at again."""
    await connection.run("undo_page_versions", workspace=workspace, dream_id=dream_id)
    await connection.run("pages_after_undo", workspace=workspace, agent_id=agent_id, now=now)


async def texts(
    connection: Connection, workspace: UUID, *, locked: bool
) -> AsyncIterator[tuple[list[AskedPage], list[SaidVersion]]]:
    """Yield all pages of the workspace and their versions, some at a time."""
    after: UUID | None = None
    while True:
        found = await connection.many(
            AskedPage, "page_texts", {"locked": locked}, workspace=workspace, after=after, limit=READ_AT_ONCE
        )
        if not found:
            return
        ids = [page.id for page in found]
        yield found, await connection.many(SaidVersion, "page_version_texts", workspace=workspace, ids=ids)
        after = ids[-1]
