"""Memories: save, read, change, search."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import AgentQuery, Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.domain.drafts import MemoryDraft, MemoryPatch
from service.domain.field_types import AsGiven, Name, Tag, Text, Timestamp
from service.domain.principal import CachedCredential, Principal
from service.domain.search import SearchRequest
from service.domain.types import MemoryType, Scope
from service.errors import InvalidInput
from service.memory.engine import Engine
from service.memory.saving import lifecycle
from service.memory.saving.remember import Saved, remember, remember_one
from service.memory.search.recall import recall

SourceKind = Annotated[Name, AsGiven()]

router = api_router(prefix="/v1/memories", tags=["memories"])


@router.post("", status_code=201, response_model=schemas.SavedMemory, responses={200: {"model": schemas.SavedMemory}})
async def save(engine: EngineDep, caller: Caller, draft: MemoryDraft) -> Response:
    """Save one memory: 201 when it is new, 200 when it reinforced or updated one that was there."""
    return await save_as(engine, caller, draft)


@router.post("/batch", status_code=201, response_model=schemas.Items[schemas.SavedMemory])
async def save_batch(engine: EngineDep, caller: Caller, batch: schemas.Batch) -> Response:
    """Save up to 1,000 memories, all or none."""
    return json_response({"items": [_saved(one) for one in await remember(engine, caller, batch.items)]}, 201)


@router.get("", response_model=schemas.Page[schemas.Memory])
async def list_(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    type: Annotated[list[MemoryType] | None, Query()] = None,
    scope: Annotated[list[Scope] | None, Query()] = None,
    session: Name | None = None,
    user: Name | None = None,
    tag: Tag | None = None,
    key: Name | None = None,
    source: Annotated[SourceKind | None, Query(description="source.kind")] = None,
    q: Annotated[Text | None, Query(max_length=1000, description="text the content contains")] = None,
    since: Annotated[Timestamp | None, Query(description="happened (or was made) at or after")] = None,
    until: Timestamp | None = None,
    created_since: Timestamp | None = None,
    created_until: Timestamp | None = None,
    include: Annotated[str, Query(description="deleted, superseded, expired; comma-separated")] = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Memories the caller may see, newest first."""
    wanted = included(include, "deleted", "superseded", "expired")
    filter_ = lifecycle.ListFilter(
        types=[t.value for t in type] if type else None,
        scopes=[s.value for s in scope] if scope else None,
        session=session, user=user, tag=tag, key=key, source=source, text=q or None,
        since=since, until=until, created_since=created_since, created_until=created_until,
        with_deleted="deleted" in wanted, with_superseded="superseded" in wanted, with_expired="expired" in wanted,
    )  # fmt: skip
    return page(*await lifecycle.list_memories(engine, caller, agent, filter_, limit=limit, cursor=cursor))


@router.post("/search", response_model=schemas.SearchAnswer)
async def search(engine: EngineDep, caller: Caller, request: SearchRequest) -> Response:
    """Search memories by words, meaning or both, best first."""
    return await search_as(engine, caller, request)


@router.post("/search/preview", response_model=schemas.SearchAnswer)
async def preview(engine: EngineDep, caller: Caller, request: SearchRequest) -> Response:
    """The same ranking as search, explained, and nothing counted."""
    return json_response(await recall(engine, caller, request, count_access=False))


@router.get("/stats", response_model=schemas.MemoryStats)
async def stats(engine: EngineDep, caller: Caller, agent: AgentQuery = None) -> Response:
    """How many memories the caller may see, of which types, and what of them."""
    return json_response(await lifecycle.memory_stats(engine, caller, agent))


@router.get("/{memory_id}", response_model=schemas.Memory)
async def get(
    engine: EngineDep,
    caller: Caller,
    memory_id: UUID,
    include: Annotated[str, Query(description="deleted, expired; comma-separated")] = "",
) -> Response:
    """One memory."""
    wanted = included(include, "deleted", "expired")
    return json_response(await lifecycle.get_memory(engine, caller, memory_id, include=wanted))


@router.patch("/{memory_id}", response_model=schemas.Memory)
async def patch(engine: EngineDep, caller: Caller, memory_id: UUID, changes: MemoryPatch) -> Response:
    """Change a memory as last seen at ``version``; 409 when it has changed since."""
    return json_response(await lifecycle.change_memory(engine, caller, memory_id, changes))


@router.delete("/{memory_id}", status_code=204)
async def delete(engine: EngineDep, caller: Caller, memory_id: UUID) -> None:
    """Delete a memory; it can be restored until it is collected."""
    await lifecycle.delete_memory(engine, caller, memory_id)


@router.post("/{memory_id}/restore", response_model=schemas.Memory)
async def restore(engine: EngineDep, caller: Caller, memory_id: UUID) -> Response:
    """Bring a deleted memory back."""
    return json_response(await lifecycle.restore_memory(engine, caller, memory_id))


@router.post("/{memory_id}/feedback", response_model=schemas.Memory)
async def feedback(engine: EngineDep, caller: Caller, memory_id: UUID, given: schemas.Feedback) -> Response:
    """Say whether a memory was of use: its importance moves by a tenth, within 0 and 1."""
    return json_response(await lifecycle.record_feedback(engine, caller, memory_id, useful=given.useful))


@router.get("/{memory_id}/history", response_model=schemas.Items[dict[str, object]])
async def list_memory_history(engine: EngineDep, caller: Caller, memory_id: UUID) -> Response:
    """Every version of a memory, oldest first."""
    return json_response({"items": await lifecycle.memory_history(engine, caller, memory_id)})


@router.get("/{memory_id}/sources", response_model=schemas.Items[dict[str, object]])
async def list_memory_sources(engine: EngineDep, caller: Caller, memory_id: UUID) -> Response:
    """The messages a memory was made of."""
    return json_response({"items": await lifecycle.memory_sources(engine, caller, memory_id)})


def included(include: str, *allowed: str) -> frozenset[str]:
    """The parts of a comma-separated ``include``. Raises InvalidInput for any that are not ``allowed``."""
    parts = frozenset(part.strip() for part in include.split(",") if part.strip())
    if wrong := parts.difference(allowed):
        raise InvalidInput(("query", "include"), f"{', '.join(sorted(wrong))}: may only be {', '.join(allowed)}")
    return parts


async def save_as(
    engine: Engine, caller: Principal, draft: MemoryDraft, key: CachedCredential | None = None
) -> Response:
    """What saving a draft answers, as ``remember_one`` has it."""
    saved = await remember_one(engine, caller, draft, key)
    if saved is None:
        return json_response({"memory": None, "created": False})
    return json_response(_saved(saved), 201 if saved.outcome == "created" else 200)


async def search_as(
    engine: Engine, caller: Principal, request: SearchRequest, key: CachedCredential | None = None
) -> Response:
    """What a search answers, as ``recall`` has it."""
    return json_response(await recall(engine, caller, request, key=key))


def _saved(saved: Saved) -> dict[str, object]:
    return {
        "memory": saved.memory,
        "created": saved.outcome == "created",
        "reinforced": saved.outcome == "reinforced",
        "updated": saved.outcome == "updated",
    }
