"""Dreams and their changes as they are shown, and in words: a dream as a whole, and each change in a line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, GetPydanticSchema

from service.domain.field_types import AgentName, CreatedAt
from service.domain.hearsay import attributed
from service.domain.json import JsonObject

DreamAction = Literal[
    "created", "proposed", "reinforced", "superseded", "completed", "reopened", "linked", "entity", "bulletin",
    "decayed", "skipped",
]  # fmt: skip
DreamStatus = Literal["queued", "running", "succeeded", "failed", "undone", "dry_run"]
Trigger = Literal["schedule", "api", "retry", "manual"]
"""What a dream was made for."""

ChangedFields = JsonObject
"""Fields of what a dream changed; which ones depends on the action (``worker.dreaming``)."""


@dataclass(frozen=True, slots=True)
class SeqRange:
    """The part of a session that a dream covers: after ``from_seq``, up to and with ``to_seq``."""

    session_id: UUID
    from_seq: int
    to_seq: int


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A change of a dream as the dream tells it."""

    op: DreamAction
    memory_id: UUID | None
    before: ChangedFields | None
    after: ChangedFields | None
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Dream:
    """Consolidation run of an agent."""

    id: Annotated[UUID, Field(description="Id of the dream.")]
    agent: AgentName
    owners: Annotated[
        list[str],
        Field(
            description="Users whose messages and memories the dream reads, and to whom what it writes belongs. Empty: "
            "nobody's, and before it begins, of those who wait the longest."
        ),
    ]
    status: Annotated[
        DreamStatus,
        Field(
            description="Status: `queued`, `running`, `succeeded`, `failed`, `undone` (changes taken back) or "
            "`dry_run` (finished preview)."
        ),
    ]
    trigger: Annotated[str, Field(description="Cause: `schedule`, `api` (request) or `retry` (retried dead letter).")]
    dry_run: Annotated[bool, Field(description="Preview without changes.")]
    report: Annotated[
        JsonObject,
        Field(
            description="Counts and usage of the dream; while it runs, `newest`: type and content of its newest "
            "20 candidates at most, newest first."
        ),
    ]
    error: Annotated[str | None, Field(description="Error message of a failed dream.")]
    summary: Annotated[str, Field(description="Summary of the changes in words.")]
    created_at: CreatedAt
    started_at: Annotated[datetime | None, Field(description="Start time.")]
    finished_at: Annotated[datetime | None, Field(description="End time.")]
    changes: Annotated[
        list[Annotated[ChangeLine, GetPydanticSchema(lambda _, schema_of: schema_of(JsonObject))]] | None,
        Field(description="Changes with a line in words (`text`) each; null in lists."),
    ] = None


@dataclass(frozen=True, slots=True)
class DreamChange:
    """One change of a dream, with what it rests on."""

    n: Annotated[int, Field(description="Number of the change within the dream, starting at 1.")]
    op: Annotated[
        str,
        Field(
            description="Action: `created`, `proposed`, `reinforced`, `superseded`, `completed`, `reopened`, `linked`, "
            "`entity`, `bulletin`, `decayed` or `skipped`."
        ),
    ]
    text: Annotated[str, Field(description="Change in words.")]
    memory_id: Annotated[
        UUID | None, Field(description="Id of the changed memory; null for a change of something else.")
    ]
    before: Annotated[ChangedFields | None, Field(description="Fields before the change; null for something new.")]
    after: Annotated[ChangedFields | None, Field(description="Fields after the change.")]
    reason: Annotated[str, Field(description="Reason for the change.")]
    message_ids: Annotated[
        list[UUID], Field(description="Ids of the messages behind the memory or proposal; at most 50.")
    ]
    memory_ids: Annotated[
        list[UUID], Field(description="Ids of the memories that the memory rests on or is linked to; at most 50.")
    ]
    undoable: Annotated[
        bool, Field(description="Possibility of undoing this change alone, unless something rests on it.")
    ]
    undone_at: Annotated[datetime | None, Field(description="Time of undoing the change; null for one that stands.")]


@dataclass(frozen=True, slots=True)
class DreamChanges:
    """One page of the changes of a dream."""

    items: Annotated[list[DreamChange], Field(description="Changes of this page, in order.")]
    next_cursor: Annotated[str | None, Field(description="Cursor of the next page; null on the last page.")]
    total: Annotated[int, Field(description="Number of changes that pass the filters.")]
    totals: Annotated[
        dict[str, int], Field(description="Number of changes by action, whatever the filter for actions.")
    ]


REASONS_SHOWN = 3

_COUNTED = (
    ("created", "memory made", "memories made"),
    ("proposed", "statement proposed", "statements proposed"),
    ("reinforced", "confirmed", "confirmed"),
    ("superseded", "replaced", "replaced"),
    ("completed", "todo done", "todos done"),
    ("reopened", "todo open again", "todos open again"),
    ("linked", "link drawn", "links drawn"),
    ("decayed", "changed weight with time", "changed weight with time"),
    ("skipped", "text left out", "texts left out"),
)


def summarize_dream(status: DreamStatus, report: JsonObject, error: str | None) -> str:
    """Put a dream into one or two sentences."""
    if status == "queued":
        return "Waiting for a worker."
    if status == "running":
        return f"Running: {report.get('read', 0)} of {report['messages']} messages read." if report else "Running."
    if status == "failed":
        return f"Failed after {_seconds(report)}; its messages stay due. {error}"
    return {"undone": "Undone. ", "dry_run": "Nothing was written. "}.get(status, "") + _done(report)


def _said(memory: ChangedFields) -> str:
    return attributed(memory["content"], memory.get("hearsay_by"), memory.get("user"))


def describe_change(op: DreamAction, before: ChangedFields | None, after: ChangedFields | None, reason: str) -> str:
    """Put a change into one line: a sign for what was done, and what it was done to."""
    before, after = before or {}, after or {}
    match op:
        case "created":
            return f"+ {after['type']}: {_said(after)}"
        case "proposed":
            return f"? {after['type']}: {_said(after)}"
        case "superseded":
            return f"~ {_said(before)} → {_said(after)}"
        case "reinforced":
            return f"= {_said(before)}"
        case "completed":
            return f"✓ {_said(before)}"
        case "reopened":
            return f"○ {_said(before)}"
        case "decayed":
            was, now = before["effective_importance"], after["effective_importance"]
            return f"{'↓' if now < was else '↑'} importance {was:.2g} → {now:.2g}"
        case "linked":
            source = f"{after['from']} " if "from" in after else ""
            return f"→ {source}{after['relation']} {after.get('entity') or after.get('memory_id')}"
        case "entity":
            return f"+ {after['kind']}: {after['name']}"
        case "bulletin":
            return f"+ bulletin, version {after['version']}"
        case "skipped":
            kind = "message" if "message_id" in after else "memory"
            return f"! left out {kind} {after[f'{kind}_id']}: {reason}"
    return f"{op}: {reason}"


def _done(report: JsonObject) -> str:
    read, sessions = report.get("messages", 0), report.get("sessions", 0)
    did = [
        f"{count} {one if count == 1 else many}" for name, one, many in _COUNTED if (count := report.get(name, 0)) > 0
    ]
    saved = report.get("memories", 0)
    also = f" and {saved} saved memor{'y' if saved == 1 else 'ies'}" if saved else ""
    text = (
        f"Read {read} message{'' if read == 1 else 's'} of {sessions} session{'' if sessions == 1 else 's'}{also}"
        f" by {report.get('extractor', 'rules')} in {_seconds(report)}: {', '.join(did) or 'nothing to change'}."
    )
    if left := report.get("left_out"):
        listed = "; ".join(f"{count} because {reason}" for reason, count in [*left.items()][:REASONS_SHOWN])
        text += f" Statements left out: {listed}{'; …' if len(left) > REASONS_SHOWN else ''}."
    if report.get("bulletin_version"):
        text += f" Bulletin {report['bulletin_version']} written."
    llm = report.get("llm") or {}
    if llm.get("calls"):
        text += f" {llm['calls']} calls to the model, {llm['tokens']:,} tokens, ${llm['cost_usd']:.4f}."
    if report.get("stopped"):
        text += f" Stopped early: {report['stopped']}"
    if errors := report.get("errors"):
        times = sum(error["times"] for error in errors)
        text += f" {times} failed attempt{'' if times == 1 else 's'} survived, such as: {errors[0]['error']}"
    return text


def _seconds(report: JsonObject) -> str:
    return f"{report.get('duration_s', 0):.1f} s"
