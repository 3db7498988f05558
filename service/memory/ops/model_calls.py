"""Kept calls of language models, for the admin of a workspace: they hold the words of all its users."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from service.db.records import make_all
from service.domain import cursors
from service.domain.kept_calls import ModelCall
from service.domain.model_calls import Outcome
from service.domain.principal import Principal
from service.domain.spending import Purpose
from service.errors import NotFound
from service.memory.engine import Engine

PREVIEW_CHARACTERS: Final = 200
"""Of each text of a call in a list."""


async def list_model_calls(
    engine: Engine,
    principal: Principal,
    *,
    agent: str | None,
    dream: UUID | None,
    purpose: Purpose | None,
    outcome: Outcome | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    cursor: str | None,
) -> tuple[list[ModelCall], str | None]:
    """Return a page of calls, newest first, with the beginnings of their texts. Raises Forbidden for anyone but an
    admin."""
    principal.require_admin()
    at, id_ = cursors.decode(cursor, datetime, UUID)
    await engine.model_calls.flush()
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await connection.fetch(
            "list_model_calls", workspace=principal.workspace_id, characters=PREVIEW_CHARACTERS, agent=agent,
            dream_id=dream, purpose=purpose, outcome=outcome, since=since, until=until, before=at, before_id=id_,
            limit=limit + 1,
        )  # fmt: skip
    rows, more = cursors.paginate(rows, limit, "at", "id")
    engine.read_audit.note(principal, "model_calls", [agent, *(row["agent"] for row in rows)])
    return make_all(ModelCall, rows), more


async def get_model_call(engine: Engine, principal: Principal, call_id: UUID) -> ModelCall:
    """Return a call with its texts. Raises Forbidden for anyone but an admin, and NotFound."""
    principal.require_admin()
    await engine.model_calls.flush()
    async with engine.db.transaction(principal.workspace_id) as connection:
        call = await connection.first(ModelCall, "get_model_call", workspace=principal.workspace_id, id=call_id)
    if call is None:
        raise NotFound("There is no such call of a model here.")
    engine.read_audit.note(principal, "model_calls", [call.agent])
    return call
