"""What the tools answer: the output schemas that clients are told, and check answers against."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from reverie_client.models import AnsweredPage, MemoryRecord, Proposal


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
    """Memories, best first, the tokens of their contents, and why they are fewer or worse than asked for. ``viewer``:
    the users they were searched for; ``nobody`` where none is named, and only what belongs to nobody is found."""

    memories: list[Memory]
    tokens: int
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
    """A memory, as a model needs it."""
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
        "happened": (memory.occurred_at or memory.created_at).isoformat(),
        "importance": memory.importance,
    }


def page_of(page: AnsweredPage) -> StandingPage:
    """A page, as a model needs it."""
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
    """A proposal, as a model needs it."""
    return {
        "id": str(proposal.id),
        "status": proposal.status,
        "type": proposal.type,
        "content": proposal.content,
        "user": proposal.user,
        "confidence": proposal.confidence,
        "reason": proposal.reason,
    }
