"""Turns a function that makes a Call into a method that sends it, blocking or awaited, with the same signature."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from service.clients.call import Call
from service.clients.models import Page

P = ParamSpec("P")
T = TypeVar("T")


def sync_method(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], T]:
    """A method that sends the call and returns its answer."""

    @wraps(build)
    def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer: T = client.send(build(*args, **kwargs))
        return answer

    return method


def async_method(build: Callable[P, Call[T]]) -> Callable[Concatenate[Any, P], Awaitable[T]]:
    """A method that sends the call and awaits its answer."""

    @wraps(build)
    async def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer: T = await client.send(build(*args, **kwargs))
        return answer

    return method


def sync_pager(build: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[Any, P], Iterator[T]]:
    """A method that iterates over a list, page by page as needed; ``limit`` is the size of a page."""

    @wraps(build)
    def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        following: Call[Page[T]] | None = build(*args, **kwargs)
        while following is not None:
            page = client.send(following)
            yield from page.items
            following = next_page(following, page)

    return method


def async_pager(build: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[Any, P], AsyncIterator[T]]:
    """As ``sync_pager``, for ``async for``."""

    @wraps(build)
    async def method(client: Any, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        following: Call[Page[T]] | None = build(*args, **kwargs)
        while following is not None:
            page = await client.send(following)
            for item in page.items:
                yield item
            following = next_page(following, page)

    return method


def next_page(call: Call[Page[T]], page: Page[T]) -> Call[Page[T]] | None:
    """The call for what follows a page of that call; None after the last one."""
    return call.after(page.next_cursor) if page.next_cursor is not None else None
