"""LangGraph stores of a test's API, and what tests ask of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from service.clients.langgraph import ReverieStore
from tests.serving import ADMIN_KEY, Api

Spoken = Callable[..., Any]


def store_of(api: Api, key: str = ADMIN_KEY, agent: str | None = "a", **options: Any) -> ReverieStore:
    return ReverieStore(str(api.http.base_url), key, agent=agent, **options)


async def keys(store: ReverieStore, *namespace: str, **options: Any) -> list[str]:
    return [item.key for item in await store.asearch(namespace, **options)]
