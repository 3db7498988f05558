"""What a bulletin is made of: sections of lines, each line tied to the memories it says; and how these are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from service.domain.citations import Sentence
from service.domain.field_types import AgentName, CreatedAt, Text
from service.domain.origin import Origin


class BulletinSentence(TypedDict):
    """A clause or sentence, and the ids of the memories it is made of."""

    text: Annotated[Text, Field(max_length=10_000)]
    memories: Annotated[list[str], Field(max_length=500)]


class BulletinPart(TypedDict):
    """A section of a bulletin."""

    title: Annotated[Text, Field(max_length=300)]
    lines: Annotated[list[BulletinSentence], Field(max_length=500)]


@dataclass(frozen=True, slots=True)
class SectionSentence(Sentence):
    """Sentence of a bulletin with its section."""

    section: Annotated[str, Field(description="Title of the section.")]


@dataclass(frozen=True, slots=True)
class Bulletin:
    """Version of an agent's summary of its memories."""

    agent: AgentName
    version: Annotated[int, Field(description="Version number, starting at 1.")]
    content: Annotated[str, Field(description="Text of the bulletin.")]
    tokens: Annotated[int, Field(description="Length in tokens.")]
    inputs_hash: Annotated[str, Field(description="Hash of the inputs of the bulletin.")]
    dream_id: Annotated[
        UUID | None, Field(description="Id of the writing dream; null for a bulletin requested by the API.")
    ]
    created_at: CreatedAt
    sentences: Annotated[
        list[SectionSentence],
        Field(
            description="Sentences of the bulletin: of the newest version those that still hold, of a former one all "
            "whose memories the agent may read."
        ),
    ]
    stale: Annotated[
        bool,
        Field(
            description="Outdated bulletin: since it was written, a cited memory was superseded, edited, done or "
            "deleted, or has expired."
        ),
    ]


@dataclass(frozen=True, slots=True)
class BulletinVersion(Bulletin):
    """Version of a bulletin, compared with another one."""

    added: Annotated[list[SectionSentence], Field(description="Sentences missing in the compared version.")]
    removed: Annotated[
        list[SectionSentence], Field(description="Sentences of the compared version missing in this one.")
    ]


class CitedState(TypedDict):
    """What a memory that a bulletin cites is now, and whose word."""

    user: str | None
    hearsay_by: str | None
    origin: Origin
    session_user: str | None
    superseded_by: str | None
    holds: bool


@dataclass(frozen=True, slots=True)
class StoredBulletin:
    """A bulletin as it was written. ``states`` are what the memories that it cites are now, by id: None for what is
    gone or not the agent's to read. ``newest``: no later one is there."""

    agent: str
    version: int
    content: str
    tokens: int
    inputs_hash: str
    parts: list[BulletinPart]
    dream_id: UUID | None
    created_at: datetime
    newest: bool
    states: dict[str, CitedState | None]


@dataclass(frozen=True, slots=True)
class BulletinInput:
    """A memory that a bulletin is made of. ``type`` is a built-in one; ``weight`` decides what comes first, and ``at``
    among decisions."""

    id: UUID
    type: str
    content: str
    importance: float
    user: str | None
    hearsay_by: str | None
    origin: Origin
    occurred_at: datetime | None
    occurred_until: datetime | None
    status: str | None
    weight: float
    at: datetime
