"""Pages: a standing question, when it is answered, and answers each of whose sentences cites its memories."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field, GetPydanticSchema, StringConstraints
from typing_extensions import TypedDict

from service.domain.citations import Sentence
from service.domain.field_types import ActingAgent, AgentName, CreatedAt, Name, Text, not_blank, reject_unstorable
from service.domain.hearsay import attributed
from service.domain.json import JsonObject
from service.domain.memory import Memory
from service.domain.search import ContainedMetadata, OccurredSince, OccurredUntil, SearchedTags, SearchedTypes
from service.domain.strict import StrictModel
from service.domain.where import WhereObject

DREAM, MANUAL = "dream", "manual"
VERSIONS_MAX = 20
"""Kept of each page."""
PAGES_MAX = 100
"""Of an agent."""
SENTENCES_MAX = 100
CITED_MAX = 50

_MOMENT = timedelta(microseconds=1)
_WEEKDAYS = re.compile(r"([0-7])(?:-([0-7]))?(?:/([1-7]))?")

PageQuestion = Annotated[
    str, StringConstraints(min_length=1, max_length=1_000), AfterValidator(reject_unstorable), AfterValidator(not_blank)
]
Trigger = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    AfterValidator(reject_unstorable),
    Field(
        json_schema_extra={"format": "crontab"},
        description="Time of writing: `dream` (after each dream of the agent that changed a memory within the scope), "
        "`manual` (on request only) or a crontab expression of five fields, in UTC. Default `dream`.",
    ),
]


@dataclass(frozen=True, slots=True)
class MemoryFacets:
    """What a scope may filter a changed memory by."""

    type: str
    tags: list[str]
    user_name: str | None


class PageScope(StrictModel):
    """Filter of the memories that a page is written from."""

    types: SearchedTypes = None
    tags: SearchedTags = None
    user: Name | None = Field(
        None,
        description="User the page is for, to whom it belongs: it is written from what belongs to nobody or to this "
        "user. Default: the user of the request, else nobody.",
    )
    about: Name | None = Field(None, description="User described by the memories. Default: any.")
    since: OccurredSince = None
    until: OccurredUntil = None
    entities: Annotated[list[Name], Field(max_length=50)] | None = Field(
        None, description="Entities, by name or alias, that the memories must mention, at least one; at most 50."
    )
    metadata: ContainedMetadata = None
    where: WhereObject = None

    def may_concern(self, memory: MemoryFacets) -> bool:
        """Return whether a page of this scope may have to be written again for a memory."""
        return (
            (not self.types or memory.type in self.types)
            and (not self.tags or bool(set(self.tags) & set(memory.tags)))
            and (self.about is None or memory.user_name == self.about)
        )


StoredScope = Annotated[JsonObject, GetPydanticSchema(lambda _, schema_of: schema_of(PageScope))]
"""A scope as it is stored and shown: without the filters that it does not set."""


class PageContent(StrictModel):
    """Standing question with its scope and trigger."""

    question: PageQuestion = Field(description="Question in natural language, at most 1,000 characters.")
    scope: PageScope = Field(
        default_factory=PageScope, description="Filter of the memories. Default: all that the user of the page may see."
    )
    trigger: Trigger = DREAM
    max_tokens: int = Field(
        500, ge=50, le=4_000, description="Maximum length of the answer in tokens, from 50 to 4,000. Default 500."
    )

    @property
    def owners(self) -> list[str]:
        """Return whom the page belongs to: the user whom it is for."""
        return [] if self.scope.user is None else [self.scope.user]


class PageDraft(PageContent):
    """Page to create."""

    agent: ActingAgent = None


class CitedMemory(TypedDict):
    """A memory, and the digest of what it said when it was cited."""

    id: UUID
    digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{32}$"), Field(json_schema_extra={"format": "md5"})]


class PageSentence(TypedDict):
    """A sentence of an answer, and the memories it rests on."""

    text: Annotated[Text, Field(max_length=10_000)]
    memories: Annotated[list[CitedMemory], Field(min_length=1, max_length=CITED_MAX)]


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """Origin of an answer."""

    writer: Annotated[str | None, Field(description="Author: the name of the language model, or `rules`.")]
    dropped: Annotated[
        int | None,
        Field(description="Number of sentences of the language model dropped for citing no memory, or an unknown one."),
    ]
    dream_id: Annotated[UUID | None, Field(description="Id of the dream that caused the writing; null without one.")]
    written_at: Annotated[datetime | None, Field(description="Time of writing.")]


@dataclass(frozen=True, slots=True)
class AnsweredPage(WrittenAnswer):
    """Standing question of an agent with its newest answer."""

    id: Annotated[UUID, Field(description="Id of the page.")]
    agent: AgentName
    question: Annotated[str, Field(description="Question in natural language.")]
    scope: Annotated[StoredScope, Field(description="Filter of the memories.")]
    trigger: Annotated[str, Field(description="Time of writing: `dream`, `manual` or a crontab expression, in UTC.")]
    max_tokens: Annotated[int, Field(description="Maximum length of the answer in tokens.")]
    sentences: Annotated[
        list[Sentence],
        Field(
            description="Sentences of the answer that still hold and whose memories the agent may read; empty with "
            "nothing known."
        ),
    ]
    left_out: Annotated[int, Field(description="Number of sentences of the answer that do not hold any more.")]
    stale: Annotated[
        bool,
        Field(
            description="Outdated answer: since it was written, a cited memory was superseded, edited or deleted, or "
            "has expired."
        ),
    ]
    version: Annotated[
        int | None, Field(description="Version number of the answer, starting at 1; null without an answer.")
    ]
    due_at: Annotated[datetime | None, Field(description="Time of the next writing; null without a planned one.")]
    created_at: CreatedAt
    updated_at: Annotated[datetime, Field(description="Time of the last change of the question, scope or trigger.")]


@dataclass(frozen=True, slots=True)
class PageVersion(WrittenAnswer):
    """Version of an answer, compared with another one."""

    version: Annotated[int, Field(description="Version number, starting at 1.")]
    sentences: Annotated[list[Sentence], Field(description="Sentences whose memories the agent may read.")]
    added: Annotated[list[Sentence], Field(description="Sentences missing in the compared version.")]
    removed: Annotated[list[Sentence], Field(description="Sentences of the compared version missing in this one.")]


def digest_of(memory: Memory) -> str:
    """Changes with what a memory says; the fragment ``memory_digest`` of ``pages.sql`` computes the same."""
    said = (memory.type, memory.status, memory.hearsay_by, memory.content)
    return hashlib.md5("\n".join(part for part in said if part is not None).encode(), usedforsecurity=False).hexdigest()


def cited(memory: Memory) -> CitedMemory:
    """Return a memory, to be cited as it is now."""
    return {"id": memory.id, "digest": digest_of(memory)}


def inputs_hash(content: PageContent, memories: Iterable[Memory], writer: str | None) -> str:
    """SHA-256 over what an answer is made of: the question, the memories in any order, and a model or the rules."""
    lines = sorted(f"{memory.id} {digest_of(memory)}" for memory in memories)
    parts = [writer or "rules", str(content.max_tokens), content.question, *lines]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def as_sentence(memory: Memory) -> str:
    """Return what a memory says, as one entry of an answer."""
    done = " (done)" if memory.status == "done" else ""
    return attributed(" ".join(memory.content.split()) + done, memory.hearsay_by, memory.user)


def next_time(trigger: str, after: datetime) -> datetime | None:
    """Return when a crontab fires next, in UTC; None for other triggers. Raises ValueError for one that is no
    crontab, or that never fires: looking for that takes a third of a second."""
    if trigger in (DREAM, MANUAL):
        return None
    from apscheduler.triggers.cron import CronTrigger

    *fields, weekdays = trigger.split()
    days = ",".join(map(_counted_from_monday, weekdays.split(",")))
    found: datetime | None = CronTrigger.from_crontab(" ".join([*fields, days]), UTC).get_next_fire_time(
        None, after + _MOMENT
    )
    if found is None:
        raise ValueError("it never fires")
    return found


def _counted_from_monday(days: str) -> str:
    """Days of the week in figures, of which a crontab counts Sunday as 0 and 7, and APScheduler Monday as 0."""
    figures = _WEEKDAYS.fullmatch(days)
    if figures is None:
        return days
    first, last, step = figures.groups()
    numbers = range(int(first), int(last or first) + 1, int(step or 1))
    return ",".join(str((number - 1) % 7) for number in numbers) or days
