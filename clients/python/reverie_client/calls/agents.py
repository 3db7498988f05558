"""Agents, their tasks, their dreams and their bulletins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


def list_agents(limit: int = 50, q: str | None = None) -> Call[m.Page[m.AgentRecord]]:
    """Agents by name; with ``q``, those whose name has it in it."""
    return Call("GET", "/v1/agents", m.Page[m.AgentRecord], query={"limit": limit, "q": q})


def get_agent(agent: str) -> Call[m.AgentRecord]:
    """One agent."""
    return Call("GET", f"/v1/agents/{part(agent)}", m.AgentRecord)


def put_agent(agent: str, **changes: Unpack[o.AgentChanges]) -> Call[m.AgentRecord]:
    """Make or change an agent."""
    return Call("PUT", f"/v1/agents/{part(agent)}", m.AgentRecord, body=dict(changes))


def list_tasks(limit: int = 50) -> Call[m.Page[m.TaskRecord]]:
    """Tasks by name."""
    return Call("GET", "/v1/tasks", m.Page[m.TaskRecord], query={"limit": limit})


def get_task(task: str) -> Call[m.TaskRecord]:
    """One task."""
    return Call("GET", f"/v1/tasks/{part(task)}", m.TaskRecord)


def put_task(task: str, members: Sequence[str] | None) -> Call[m.TaskRecord]:
    """Declare the only agents that may read and write a task; None opens it to every agent that names it."""
    body = {"members": None if members is None else list(members)}
    return Call("PUT", f"/v1/tasks/{part(task)}", m.TaskRecord, body=body)


def dream(agent: str, dry_run: bool = False, wait: bool = False) -> Call[m.Dream]:
    """Ask for a dream; with ``wait`` the answer comes when it is done."""
    return Call("POST", f"/v1/agents/{part(agent)}/dream", m.Dream, body={"dry_run": dry_run, "wait": wait})


def list_dreams(agent: str | None = None, status: str | None = None, limit: int = 50) -> Call[m.Page[m.Dream]]:
    """Dreams, newest first."""
    query = {"agent": agent, "status": status, "limit": limit}
    return Call("GET", "/v1/dreams", m.Page[m.Dream], query=query, agent_in="query")


def get_dream(dream_id: Id) -> Call[m.Dream]:
    """One dream with its changes."""
    return Call("GET", f"/v1/dreams/{part(dream_id)}", m.Dream)


def list_dream_changes(
    dream_id: Id, action: Sequence[str] | None = None, type: str | None = None, limit: int = 50
) -> Call[m.Page[m.Json]]:
    """What a dream changed, in order, with the messages and memories that each change rests on."""
    query = {"action": action, "type": type, "limit": limit}
    return Call("GET", f"/v1/dreams/{part(dream_id)}/changes", m.Page[m.Json], query=query)


def undo_dream_change(dream_id: Id, n: int) -> Call[m.Json]:
    """Take back one change of a dream. Raises Conflict with a ``reason`` where that is not possible."""
    return Call("POST", f"/v1/dreams/{part(dream_id)}/changes/{n}/undo", m.Json)


def cancel_dream(dream_id: Id) -> Call[m.Dream]:
    """End a dream that waits or runs; it changes nothing. Raises Conflict for one that is over."""
    return Call("POST", f"/v1/dreams/{part(dream_id)}/cancel", m.Dream)


def undo_dream(dream_id: Id) -> Call[m.Dream]:
    """Restore the state before a dream. Raises Conflict where later changes are in the way."""
    return Call("POST", f"/v1/dreams/{part(dream_id)}/undo", m.Dream)


def list_inbox(
    agent: str | None = None, status: m.ProposalStatus = "proposed", limit: int = 50
) -> Call[m.Page[m.Proposal]]:
    """Statements that dreams were not sure enough of, newest first; ``status`` for those decided on."""
    query = {"agent": agent, "status": status, "limit": limit}
    return Call("GET", "/v1/inbox", m.Page[m.Proposal], query=query, agent_in="query")


def get_proposal(proposal_id: Id) -> Call[m.Proposal]:
    """A proposal of any status, with the messages it comes from."""
    return Call("GET", f"/v1/inbox/{part(proposal_id)}", m.Proposal)


def decide_proposal(proposal_id: Id, action: m.ProposalAction, **changes: Unpack[o.ProposalEdit]) -> Call[m.Decided]:
    """Accept, edit (with the changes to it), reject or reopen a proposal. Raises Conflict where somebody was faster."""
    return Call("POST", f"/v1/inbox/{part(proposal_id)}", m.Decided, body={"action": action, **changes})


def decide_proposals(
    ids: Sequence[Id], action: m.ProposalAction, **changes: Unpack[o.ProposalEdit]
) -> Call[m.Page[m.Decided]]:
    """Decide alike on up to 100 proposals, all or none."""
    body = {"ids": [str(one) for one in ids], "action": action, **changes}
    return Call("POST", "/v1/inbox", m.Page[m.Decided], body=body)


def calibrate(agent: str, stood_days: float | None = None, write: bool = False) -> Call[m.Calibration]:
    """Compare a decision model with what people decided on an agent's dreams and proposals; ``write`` stores the
    thresholds that this recommends in the agent's settings."""
    body = drop_none({"stood_days": stood_days, "write": write})
    return Call("POST", f"/v1/agents/{part(agent)}/calibration", m.Calibration, body=body)


def bulletin(agent: str, version: int | None = None) -> Call[m.Bulletin]:
    """What an agent knows, now or at a version."""
    return Call("GET", f"/v1/agents/{part(agent)}/bulletin", m.Bulletin, query={"version": version})


def list_bulletins(agent: str, compared_to: int | None = None, limit: int = 50) -> Call[m.Page[m.BulletinVersion]]:
    """Every bulletin of an agent, newest first, each compared with the one before or with the one of that number."""
    query = {"compared_to": compared_to, "limit": limit}
    return Call("GET", f"/v1/agents/{part(agent)}/bulletin/versions", m.Page[m.BulletinVersion], query=query)


def write_bulletin(agent: str) -> Call[m.Bulletin]:
    """Have the bulletin of an agent written anew."""
    return Call("POST", f"/v1/agents/{part(agent)}/bulletin", m.Bulletin)
