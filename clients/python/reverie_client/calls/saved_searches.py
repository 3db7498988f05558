"""Saved searches: queries with the memories that they must find, run as tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


def create_search(
    name: str, expected: Sequence[Id], agent: str | None = None, **fields: Unpack[o.SavedSearchFields]
) -> Call[m.SavedSearch]:
    """Save a search: its query and options, and the ids of the memories that must be among its first ``k`` results."""
    body = drop_none({"name": name, "expected": [str(one) for one in expected], "agent": agent}) | dict(fields)
    return Call("POST", "/v1/searches", m.SavedSearch, body=body, agent_in="body")


def list_searches(agent: str | None = None, limit: int = 50) -> Call[m.Page[m.SavedSearch]]:
    """Saved searches with their newest recall, newest search first."""
    query = {"agent": agent, "limit": limit}
    return Call("GET", "/v1/searches", m.Page[m.SavedSearch], query=query, agent_in="query")


def get_search(search_id: Id) -> Call[m.SavedSearch]:
    """One saved search, with what became of its expected memories."""
    return Call("GET", f"/v1/searches/{part(search_id)}", m.SavedSearch)


def put_search(
    search_id: Id, name: str, expected: Sequence[Id], **fields: Unpack[o.SavedSearchFields]
) -> Call[m.SavedSearch]:
    """Replace name, query, options, expected memories and k."""
    body = {"name": name, "expected": [str(one) for one in expected]} | dict(fields)
    return Call("PUT", f"/v1/searches/{part(search_id)}", m.SavedSearch, body=body)


def delete_search(search_id: Id) -> Call[None]:
    """Remove a saved search with its results."""
    return Call("DELETE", f"/v1/searches/{part(search_id)}", None)


def run_search(search_id: Id, overrides: m.Json | None = None) -> Call[m.SearchRuns]:
    """Run a saved search, with ``overrides`` in place of its own options, and store the result."""
    return Call(
        "POST", f"/v1/searches/{part(search_id)}/run", m.SearchRuns, body=drop_none({"overrides": overrides})
    )  # fmt: skip


def run_searches(agent: str | None = None, overrides: m.Json | None = None) -> Call[m.SearchRuns]:
    """Run all saved searches of an agent and store their results."""
    body = drop_none({"agent": agent, "overrides": overrides})
    return Call("POST", "/v1/searches/run", m.SearchRuns, body=body, agent_in="body")


def list_search_results(search_id: Id, limit: int = 50) -> Call[m.Page[m.SearchRun]]:
    """The results of a saved search, newest first."""
    query = {"limit": limit}
    return Call("GET", f"/v1/searches/{part(search_id)}/results", m.Page[m.SearchRun], query=query)
