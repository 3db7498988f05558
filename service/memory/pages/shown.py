"""Pages as they may be shown now: what a sentence rests on is looked at on every read, never noted beside it.

A sentence is shown only to whom all its memories may be shown. It is current while each of them still says what it said
and nothing has replaced it; a page shows its current sentences alone, its versions mark the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.citations import Citation, ShownSentences, shown_sentences
from service.domain.pages import CitedMemory, PageSentence
from service.store import pages
from service.store.pages import CitedState

Record = dict[str, Any]
States = dict[tuple[UUID, UUID], CitedState]


def shown_of(page_id: UUID, sentences: Sequence[PageSentence], states: States) -> ShownSentences:
    """Sentences of a page, each with what became of its memories."""
    return shown_sentences(
        ({"text": one["text"]}, [_citation(memory, page_id, states) for memory in one["memories"]]) for one in sentences
    )


def _citation(memory: CitedMemory, page_id: UUID, states: States) -> Citation:
    id_ = UUID(str(memory["id"]))
    state = states.get((page_id, id_))
    if state is None:
        return Citation(id_, visible=False, holds=False)
    holds = state.holds and state.digest == memory["digest"]
    return Citation(id_, visible=True, holds=holds, superseded_by=state.superseded_by)


def is_stale(row: Row, states: States) -> bool:
    """Whether a page says something that no longer holds, or has no answer yet."""
    return row["version"] is None or bool(shown_of(row["id"], row["sentences"], states).outdated)


async def shown_pages(connection: Connection, workspace: UUID, rows: Sequence[Row], now: datetime) -> list[Record]:
    """Pages as the API shows them."""
    states = await states_of(connection, workspace, rows, now)
    return [_shown(row, states) for row in rows]


async def states_of(connection: Connection, workspace: UUID, rows: Sequence[Row], now: datetime) -> States:
    """What the memories are now that the newest versions of pages cite."""
    return await pages.cited_states(connection, workspace, {row["id"]: row["sentences"] or [] for row in rows}, now)


def _shown(row: Row, states: States) -> Record:
    found = shown_of(row["id"], row["sentences"] or [], states)
    return {
        **{name: row[name] for name in ("id", "agent", "question", "scope", "trigger", "max_tokens")},
        "sentences": found.current,
        "left_out": found.outdated,
        "stale": row["version"] is None or bool(found.outdated),
        **{name: row[name] for name in ("version", "writer", "dropped", "dream_id", "written_at")},
        **{name: row[name] for name in ("due_at", "created_at", "updated_at")},
    }
