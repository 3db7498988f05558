"""Turns a function that makes a Call into a method that sends it, blocking or awaited, with the same signature."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from service.clients.call import Call
from service.clients.models import Page

P = ParamSpec("P")
T = TypeVar("T")


def sent(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], T]:
    """A method that sends the call and returns its answer."""

    @wraps(build)
    def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer: T = client.send(build(*args, **kwargs))
        return answer

    return method


def awaited(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], Awaitable[T]]:
    """A method that sends the call and awaits its answer."""

    @wraps(build)
    async def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer: T = await client.send(build(*args, **kwargs))
        return answer

    return method


def paged(build: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[Any, P], Iterator[T]]:
    """A method that iterates over a list, page by page as needed; ``limit`` is the size of a page."""

    @wraps(build)
    def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        call = build(*args, **kwargs)
        while True:
            page = client.send(call)
            yield from page.items
            if page.next_cursor is None:
                return
            call = _after(call, page.next_cursor)

    return method


def awaited_pages(build: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[Any, P], AsyncIterator[T]]:
    """As ``paged``, for ``async for``."""

    @wraps(build)
    async def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        call = build(*args, **kwargs)
        while True:
            page = await client.send(call)
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            call = _after(call, page.next_cursor)

    return method


def _after(call: Call[Page[T]], cursor: str) -> Call[Page[T]]:
    return replace(call, query={**call.query, "cursor": cursor})
