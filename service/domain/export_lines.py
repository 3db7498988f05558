"""The lines of an export: one JSON object each, told apart by ``record``.

Rows of other databases are named, not numbered, wherever a name is unique in a workspace: an export of one workspace
can be read into another. Ids of what is exported are kept. A line without ``record`` is a memory, and fields unknown
here are passed over, so that what the API answers can be read in as it is.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired
from uuid import UUID, uuid5

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from typing_extensions import TypedDict

from service.domain.bulletin import BulletinPart
from service.domain.documents import DocumentText, Title
from service.domain.drafts import MemoryDraft, MessageDraft, SavedType, Tags
from service.domain.export_edges import Audience, EdgeLine, MergeLine
from service.domain.field_types import (
    CONTENT_MAX,
    LANGGRAPH_NAMES,
    Actor,
    BoundedObject,
    Metadata,
    Name,
    NamesInside,
    Text,
    Timestamp,
    UnitInterval,
    reject_unstorable_json,
)
from service.domain.json import JsonObject
from service.domain.origin import Origin
from service.domain.own_types import NO_TYPES, TypeName, known_as
from service.domain.owners import OwnersField
from service.domain.pages import SENTENCES_MAX, VERSIONS_MAX, PageContent, PageSentence
from service.domain.principal import KeyScope
from service.domain.saved_searches import EXPECTED_MAX, RESULTS_MAX, Cause, ExpectedState, LostAt, SavedSearchContent
from service.domain.search import LIMIT_MAX, RankingOptions, Strategy
from service.domain.types import MemoryType, Scope
from service.domain.workspace import WorkspaceSettings

FORMAT = "reverie/1"

KEYS = {
    "settings": "", "agent": "agent", "task": "task", "session": "id", "message": "id", "memory": "id",
    "history": "memory_id", "window": "session_id", "entity": "id", "merge": "id", "edge": "id", "document": "id",
    "bulletin": "agent", "page": "id", "search": "id", "proposal": "id",
}  # fmt: skip
"""The kinds of lines in the order in which they are written out and read in (what others refer to comes first), and the
field by which each is ordered."""

RECORDS = tuple(KEYS)
NEEDED: dict[str, tuple[KeyScope, ...] | None] = dict.fromkeys(RECORDS, ("write",)) | {
    "settings": None, "agent": None, "task": None, "bulletin": ("dream",),
}  # fmt: skip
"""The scopes that a key needs to import each kind of line: those of the endpoint that makes the same. None: a key
without scopes, as for what administers."""
FILTERED = ("agent", "task", "memory", "history")
"""The kinds of lines of an export of some memories."""

FORMER_NAMES = (
    *((name,) for name in ("agent", "team", "task", "session", "user", "hearsay_by", "key", "tags")),
    *(("metadata", *path) for path in LANGGRAPH_NAMES),
)

SEQ_MAX = 2**53 - 1
"""The largest integer every JSON reader has exactly (RFC 7493); columns have 64 bits, so appends have room after it."""
VERSION_MAX = 10**9
"""Columns have 31 bits, so changes have room after it."""
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Watermark = Annotated[int, Field(ge=0, le=SEQ_MAX)]
Seq = Annotated[int, Field(ge=1, le=SEQ_MAX)]
Version = Annotated[int, Field(ge=1, le=VERSION_MAX)]
Reason = Annotated[Text, Field(max_length=500)]


class Line(BaseModel):
    """What every line has. ``agent`` may be left out where the import names one."""

    agent: Name | None = None


class SettingsLine(BaseModel):
    """The workspace's settings, those that differ from the defaults."""

    settings: WorkspaceSettings


class AgentLine(Line):
    """An agent."""

    agent: Name
    name: Name | None = None
    prime: bool = False
    teams: Annotated[list[Name], Field(max_length=100)] = []
    settings: BoundedObject = {}
    created_at: Timestamp | None = None


class TaskLine(BaseModel):
    """A task that only its members may name. What is open to whoever names it has no line."""

    task: Name
    members: Annotated[list[Name], Field(max_length=10_000)] = []


class SessionLine(Line):
    """A session and its watermarks; its messages are lines of their own."""

    id: UUID
    session: Name
    user: Name | None = None
    members: OwnersField = None
    dreamed_seq: Watermark = 0
    window_seq: Watermark = 0
    window_from_seq: Watermark = 0
    window_started_at: Timestamp | None = None
    last_message_at: Timestamp | None = None
    created_at: Timestamp | None = None


class MessageLine(Line, MessageDraft):
    """A turn. Without ``seq``, or where that is taken, it is put at the end of its session."""

    model_config = ConfigDict(extra="ignore")

    id: UUID
    session: Name
    seq: Seq | None = None
    user: Name | None = None
    owners: OwnersField = None
    searchable: bool = True

    def messages(self) -> list[MessageLine]:
        """Return the line as one or more, as ``split`` does; the ids of those after the first follow from its own."""
        first, *others = (
            draft.model_dump(include={"role", "content", "name", "tool_call_id"}) for draft in self.split()
        )
        later = [one | {"id": uuid5(self.id, str(number)), "seq": None} for number, one in enumerate(others, start=1)]
        return [self.model_copy(update=one) for one in (first, *later)]


class EvidenceLine(BaseModel):
    """A memory that an insight was concluded from, and the identity it had then."""

    id: UUID
    says: Annotated[str, Field(max_length=64)]
    former: bool
    against: bool


class InsightSource(BaseModel):
    """The source of an insight, by which it is told whether it still holds."""

    about: Text
    field: Text | None = None
    evidence: Annotated[list[EvidenceLine], Field(min_length=1, max_length=100)]

    @model_validator(mode="after")
    def _several(self) -> InsightSource:
        if self.field is None and len(self.evidence) < 2:
            raise ValueError("an insight rests on two memories or more")
        return self


class MemoryLine(MemoryDraft):
    """A memory with its whole state. Only ``type`` and ``content`` must be there."""

    model_config = ConfigDict(extra="ignore")

    type: TypeName
    importance: UnitInterval = 0.5
    id: UUID | None = None
    version: Version = 1
    updated_at: Timestamp | None = None
    valid_from: Timestamp | None = None
    valid_until: Timestamp | None = None
    superseded_by: UUID | None = None
    deleted_at: Timestamp | None = None
    dream_id: UUID | None = None
    changed_by: Actor | None = None
    change_reason: Reason | None = None
    reinforced_at: Timestamp | None = None
    access_count: Annotated[int, Field(ge=0, le=2**62)] = 0
    last_accessed_at: Timestamp | None = None
    message_ids: Annotated[list[UUID], Field(default_factory=list, max_length=100_000)]

    @model_validator(mode="before")
    @classmethod
    def _type_of_another_system(cls, given: object) -> object:
        if isinstance(given, dict) and isinstance(given.get("type"), str):
            return given | {"type": known_as(NO_TYPES, given["type"], str(given.get("content")))}
        return given

    @model_validator(mode="after")
    def _insight_has_evidence(self) -> MemoryLine:
        if self.type == MemoryType.INSIGHT:
            InsightSource.model_validate(self.source)
        return self

    @model_validator(mode="after")
    def _no_links(self) -> MemoryLine:
        if self.links:
            raise ValueError("links are lines of their own (record: edge)")
        return self


def _as_in_json(text: str) -> str:
    """Return a timestamp as Postgres writes it into JSON. Raises ValueError for a text that is none."""
    written: str = TypeAdapter(Timestamp).validate_python(text).isoformat()
    return written.removesuffix("+00:00").rstrip("0") + "+00:00" if "." in written else written


TimestampText = Annotated[str, AfterValidator(_as_in_json), Field(json_schema_extra={"format": "date-time"})]
IdText = Annotated[str, AfterValidator(lambda text: str(UUID(text))), Field(json_schema_extra={"format": "uuid"})]


Fraction = Annotated[int | float, Field(ge=0, le=1, allow_inf_nan=False)]
"""As written: 1 stays 1, so that an export of what was imported is the same text."""


class FormerMemory(TypedDict, total=False):
    """Fields of a memory as they were in a version. One that is left out is as it is now; others are kept unread."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    type: TypeName
    scope: Scope
    team: Name | None
    task: Name | None
    user: Name | None
    owners: list[Name]
    hearsay_by: Name | None
    origin: Origin
    key: Name | None
    content: Text
    summary: Text
    language: Text | None
    tokens: Count
    importance: Fraction
    confidence: Fraction
    tags: list[Text]
    metadata: JsonObject
    source: JsonObject
    status: Literal["open", "done"] | None
    decay_exempt: bool
    occurred_at: TimestampText | None
    occurred_until: NotRequired[TimestampText | None]
    valid_from: TimestampText
    valid_until: TimestampText | None
    superseded_by: IdText | None
    expires_at: TimestampText | None
    updated_at: TimestampText
    deleted_at: TimestampText | None


class HistoryLine(BaseModel):
    """A former version of a memory, as it was."""

    memory_id: UUID
    version: Version
    memory: Annotated[FormerMemory, NamesInside(*FORMER_NAMES), AfterValidator(reject_unstorable_json)]
    actor: Actor
    reason: Reason
    dream_id: UUID | None = None
    at: Timestamp


class WindowLine(Line):
    """A memory that sums up the turns of a session from one number to another, which have left its window."""

    session: Name
    from_seq: Seq
    to_seq: Seq
    memory_id: UUID


class EntityLine(Line):
    """An entity and the names it is known by."""

    id: UUID
    name: Name
    kind: Name
    audience: Audience
    owners: OwnersField = None
    aliases: Annotated[list[Name], Field(max_length=1000)] = []
    metadata: BoundedObject = {}
    merged_into: UUID | None = None
    dream_id: UUID | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None


class DocumentLine(Line):
    """A document. Its parts are cut anew where it is read in."""

    id: UUID
    title: Title
    text: DocumentText
    user: Name | None = None
    owners: OwnersField = None
    metadata: BoundedObject = {}
    created_by: Actor | None = None
    created_at: Timestamp | None = None


class BulletinLine(Line):
    """One version of an agent's bulletin."""

    owners: OwnersField = None
    version: Version
    content: Annotated[Text, Field(max_length=100_000)]
    tokens: Count = 0
    inputs_hash: Annotated[Text, Field(max_length=200)]
    parts: Annotated[list[BulletinPart], Field(max_length=200)] = []
    dream_id: UUID | None = None
    created_at: Timestamp | None = None


class PageVersionPart(TypedDict):
    """One version of the answer of a page."""

    version: Version
    sentences: Annotated[list[PageSentence], Field(max_length=SENTENCES_MAX)]
    writer: Annotated[Text, Field(max_length=300)]
    dropped: Count
    inputs_hash: Annotated[Text, Field(max_length=200)]
    dream_id: UUID | None
    created_at: Timestamp


class PageLine(Line, PageContent):
    """A page with the versions of its answer."""

    model_config = ConfigDict(extra="ignore")

    id: UUID
    revision: Version = 1
    due_at: Timestamp | None = None
    due_dream_id: UUID | None = None
    created_by: Actor | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    versions: Annotated[list[PageVersionPart], Field(max_length=VERSIONS_MAX)] = []


class OutcomePart(TypedDict):
    """What became of one expected memory in a run."""

    memory_id: UUID
    state: ExpectedState
    counted_as: UUID | None
    rank: int | None
    lost_at: LostAt | None


class SearchResultPart(TypedDict):
    """The result of one run of a saved search."""

    id: UUID
    revision: Version
    cause: Cause
    k: Annotated[int, Field(ge=1, le=LIMIT_MAX)]
    recall: UnitInterval | None
    outcomes: Annotated[list[OutcomePart], Field(max_length=EXPECTED_MAX)]
    overrides: RankingOptions
    settings: BoundedObject
    strategy: Strategy
    embedder: Annotated[Text, Field(max_length=500)] | None
    degraded: bool
    created_at: Timestamp


class SearchLine(Line, SavedSearchContent):
    """A saved search with the results of its runs."""

    model_config = ConfigDict(extra="ignore")

    id: UUID
    revision: Version = 1
    created_by: Actor | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    results: Annotated[list[SearchResultPart], Field(max_length=RESULTS_MAX)] = []


class ProposalLine(Line):
    """A statement that waits in the inbox, or that was rejected or put otherwise there and is not to come again.

    Without ``content`` it has been erased, and is known by its ``fingerprint`` alone."""

    id: UUID
    status: Literal["proposed", "edited", "rejected"] = "proposed"
    fingerprint: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    type: SavedType
    content: Annotated[Text, Field(max_length=CONTENT_MAX)]
    user: Name | None = None
    owners: OwnersField = None
    hearsay_by: Name | None = None
    importance: UnitInterval = 0.5
    confidence: UnitInterval
    tags: Tags = []
    source: BoundedObject = {}
    metadata: Metadata = {}
    message_ids: Annotated[list[UUID], Field(max_length=100_000)] = []
    reason: Reason = ""
    said_at: Timestamp
    occurred_at: Timestamp | None = None
    occurred_until: Timestamp | None = None
    dream_id: UUID | None = None
    decided_by: Actor | None = None
    decided_at: Timestamp | None = None
    version: Version = 1
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None


LINES: dict[str, type[BaseModel]] = {
    "settings": SettingsLine,
    "agent": AgentLine,
    "task": TaskLine,
    "session": SessionLine,
    "message": MessageLine,
    "memory": MemoryLine,
    "history": HistoryLine,
    "window": WindowLine,
    "entity": EntityLine,
    "merge": MergeLine,
    "edge": EdgeLine,
    "document": DocumentLine,
    "bulletin": BulletinLine,
    "page": PageLine,
    "search": SearchLine,
    "proposal": ProposalLine,
}
