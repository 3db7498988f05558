"""The calls with a logic of their own."""

from __future__ import annotations

from collections.abc import Sequence

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, drop_none

__all__ = ["delete_memories", "extract_memories"]


def delete_memories(filter: m.Json, token: str | None = None) -> Call[m.Json]:
    """Count what a filter matches (the answer has a ``token``); with that token, delete these memories."""
    body = {"filter": filter, "dry_run": token is None, "token": token}
    return Call("POST", "/v1/memories/delete", m.Json, body=drop_none(body))


def extract_memories(
    said: str | Sequence[o.MessageDraft],
    user: str | None = None,
    instructions: str | None = None,
    prompts: bool = False,
    agent: str | None = None,
) -> Call[m.Extraction]:
    """Return what a dream would make of a text or of messages, or the ``prompts`` for it; nothing is stored."""
    source = {"text" if isinstance(said, str) else "messages": said}
    body = source | drop_none({"user": user, "instructions": instructions, "prompts": prompts, "agent": agent})
    return Call("POST", "/v1/extract", m.Extraction, body=body, agent_in="body", user_in="body", only_reads=True)
