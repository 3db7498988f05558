"""Saved searches that ask about a user."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection
from service.domain.json import dumps
from service.domain.redact_sentences import content_words
from service.memory.pages.subject import Subject
from service.store import saved_searches
from service.store.saved_searches import AskedSearch


async def forget(connection: Connection, workspace: UUID, subject: Subject) -> int:
    """Remove the saved searches that ask about a user, with their results; return how many
    searches."""
    count = 0
    async for searches in saved_searches.texts(connection, workspace, locked=True):
        gone = [one.id for one in searches if _asks_about(one, subject)]
        count += await connection.run("purge_saved_searches", workspace=workspace, ids=gone)
    return count


async def exported(connection: Connection, workspace: UUID, subject: Subject) -> list[AskedSearch]:
    """Return the saved searches that ask about a user."""
    return [
        one
        async for searches in saved_searches.texts(connection, workspace, locked=False)
        for one in searches
        if _asks_about(one, subject)
    ]


def _asks_about(search: AskedSearch, subject: Subject) -> bool:
    options = search.options
    texts = [search.name, search.query, options.get("session", ""), options.get("task", ""), *options.get("tags", ())]
    texts += [dumps(options.get(name, {})).decode() for name in ("metadata", "where")]
    return bool(content_words(texts) & subject.names) or options.get("user") in subject.users
