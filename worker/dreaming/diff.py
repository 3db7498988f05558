"""The diff of a dream: what it changed, for people to read, and what undoing it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from service.db.pool import Row
from service.domain.dreams import ChangedFields, DreamAction
from service.domain.json import JsonObject
from service.domain.word_lists import listed
from service.llm import Usage
from service.store.dreams import NewChange

UNDONE = (
    "importance", "confidence", "tags", "metadata", "superseded_by", "valid_until", "updated_at", "reinforced_at",
    "version", "changed_by", "change_reason", "dream_id", "status", "origin",
)  # fmt: skip
"""The columns a dream may change in a memory, kept as they were for the undo."""
COUNTED = listed("created proposed reinforced superseded completed reopened linked decayed skipped")


@dataclass(slots=True)
class Diff:
    """Changes in the order they were made, and their counts by name of the change."""

    messages: int = 0
    memories: int = 0
    bulletin_version: int | None = None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    changes: list[NewChange] = field(default_factory=list)

    def note(
        self, op: DreamAction, *, memory_id: UUID | None = None, before: ChangedFields | None = None,
        after: ChangedFields | None = None, undo: JsonObject | None = None, reason: str,
    ) -> None:  # fmt: skip
        """Add one change, and count it."""
        if op in self.counts:
            self.counts[op] += 1
        self.changes.append(NewChange(len(self.changes) + 1, op, memory_id, before, after, undo, reason))

    def report(self) -> JsonObject:
        """Return the counts."""
        return {
            "messages": self.messages,
            "memories": self.memories,
            **self.counts,
            "bulletin_version": self.bulletin_version,
        }


def undo_record(row: Row) -> JsonObject:
    """Return what of a memory's row undoing a change of it takes."""
    return {column: row[column] for column in UNDONE}


def usage_report(usage: Usage) -> JsonObject:
    """Return what the language model took, as a report says it."""
    return {
        "calls": usage.calls,
        "failed_calls": usage.failed_calls,
        "tokens": usage.tokens,
        "cost_usd": round(usage.cost_usd, 6),
    }
