"""Entities and edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, part


def list_entities(
    kind: str | None = None,
    q: str | None = None,
    agent: str | None = None,
    limit: int = 50,
    sort: Literal["newest", "mentions", "name"] | None = None,
) -> Call[m.Page[m.Entity]]:
    """Entities, newest first, those with most mentions first, or by name."""
    query = {"kind": kind, "q": q, "agent": agent, "sort": sort, "limit": limit}
    return Call("GET", "/v1/entities", m.Page[m.Entity], query=query, agent_in="query")


def get_entity(entity: Id, agent: str | None = None) -> Call[m.Entity]:
    """One entity."""
    return Call("GET", f"/v1/entities/{part(entity)}", m.Entity, query={"agent": agent}, agent_in="query")


def entity_graph(
    entity: Id, depth: int = 2, agent: str | None = None, memories: bool | None = None, ring: int | None = None
) -> Call[m.Json]:
    """What is known about an entity; with ``memories=False`` entities alone. Raises Ambiguous for a name that several
    have."""
    query = {"depth": depth, "agent": agent, "memories": memories, "ring": ring}
    return Call("GET", f"/v1/entities/{part(entity)}/graph", m.Json, query=query, agent_in="query")


def graph_overview(
    agent: str | None = None,
    kind: str | None = None,
    q: str | None = None,
    since: o.Moment | None = None,
    until: o.Moment | None = None,
    limit: int | None = None,
) -> Call[m.Json]:
    """The entities with most mentions, and pairs of them with memories in common."""
    query = {"agent": agent, "kind": kind, "q": q, "since": since, "until": until, "limit": limit}
    return Call("GET", "/v1/graph", m.Json, query=query, agent_in="query")


def change_entity(entity_id: Id, changes: m.Json) -> Call[m.Json]:
    """Rename an entity, or change what it is known as."""
    return Call("PATCH", f"/v1/entities/{part(entity_id)}", m.Json, body=changes)


def merge_entity(entity_id: Id, into: Id) -> Call[m.Json]:
    """Make one entity of two."""
    return Call("POST", f"/v1/entities/{part(entity_id)}/merge", m.Json, body={"into": into})


def unmerge_entity(entity_id: Id) -> Call[m.Json]:
    """Take a merge back: the entity that was merged stands for itself again."""
    return Call("POST", f"/v1/entities/{part(entity_id)}/unmerge", m.Json)


def split_entity(entity_id: Id, memory_ids: Sequence[Id], name: str) -> Call[m.Json]:
    """Make an entity of its own of what some memories speak of."""
    body = {"memory_ids": list(memory_ids), "name": name}
    return Call("POST", f"/v1/entities/{part(entity_id)}/split", m.Json, body=body)


def add_edge(edge: m.Json) -> Call[m.Json]:
    """Link memories and entities."""
    return Call("POST", "/v1/edges", m.Json, body=edge, agent_in="body")


def delete_edge(edge_id: Id) -> Call[None]:
    """Remove a link."""
    return Call("DELETE", f"/v1/edges/{part(edge_id)}", None)
