"""What tools take and answer: their arguments, their client, how the API's refusals are told, and the output schemas.

Clients are told the schemas of answers, and check answers against them.
"""

from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final, NotRequired, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from typing_extensions import TypedDict

from reverie_client import APIError, AsyncReverie, ReverieClientError
from reverie_client.models import AnsweredPage, MemoryRecord, MemoryType, Proposal, Scope
from service.domain.times import Period

T = TypeVar("T")
ClientOf = Callable[[Any], AsyncReverie]
"""The client that acts for the sender of a request (of Starlette; None over standard input)."""
ToolContext = Context[Any, Any]
USER = "X-Reverie-User"
TOOLS = "X-Reverie-Tools"
NO_AGENT = "Name the acting agent: this key is bound to none."
OTHER_USER = "This connection is for another user."

Kind = Annotated[
    MemoryType,
    Field(
        description="fact, preference (what someone likes or wants), decision, identity (who someone is), "
        "event (with occurred_at), observation, goal, todo, or a type of the workspace"
    ),
]
Types = Annotated[list[MemoryType] | None, Field(description="only of these types")]
OtherType = Annotated[MemoryType | None, Field(description="a type of memory_save")]
Importance = Annotated[float | None, Field(ge=0, le=1, description="default: the usual of its type")]
Tags = Annotated[list[str] | None, Field(description="a few words to filter by")]
Metadata = Annotated[dict[str, Any] | None, Field(description="a JSON object of your own")]
About = Annotated[str | None, Field(description="the person it is about")]
OnlyAbout = Annotated[str | None, Field(description="only about this person")]
User = Annotated[
    str | None,
    Field(description="who is speaking: what is others' stays unseen"),
]
OccurredAt = Annotated[str | None, Field(description="when it happened, RFC 3339")]
ExpiresAt = Annotated[str | None, Field(description="until when it holds, RFC 3339")]
MemoryId = Annotated[str, Field(description="its id, from memory_search")]
Person = Annotated[str, Field(description="the person's name in memories")]
MaxTokens = Annotated[
    int | None,
    Field(ge=0, le=16_000, description="bound of the answer"),
]
Limit = Annotated[int, Field(ge=1, le=50, description="how many at most")]
Readers = Annotated[
    Scope | None,
    Field(description="who may read it; default: agent, you alone"),
]


def user_named(request: Any) -> str | None:
    """Return the user whom a request over HTTP names beside its key."""
    return request.headers.get(USER) or request.query_params.get("user") or None


def tools_named(request: Any) -> str | None:
    """Return which tools a request over HTTP asks to be listed."""
    return request.headers.get(TOOLS) or request.query_params.get("tools") or None


def client_of(ctx: ToolContext, user: str | None = None) -> AsyncReverie:
    """Return the client that acts for the sender of the request, and for the user of the connection, else for this one.
    Raises ToolError for another than that of the connection: whom a connection is for is not the model's to say."""
    request = ctx.request_context
    client: AsyncReverie = request.lifespan_context(request.request)
    if user is None:
        return client
    if not user.strip():
        raise ToolError("user: must not be empty")
    if client.options.user not in (None, user):
        raise ToolError(OTHER_USER)
    return client.for_user(user)


async def acting_user(client: AsyncReverie) -> str | None:
    """Whom the client's calls are for: the user named, else that of its key; None where there is none. Raises ToolError
    where another than that of the key is named."""
    named, bound = client.options.user, (await client.get_caller()).user
    if named is not None and bound not in (None, named):
        raise ToolError(OTHER_USER)
    return named or bound


async def client_about(client: AsyncReverie, person: str) -> AsyncReverie:
    """Return the client that asks about a person: for the user that it has, else for that person."""
    return client if await acting_user(client) else client.for_user(person)


async def acting_agent(client: AsyncReverie) -> str | None:
    """Return the agent that the client acts as: the one named, else that of its key; None where it has none yet."""
    if client.options.agent is not None:
        return client.options.agent
    return (await client.get_caller()).agent


@contextmanager
def tool_errors() -> Iterator[None]:
    """Turn what the API refuses into an answer the model can read and act on."""
    try:
        yield
    except ReverieClientError as error:
        raise ToolError(explained(error)) from error


async def first(found: AsyncIterable[T], limit: int) -> list[T]:
    """Return the first of a list that goes on from page to page; ``limit`` is at least 1."""
    items: list[T] = []
    async for item in found:
        items.append(item)
        if len(items) == limit:
            break
    return items


def explained(error: ReverieClientError) -> str:
    """Return why a call failed, with the fields at fault."""
    named = [error for error in error.errors if error.get("loc")] if isinstance(error, APIError) else []
    fields = "; ".join(f"{'.'.join(map(str, one['loc'][1:] or one['loc']))}: {one['msg']}" for one in named)
    return f"{error} ({fields})" if fields and fields not in str(error) else str(error)


def given(**arguments: Any) -> dict[str, Any]:
    """Return the arguments that say something: models fill what they leave out with null or nothing."""
    return {name: value for name, value in arguments.items() if value is not None and value not in ("", [], {})}


SAID_ANYWAY: Final = (("default", None), ("default", ""), ("additionalProperties", True))
"""What a JSON Schema without it says too."""


def argument_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments in few tokens: no titles, no references, no ``anyOf``. An argument
    that may be left out has the type of its value alone; null is taken as left out."""
    return _plain(schema, schema.get("$defs", {}))


def answer_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's answer in few tokens: its fields and their types, what is inside an object
    not."""
    properties = {}
    for name, field in schema["properties"].items():
        kinds = [kind if "type" in kind else {"type": "object"} for kind in field.get("anyOf", [field])]
        types = [kind["type"] for kind in kinds]
        properties[name] = {"type": types if len(types) > 1 else types[0]}
    return {"type": "object", "properties": properties}


def _plain(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]] | {k: v for k, v in schema.items() if k != "$ref"}
    given_as = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if given_as:
        schema = given_as[0] | {name: value for name, value in schema.items() if name != "anyOf"}
        return _plain(schema, definitions)
    plain = {name: value for name, value in schema.items() if name not in ("title", "$defs")}
    plain = {name: value for name, value in plain.items() if (name, value) not in SAID_ANYWAY}
    if "properties" in plain:
        plain["properties"] = {name: _plain(field, definitions) for name, field in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    return plain


class Memory(TypedDict):
    """A memory, as a model needs it."""

    id: str
    type: str
    content: str
    status: str | None
    user: str | None
    owners: list[str]
    hearsay_by: str | None
    origin: str
    key: str | None
    tags: list[str]
    happened: str
    importance: float


class Found(TypedDict):
    """Memories, best first, the tokens of their contents, how many did not fit into the budget, and why they are fewer
    or worse than asked for. ``viewer``:
    the users they were searched for; ``nobody`` where none is named, and only what belongs to nobody is found."""

    memories: list[Memory]
    tokens: int
    omitted: int
    degraded: str | None
    viewer: list[str] | str


class Known(TypedDict):
    """What to know before an answer to the users of ``viewer``."""

    text: str
    tokens: int
    degraded: str | None
    viewer: list[str] | str


class Evidence(TypedDict):
    """A memory that bears on a question."""

    id: str
    content: str


class Answered(TypedDict):
    """An answer, the ids of the memories it rests on, and what was found. The answer is null where nothing is known,
    and where no model writes answers: then what was found has to do."""

    answer: str | None
    citations: list[str]
    memories: list[Evidence]
    degraded: str | None
    viewer: list[str] | str


class Graph(TypedDict):
    """An entity, and what it is linked to."""

    entity: dict[str, Any]
    entities: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    memories: list[dict[str, Any]]


class ProfileValue(TypedDict):
    """One value of a profile, since when it holds, and the ids of the memories that say so."""

    name: str
    value: Any
    since: str
    memory_ids: list[str]


class UserProfile(TypedDict):
    """What holds about a person."""

    user: str
    fields: list[ProfileValue]


class Saved(TypedDict):
    """The memory that was saved (null with memory switched off), and whether it was created, updated or known."""

    id: str | None
    outcome: str


class Deleted(TypedDict):
    """The memory that was deleted."""

    deleted: str


class Cleared(TypedDict):
    """How many memories were deleted. With nothing deleted: that the user declined, or what has to be asked first."""

    deleted: int
    declined: NotRequired[bool]
    would_delete: NotRequired[int]
    examples: NotRequired[list[str]]
    ask_the_user: NotRequired[str]
    confirmation: NotRequired[str]


class Purged(TypedDict):
    """Who was forgotten, with a receipt; else, that the user declined, or what has to be asked first."""

    purged: NotRequired[str]
    receipt: NotRequired[dict[str, Any]]
    deleted: NotRequired[int]
    declined: NotRequired[bool]
    would_delete: NotRequired[int]
    examples: NotRequired[list[str]]
    ask_the_user: NotRequired[str]
    confirmation: NotRequired[str]


class CitedSentence(TypedDict):
    """A sentence of a page, and the ids of the memories it rests on."""

    text: str
    memory_ids: list[str]


class StandingPage(TypedDict):
    """A standing question with its newest answer; ``stale``: some of it does not hold any more, and is left out."""

    id: str
    question: str
    sentences: list[CitedSentence]
    stale: bool
    written_at: str | None


class StandingPages(TypedDict):
    """Pages, newest first."""

    pages: list[StandingPage]


class Waiting(TypedDict):
    """A statement that a dream was not sure enough of."""

    id: str
    status: str
    type: str
    content: str
    user: str | None
    confidence: float
    reason: str


class Inbox(TypedDict):
    """What waits for a decision, newest first."""

    proposals: list[Waiting]


class Decision(TypedDict):
    """A proposal after a decision, and the memory that came of it."""

    id: str
    status: str
    memory_id: str | None


class Dreamed(TypedDict):
    """A dream, and how far it is."""

    id: str
    status: str
    report: dict[str, Any]
    error: str | None


class SearchResult(TypedDict):
    """A memory or document: ``id`` is for fetch."""

    id: str
    title: str
    url: str


class SearchResults(TypedDict):
    """What a search found, best first."""

    results: list[SearchResult]


class Fetched(SearchResult):
    """A memory or document in full."""

    text: str
    metadata: dict[str, Any]


def memory_of(memory: MemoryRecord) -> Memory:
    """Return a memory, as a model needs it."""
    return {
        "id": str(memory.id),
        "type": memory.type,
        "content": memory.content,
        "status": memory.status,
        "user": memory.user,
        "owners": memory.owners,
        "hearsay_by": memory.hearsay_by,
        "origin": memory.origin,
        "key": memory.key,
        "tags": memory.tags,
        "happened": happened_of(memory).iso(),
        "importance": memory.importance,
    }


def happened_of(memory: MemoryRecord) -> Period:
    """Return when what a memory says happened, else when it was saved."""
    return Period(memory.occurred_at, memory.occurred_until) if memory.occurred_at else Period(memory.created_at)


def page_of(page: AnsweredPage) -> StandingPage:
    """Return a page, as a model needs it."""
    return {
        "id": str(page.id),
        "question": page.question,
        "sentences": [
            {"text": sentence.text, "memory_ids": [str(one) for one in sentence.memory_ids]}
            for sentence in page.sentences
        ],
        "stale": page.stale,
        "written_at": page.written_at.isoformat() if page.written_at else None,
    }


def proposal_of(proposal: Proposal) -> Waiting:
    """Return a proposal, as a model needs it."""
    return {
        "id": str(proposal.id),
        "status": proposal.status,
        "type": proposal.type,
        "content": proposal.content,
        "user": proposal.user,
        "confidence": proposal.confidence,
        "reason": proposal.reason,
    }
