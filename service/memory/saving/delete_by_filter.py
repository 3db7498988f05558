"""Memories deleted by a filter: counted first, then, with the token of that count, all of them or none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.db.pool import Columns, Connection
from service.domain.principal import Principal
from service.errors import InvalidInput
from service.memory.access import audit
from service.memory.access.deletions import check_token, issue_token, signing_secret
from service.memory.access.redaction import where_query
from service.memory.access.workspace import check_filters, get_settings
from service.memory.saving.lifecycle import ListFilter, masked_filter
from service.runtime import Runtime
from service.store import agents, memories
from service.store.where import Shape, where_flag

DELETED_MAX = 1_000
"""Memories of one deletion: each is archived and taken out of the index, in one transaction."""
LONGEST_S = 120.0
PLACE = ("body", "token")
REASON = "deleted by a filter"


@dataclass(frozen=True, slots=True)
class DeletionCounts:
    """Number of memories of a deletion."""

    memories: Annotated[int, Field(description="Number of memories.")]


@dataclass(frozen=True, slots=True)
class MemoriesDeletion:
    """Memories, counted or deleted."""

    dry_run: Annotated[bool, Field(description="Whether the memories were only counted.")]
    counts: Annotated[DeletionCounts, Field(description="Number of memories.")]
    token: Annotated[str | None, Field(description="Token that confirms the deletion; null once it is done.")]
    expires_at: Annotated[datetime | None, Field(description="Expiry of the token; null once the deletion is done.")]
    memory_ids: Annotated[list[UUID], Field(description="Ids of the memories, by which they can be restored.")]


async def delete_memories(
    runtime: Runtime, principal: Principal, agent: str | None, filter_: ListFilter, *, dry_run: bool, token: str | None
) -> MemoriesDeletion:
    """Count what the filter matches of the agent's own memories, or (None, with an admin key) of all; or delete it.

    What is deleted can be restored until it is collected. Raises Forbidden for a reader key, InvalidInput without a
    token or where more than DELETED_MAX match, and Conflict where others match by now than were counted.
    """
    principal.require_write()
    if not dry_run and token is None:
        raise InvalidInput(PLACE, "is needed: count with dry_run, then send the token of the answer")
    where, values = await filter_parameters(runtime, principal, filter_)
    workspace, now = principal.workspace_id, runtime.now()
    secret = await signing_secret(runtime)
    async with runtime.db.transaction(workspace) as connection:
        await connection.set_timeout(LONGEST_S)
        ids = await matching(connection, principal, agent, where, values, most=DELETED_MAX)
        counts = {"memories": len(ids)}
        matched = hashlib.sha256(b"".join(sorted(id_.bytes for id_ in ids))).hexdigest()
        if token is not None and not dry_run:
            check_token(secret, now, principal, ["memories", matched], counts, token, PLACE)
            for id_ in ids:
                await memories.mark_deleted(
                    connection, workspace, id_, now, actor=principal.actor, reason=REASON, now=now
                )
            await audit.record(
                connection, principal, "memories.deleted", target=principal.reader_agent(agent), details=counts
            )
            return MemoriesDeletion(False, DeletionCounts(len(ids)), None, None, ids)
    signed = await issue_token(runtime, principal, ["memories", matched], counts)
    return MemoriesDeletion(True, DeletionCounts(len(ids)), signed.token, signed.expires_at, ids)


async def filter_parameters(runtime: Runtime, principal: Principal, filter_: ListFilter) -> tuple[Shape, Columns]:
    """Return the filter of a request's body as ``matching`` takes it, masked: the shape of its ``where``, and the
    values. Raises InvalidInput for an unknown type."""
    check_filters((await get_settings(runtime, principal)).memory_types, ("body", "filter", "types"), filter_.types)
    filter_ = await masked_filter(runtime, principal, filter_)
    where = await where_query(runtime, principal, filter_.where)
    return where_flag(where), filter_.columns() | {"where_values": where and where.values, "now": runtime.now()}


async def matching(
    connection: Connection,
    principal: Principal,
    agent: str | None,
    where: Shape,
    values: Columns,
    *,
    most: int,
    deleted: bool = False,
) -> list[UUID]:
    """Lock what a filter matches of the agent's own memories, or (None, with an admin key) of all; the ids. Raises
    InvalidInput where that are more than ``most``."""
    owner = principal.reader_agent(agent)
    author = await agents.get_agent(connection, principal.workspace_id, owner) if owner is not None else None
    if owner is not None and author is None:
        return []
    rows = await connection.fetch(
        "matching_memories", {"where": where, "deleted": deleted, "past": False}, workspace=principal.workspace_id,
        agent_id=author.id if author else None, audiences=[], owners=principal.own or None, limit=most + 1, **values,
    )  # fmt: skip
    if len(rows) > most:
        raise InvalidInput(("body", "filter"), f"matches more than {most} memories: narrow it")
    return [row["id"] for row in rows]
