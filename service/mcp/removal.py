"""The tools that remove much at once, and ask the user first: memory_clear and user_purge.

The SDK reads the annotations of tools, so in modules of tools they are not postponed.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, cast

from mcp.server.mcpserver import Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from reverie_client import AsyncReverie, NotAllowed, NotFound
from reverie_client.models import MemoryRecord, MemoryType
from reverie_client.options import MemoryFilters
from service.mcp.answers import Cleared, Purged
from service.mcp.tool_types import (
    NO_AGENT,
    Kind,
    Person,
    ToolContext,
    User,
    acting_agent,
    acting_user,
    client_about,
    client_of,
    given,
    tool_errors,
)

CLEARED_MAX = 1_000
EXAMPLES = 5
Days = Annotated[
    int | None, Field(ge=0, le=36_500, description="only memories made at least this many days ago; 0 is all")
]
Token = Annotated[str | None, Field(description="the token of the first answer, once the user has agreed")]


class Confirmation(BaseModel):
    """What the user says to a deletion."""

    delete: bool = Field(description="Delete this?")


@dataclass(frozen=True, slots=True)
class Removal:
    """What would be removed: the question to the user, some of it, and what it all is, as it is now."""

    question: str
    examples: list[str]
    state: list[str]

    @property
    def token(self) -> str:
        """Stands for what would be removed as it is now: anything else needs to be agreed to again."""
        return hashlib.sha256("\n".join([self.question, *sorted(self.state)]).encode()).hexdigest()[:16]

    def agree(self, ctx: ToolContext, token: str | None) -> Confirmation | Elicit[Confirmation]:
        """Ask the user where the client can; else the token says that the model has."""
        if _can_ask(ctx):
            return Elicit(self.question, Confirmation)
        return Confirmation(delete=hmac.compare_digest((token or "").encode(), self.token.encode()))

    def refused(self, ctx: ToolContext) -> Cleared:
        """What is answered where nothing was removed: the user declined, or has still to be asked."""
        if _can_ask(ctx):
            return {"deleted": 0, "declined": True}
        return {
            "deleted": 0,
            "would_delete": len(self.state),
            "examples": self.examples,
            "ask_the_user": self.question,
            "confirmation": self.token,
        }


async def _agreed_to_clear(
    ctx: ToolContext, type: MemoryType | None, older_than: int | None, confirmation: str | None, user: str | None
) -> Confirmation | Elicit[Confirmation]:
    with tool_errors():
        found = await _clearable(client_of(ctx, user), type, older_than)
    return _removal(found, type, older_than).agree(ctx, confirmation) if found else Confirmation(delete=True)


async def _agreed_to_purge(
    ctx: ToolContext, user: str, confirmation: str | None
) -> Confirmation | Elicit[Confirmation]:
    with tool_errors():
        return (await _purgeable(client_of(ctx), user)).agree(ctx, confirmation)


async def memory_clear(
    ctx: ToolContext,
    agreement: Annotated[ElicitationResult[Confirmation], Resolve(_agreed_to_clear)],
    type: Kind | None = None,
    older_than: Days = None,
    confirmation: Token = None,
    user: User = None,
) -> Cleared:
    """Delete all your memories of one kind, or older than some days, or both; for a user, those of that user alone. The
    user is asked first: either directly, or the first call deletes nothing and gives a token; ask the user, and only if
    they agree call again with it."""
    client = client_of(ctx, user)
    with tool_errors():
        found = await _clearable(client, type, older_than)
        if _is_agreed(agreement):
            return {"deleted": await _clear(client, found)}
    return _removal(found, type, older_than).refused(ctx)


async def user_purge(
    ctx: ToolContext,
    user: Person,
    agreement: Annotated[ElicitationResult[Confirmation], Resolve(_agreed_to_purge)],
    confirmation: Token = None,
) -> Purged:
    """Forget a person for good: all memories about or from them, their messages, sessions and documents. It needs
    an admin key and cannot be undone. The user is asked first, as with memory_clear."""
    client = client_of(ctx)
    with tool_errors():
        if _is_agreed(agreement):
            return {"purged": user, "receipt": (await client.purge_user(user))["receipt"]}
        return cast(Purged, (await _purgeable(client, user)).refused(ctx))


async def _purgeable(client: AsyncReverie, user: str) -> Removal:
    held = await (await client_about(client, user)).export_user(user)
    memories = [f"{one['memory']['id']} {one['memory']['version']}" for one in held["memories"]]
    parts = {"memories": len(memories)} | {name: len(held[name]) for name in ("messages", "sessions", "documents")}
    counted = ", ".join(f"{number} {name}" for name, number in parts.items())
    return Removal(
        f"Forget {user} for good ({counted})? This cannot be undone.",
        [one["memory"]["content"] for one in held["memories"][:EXAMPLES]],
        memories + [str(one["id"]) for name in ("messages", "sessions", "documents") for one in held[name]],
    )


async def _clearable(client: AsyncReverie, type: MemoryType | None, older_than: int | None) -> list[MemoryRecord]:
    """The caller's own memories of that kind and age, at most CLEARED_MAX; not those that others share with it, and for
    a user only those that are that user's alone."""
    if type is None and older_than is None:
        raise ToolError("Give type, older_than, or both.")
    before = None if older_than is None else datetime.now(UTC) - timedelta(days=older_than)
    named = await acting_agent(client)
    if named is None:
        raise ToolError(NO_AGENT)
    try:
        own = (await client.get_agent(named)).agent
    except NotFound:
        return []
    user = await acting_user(client)
    filters = given(type=[type] if type else None, created_until=before, agent=own)
    found = []
    async for memory in client.list_memories(limit=200, **cast(MemoryFilters, filters)):
        if memory.agent == own and (user is None or memory.owners == [user]):
            found.append(memory)
        if len(found) == CLEARED_MAX:
            break
    return found


async def _clear(client: AsyncReverie, found: list[MemoryRecord]) -> int:
    deleted = 0
    for memory in found:
        try:
            await client.delete_memory(memory.id)
        except (NotFound, NotAllowed):
            continue
        deleted += 1
    return deleted


def _removal(found: list[MemoryRecord], type: MemoryType | None, older_than: int | None) -> Removal:
    kind = f" of the kind {type}" if type else ""
    age = f" older than {older_than} days" if older_than else ""
    number = f"the first {CLEARED_MAX}" if len(found) == CLEARED_MAX else str(len(found))
    return Removal(
        f"Delete {number} memories{kind}{age}?",
        [memory.content for memory in found[:EXAMPLES]],
        [f"{memory.id} {memory.version}" for memory in found],
    )


def _is_agreed(agreement: ElicitationResult[Confirmation]) -> bool:
    said = getattr(agreement, "data", None)
    return said is not None and said.delete


def _can_ask(ctx: ToolContext) -> bool:
    """Whether the client can put a question to its user."""
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)
