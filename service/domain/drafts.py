"""What a caller may say about a memory or a message, with their bounds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    field_validator,
    model_validator,
)

from service.domain.field_types import (
    MESSAGE_MAX,
    ActingAgent,
    BoundedObject,
    Content,
    Json,
    LocalTimestamp,
    Metadata,
    Name,
    Tag,
    Text,
    Timestamp,
    UnitInterval,
)
from service.domain.json import JsonValue
from service.domain.origin import OriginField
from service.domain.own_types import TypeName
from service.domain.owners import OwnersField
from service.domain.placeholders import identifies_a_person
from service.domain.strict import StrictModel
from service.domain.times import ZoneName, first_moment, last_moment, whole_date, zone_said
from service.domain.turns import normal_fields, split, text_of
from service.domain.types import SAVED_TYPES, MemoryType, Scope, Status
from service.domain.validation import reason_of

_WRITTEN = WithJsonSchema({
    "anyOf": [
        {"type": "string", "format": "date-time"}, {"type": "string", "pattern": r"^\d{4}(-\d\d(-\d\d)?)?$"},
    ]
})  # fmt: skip


def _beginning(value: object) -> object:
    written = whole_date(value)
    return first_moment(written) if written else value


def _end(value: object) -> object:
    written = whole_date(value)
    return last_moment(written) if written else value


def _saved(type_: str) -> str:
    if type_ == MemoryType.INSIGHT:
        raise ValueError("an insight is concluded by dreams; it can be rated and deleted, not saved or edited")
    return type_


SavedType = Annotated[TypeName, AfterValidator(_saved)]
_NAMED_TYPES = f"{', '.join(SAVED_TYPES)}, or one of the setting `memory_types`"
Role = Literal["system", "user", "assistant", "tool"]
TAGS_MAX = 50
Tags = Annotated[list[Tag], Field(max_length=TAGS_MAX)]
Summary = Annotated[Text, Field(min_length=1, max_length=500)]
EntityName = Annotated[Name, AfterValidator(identifies_a_person)]
Relation = Literal["supports", "updates", "contradicts", "about", "mentions", "part_of", "caused_by", "works_at"]

RelationField = Annotated[
    Relation,
    Field(
        description="Relation of the source to the target: `supports` or `contradicts` (evidence), `updates` (newer "
        "statement), `about` (main subject), `mentions`, `part_of`, `caused_by` or `works_at` (person to company)."
    ),
]
RoleField = Annotated[
    Role,
    Field(
        description="Role of the speaker: `system` (instructions), `user`, `assistant` (model) or `tool` (tool result)."
    ),
]
StatusField = Annotated[Status | None, Field(description="Status of a todo: `open` or `done`. Todos only.")]
TeamField = Annotated[Name | None, Field(description="Team of the memory. Required with the scope `team`.")]
TaskField = Annotated[Name | None, Field(description="Task of the memory. Required with the scope `task`.")]
SessionField = Annotated[Name | None, Field(description="Session of the memory. Required with the scope `session`.")]
UserField = Annotated[Name | None, Field(description="User described by the memory.")]
HearsayField = Annotated[
    Name | None,
    Field(description="Speaker of a statement about somebody else. Hearsay never replaces the user's own statements."),
]
KeyField = Annotated[
    Name | None,
    Field(description="Upsert key: a save with the key of a stored memory of the same agent and scope updates it."),
]
OccurredAtField = Annotated[
    Annotated[Timestamp, BeforeValidator(_beginning), _WRITTEN] | None,
    Field(
        description="Beginning of the described event, as exact as it is known: `2019`, `2019-05`, `2019-05-03` or a "
        "timestamp. Default: not known."
    ),
]
OccurredUntilField = Annotated[
    Annotated[Timestamp, BeforeValidator(_end), _WRITTEN] | None,
    Field(
        description="Last year, month or day of the described event, or a timestamp as its end, exclusive. Default: "
        "the end of the year, month or day of `occurred_at`; none where that is a timestamp."
    ),
]
ExpiresAtField = Annotated[Timestamp | None, Field(description="Time of expiry. Default: never.")]


class EntityRef(StrictModel):
    """Entity by name, created unless one of this name and kind exists."""

    name: EntityName = Field(description="Name of the entity. An entity is created when none has this name and kind.")
    kind: Name | None = Field(None, description="Kind of the entity, such as person or place. Default `thing`.")
    metadata: BoundedObject = Field(
        {}, description="Metadata to merge into that of the entity, one level deep. Default empty."
    )


class Link(StrictModel):
    """Edge from the memory to a memory or an entity."""

    relation: RelationField
    memory_id: UUID | None = Field(
        None, description="Id of the target memory. Exactly one of `memory_id` and `entity` is required."
    )
    entity: EntityRef | None = Field(
        None, description="Target entity. Exactly one of `memory_id` and `entity` is required."
    )

    @model_validator(mode="after")
    def _one_target(self) -> Link:
        if (self.memory_id is None) == (self.entity is None):
            raise ValueError("give exactly one of memory_id and entity")
        return self


class EdgeEnd(StrictModel):
    """End of an edge: a memory, an entity by id, or an entity by name."""

    memory_id: UUID | None = Field(None, description="Id of a memory. Exactly one of the three fields is required.")
    entity_id: UUID | None = Field(None, description="Id of an entity. Exactly one of the three fields is required.")
    entity: EntityRef | None = Field(None, description="Entity by name. Exactly one of the three fields is required.")

    @model_validator(mode="after")
    def _one(self) -> EdgeEnd:
        if sum(end is not None for end in (self.memory_id, self.entity_id, self.entity)) != 1:
            raise ValueError("give exactly one of memory_id, entity_id and entity")
        return self


class OccurredFields(StrictModel):
    """Fields of the time of an event. A beginning written as a year, month or day alone lasts that long."""

    occurred_at: OccurredAtField = None
    occurred_until: OccurredUntilField = None

    @model_validator(mode="before")
    @classmethod
    def _as_long_as_written(cls, given: object) -> object:
        if isinstance(given, dict) and "occurred_at" in given and given.get("occurred_until") is None:
            return given | {"occurred_until": whole_date(given["occurred_at"])}
        return given


class MemoryDraft(OccurredFields):
    """Memory to save."""

    agent: ActingAgent = None
    type: SavedType = Field(description=f"Type of the memory: {_NAMED_TYPES}. Insights are concluded by dreams alone.")
    content: Content = Field(description="Text of the memory, at most 8,000 characters.")
    summary: Summary | None = Field(None, description="One-line summary. Default: the beginning of the content.")
    scope: Scope = Field(Scope.AGENT, description="Scope of the memory. Default `agent`.")
    team: TeamField = None
    task: TaskField = None
    session: SessionField = None
    user: UserField = None
    owners: OwnersField = None
    hearsay_by: HearsayField = None
    origin: OriginField = None
    key: KeyField = None
    importance: UnitInterval | None = Field(
        None, description="Importance from 0 to 1. Default 0.5, of an observation 0.3."
    )
    confidence: UnitInterval = Field(1.0, description="Confidence from 0 to 1. Default 1.")
    tags: Tags = Field([], description="Tags, at most 50. Default empty.")
    status: StatusField = None
    decay_exempt: bool = Field(False, description="Exemption from the decay of importance. Default false.")
    metadata: Metadata = Field({}, description="JSON object of the caller's own. Default empty.")
    source: BoundedObject = Field(
        {}, description="JSON object with the origin; its `kind` can be filtered by. Default empty."
    )
    expires_at: ExpiresAtField = None
    created_at: Timestamp | None = Field(
        None, description="Creation time for backfill, with admin keys only. Default: now."
    )
    links: Annotated[list[Link], Field(max_length=100)] = Field(
        [], description="Edges from this memory to memories and entities, at most 100. Default empty."
    )

    @field_validator("occurred_until")
    @classmethod
    def _ends_after_it_begins(cls, until: datetime | None, info: ValidationInfo[None]) -> datetime | None:
        begins = info.data.get("occurred_at")
        if until is not None and "occurred_at" in info.data and (begins is None or until <= begins):
            raise ValueError("must be after occurred_at")
        return until

    @model_validator(mode="after")
    def _scope_has_its_group(self) -> MemoryDraft:
        for scope, name in ((Scope.TEAM, self.team), (Scope.TASK, self.task), (Scope.SESSION, self.session)):
            if self.scope is scope and name is None:
                raise ValueError(f"scope {scope.value} needs the field {scope.value}")
        if self.status is not None and self.type != MemoryType.TODO:
            raise ValueError("status belongs to a todo only")
        return self


class MemoryPatch(OccurredFields):
    """Changes to a memory; only the fields given change."""

    version: int = Field(
        ge=1, le=2**31 - 1, description="Version last seen by the caller. A newer stored version is a 409."
    )
    type: SavedType | None = Field(None, description=f"New type of the memory: {_NAMED_TYPES}.")
    content: Content | None = Field(None, description="New text, at most 8,000 characters.")
    summary: Summary | None = Field(None, description="New one-line summary.")
    scope: Scope | None = Field(None, description="New scope of the memory.")
    team: TeamField = None
    task: TaskField = None
    session: SessionField = None
    user: UserField = None
    owners: OwnersField = None
    hearsay_by: HearsayField = None
    origin: OriginField = None
    key: KeyField = None
    importance: UnitInterval | None = Field(None, description="New importance from 0 to 1.")
    confidence: UnitInterval | None = Field(None, description="New confidence from 0 to 1.")
    tags: Tags | None = Field(None, description="New tags, replacing all former ones; at most 50.")
    status: StatusField = None
    decay_exempt: bool | None = Field(None, description="Exemption from the decay of importance.")
    metadata: Metadata | None = Field(None, description="Metadata to merge into the former, one level deep.")
    source: BoundedObject | None = Field(None, description="New origin, replacing all of the former.")
    expires_at: ExpiresAtField = None
    reason: Annotated[Text, Field(max_length=500)] | None = Field(
        None, description="Reason for the change, stored in the history; at most 500 characters."
    )


def _text_or_json(value: object, handler: ValidatorFunctionWrapHandler) -> JsonValue:
    """Return the content of a message. Raises ValueError with one reason: each alternative of a union has its own, and
    a place that pydantic names by the alternative."""
    try:
        content: JsonValue = handler(value)
    except ValidationError as error:
        raise ValueError(reason_of(error.errors()[-1])) from None
    if len(text_of(content)) > MESSAGE_MAX:
        raise ValueError(f"must have at most {MESSAGE_MAX:,} characters of text")
    return content


class MessageDraft(StrictModel):
    """Message of a conversation, as chat completions write it or in the form of another format."""

    model_config = ConfigDict(extra="allow")

    role: Annotated[
        Role,
        Field(
            description="Role of the speaker: `system` or `developer` (instructions), `user`, `assistant` or `model`, "
            "`tool` or `function` (tool result).",
            json_schema_extra={"enum": ["system", "user", "assistant", "tool", "developer", "function", "model"]},
        ),
    ]
    content: Annotated[Text | Json, WrapValidator(_text_or_json)] = Field(
        description="Text, or the parts of a multimodal or tool message: in either at most 200,000 characters of text."
    )
    name: Name | None = Field(None, description="Name of the speaker in a chat of several people. Default: the user.")
    tool_call_id: Name | None = Field(None, description="Id of the tool call answered by this message.")
    created_at: LocalTimestamp | None = Field(
        None, description="Time of the message; its offset, unless zero, is that of the speaker. Default: now."
    )
    time_zone: ZoneName | None = Field(
        None,
        description="Time zone of the speaker, as an IANA name or an offset such as `+02:00`. Default: the offset of "
        "`created_at`, else the setting `time_zone`.",
    )
    _skipped: list[str] = PrivateAttr(default_factory=list)

    @model_validator(mode="after")
    def _zone_of_the_moment(self) -> Self:
        if self.created_at is not None:
            self.time_zone = zone_said(self.created_at, self.time_zone)
            self.created_at = self.created_at.astimezone(UTC)
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _of_any_format(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return handler(value)
        fields, skipped = normal_fields(value)
        draft = handler({name: one for name, one in value.items() if name in cls.model_fields} | fields)
        draft._skipped = [one for one in skipped if one not in cls.model_fields]
        return draft

    @property
    def skipped(self) -> list[str]:
        """Return the types of parts, and the names of fields, that are in no known form."""
        return self._skipped

    def split(self) -> list[MessageDraft]:
        """Return it as one or more messages: what tools answered is the tools', whoever sent it."""
        fields = self.model_dump(include=set(MessageDraft.model_fields), exclude_unset=True)
        messages = split(fields)
        return [self] if len(messages) == 1 and messages[0] is fields else [MessageDraft(**one) for one in messages]
