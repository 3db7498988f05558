"""Secrets in stored values: which there are, and their copies replaced where nothing gives them away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from service.domain.placeholders import PLACEHOLDER, SECRET
from service.privacy.patterns import blank
from service.privacy.secrets import find_secrets
from service.privacy.secrets_named import named_secret

_COPY_MIN = 8
"""A shorter value may be a word or a number of its own elsewhere."""


def secrets_in(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Each secret in a text or a JSON value at any depth, with its kind."""
    if isinstance(value, str):
        spans = find_secrets(blank(PLACEHOLDER, value))
        yield from ((value[start:end], kind) for start, end, kind in spans)
        named = named_secret(key, value) if key and not PLACEHOLDER.search(value) else None
        if named is not None and not spans:
            yield value, named
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from secrets_in(name)
            yield from secrets_in(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from secrets_in(item, key)


class Copies:
    """Replaces known secrets by what stands for each, wherever they are copied to."""

    def __init__(self, found: Mapping[str, str]) -> None:
        """``found``: each secret with its kind. Values under 8 characters are left to what gives them away."""
        labels = " ".join({f"{SECRET}{kind}" for kind in found.values()})
        kinds = {value: kind for value, kind in found.items() if len(value) >= _COPY_MIN and value not in labels}
        kinds = {value.lower(): kind for value, kind in kinds.items()} | kinds
        self._longest_first = sorted(kinds.items(), key=lambda known: len(known[0]), reverse=True)

    def replaced(self, value: Any, mask: Callable[[str, str], str], spared: frozenset[str] = frozenset()) -> Any:
        """The value with ``mask(kind, secret)`` for each secret in its texts and keys, but those ``spared``."""
        if isinstance(value, str):
            for secret, kind in self._longest_first:
                if secret in value and secret not in spared:
                    value = value.replace(secret, mask(kind, secret))
            return value
        if isinstance(value, dict):
            return {self.replaced(n, mask, spared): self.replaced(item, mask, spared) for n, item in value.items()}
        if isinstance(value, list):
            return [self.replaced(item, mask, spared) for item in value]
        return value
