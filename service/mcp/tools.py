"""The tools, and the table of them.

Each is one or a few calls of the API with the caller's key, so what a key may not do over HTTP it may not do here, and
whose memory it is follows from the key.

The SDK reads the annotations of tools, so here they are not postponed.
"""

import asyncio
import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Annotated, Any, Final, Literal, cast
from uuid import UUID

from mcp.server.mcpserver import Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from reverie_client import AsyncReverie, NotAllowed, NotFound
from reverie_client import models as m
from reverie_client.models import Json, MemoryRecord, MemoryType
from reverie_client.options import (
    AskFields,
    ContextOptions,
    MemoryChanges,
    MemoryFields,
    MemoryFilters,
    PageFields,
    ProposalEdit,
    SearchOptions,
)
from service.domain.validation import reason_of
from service.mcp.tool_types import (
    NO_AGENT,
    About,
    Answered,
    Cleared,
    Decision,
    Deleted,
    Dreamed,
    ExpiresAt,
    Fetched,
    Found,
    Graph,
    Importance,
    Inbox,
    Kind,
    Known,
    Limit,
    MaxTokens,
    Memory,
    MemoryId,
    Metadata,
    OccurredAt,
    OnlyAbout,
    OtherType,
    Person,
    Purged,
    Readers,
    Saved,
    SearchResult,
    SearchResults,
    StandingPage,
    StandingPages,
    Tags,
    ToolContext,
    Types,
    User,
    UserProfile,
    acting_agent,
    acting_user,
    answer_schema,
    argument_schema,
    client_about,
    client_of,
    first,
    given,
    happened_of,
    memory_of,
    page_of,
    proposal_of,
    tool_errors,
)


async def memory_search(
    ctx: ToolContext,
    query: Annotated[str, Field(description="the question; empty: the newest memories")] = "",
    queries: Annotated[
        list[str] | None,
        Field(max_length=5, description="the question in two or three other wordings"),
    ] = None,
    types: Types = None,
    tags: Annotated[list[str] | None, Field(description="only with one of these tags")] = None,
    user: User = None,
    about: OnlyAbout = None,
    session: Annotated[str | None, Field(description="also what belongs to this conversation")] = None,
    task: Annotated[str | None, Field(description="also what belongs to this task")] = None,
    since: Annotated[str | None, Field(description="only what happened since then, RFC 3339")] = None,
    until: Annotated[str | None, Field(description="only what happened before then, RFC 3339")] = None,
    where: Annotated[
        dict[str, Any] | None,
        Field(
            description="only what passes this filter, such as "
            '{"and": [{"metadata.priority": {"gte": 3}}, {"not": {"tags": "draft"}}]}'
        ),
    ] = None,
    max_tokens: MaxTokens = None,
    limit: Limit = 10,
) -> Found:
    """Find what is remembered, by words and by meaning, best first. Always give the question in two or three wordings:
    query and queries. One wording alone misses much."""
    options = given(
        queries=queries, types=types, tags=tags, about=about, session=session, task=task, since=since, until=until,
        where=where, max_tokens=max_tokens, limit=limit,
    )  # fmt: skip
    with tool_errors():
        answer = await client_of(ctx, user).search_memories(query, **cast(SearchOptions, options))
    return {
        "memories": [memory_of(result.memory) for result in answer.results if result.memory],
        "tokens": answer.tokens,
        "omitted": answer.omitted.count if answer.omitted else 0,
        "degraded": answer.degraded.reason if answer.degraded else None,
        "viewer": answer.viewer,
    }


async def memory_context(
    ctx: ToolContext,
    message: Annotated[str, Field(description="what the user has just said")],
    user: User = None,
    session: Annotated[str | None, Field(description="the conversation; without a user, it is for all in it")] = None,
    task: Annotated[str | None, Field(description="the task that is worked on")] = None,
    max_tokens: MaxTokens = None,
) -> Annotated[CallToolResult, Known]:
    """What to know before you answer this message: who you are, what the user prefers, what bears on it."""
    options = given(session=session, task=task, max_tokens=max_tokens)
    with tool_errors():
        answer = await client_of(ctx, user).build_context(message, **cast(ContextOptions, options))
    text = "\n\n".join(f"## {section.name}\n{section.text}" for section in answer.sections if section.text)
    known: Known = {
        "text": text,
        "tokens": answer.tokens,
        "degraded": answer.degraded.reason if answer.degraded else None,
        "viewer": answer.viewer,
    }
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=known)


async def memory_ask(
    ctx: ToolContext,
    question: Annotated[str, Field(description="the question, understandable on its own")],
    types: Types = None,
    user: User = None,
    about: Annotated[str | None, Field(description="from what is about this person only")] = None,
    since: Annotated[str | None, Field(description="from what happened since then only, RFC 3339")] = None,
    until: Annotated[str | None, Field(description="from what happened before then only, RFC 3339")] = None,
) -> Answered:
    """Have a question answered from memory, with the ids of the memories that the answer rests on."""
    fields = given(types=types, about=about, since=since, until=until)
    with tool_errors():
        answer = await client_of(ctx, user).ask_memory(question, **cast(AskFields, fields))
    return {
        "answer": answer.answer,
        "citations": [str(one) for one in answer.citations],
        "memories": [{"id": str(one["id"]), "content": one["content"]} for one in answer.memories],
        "degraded": answer.degraded.reason if answer.degraded else None,
        "viewer": answer.viewer,
    }


async def entity_graph(
    ctx: ToolContext,
    entity: Annotated[str, Field(description="name or id of a person, project, company, place …")],
    depth: Annotated[int, Field(ge=1, le=4, description="how many links away to look")] = 2,
    user: User = None,
) -> Graph:
    """What is known about someone or something, and what it is linked to."""
    with tool_errors():
        graph: Json = await client_of(ctx, user).get_entity_graph(entity, depth)
    return cast(Graph, graph)


async def user_profile(ctx: ToolContext, user: Person) -> UserProfile:
    """What holds about a person: name, home, work, likes … each with the memories that say so."""
    with tool_errors():
        profile = await (await client_about(client_of(ctx), user)).get_profile(user)
    return {
        "user": profile.user,
        "fields": [
            {
                "name": field.name,
                "value": field.value,
                "since": field.since.isoformat(),
                "memory_ids": [str(one) for one in field.memory_ids],
            }
            for field in profile.fields
        ],
    }


async def memory_save(
    ctx: ToolContext,
    content: Annotated[str, Field(description="one statement, with names instead of pronouns")],
    type: Kind = "fact",
    user: User = None,
    about: Annotated[str | None, Field(description="the person it is about, if not the user")] = None,
    hearsay_by: Annotated[str | None, Field(description="who said so, if not that person")] = None,
    importance: Importance = None,
    tags: Tags = None,
    key: Annotated[str | None, Field(description="saving under the same key again updates")] = None,
    occurred_at: OccurredAt = None,
    expires_at: ExpiresAt = None,
    scope: Readers = None,
    team: Annotated[str | None, Field(description="with scope team")] = None,
    task: Annotated[str | None, Field(description="with scope task")] = None,
    session: Annotated[str | None, Field(description="the conversation it came from")] = None,
    metadata: Metadata = None,
    links: Annotated[
        list[dict[str, Any]] | None,
        Field(
            description='such as {"relation": "about", "entity": {"name": "Apollo", "kind": "project"}} or '
            '{"relation": "supports", "memory_id": "…"}'
        ),
    ] = None,
) -> Saved:
    """Remember a statement beyond this conversation. It belongs to the user, else to those in the session, else to
    nobody, and then everybody's prompts have it."""
    fields = given(
        user=about, hearsay_by=hearsay_by, origin="assistant", importance=importance, tags=tags, key=key,
        occurred_at=occurred_at, expires_at=expires_at, scope=scope, team=team, task=task, session=session,
        metadata=metadata, links=links,
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
    status: Annotated[Literal["open", "done"] | None, Field(description="of a todo")] = None,
    content: Annotated[str | None, Field(description="what it shall say")] = None,
    type: OtherType = None,
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
        return memory_of(await client.update_memory(memory_id, seen.version, **cast(MemoryChanges, changes)))


async def memory_forget(ctx: ToolContext, memory_id: MemoryId, user: User = None) -> Deleted:
    """Delete one memory, for instance because the user says that it is wrong."""
    with tool_errors():
        await client_of(ctx, user).delete_memory(memory_id)
    return {"deleted": memory_id}


async def memory_restore(ctx: ToolContext, memory_id: MemoryId, user: User = None) -> Memory:
    """Bring back a memory that was deleted, for as long as the workspace keeps deleted memories."""
    with tool_errors():
        return memory_of(await client_of(ctx, user).restore_memory(memory_id))


CLEARED_MAX = 1_000
EXAMPLES = 5
Days = Annotated[int | None, Field(ge=0, le=36_500, description="only those made at least this many days ago; 0: all")]
Token = Annotated[str | None, Field(description="token of the first answer, once the user has agreed")]


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
        """Return the answer where nothing was removed: the user declined, or has still to be asked."""
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
    type: OtherType = None,
    older_than: Days = None,
    confirmation: Token = None,
    user: User = None,
) -> Cleared:
    """Delete all your memories of a type, or older than some days; of a user, those of that user alone. The user is
    asked first: directly, or the first call gives a token for a second call, once the user agrees."""
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
    """Return the caller's own memories of that kind and age, at most CLEARED_MAX; not those that others share with it,
    and for a user only those that are that user's alone.
    """
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
    age = f" older than {older_than} {'day' if older_than == 1 else 'days'}" if older_than else ""
    number = f"the first {CLEARED_MAX}" if len(found) == CLEARED_MAX else str(len(found))
    noun = "memory" if len(found) == 1 else "memories"
    return Removal(
        f"Delete {number} {noun}{kind}{age}?",
        [memory.content for memory in found[:EXAMPLES]],
        [f"{memory.id} {memory.version}" for memory in found],
    )


def _is_agreed(agreement: ElicitationResult[Confirmation]) -> bool:
    said = getattr(agreement, "data", None)
    return said is not None and said.delete


def _can_ask(ctx: ToolContext) -> bool:
    """Return whether the client can put a question to its user."""
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


POLL_S = 0.5
RUNNING = ("queued", "running")


async def page_list(ctx: ToolContext, limit: Limit = 20, user: User = None) -> StandingPages:
    """Your standing questions, each with its newest answer; every sentence cites its memories."""
    with tool_errors():
        pages = await first(client_of(ctx, user).list_pages(limit=limit), limit)
    return {"pages": [page_of(page) for page in pages]}


async def page_read(
    ctx: ToolContext, page_id: Annotated[str, Field(description="its id, from page_list")], user: User = None
) -> StandingPage:
    """One standing question with its newest answer, without the sentences that do not hold any more."""
    with tool_errors():
        return page_of(await client_of(ctx, user).get_page(page_id))


async def page_create(
    ctx: ToolContext,
    question: Annotated[str, Field(description="what shall be answered now and from now on")],
    types: Types = None,
    tags: Annotated[list[str] | None, Field(description="from what has one of these tags only")] = None,
    user: User = None,
    about: Annotated[str | None, Field(description="from what is about this person only")] = None,
    trigger: Annotated[
        str | None,
        Field(description="when it is answered again: dream (after each that bears on it), manual, or a crontab"),
    ] = None,
    max_tokens: Annotated[int | None, Field(ge=50, le=4_000, description="the longest answer; 500 unless set")] = None,
) -> StandingPage:
    """Ask a standing question: it is answered now, and again when what is known has changed."""
    scope = given(types=types, tags=tags, user=about)
    fields = given(scope=scope, trigger=trigger, max_tokens=max_tokens)
    with tool_errors():
        return page_of(await client_of(ctx, user).create_page(question, **cast(PageFields, fields)))


async def inbox_list(ctx: ToolContext, limit: Limit = 20, user: User = None) -> Inbox:
    """Statements that dreams were not sure enough of to remember, for the user to decide on; newest first."""
    with tool_errors():
        proposals = await first(client_of(ctx, user).list_inbox(limit=limit), limit)
    return {"proposals": [proposal_of(proposal) for proposal in proposals]}


async def inbox_decide(
    ctx: ToolContext,
    proposal_id: Annotated[str, Field(description="its id, from inbox_list")],
    action: Annotated[
        Literal["accept", "edit", "reject", "reopen"],
        Field(description="accept: remember it; edit: remember it with these changes; reject: never again"),
    ],
    content: Annotated[str | None, Field(description="with edit: what it shall say")] = None,
    type: OtherType = None,
    about: About = None,
    importance: Importance = None,
    tags: Tags = None,
    user: User = None,
) -> Decision:
    """Carry out what the user has decided on a statement of the inbox."""
    # Whether a person has decided is known from the model alone.
    changes = given(content=content, type=type, user=about, importance=importance, tags=tags, origin="assistant")
    with tool_errors():
        decided = await client_of(ctx, user).decide_proposal(proposal_id, action, **cast(ProposalEdit, changes))
    memory_id = str(decided.memory.id) if decided.memory else None
    return {"id": str(decided.proposal.id), "status": decided.proposal.status, "memory_id": memory_id}


async def dream(
    ctx: ToolContext,
    dry_run: Annotated[bool, Field(description="only show what would change")] = False,
    wait_s: Annotated[int, Field(ge=0, le=300, description="how many seconds to wait for its end at most")] = 60,
) -> Dreamed:
    """Have what was said and saved consolidated now. A dream that goes on after the wait is answered as it is then."""
    with tool_errors():
        client = client_of(ctx)
        agent = await acting_agent(client)
        if agent is None:
            raise ToolError(NO_AGENT)
        seen = await client.request_dream(agent, dry_run=dry_run)
        loop = asyncio.get_running_loop()
        started = loop.time()
        while seen.status in RUNNING and (waited := loop.time() - started) < wait_s:
            await ctx.report_progress(waited, wait_s, f"The dream is {seen.status}.")
            await asyncio.sleep(min(POLL_S, wait_s - waited))
            seen = await client.get_dream(seen.id)
        if seen.status not in RUNNING:
            outcome = "failed" if seen.status == "failed" else "ended"
            await ctx.report_progress(wait_s, wait_s, f"The dream has {outcome}.")
    return {"id": str(seen.id), "status": seen.status, "report": seen.report, "error": seen.error}


TITLE_MAX = 80
RESULTS_MAX = 20
_ID = re.compile(r"(?:(memory|document):)?([0-9a-fA-F-]{32,36})")


async def search(
    ctx: ToolContext, query: Annotated[str, Field(description="what to look for, as a question or a few words")]
) -> SearchResults:
    """Search memories and documents by words and by meaning. Each result has an id to fetch it in full with."""
    with tool_errors():
        found = await client_of(ctx).search_memories(query, include=["memories", "documents"], limit=RESULTS_MAX)
    base = _base(ctx)
    results = {one["id"]: one for result in found.results for one in _results(result, base)}
    return {"results": list(results.values())}


async def fetch(
    ctx: ToolContext, id: Annotated[str, Field(description="the id of a result of search, or of a memory")]
) -> Fetched:
    """A memory or a document in full, by its id."""
    match = _ID.fullmatch(id.strip())
    if match is None:
        raise ToolError("id: give the id of a result of search, such as memory:<uuid>")
    kind, uuid = match.groups()
    with tool_errors():
        if kind == "document":
            return _document(await client_of(ctx).get_document(uuid), _base(ctx))
        return _memory(await client_of(ctx).get_memory(uuid), _base(ctx))


def _results(result: m.SearchResult, base: str) -> Iterator[SearchResult]:
    if result.memory is not None:
        yield _reference("memory", result.memory.id, result.memory.content, base)
    elif result.document is not None:
        yield _reference("document", result.document.document_id, result.document.title, base)


def _memory(memory: m.MemoryRecord, base: str) -> Fetched:
    known: dict[str, Any] = {
        "kind": "memory",
        "type": memory.type,
        "user": memory.user,
        "according_to": memory.hearsay_by,
        "happened": happened_of(memory).iso(),
        "tags": memory.tags,
    }
    return _fetched(_reference("memory", memory.id, memory.content, base), memory.content, known)


def _document(document: m.Document, base: str) -> Fetched:
    known = {"kind": "document", "user": document.user, "created_at": document.created_at.isoformat()}
    return _fetched(_reference("document", document.id, document.title, base), document.text, known)


def _reference(kind: Literal["memory", "document"], id: UUID, text: str, base: str) -> SearchResult:
    path = "memories" if kind == "memory" else "documents"
    return {"id": f"{kind}:{id}", "title": _title(text), "url": f"{base}/v1/{path}/{id}"}


def _fetched(found: SearchResult, text: str, known: dict[str, Any]) -> Fetched:
    return {**found, "text": text, "metadata": {name: value for name, value in known.items() if value}}


def _title(text: str) -> str:
    line = " ".join(text[: 4 * TITLE_MAX].split())
    return line if len(line) <= TITLE_MAX else f"{line[: TITLE_MAX - 1].rstrip()}…"


def _base(ctx: ToolContext) -> str:
    """Return the address of the API, as the caller reached it."""
    request = ctx.request_context.request
    return str(request.base_url if request is not None else client_of(ctx).http.base_url).rstrip("/")


def _hints(*, reads: bool = False, removes: bool = False, repeatable: bool = False) -> ToolAnnotations:
    """Hints for clients before they call a tool: most ask their user before one that is not read-only.
    ``repeatable``: a second call with the same arguments changes nothing more. No tool goes beyond the memory it
    belongs to."""
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=removes, idempotent_hint=repeatable, open_world_hint=False
    )


READS: Final = _hints(reads=True, repeatable=True)
WRITES: Final = _hints()
WRITES_ONCE: Final = _hints(repeatable=True)
REMOVES: Final = _hints(removes=True)
REMOVES_ONCE: Final = _hints(removes=True, repeatable=True)

TABLE: Final[Mapping[Callable[..., Any], tuple[str, ToolAnnotations]]] = {
    memory_search: ("Search memories", READS),
    memory_context: ("What to know before answering", READS),
    memory_ask: ("Ask memory a question", READS),
    entity_graph: ("What someone or something is linked to", READS),
    user_profile: ("Profile of a person", READS),
    memory_save: ("Remember a statement", WRITES_ONCE),
    memory_update: ("Correct a memory, or mark a todo as done", WRITES),
    memory_forget: ("Delete a memory", REMOVES_ONCE),
    memory_restore: ("Restore a deleted memory", WRITES_ONCE),
    memory_clear: ("Delete many memories", REMOVES),
    user_purge: ("Forget a person for good", REMOVES_ONCE),
    page_list: ("Standing questions", READS),
    page_read: ("Read a standing question", READS),
    page_create: ("Ask a standing question", WRITES),
    inbox_list: ("Statements that wait for a decision", READS),
    inbox_decide: ("Decide on a statement that waits", WRITES),
    dream: ("Consolidate memory now", WRITES),
    search: ("Search memories and documents", READS),
    fetch: ("Fetch a memory or document", READS),
}
"""Every tool: what a user sees it called, and its hints."""

USUAL: Final = (
    memory_search, memory_context, memory_save, memory_update, memory_forget, memory_clear, entity_graph, search, fetch,
)  # fmt: skip
"""Tools that are listed unless a connection names others: each definition is in every prompt of the model."""


def listed_tools(named: str | None) -> frozenset[str]:
    """Return the names of the tools to list: the usual ones, ``all``, or those named, with commas between them. Raises
    MCPError for a name that is no tool's."""
    if not named:
        return frozenset(tool.__name__ for tool in USUAL)
    every = frozenset(tool.__name__ for tool in TABLE)
    names = every if named == "all" else frozenset(name.strip() for name in named.split(","))
    if unknown := sorted(names - every):
        raise MCPError(
            INVALID_PARAMS, f"tools: there is no tool {unknown[0]!r}. Give all, or names, such as dream,fetch."
        )
    return names


class StrictTool(Tool):
    """A tool that refuses arguments it does not have, and says in one line which are wrong."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        unknown = sorted(set(arguments) - set(self.parameters["properties"]))
        if unknown:
            raise ToolError(
                f"{self.name} has no argument {', '.join(unknown)}. It has: {', '.join(self.parameters['properties'])}."
            )
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            found = error.__cause__.errors(include_url=False)
            wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {reason_of(one)}" for one in found)
            raise ToolError(f"{self.name} was called with wrong arguments: {wrong}") from error.__cause__


@cache
def all_tools() -> tuple[Tool, ...]:
    """Return the tools of the table. Their schemas take some 0.1 s: the servers of a process share them."""
    return tuple(_tool(function, title, hints) for function, (title, hints) in TABLE.items())


def _tool(function: Callable[..., Any], title: str, hints: ToolAnnotations) -> Tool:
    tool = StrictTool.from_function(function, title=title, annotations=hints, structured_output=True)
    tool.parameters = argument_schema(tool.parameters) | {"additionalProperties": False}
    assert tool.fn_metadata.output_schema is not None
    tool.fn_metadata.output_schema = answer_schema(tool.fn_metadata.output_schema)
    return tool
