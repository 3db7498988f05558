"""Pages: a standing question, when it is answered, and answers each of whose sentences cites its memories."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints
from typing_extensions import TypedDict

from service.domain.field_types import ActingAgent, Name, Text, not_blank, reject_unstorable
from service.domain.hearsay import attributed
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


class PageScope(StrictModel):
    """Filter of the memories that a page is written from."""

    types: SearchedTypes = None
    tags: SearchedTags = None
    user: Name | None = Field(None, description="User to restrict the memories to.")
    since: OccurredSince = None
    until: OccurredUntil = None
    entities: Annotated[list[Name], Field(max_length=50)] | None = Field(
        None, description="Entities, by name or alias, that the memories must mention, at least one; at most 50."
    )
    metadata: ContainedMetadata = None
    where: WhereObject = None

    def may_concern(self, memory: Mapping[str, Any]) -> bool:
        """Whether a page of this scope may have to be written again for a memory that has changed."""
        return (
            (not self.types or memory["type"] in self.types)
            and (not self.tags or bool(set(self.tags) & set(memory["tags"])))
            and (self.user is None or memory["user_name"] == self.user)
        )


class PageContent(StrictModel):
    """Standing question with its scope and trigger."""

    question: PageQuestion = Field(description="Question in natural language, at most 1,000 characters.")
    scope: PageScope = Field(
        default_factory=PageScope, description="Filter of the memories. Default: all memories of the agent."
    )
    trigger: Trigger = DREAM
    max_tokens: int = Field(
        500, ge=50, le=4_000, description="Maximum length of the answer in tokens, from 50 to 4,000. Default 500."
    )


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


def digest_of(memory: Memory) -> str:
    """Changes with what a memory says; the fragment ``memory_digest`` of ``pages.sql`` computes the same."""
    said = (memory.type, memory.status, memory.hearsay_by, memory.content)
    return hashlib.md5("\n".join(part for part in said if part is not None).encode(), usedforsecurity=False).hexdigest()


def cited(memory: Memory) -> CitedMemory:
    """A memory, to be cited as it is now."""
    return {"id": memory.id, "digest": digest_of(memory)}


def inputs_hash(content: PageContent, memories: Iterable[Memory], writer: str | None) -> str:
    """SHA-256 over what an answer is made of: the question, the memories in any order, and a model or the rules."""
    lines = sorted(f"{memory.id} {digest_of(memory)}" for memory in memories)
    parts = [writer or "rules", str(content.max_tokens), content.question, *lines]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def as_sentence(memory: Memory) -> str:
    """What a memory says, as one entry of an answer."""
    done = " (done)" if memory.status == "done" else ""
    return attributed(" ".join(memory.content.split()) + done, memory.hearsay_by, memory.user)


def next_time(trigger: str, after: datetime) -> datetime | None:
    """When a crontab fires next, in UTC; None for other triggers. Raises ValueError for one that is no crontab, or that
    never fires: looking for that takes a third of a second."""
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
