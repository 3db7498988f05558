"""LRU cache. Callers must validate entries themselves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """The values of the ``maxsize`` keys most recently read or written."""

    def __init__(self, maxsize: int) -> None:
        self._maxsize = maxsize
        self._items: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, if it is still here."""
        value = self._items.get(key)
        if value is not None:
            self._items.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> None:
        """Store a value; past ``maxsize`` the least recently used one is evicted."""
        self._items[key] = value
        self._items.move_to_end(key)
        if len(self._items) > self._maxsize:
            self._items.popitem(last=False)

    def discard(self, key: Key) -> None:
        """Remove the value of a key, if there is one."""
        self._items.pop(key, None)
