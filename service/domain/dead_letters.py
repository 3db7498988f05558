"""Texts that workers died over, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.field_types import AgentName, CreatedAt


@dataclass(frozen=True, slots=True)
class DeadLetterCount:
    """Number and age of the dead letters."""

    count: Annotated[int, Field(description="Number of dead letters.")]
    oldest_at: Annotated[datetime | None, Field(description="Time of the oldest dead letter.")]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Text excluded from processing after repeated worker crashes."""

    id: Annotated[UUID, Field(description="Id of the dead letter.")]
    status: Annotated[
        Literal["dead", "retrying"],
        Field(description="Status: `dead` (excluded from processing) or `retrying` (queued for one more attempt)."),
    ]
    kind: Annotated[
        Literal["message", "memory", "chunk"],
        Field(description="Kind of the text: `message`, `memory` or `chunk` (of a document)."),
    ]
    subject_id: Annotated[UUID, Field(description="Id of the message, memory or chunk.")]
    agent: AgentName
    session: Annotated[str | None, Field(description="Session of a message; null for other kinds.")]
    seq: Annotated[int | None, Field(description="Position of a message in its session; null for other kinds.")]
    document_id: Annotated[UUID | None, Field(description="Document of a chunk; null for other kinds.")]
    job: Annotated[
        Literal["dream", "compaction", "embedding", "reindex"],
        Field(description="Failing job: `dream`, `compaction`, `embedding` or `reindex`."),
    ]
    step: Annotated[str, Field(description="Failing step of the job.")]
    reason: Annotated[str, Field(description="Cause in words.")]
    attempts: Annotated[int, Field(description="Number of failed attempts.")]
    created_at: CreatedAt


def reason(step: str, attempts: int) -> str:
    """Say why a text was set aside."""
    return (
        f"A worker died over it {attempts} times in the step {step!r}: "
        "it was killed, crashed, ran out of memory, or did not finish in time."
    )
