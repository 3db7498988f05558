"""Pages: standing questions, and the versions of their answers."""

from __future__ import annotations

from typing import Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


def create_page(question: str, agent: str | None = None, **fields: Unpack[o.PageFields]) -> Call[m.AnsweredPage]:
    """Ask a question for good: it is answered now, and again at each ``trigger``."""
    body = drop_none({"question": question, "agent": agent}) | dict(fields)
    return Call("POST", "/v1/pages", m.AnsweredPage, body=body, agent_in="body")


def list_pages(agent: str | None = None, limit: int = 50) -> Call[m.Page[m.AnsweredPage]]:
    """Pages with their answers, newest first."""
    query = {"agent": agent, "limit": limit}
    return Call("GET", "/v1/pages", m.Page[m.AnsweredPage], query=query, agent_in="query")


def get_page(page_id: Id) -> Call[m.AnsweredPage]:
    """One page, without the sentences that do not hold any more."""
    return Call("GET", f"/v1/pages/{part(page_id)}", m.AnsweredPage)


def put_page(page_id: Id, question: str, **fields: Unpack[o.PageFields]) -> Call[m.AnsweredPage]:
    """Replace question, scope, trigger and length; the question is answered at once."""
    return Call("PUT", f"/v1/pages/{part(page_id)}", m.AnsweredPage, body={"question": question} | dict(fields))


def rewrite_page(page_id: Id) -> Call[m.AnsweredPage]:
    """Answer the question now."""
    return Call("POST", f"/v1/pages/{part(page_id)}", m.AnsweredPage)


def delete_page(page_id: Id) -> Call[None]:
    """Remove a page with its versions."""
    return Call("DELETE", f"/v1/pages/{part(page_id)}", None)


def list_page_versions(page_id: Id, compared_to: int | None = None, limit: int = 50) -> Call[m.Page[m.PageVersion]]:
    """The versions of a page, newest first, each compared with the one before or with the one of that number."""
    query = {"compared_to": compared_to, "limit": limit}
    return Call("GET", f"/v1/pages/{part(page_id)}/versions", m.Page[m.PageVersion], query=query)
