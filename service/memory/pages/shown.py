"""Pages as they may be shown now: what a sentence rests on is looked at on every read, never noted beside it.

A sentence is shown only to whom all its memories may be shown. It is current while each of them still says what it said
and nothing has replaced it; a page shows its current sentences alone, its versions mark the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.pages import PageSentence
from service.store import pages
from service.store.pages import CitedState

Record = dict[str, Any]
States = dict[tuple[UUID, UUID], CitedState]


@dataclass(frozen=True, slots=True)
class ShownSentences:
    """The sentences of a version that may be shown, and how many of them all are not current."""

    all: list[Record]
    outdated: int

    @property
    def current(self) -> list[Record]:
        """Those that still hold."""
        return [one for one in self.all if one["current"]]


def shown_sentences(page_id: UUID, sentences: Sequence[PageSentence], states: States) -> ShownSentences:
    """Sentences of a page, each with what became of its memories."""
    shown: list[Record] = []
    outdated = 0
    for sentence in sentences:
        ids = [UUID(str(memory["id"])) for memory in sentence["memories"]]
        found = [states.get((page_id, id_)) for id_ in ids]
        known = [state for state in found if state is not None]
        current = len(known) == len(ids) and all(
            state.holds and state.digest == memory["digest"]
            for state, memory in zip(known, sentence["memories"], strict=True)
        )
        outdated += not current
        if len(known) == len(ids):
            replaced_by = dict.fromkeys(state.superseded_by for state in known if state.superseded_by is not None)
            shown.append(
                {"text": sentence["text"], "memory_ids": ids, "current": current, "superseded_by": list(replaced_by)}
            )
    return ShownSentences(shown, outdated)


def is_stale(row: Row, states: States) -> bool:
    """Whether a page says something that no longer holds, or has no answer yet."""
    return row["version"] is None or bool(shown_sentences(row["id"], row["sentences"], states).outdated)


async def shown_pages(connection: Connection, workspace: UUID, rows: Sequence[Row], now: datetime) -> list[Record]:
    """Pages as the API shows them."""
    states = await states_of(connection, workspace, rows, now)
    return [_shown(row, states) for row in rows]


async def states_of(connection: Connection, workspace: UUID, rows: Sequence[Row], now: datetime) -> States:
    """What the memories are now that the newest versions of pages cite."""
    return await pages.cited_states(connection, workspace, {row["id"]: row["sentences"] or [] for row in rows}, now)


def _shown(row: Row, states: States) -> Record:
    found = shown_sentences(row["id"], row["sentences"] or [], states)
    return {
        **{name: row[name] for name in ("id", "agent", "question", "scope", "trigger", "max_tokens")},
        "sentences": found.current,
        "left_out": found.outdated,
        "stale": row["version"] is None or bool(found.outdated),
        **{name: row[name] for name in ("version", "writer", "dropped", "dream_id", "written_at")},
        **{name: row[name] for name in ("due_at", "created_at", "updated_at")},
    }
