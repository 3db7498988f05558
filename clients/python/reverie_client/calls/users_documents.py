"""People and documents."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from reverie_client import models as m
from reverie_client.call import Call, Id, drop_none, part


def list_users(q: str | None = None, agent: str | None = None, limit: int = 50) -> Call[m.Page[m.User]]:
    """Whom memories are about, by name."""
    query = {"q": q, "agent": agent, "limit": limit}
    return Call("GET", "/v1/users", m.Page[m.User], query=query, agent_in="query")


def profile(user: str, as_of: datetime | str | None = None, agent: str | None = None) -> Call[m.Profile]:
    """What holds about a person, now or at a moment in the past."""
    query = {"as_of": as_of, "agent": agent}
    return Call("GET", f"/v1/users/{part(user)}/profile", m.Profile, query=query, agent_in="query")


def profile_diff(
    user: str, since: datetime | str, to: datetime | str | None = None, agent: str | None = None
) -> Call[m.ProfileDiff]:
    """What changed in what holds about a person between two moments, the later of them now by default."""
    query = {"from": since, "to": to, "agent": agent}
    return Call("GET", f"/v1/users/{part(user)}/profile/diff", m.ProfileDiff, query=query, agent_in="query")


def purge_user(user: str) -> Call[m.Json]:
    """Forget a person for good; the answer is the receipt."""
    return Call("POST", f"/v1/users/{part(user)}/purge", m.Json)


def export_user(user: str) -> Call[Any]:
    """All that is held about a person."""
    return Call("GET", f"/v1/users/{part(user)}/export", Any)


def add_document(
    title: str, text: str, user: str | None = None, metadata: m.Json | None = None, agent: str | None = None
) -> Call[m.Document]:
    """Take a document in: cut into parts, embedded, searchable."""
    body = drop_none({"title": title, "text": text, "user": user, "metadata": metadata, "agent": agent})
    return Call("POST", "/v1/documents", m.Document, body=body, agent_in="body")


def list_documents(user: str | None = None, agent: str | None = None, limit: int = 50) -> Call[m.Page[m.DocumentHead]]:
    """Documents without their text, newest first."""
    query = {"user": user, "agent": agent, "limit": limit}
    return Call("GET", "/v1/documents", m.Page[m.DocumentHead], query=query, agent_in="query")


def get_document(document_id: Id) -> Call[m.Document]:
    """One document."""
    return Call("GET", f"/v1/documents/{part(document_id)}", m.Document)


def delete_document(document_id: Id) -> Call[None]:
    """Remove a document."""
    return Call("DELETE", f"/v1/documents/{part(document_id)}", None)
