"""Makes methods of functions that build calls: one declaration serves the blocking client and the awaited one.

A method has the parameters of its function. Taken from a ``Sender`` it gives the answer, from an ``AsyncSender`` a
coroutine of it, and from a class the function itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar, overload

from reverie_client.call import Call
from reverie_client.models import Page
from reverie_client.transport import AsyncSender, Sender, Steps

P = ParamSpec("P")
T = TypeVar("T")


class Method(Generic[P, T]):
    """Sends one call."""

    def __init__(self, build: Callable[P, Call[T]]) -> None:
        self._build = build

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Callable[P, Call[T]]: ...
    @overload
    def __get__(self, client: Sender, owner: type[Any]) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncSender, owner: type[Any]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Sender | AsyncSender | None, owner: type[Any]) -> Callable[P, Any]:
        return self._build if client is None else _after(self._build, client.send)


class Listing(Generic[P, T]):
    """Iterates over a list, page by page as needed; ``limit`` is the size of a page."""

    def __init__(self, build: Callable[P, Call[Page[T]]]) -> None:
        self._build = build

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Callable[P, Call[Page[T]]]: ...
    @overload
    def __get__(self, client: Sender, owner: type[Any]) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AsyncSender, owner: type[Any]) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: Sender | AsyncSender | None, owner: type[Any]) -> Callable[P, Any]:
        return self._build if client is None else _after(self._build, client._items)


class Procedure(Generic[P, T]):
    """Sends several calls, each made of the answers before it."""

    def __init__(self, build: Callable[P, Steps[T]]) -> None:
        self._build = build

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Callable[P, Steps[T]]: ...
    @overload
    def __get__(self, client: Sender, owner: type[Any]) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncSender, owner: type[Any]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Sender | AsyncSender | None, owner: type[Any]) -> Callable[P, Any]:
        return self._build if client is None else _after(self._build, client._run)


def _after(build: Callable[P, Any], send: Callable[[Any], Any]) -> Callable[P, Any]:
    @wraps(build)
    def method(*args: P.args, **kwargs: P.kwargs) -> Any:
        return send(build(*args, **kwargs))

    return method
