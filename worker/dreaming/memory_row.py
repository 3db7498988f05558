"""A memory that a dream makes, as the statement that inserts it takes one."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Columns
from service.domain.identity import summary_of
from service.domain.json import JsonObject
from service.domain.memory_words import content_words
from service.domain.text_features import extract_features
from service.embedding.tokens import count_tokens
from service.store.dreams import Lease


def memory_row(
    lease: Lease, dream_id: UUID, now: datetime, content: str, *, reading: JsonObject, **given: object
) -> Columns:
    """The fields of a current memory of the agent's own, read by the dream that makes it; ``given``: the others."""
    return {
        "agent_id": lease.agent_id, "audience": lease.agent_id, "owners": lease.owners, "scope": "agent",
        "team_id": None, "task_id": None, "key": None, "content": content, "summary": summary_of(content),
        "tokens": count_tokens(content), "decay_exempt": False, "valid_until": None, "created_at": now,
        "dream_id": dream_id,
        "changed_by": f"dream:{dream_id}", "reading": {"dream_id": str(dream_id)} | reading,
        **given, **content_words(content), **extract_features(content).columns(),
    }  # fmt: skip
