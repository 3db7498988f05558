"""The tools that write one memory: memory_save, memory_update, memory_forget, memory_restore.

The SDK reads the annotations of tools, so in modules of tools they are not postponed.
"""

from typing import Annotated, Literal, cast

from pydantic import Field

from reverie_client.options import MemoryChanges, MemoryFields
from service.domain.drafts import Link
from service.mcp.answers import Deleted, Memory, Saved, memory_of
from service.mcp.tool_types import (
    About,
    ExpiresAt,
    Importance,
    Kind,
    MemoryId,
    Metadata,
    OccurredAt,
    Readers,
    Tags,
    ToolContext,
    User,
    acting_user,
    client_of,
    given,
    tool_errors,
)


async def memory_save(
    ctx: ToolContext,
    content: Annotated[str, Field(description="one statement, understandable on its own: names, not pronouns")],
    type: Kind = "fact",
    user: User = None,
    about: Annotated[str | None, Field(description="the person it is about, if not who is speaking")] = None,
    hearsay_by: Annotated[str | None, Field(description="who said so, if not that person")] = None,
    importance: Importance = None,
    tags: Tags = None,
    key: Annotated[str | None, Field(description="a name for what changes: saving under it again updates")] = None,
    occurred_at: OccurredAt = None,
    expires_at: ExpiresAt = None,
    scope: Readers = None,
    team: Annotated[str | None, Field(description="whose it is with the scope team")] = None,
    task: Annotated[str | None, Field(description="what it belongs to with the scope task")] = None,
    session: Annotated[str | None, Field(description="the conversation it belongs to, or came from")] = None,
    metadata: Metadata = None,
    links: Annotated[
        list[Link] | None,
        Field(description="what it is linked to: each a relation, and either a memory_id or an entity by its name"),
    ] = None,
) -> Saved:
    """Remember a statement beyond this conversation. It belongs to who is speaking, else to those in the session, else
    to nobody, and then everybody's prompts have it. Said again it is strengthened, not stored twice."""
    fields = given(
        user=about, hearsay_by=hearsay_by, origin="assistant", importance=importance, tags=tags, key=key,
        occurred_at=occurred_at, expires_at=expires_at, scope=scope, team=team, task=task, session=session,
        metadata=metadata, links=[link.model_dump(mode="json", exclude_none=True) for link in links or ()],
    )  # fmt: skip
    with tool_errors():
        client = client_of(ctx, user)
        speaker = await acting_user(client) if about or user else None
        if about and speaker:
            fields["owners"] = [speaker]
        saved = await client.save_memory(type, content, **cast(MemoryFields, fields))
    outcome = "created" if saved.created else "updated" if saved.updated else "known already"
    return {"id": str(saved.memory.id) if saved.memory else None, "outcome": outcome}


async def memory_update(
    ctx: ToolContext,
    memory_id: MemoryId,
    status: Annotated[Literal["open", "done"] | None, Field(description="of a todo: done, or open again")] = None,
    content: Annotated[str | None, Field(description="what it shall say")] = None,
    type: Kind | None = None,
    about: About = None,
    importance: Importance = None,
    tags: Tags = None,
    metadata: Metadata = None,
    occurred_at: OccurredAt = None,
    expires_at: ExpiresAt = None,
    reason: Annotated[str | None, Field(description="why, for its history")] = None,
    user: User = None,
) -> Memory:
    """Mark a todo as done, or correct a memory. What is left out stays; every former version is kept."""
    changes = given(
        status=status, content=content, type=type, user=about, importance=importance, tags=tags, metadata=metadata,
        occurred_at=occurred_at, expires_at=expires_at, reason=reason,
        origin="assistant" if content is not None else None,
    )  # fmt: skip
    with tool_errors():
        client = client_of(ctx, user)
        seen = await client.get_memory(memory_id)
        return memory_of(await client.change_memory(memory_id, seen.version, **cast(MemoryChanges, changes)))


async def memory_forget(ctx: ToolContext, memory_id: MemoryId, user: User = None) -> Deleted:
    """Delete one memory, for instance because the user says that it is wrong. memory_restore brings it back."""
    with tool_errors():
        await client_of(ctx, user).delete_memory(memory_id)
    return {"deleted": memory_id}


async def memory_restore(ctx: ToolContext, memory_id: MemoryId, user: User = None) -> Memory:
    """Bring back a memory that was deleted, for as long as the workspace keeps deleted memories."""
    with tool_errors():
        return memory_of(await client_of(ctx, user).restore_memory(memory_id))
