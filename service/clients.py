"""ARKOS' import of the clients, which are a distribution of their own: ``reverie_client``. ``Memory`` is what is called
``ChatMemory`` there, at ``DB_URL`` of the environment where it is given no address.
"""

import os
from typing import Any

from reverie_client import (
    AIMessage,
    Ambiguous,
    APIError,
    AsyncReverie,
    ChatMemory,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    Message,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    RateLimited,
    Reverie,
    ReverieClientError,
    ServerFailed,
    SystemMessage,
    TooLarge,
    ToolMessage,
    UserMessage,
)

__all__ = [
    "AIMessage",
    "APIError",
    "Ambiguous",
    "AsyncReverie",
    "Conflict",
    "ConnectionFailed",
    "InvalidRequest",
    "Memory",
    "Message",
    "NotAllowed",
    "NotAuthenticated",
    "NotFound",
    "RateLimited",
    "Reverie",
    "ReverieClientError",
    "ServerFailed",
    "SystemMessage",
    "TooLarge",
    "ToolMessage",
    "UserMessage",
]


class Memory(ChatMemory):
    """``ChatMemory``, whose ``db_url`` is DB_URL of the environment where no address is given."""

    def __init__(
        self, user_id: str, session_id: str | None = None, url: str | None = None, *args: Any, **options: Any
    ) -> None:
        if url is None and options.get("db_url") is None:
            options["db_url"] = os.environ.get("DB_URL") or None
        super().__init__(user_id, session_id, url, *args, **options)
