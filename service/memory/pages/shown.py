"""Pages as they may be shown now: what a sentence rests on is looked at on every read, never noted beside it.

A sentence is shown only to whom all its memories may be shown. It is current while each of them still says what it said
and nothing has replaced it; a page shows its current sentences alone, its versions mark the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from service.db.pool import Connection
from service.domain.citations import Citation, Sentence, ShownSentences, shown_sentences
from service.domain.pages import AnsweredPage, CitedMemory, PageSentence
from service.store import pages
from service.store.pages import CitedMemoryState, StoredPage

States = dict[tuple[UUID, UUID], CitedMemoryState]


def shown_of(page_id: UUID, sentences: Sequence[PageSentence], states: States) -> ShownSentences[Sentence]:
    """Return the sentences of a page, each with what became of its memories."""
    return shown_sentences(
        (partial(Sentence, one["text"]), [_citation(memory, page_id, states) for memory in one["memories"]])
        for one in sentences
    )


def _citation(memory: CitedMemory, page_id: UUID, states: States) -> Citation:
    id_ = UUID(str(memory["id"]))
    state = states.get((page_id, id_))
    if state is None:
        return Citation(id_, visible=False, holds=False)
    holds = state.holds and state.digest == memory["digest"]
    return Citation(id_, visible=True, holds=holds, superseded_by=state.superseded_by)


def is_stale(page: StoredPage, states: States) -> bool:
    """Return whether a page says something that no longer holds, or has no answer yet."""
    return page.version is None or bool(shown_of(page.id, page.sentences or [], states).outdated)


async def shown_pages(
    connection: Connection, workspace: UUID, stored: Sequence[StoredPage], now: datetime
) -> list[AnsweredPage]:
    """Return pages as the API shows them."""
    states = await states_of(connection, workspace, stored, now)
    return [_shown(page, states) for page in stored]


async def states_of(connection: Connection, workspace: UUID, stored: Sequence[StoredPage], now: datetime) -> States:
    """Return what the memories are now that the newest versions of pages cite."""
    return await pages.cited_states(connection, workspace, {page.id: page.sentences or [] for page in stored}, now)


def _shown(page: StoredPage, states: States) -> AnsweredPage:
    found = shown_of(page.id, page.sentences or [], states)
    return AnsweredPage(
        id=page.id,
        agent=page.agent,
        question=page.question,
        scope=page.scope,
        trigger=page.trigger,
        max_tokens=page.max_tokens,
        sentences=found.current,
        left_out=found.outdated,
        stale=page.version is None or bool(found.outdated),
        version=page.version,
        writer=page.writer,
        dropped=page.dropped,
        dream_id=page.dream_id,
        written_at=page.written_at,
        due_at=page.due_at,
        created_at=page.created_at,
        updated_at=page.updated_at,
    )
