"""All that is held about a person."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from service.domain.principal import Principal
from service.domain.redact_sentences import content_words
from service.memory.access import audit
from service.memory.access.naming import forms_of, masked_names
from service.memory.access.redaction import masking_of
from service.memory.engine import Engine
from service.memory.pages.subject import Subject, exported
from service.memory.saved_searches.subject import exported as exported_searches
from service.store import subjects
from service.store.sessions import message

LONGEST_S = 600.0
Record = dict[str, Any]


async def export_user(engine: Engine, principal: Principal, user: str) -> Record:
    """Memories with their history, messages, sessions, documents, edges to entities, what pages say, and saved
    searches; what a purge would remove or trim. ``why`` a memory goes with the user is one of ``subjects.WHY``; null
    for shared ones, which are trimmed.

    Raises Forbidden for anyone but an admin.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    pii = await masking_of(engine, principal)
    users = await forms_of(engine, workspace, pii, user)
    (subject,) = await masked_names(engine, workspace, pii, [(("path", "user"), user)], refuse=False)
    async with engine.db.transaction(workspace) as connection:
        await connection.set_timeout(LONGEST_S)
        held = await subjects.find_subject_data(connection, workspace, users)
        ids: list[UUID] = [*held.own, *held.shared]
        rows = await subjects.export_memories(connection, workspace, ids)
        edges = await subjects.export_edges(connection, workspace, ids)
        sessions = await subjects.export_sessions(connection, workspace, users, held.session_ids)
        proposals = await subjects.export_proposals(connection, workspace, held.proposals)
        documents = await subjects.export_documents(connection, workspace, users)
        names = content_words(await subjects.names(connection, workspace, users))
        about = Subject(users, names, frozenset(ids))
        said = await exported(connection, workspace, about)
        asked = await exported_searches(connection, workspace, about)
        await audit.record(connection, principal, "user.exported", subject=subject, details={"memories": len(ids)})
    why = {str(id_): reason for id_, reason in held.own.items()}
    return {
        "user": user,
        "at": engine.now(),
        "memories": [
            {
                "memory": row["memory"],
                "history": row["history"],
                "shared": row["memory"]["id"] not in why,
                "why": why.get(row["memory"]["id"]),
            }
            for row in rows
        ],
        "messages": [message(row) for row in held.messages],
        "sessions": [dict(row) for row in sessions],
        "documents": [dict(row) for row in documents],
        "proposals": [dict(row) for row in proposals],
        "edges": [dict(row) for row in edges],
        "pages": said,
        "saved_searches": asked,
    }
