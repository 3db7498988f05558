"""Saved searches that ask about a user."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.json import dumps
from service.domain.redact_sentences import content_words
from service.memory.pages.subject import Subject
from service.store import saved_searches

Record = dict[str, Any]


async def forget(connection: Connection, workspace: UUID, subject: Subject) -> int:
    """Remove the saved searches that ask about a user, with their results; how many searches."""
    count = 0
    async for rows in saved_searches.texts(connection, workspace, locked=True):
        gone = [row["id"] for row in rows if _asks_about(row, subject)]
        count += await saved_searches.purge(connection, workspace, gone)
    return count


async def exported(connection: Connection, workspace: UUID, subject: Subject) -> list[Record]:
    """The saved searches that ask about a user."""
    return [
        {name: row[name] for name in ("id", "name", "query", "options")}
        async for rows in saved_searches.texts(connection, workspace, locked=False)
        for row in rows
        if _asks_about(row, subject)
    ]


def _asks_about(row: Row, subject: Subject) -> bool:
    options = row["options"]
    texts = [row["name"], row["query"], options.get("session", ""), options.get("task", ""), *options.get("tags", ())]
    texts += [dumps(options.get(name, {})).decode() for name in ("metadata", "where")]
    return bool(content_words(texts) & subject.names) or options.get("user") in subject.users
