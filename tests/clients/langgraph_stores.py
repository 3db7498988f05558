"""LangGraph stores of a test's API, and what tests ask of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reverie_client.langgraph import ReverieStore
from tests.live_api import Caller

Spoken = Callable[..., Any]


def store_of(api: Caller, key: str | None = None, agent: str | None = "a", **options: Any) -> ReverieStore:
    return ReverieStore(str(api.http.base_url), key or api.key, agent=agent, **options)


async def keys(store: ReverieStore, *namespace: str, **options: Any) -> list[str]:
    return [item.key for item in await store.asearch(namespace, **options)]
