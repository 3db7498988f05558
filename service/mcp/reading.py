"""The tools that look: memory_search, memory_context, memory_ask, entity_graph, user_profile.

The SDK reads the annotations of tools, so in modules of tools they are not postponed.
"""

from typing import Annotated, Any, cast

from mcp_types import CallToolResult, TextContent
from pydantic import Field

from reverie_client.models import Json
from reverie_client.options import AskFields, ContextOptions, SearchOptions
from service.mcp.answers import Answered, Found, Graph, Known, UserProfile, memory_of
from service.mcp.tool_types import (
    Kind,
    Limit,
    MaxTokens,
    OnlyAbout,
    Person,
    ToolContext,
    User,
    client_about,
    client_of,
    given,
    tool_errors,
)


async def memory_search(
    ctx: ToolContext,
    query: Annotated[
        str, Field(description="what you want to know, as a question or a few words; empty: the newest memories")
    ] = "",
    types: Annotated[list[Kind] | None, Field(description="only these kinds")] = None,
    tags: Annotated[list[str] | None, Field(description="only with one of these tags")] = None,
    user: User = None,
    about: OnlyAbout = None,
    session: Annotated[str | None, Field(description="also what belongs to this conversation")] = None,
    task: Annotated[str | None, Field(description="also what belongs to this task")] = None,
    since: Annotated[str | None, Field(description="only what happened since then (RFC 3339)")] = None,
    until: Annotated[str | None, Field(description="only what happened before then (RFC 3339)")] = None,
    where: Annotated[
        dict[str, Any] | None,
        Field(
            description="only what passes a filter with and, or, not, in, gt, gte, lt, lte, exists, such as "
            '{"and": [{"metadata.priority": {"gte": 3}}, {"not": {"tags": {"in": ["draft"]}}}]}'
        ),
    ] = None,
    max_tokens: MaxTokens = None,
    limit: Limit = 10,
) -> Found:
    """Find what is remembered, by words and by meaning, best first. Each memory comes with its id."""
    options = given(
        types=types, tags=tags, about=about, session=session, task=task, since=since, until=until,
        where=where, max_tokens=max_tokens, limit=limit,
    )  # fmt: skip
    with tool_errors():
        answer = await client_of(ctx, user).search(query, **cast(SearchOptions, options))
    return {
        "memories": [memory_of(result.memory) for result in answer.results if result.memory],
        "tokens": answer.tokens,
        "degraded": answer.degraded.reason if answer.degraded else None,
        "viewer": answer.viewer,
    }


async def memory_context(
    ctx: ToolContext,
    message: Annotated[str, Field(description="what the user has just said")],
    user: User = None,
    session: Annotated[
        str | None, Field(description="the conversation, where it is kept here too; without a user it is for all in it")
    ] = None,
    task: Annotated[str | None, Field(description="the task that is worked on")] = None,
    max_tokens: MaxTokens = None,
) -> Annotated[CallToolResult, Known]:
    """What to know before you answer this message: who you are, what the user prefers, what bears on it."""
    options = given(session=session, task=task, max_tokens=max_tokens)
    with tool_errors():
        answer = await client_of(ctx, user).context(message, **cast(ContextOptions, options))
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
    types: Annotated[list[Kind] | None, Field(description="from these kinds only")] = None,
    user: User = None,
    about: Annotated[str | None, Field(description="from what is about this person only")] = None,
    since: Annotated[str | None, Field(description="from what happened since then only (RFC 3339)")] = None,
    until: Annotated[str | None, Field(description="from what happened before then only (RFC 3339)")] = None,
) -> Answered:
    """Have a question answered from memory, with the ids of the memories that the answer rests on."""
    fields = given(types=types, about=about, since=since, until=until)
    with tool_errors():
        answer = await client_of(ctx, user).ask(question, **cast(AskFields, fields))
    return {
        "answer": answer.answer,
        "citations": [str(one) for one in answer.citations],
        "memories": [{"id": str(one["id"]), "content": one["content"]} for one in answer.memories],
        "degraded": answer.degraded.reason if answer.degraded else None,
        "viewer": answer.viewer,
    }


async def entity_graph(
    ctx: ToolContext,
    entity: Annotated[str, Field(description="the name (or id) of a person, project, company, product, place …")],
    depth: Annotated[int, Field(ge=1, le=4, description="how many links away to look")] = 2,
    user: User = None,
) -> Graph:
    """What is known about someone or something, and what it is linked to."""
    with tool_errors():
        graph: Json = await client_of(ctx, user).entity_graph(entity, depth)
    return cast(Graph, graph)


async def user_profile(ctx: ToolContext, user: Person) -> UserProfile:
    """What holds about a person, field by field: name, home, work, likes, … each with the memories that say so. It is
    for the user of the connection, else for that person."""
    with tool_errors():
        profile = await (await client_about(client_of(ctx), user)).profile(user)
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
