"""Pages, the versions of their answers, and when they are due. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.pages import VERSIONS_MAX, CitedMemory, PageContent, PageSentence

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class CitedState:
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
    """A page without an answer."""
    await connection.run(
        "add_page", workspace=workspace, id=page_id, agent_id=agent_id, due_at=due_at, created_by=created_by, now=now,
        **_columns(content),
    )  # fmt: skip


async def change(
    connection: Connection, workspace: UUID, page_id: UUID, content: PageContent, *, due_at: datetime | None,
    now: datetime,
) -> None:  # fmt: skip
    """Another content of a locked page; an answer to its former question is not stored."""
    await connection.run("change_page", workspace=workspace, id=page_id, due_at=due_at, now=now, **_columns(content))


def _columns(content: PageContent) -> dict[str, Any]:
    return {
        "question": content.question,
        "scope": content.scope.model_dump(mode="json", exclude_none=True),
        "trigger": content.trigger,
        "max_tokens": content.max_tokens,
    }


async def count(connection: Connection, workspace: UUID, agent_id: UUID) -> int:
    """How many an agent has."""
    return await connection.value("count_pages", workspace=workspace, agent_id=agent_id)


async def get(connection: Connection, workspace: UUID, page_id: UUID, agent: str | None = None) -> Row | None:
    """A page with its newest version; with an ``agent``, only one of that agent."""
    return await connection.row("get_page", workspace=workspace, id=page_id, agent=agent)


async def list_(
    connection: Connection, workspace: UUID, agent: str | None, *, before: UUID | None, limit: int
) -> list[Row]:
    """Pages as ``get`` gives them, newest first."""
    return await connection.fetch("list_pages", workspace=workspace, agent=agent, before=before, limit=limit)


async def after_dreams(connection: Connection, workspace: UUID, agent_id: UUID) -> list[Row]:
    """The pages of an agent that its dreams may have written again, as ``get`` gives them."""
    return await connection.fetch("pages_after_dreams", workspace=workspace, agent_id=agent_id)


async def versions(
    connection: Connection, workspace: UUID, page_id: UUID, *, before: int | None, limit: int
) -> list[Row]:
    """Versions of a page, newest first."""
    return await connection.fetch("page_versions", workspace=workspace, page_id=page_id, before=before, limit=limit)


async def sentences_of(
    connection: Connection, workspace: UUID, page_id: UUID, version: int
) -> list[PageSentence] | None:
    """The sentences of one version; None where there is no such version."""
    return await connection.value("page_version", workspace=workspace, page_id=page_id, version=version)


async def cited_states(
    connection: Connection, workspace: UUID, sentences: Mapping[UUID, Iterable[PageSentence]], now: datetime
) -> dict[tuple[UUID, UUID], CitedState]:
    """What the memories that ``sentences`` of pages cite are now, by page and memory; those that are gone, or that the
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
    return {(row["page_id"], row["id"]): CitedState(row["digest"], row["holds"], row["superseded_by"]) for row in rows}


async def hold_inputs(connection: Connection, workspace: UUID, memories: Sequence[CitedMemory], now: datetime) -> bool:
    """Whether all these memories still hold and say the same; then nobody changes them until the transaction ends."""
    rows = await connection.fetch(
        "hold_page_inputs", workspace=workspace, ids=[memory["id"] for memory in memories], now=now
    )
    return {(row["id"], row["digest"]) for row in rows} == {(one["id"], one["digest"]) for one in memories}


async def changed_facets(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> list[Row]:
    """By what a scope may filter these memories: ``type``, ``tags``, ``user_name``."""
    return await connection.fetch("changed_facets", workspace=workspace, ids=ids)


async def lock(connection: Connection, workspace: UUID, page_id: UUID) -> Row | None:
    """The ``revision``, ``trigger``, ``due_at`` and ``due_dream_id`` of a page, which stays so until the transaction
    ends."""
    return await connection.row("lock_page", workspace=workspace, id=page_id)


async def delete(connection: Connection, workspace: UUID, page_id: UUID) -> None:
    """Remove a page with its versions."""
    await connection.run("delete_page", workspace=workspace, id=page_id)


async def add_version(
    connection: Connection, workspace: UUID, page_id: UUID, new: NewVersion, dream_id: UUID | None, now: datetime
) -> None:
    """Add the next version, after ``hold_inputs`` in the same transaction; the newest ``VERSIONS_MAX`` are kept."""
    newest: int = await connection.value(
        "add_page_version", workspace=workspace, page_id=page_id, sentences=new.sentences, writer=new.writer,
        dropped=new.dropped, inputs_hash=new.inputs_hash, dream_id=dream_id, now=now,
    )  # fmt: skip
    await connection.run("trim_page_versions", workspace=workspace, page_id=page_id, newest=newest, kept=VERSIONS_MAX)


async def claim(
    connection: Connection, workspace: UUID, agent_id: UUID | None, *, now: datetime, until: datetime
) -> UUID | None:
    """A page that is due, of one agent or of the workspace, which nobody else is given until then."""
    return await connection.value("claim_page", workspace=workspace, agent_id=agent_id, now=now, until=until)


async def settle(connection: Connection, workspace: UUID, page_id: UUID, due_at: datetime | None) -> None:
    """What was due of a locked page is written; when it is due again."""
    await connection.run("settle_page", workspace=workspace, id=page_id, due_at=due_at)


async def mark_due(connection: Connection, workspace: UUID, ids: Sequence[UUID], dream_id: UUID, now: datetime) -> None:
    """Pages that a dream gave reason to write again."""
    await connection.run("mark_pages_due", workspace=workspace, ids=ids, dream_id=dream_id, now=now)


async def take_back(connection: Connection, workspace: UUID, dream_id: UUID, agent_id: UUID, now: datetime) -> None:
    """Remove the versions that a dream gave reason for; its agent's pages are looked at again."""
    await connection.run("undo_page_versions", workspace=workspace, dream_id=dream_id)
    await connection.run("pages_after_undo", workspace=workspace, agent_id=agent_id, now=now)


async def texts(connection: Connection, workspace: UUID, *, locked: bool) -> AsyncIterator[tuple[list[Row], list[Row]]]:
    """All pages of the workspace, and their versions; some at a time."""
    after: UUID | None = None
    while True:
        found = await connection.fetch(
            "page_texts", {"locked": locked}, workspace=workspace, after=after, limit=READ_AT_ONCE
        )
        if not found:
            return
        ids = [row["id"] for row in found]
        yield found, await connection.fetch("page_version_texts", workspace=workspace, ids=ids)
        after = ids[-1]


async def rewrite_version(
    connection: Connection, workspace: UUID, page_id: UUID, version: int, sentences: Sequence[PageSentence]
) -> None:
    """Leave a version these sentences of its own."""
    await connection.run(
        "rewrite_page_version", workspace=workspace, page_id=page_id, version=version, sentences=sentences
    )


async def purge(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> int:
    """Remove pages with their versions; how many pages there were."""
    return await connection.run("purge_pages", workspace=workspace, ids=ids)
