"""How much of one kind of long request (a stream, an export) is served at once, so that one key cannot take it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from service.domain.principal import Principal
from service.errors import RateLimited, Unavailable

RETRY_AFTER_S = 5


@dataclass(frozen=True, slots=True)
class Bounds:
    """Requests at once in one process: of one API key, of one workspace, and of all."""

    per_key: int
    per_workspace: int
    per_process: int


class ConcurrencyLimit:
    """Counts the open requests of one kind. ``what`` names them in errors: ``streams``."""

    def __init__(self, what: str, bounds: Bounds) -> None:
        self._what = what
        self._bounds = bounds
        self._keys: Counter[UUID] = Counter()
        self._workspaces: Counter[UUID] = Counter()

    @contextmanager
    def slot(self, principal: Principal) -> Iterator[None]:
        """Admit one request for the length of the block. Raises RateLimited where the key or its workspace has as many
        as it may, Unavailable where the process has.
        """
        key, workspace = principal.key_id, principal.workspace_id
        self._check(key, workspace)
        self._keys[key] += 1
        self._workspaces[workspace] += 1
        try:
            yield
        finally:
            for counter, owner in ((self._keys, key), (self._workspaces, workspace)):
                counter[owner] -= 1
                if counter[owner] == 0:
                    del counter[owner]

    def _check(self, key: UUID, workspace: UUID) -> None:
        for owner, taken, bound in (
            ("This key", self._keys[key], self._bounds.per_key),
            ("This workspace", self._workspaces[workspace], self._bounds.per_workspace),
        ):
            if taken >= bound:
                raise RateLimited(f"{owner} has {bound} {self._what} open already.", retry_after_s=RETRY_AFTER_S)
        if self._workspaces.total() >= self._bounds.per_process:
            raise Unavailable(
                f"This process has {self._bounds.per_process} {self._what} open already.", retry_after_s=RETRY_AFTER_S
            )
