"""Lists past the bound of one page of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from reverie_client import AsyncReverie
from reverie_client.call import Call
from reverie_client.models import Page

T = TypeVar("T")
LIMIT_MAX = 200
"""Of one page."""


async def first_items(reverie: AsyncReverie, call: Call[Page[T]], number: int) -> Page[T]:
    """The first ``number`` of a list or a few more, read page by page; its cursor leads on from the last of them."""
    following = replace(call, query={**call.query, "limit": min(number, LIMIT_MAX)})
    page = await reverie.send(following)
    items = list(page.items)
    while page.next_cursor is not None and len(items) < number:
        page = await reverie.send(following.after(page.next_cursor))
        items += page.items
    return page.model_copy(update={"items": items})
