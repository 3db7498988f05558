"""What was found lately, for whoever can tell that it still holds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Lately(Generic[Key, Value]):
    """The values of the ``most`` keys that were last asked for or kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value of a key, if it is still here."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def keep(self, key: Key, value: Value) -> None:
        """Keep a value, in place of the one that was not asked for longest where there are too many."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def drop(self, key: Key) -> None:
        """Keep no value of this key."""
        self._kept.pop(key, None)
