"""All that is held about a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.db.pool import Connection
from service.db.records import make
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.domain.redact_sentences import content_words
from service.memory.access import audit
from service.memory.access.naming import forms_of, masked_names
from service.memory.access.redaction import masking_of
from service.memory.engine import Engine
from service.memory.pages.subject import Subject, exported
from service.memory.saved_searches.subject import exported as exported_searches
from service.store import deletions, subjects
from service.store.subjects import CalledBy

LONGEST_S = 600.0


@dataclass(frozen=True, slots=True)
class SubjectExport:
    """All data about and from a user."""

    user: Annotated[str, Field(description="Name of the user.")]
    at: Annotated[datetime, Field(description="Time of the export.")]
    memories: Annotated[
        list[JsonObject], Field(description="Memories about the user; `shared` marks those also about other people.")
    ]
    messages: Annotated[list[JsonObject], Field(description="Messages of the user.")]
    sessions: Annotated[list[JsonObject], Field(description="Sessions of the user.")]
    documents: Annotated[list[JsonObject], Field(description="Documents of the user.")]
    proposals: Annotated[list[JsonObject], Field(description="Proposals of the inbox that are about or from the user.")]
    edges: Annotated[list[JsonObject], Field(description="Edges stated by memories about the user.")]
    pages: Annotated[
        list[JsonObject],
        Field(
            description="Questions of pages about the user, and sentences of their answers (by `version`) about the "
            "user."
        ),
    ]
    saved_searches: Annotated[list[JsonObject], Field(description="Saved searches that ask about the user.")]


async def export_user(engine: Engine, principal: Principal, user: str) -> SubjectExport:
    """Memories with their history, messages, sessions, documents, edges to entities, what pages say, and saved
    searches, of what has been deleted and can be brought back too; what a purge would remove or trim. ``why`` a memory
    goes with the user is one of ``subjects.WHY``; null for shared ones, which are trimmed.

    Raises Forbidden for anyone but an admin, and where the request is made for another user.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    pii = await masking_of(engine, principal)
    users = await forms_of(engine, workspace, pii, user)
    principal.check_is_for(users)
    (subject,) = await masked_names(engine, workspace, pii, [(("path", "user"), user)], refuse=False)
    async with engine.db.transaction(workspace, viewer="everybody") as connection:
        await connection.set_timeout(LONGEST_S)
        places = await deletions.places(connection, workspace)
        called = await subjects.called_by(connection, places, users)
        found: dict[str, list[object]] = {}
        for place in places:
            await connection.switch_workspace(place)
            for name, rows in (await _held(connection, place, called)).items():
                found.setdefault(name, []).extend(rows)
        await connection.switch_workspace(workspace)
        details = {"memories": len(found["memories"])}
        await audit.record(connection, principal, "user.exported", subject=subject, details=details)
    return make(SubjectExport, {"user": user, "at": engine.now(), **found})


async def _held(connection: Connection, workspace: UUID, called: CalledBy) -> dict[str, Sequence[object]]:
    """What a workspace holds about a person, as an export shows it."""
    users = called.users
    held = await subjects.find_subject_data(connection, workspace, called)
    rows = await subjects.export(connection, workspace, users, held)
    about = Subject(users, content_words(called.names), frozenset([*held.own, *held.shared]))
    why = {str(id_): reason for id_, reason in held.own.items()}
    return {
        "memories": [
            {
                "memory": row["memory"],
                "history": row["history"],
                "shared": row["memory"]["id"] not in why,
                "why": why.get(row["memory"]["id"]),
            }
            for row in rows.pop("memories")
        ],
        "messages": [dict(row) for row in held.messages],
        **{name: [dict(row) for row in of_name] for name, of_name in rows.items()},
        "pages": await exported(connection, workspace, about),
        "saved_searches": await exported_searches(connection, workspace, about),
    }
