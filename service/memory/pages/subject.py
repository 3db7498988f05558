"""What pages hold of a user: the questions about them, and the sentences that name them or cite their memories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.json import dumps
from service.domain.pages import PageSentence
from service.domain.redact_sentences import content_words
from service.store import pages

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """A user by all its names, the words of these, and the memories that are about or from the user."""

    users: Sequence[str]
    names: frozenset[str]
    memories: frozenset[UUID]

    def is_asked_about(self, page: Row) -> bool:
        """Whether the question or the scope of a page names the user."""
        scope = page["scope"]
        texts = [page["question"], *scope.get("tags", ()), *scope.get("entities", ())]
        texts += [dumps(scope.get(name, {})).decode() for name in ("metadata", "where")]
        named = bool(content_words(texts) & self.names)
        return named or scope.get("user") in self.users

    def is_in(self, sentence: PageSentence) -> bool:
        """Whether a sentence names the user or cites one of the memories."""
        cites = any(UUID(str(memory["id"])) in self.memories for memory in sentence["memories"])
        return cites or bool(content_words([sentence["text"]]) & self.names)


@dataclass(slots=True)
class _Traces:
    """Of some pages: those that go as a whole, and of the others' versions the sentences that go and that stay."""

    asked: list[Row] = field(default_factory=list)
    versions: list[tuple[Row, list[PageSentence], list[PageSentence]]] = field(default_factory=list)


async def forget(connection: Connection, workspace: UUID, subject: Subject) -> dict[str, int]:
    """Remove the pages that ask about a user, and the user's sentences from every version of the others; how many
    pages and changed versions."""
    counts = {"pages": 0, "page_versions": 0}
    async for traces in _traces(connection, workspace, subject, locked=True):
        gone = [page["id"] for page in traces.asked]
        counts["pages"] += await pages.purge(connection, workspace, gone)
        for version, _, kept in traces.versions:
            if version["page_id"] in gone:
                continue
            counts["page_versions"] += 1
            await pages.rewrite_version(connection, workspace, version["page_id"], version["version"], kept)
    return counts


async def exported(connection: Connection, workspace: UUID, subject: Subject) -> list[Record]:
    """The questions about a user, and the user's sentences in every version of other pages."""
    found: list[Record] = []
    async for traces in _traces(connection, workspace, subject, locked=False):
        found += [{"page_id": page["id"], "version": None, "texts": [page["question"]]} for page in traces.asked]
        found += [
            {"page_id": row["page_id"], "version": row["version"], "texts": [one["text"] for one in theirs]}
            for row, theirs, _ in traces.versions
        ]
    return found


async def _traces(connection: Connection, workspace: UUID, subject: Subject, *, locked: bool) -> AsyncIterator[_Traces]:
    async for rows, versions in pages.texts(connection, workspace, locked=locked):
        traces = _Traces([row for row in rows if subject.is_asked_about(row)])
        for version in versions:
            theirs = [sentence for sentence in version["sentences"] if subject.is_in(sentence)]
            if theirs:
                kept = [sentence for sentence in version["sentences"] if sentence not in theirs]
                traces.versions.append((version, theirs, kept))
        yield traces
