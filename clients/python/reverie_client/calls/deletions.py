"""Deletions of sessions, agents and teams, counted first, and their undoing."""

from __future__ import annotations

from reverie_client import models as m
from reverie_client.call import Call, Id, part


def count_session(session: str, agent: str | None = None) -> Call[m.Deleted]:
    """Count what goes with a session; the answer has the ``token`` that deletes it."""
    query = {"agent": agent, "dry_run": True}
    return Call("DELETE", f"/v1/sessions/{part(session)}", m.Deleted, query=query, agent_in="query")


def delete_session(session: str, token: str, agent: str | None = None) -> Call[m.Deleted]:
    """Delete a session with its messages and what was made of them alone, as counted by ``count_session``."""
    query = {"agent": agent, "token": token}
    return Call("DELETE", f"/v1/sessions/{part(session)}", m.Deleted, query=query, agent_in="query")


def count_agent(agent: str) -> Call[m.Deleted]:
    """Count everything an agent holds; the answer has the ``token`` that deletes it."""
    return Call("DELETE", f"/v1/agents/{part(agent)}", m.Deleted, query={"dry_run": True})


def delete_agent(agent: str, token: str) -> Call[m.Deleted]:
    """Delete an agent with everything it holds, as counted by ``count_agent``. For admins."""
    return Call("DELETE", f"/v1/agents/{part(agent)}", m.Deleted, query={"token": token})


def count_team(team: str) -> Call[m.Deleted]:
    """Count a team and the memories of its scope; the answer has the ``token`` that deletes them."""
    return Call("DELETE", f"/v1/teams/{part(team)}", m.Deleted, query={"dry_run": True})


def delete_team(team: str, token: str) -> Call[m.Deleted]:
    """Delete a team with the memories of its scope, as counted by ``count_team``. For admins."""
    return Call("DELETE", f"/v1/teams/{part(team)}", m.Deleted, query={"token": token})


def list_deletions(limit: int = 50) -> Call[m.Page[m.Deletion]]:
    """Deletions of sessions, agents and teams, newest first."""
    return Call("GET", "/v1/deletions", m.Page[m.Deletion], query={"limit": limit})


def undo_deletion(deletion_id: Id) -> Call[m.Deletion]:
    """Bring back what a deletion took."""
    return Call("POST", f"/v1/deletions/{part(deletion_id)}/undo", m.Deletion)
