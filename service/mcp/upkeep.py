"""The tools around memory: standing questions, the inbox, and dreams.

The SDK reads the annotations of tools, so in modules of tools they are not postponed.
"""

import asyncio
from typing import Annotated, Literal, cast

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from reverie_client.options import PageFields, ProposalEdit
from service.mcp.answers import (
    Decision,
    Dreamed,
    Inbox,
    StandingPage,
    StandingPages,
    page_of,
    proposal_of,
)
from service.mcp.tool_types import (
    NO_AGENT,
    About,
    Importance,
    Kind,
    Limit,
    Tags,
    ToolContext,
    User,
    acting_agent,
    client_of,
    first,
    given,
    tool_errors,
)

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
    types: Annotated[list[Kind] | None, Field(description="from these kinds only")] = None,
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
    type: Kind | None = None,
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
        seen = await client.dream(agent, dry_run=dry_run)
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
