"""What every route may answer instead: RFC 9457 problem details, as OpenAPI shows them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, Any]] | None = None


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text, "content": {"application/problem+json": {}}}
    for status, text in (
        (401, "No valid key"),
        (403, "Not with this key"),
        (404, "Not found"),
        (408, "The body took too long to come"),
        (409, "Conflict"),
        (413, "Body too large"),
        (422, "Invalid input"),
        (429, "Too many requests with this key, or the budget for models is used up"),
        (503, "Database unavailable"),
    )
}
