"""What waits for a server that does not answer, in order, each under an Idempotency-Key of its own."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from reverie_client.call import Call
from reverie_client.errors import ConnectionFailed, RateLimited, ReverieClientError, ServerFailed
from reverie_client.reverie import Reverie

UNSENT_MAX = 100
"""Calls that wait; the oldest are given up first."""
PASSING = (ConnectionFailed, RateLimited, ServerFailed)
"""Failures after which the same call may be sent again."""


class Outbox:
    """Sends calls one after another; those that fail for now go first next time. Thread-safe."""

    def __init__(self, client: Reverie) -> None:
        self._client = client
        self._unsent: deque[tuple[str, Call[Any]]] = deque(maxlen=UNSENT_MAX)
        self._lock = threading.Lock()

    def send(self, call: Call[Any], key: str) -> None:
        """Send what waits, and this call. Raises ReverieClientError, ValueError; what is refused waits no longer."""
        with self._lock:
            self._unsent.append((key, call))
            while self._unsent:
                first_key, first = self._unsent[0]
                try:
                    self._client.send(first, idempotency_key=first_key)
                except PASSING:
                    raise
                except (ReverieClientError, ValueError):
                    self._unsent.popleft()
                    raise
                self._unsent.popleft()
