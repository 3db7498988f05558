"""What pages hold of a user: the questions about them, and the sentences that name them or cite their memories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from service.db.pool import Connection
from service.domain.json import dumps
from service.domain.pages import PageSentence
from service.domain.redact_sentences import content_words
from service.store import pages
from service.store.pages import AskedPage, SaidVersion


@dataclass(frozen=True, slots=True)
class Subject:
    """A user by all its names, the words of these, and the memories that are about or from the user."""

    users: Sequence[str]
    names: frozenset[str]
    memories: frozenset[UUID]

    def is_asked_about(self, page: AskedPage) -> bool:
        """Return whether the question or the scope of a page names the user."""
        scope = page.scope
        texts = [page.question, *scope.get("tags", ()), *scope.get("entities", ())]
        texts += [dumps(scope.get(name, {})).decode() for name in ("metadata", "where")]
        named = bool(content_words(texts) & self.names)
        return named or scope.get("user") in self.users

    def is_in(self, sentence: PageSentence) -> bool:
        """Return whether a sentence names the user or cites one of the memories."""
        cites = any(UUID(str(memory["id"])) in self.memories for memory in sentence["memories"])
        return cites or bool(content_words([sentence["text"]]) & self.names)


@dataclass(frozen=True, slots=True)
class PageTexts:
    """What a page, or a version of it, says of a user: its question, or sentences."""

    page_id: UUID
    version: int | None
    texts: list[str]


@dataclass(slots=True)
class _Traces:
    """Of some pages: those that go as a whole, and of the others' versions the sentences that go and that stay."""

    asked: list[AskedPage] = field(default_factory=list)
    versions: list[tuple[SaidVersion, list[PageSentence], list[PageSentence]]] = field(default_factory=list)


async def forget(connection: Connection, workspace: UUID, subject: Subject) -> dict[str, int]:
    """Remove the pages that ask about a user, and the user's sentences from every version of the others; return how
    many pages and changed versions."""
    counts = {"pages": 0, "page_versions": 0}
    async for traces in _traces(connection, workspace, subject, locked=True):
        gone = [page.id for page in traces.asked]
        counts["pages"] += await connection.run("purge_pages", workspace=workspace, ids=gone)
        for version, _, kept in traces.versions:
            if version.page_id in gone:
                continue
            counts["page_versions"] += 1
            await connection.run(
                "rewrite_page_version", workspace=workspace, page_id=version.page_id, version=version.version,
                sentences=kept,
            )  # fmt: skip
    return counts


async def exported(connection: Connection, workspace: UUID, subject: Subject) -> list[PageTexts]:
    """Return the questions about a user, and the user's sentences in every version of other pages."""
    found: list[PageTexts] = []
    async for traces in _traces(connection, workspace, subject, locked=False):
        found += [PageTexts(page.id, None, [page.question]) for page in traces.asked]
        found += [
            PageTexts(version.page_id, version.version, [one["text"] for one in theirs])
            for version, theirs, _ in traces.versions
        ]
    return found


async def _traces(connection: Connection, workspace: UUID, subject: Subject, *, locked: bool) -> AsyncIterator[_Traces]:
    async for asked, versions in pages.texts(connection, workspace, locked=locked):
        traces = _Traces([page for page in asked if subject.is_asked_about(page)])
        for version in versions:
            theirs = [sentence for sentence in version.sentences if subject.is_in(sentence)]
            if theirs:
                kept = [sentence for sentence in version.sentences if sentence not in theirs]
                traces.versions.append((version, theirs, kept))
        yield traces
