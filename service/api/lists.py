"""Lists as routes answer them."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import BaseModel, Field

Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """One page of a list; ``next_cursor`` is null on the last."""

    items: list[Item] = Field(description="Items of this page.")
    next_cursor: str | None = Field(description="Cursor of the next page; null on the last page.")


class Items(BaseModel, Generic[Item]):
    """A whole list."""

    items: list[Item] = Field(description="All items.")
