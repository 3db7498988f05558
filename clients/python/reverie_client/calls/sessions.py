"""Conversations, and what goes to a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


def start_session(
    session: str | None = None, user: str | None = None, agent: str | None = None
) -> Call[m.SessionRecord]:
    """Start a session; without a name it gets a fresh UUID."""
    body = drop_none({"session": session, "user": user, "agent": agent})
    return Call("POST", "/v1/sessions", m.SessionRecord, body=body, agent_in="body")


def list_sessions(
    user: str | None = None, agent: str | None = None, limit: int = 50, q: str | None = None
) -> Call[m.Page[m.SessionRecord]]:
    """Sessions, newest first; with ``q`` those whose name or a message has it."""
    query = {"user": user, "agent": agent, "limit": limit, "q": q}
    return Call("GET", "/v1/sessions", m.Page[m.SessionRecord], query=query, agent_in="query")


def get_session(session: str, agent: str | None = None) -> Call[m.SessionRecord]:
    """One session."""
    return Call("GET", f"/v1/sessions/{part(session)}", m.SessionRecord, query={"agent": agent}, agent_in="query")


def append_messages(
    session: str,
    messages: Sequence[o.MessageDraft],
    user: str | None = None,
    agent: str | None = None,
    searchable: bool = True,
) -> Call[m.Appended]:
    """Append turns to a session, made on first use; not ``searchable``, they are neither embedded nor found."""
    turns = [dict(one) for one in messages]
    body = drop_none({"messages": turns, "user": user, "agent": agent, "searchable": searchable})
    return Call("POST", f"/v1/sessions/{part(session)}/messages", m.Appended, body=body, agent_in="body")


def list_messages(
    session: str,
    order: Literal["asc", "desc"] = "asc",
    agent: str | None = None,
    limit: int = 50,
    q: str | None = None,
    around: Id | None = None,
) -> Call[m.Page[m.MessageRecord]]:
    """The permanent history of a session; with ``q`` the messages that have it, from those ``around`` one on."""
    query = {"order": order, "agent": agent, "limit": limit, "q": q, "around": around}
    path = f"/v1/sessions/{part(session)}/messages"
    return Call("GET", path, m.Page[m.MessageRecord], query=query, agent_in="query")


def window(session: str, agent: str | None = None) -> Call[m.Window]:
    """The turns of a session that still go to the model verbatim."""
    return Call("GET", f"/v1/sessions/{part(session)}/window", m.Window, query={"agent": agent}, agent_in="query")


def clear_window(session: str, agent: str | None = None) -> Call[None]:
    """Clear the window only."""
    return Call("DELETE", f"/v1/sessions/{part(session)}/window", None, query={"agent": agent}, agent_in="query")


def compact(session: str, agent: str | None = None) -> Call[m.Json]:
    """Fold the older half of a window into a summary."""
    return Call("POST", f"/v1/sessions/{part(session)}/compact", m.Json, query={"agent": agent}, agent_in="query")


def message_memories(message_id: Id) -> Call[m.Page[m.MemoryRecord]]:
    """The memories made of a message."""
    return Call("GET", f"/v1/messages/{part(message_id)}/memories", m.Page[m.MemoryRecord])


def context(message: str, **options: Unpack[o.ContextOptions]) -> Call[m.ContextAnswer]:
    """What goes to a model on this turn."""
    return Call(
        "POST", "/v1/context", m.ContextAnswer, body={"message": message, **options}, agent_in="body", only_reads=True
    )


def ask(
    question: str, max_tokens: int | None = None, agent: str | None = None, **fields: Unpack[o.AskFields]
) -> Call[m.AskAnswer]:
    """An answer from memory, with the memories it rests on; with a ``response_schema``, as ``data`` too."""
    body = drop_none({"question": question, "max_tokens": max_tokens, "agent": agent}) | dict(fields)
    return Call("POST", "/v1/ask", m.AskAnswer, body=body, agent_in="body")


def extract(
    said: str | Sequence[o.MessageDraft],
    user: str | None = None,
    instructions: str | None = None,
    prompts: bool = False,
    agent: str | None = None,
) -> Call[m.Extraction]:
    """What a dream would make of a text or of messages, or the ``prompts`` for it; nothing is stored."""
    source: m.Json = {"text": said} if isinstance(said, str) else {"messages": [dict(one) for one in said]}
    body = source | drop_none({"user": user, "instructions": instructions, "prompts": prompts, "agent": agent})
    return Call("POST", "/v1/extract", m.Extraction, body=body, agent_in="body", only_reads=True)
