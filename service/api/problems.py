"""What every route may answer instead: RFC 9457 problem details, as OpenAPI shows them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Problem(BaseModel):
    """Problem details of RFC 9457."""

    type: str = Field(description="URI reference of the problem type.")
    title: str = Field(description="Short name of the problem.")
    status: int = Field(description="HTTP status code.")
    detail: str = Field(description="Explanation of this occurrence.")
    errors: list[dict[str, Any]] | None = Field(
        None, description="Invalid fields with `loc` (path) and `msg` (reason); null for problems without fields."
    )


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text, "content": {"application/problem+json": {}}}
    for status, text in (
        (401, "No valid key, or a key that has expired"),
        (403, "Not with this key: its role or its scopes leave it out"),
        (404, "Not found"),
        (408, "The body took too long to come"),
        (409, "Conflict"),
        (413, "Body too large"),
        (422, "Invalid input"),
        (429, "Too many requests with this key, or the budget for models is used up"),
        (503, "Database unavailable"),
    )
}

NOTHING_STORED: dict[int | str, dict[str, Any]] = {
    200: {"model": None, "description": "Nothing stored: X-Reverie-No-Memory is set"}
}
