"""ARKOS' import of the clients, which are a distribution of their own: ``reverie_client``. ``Memory`` is what is called
``ChatMemory`` there.
"""

from reverie_client import (
    AIMessage,
    Ambiguous,
    APIError,
    AsyncReverie,
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
from reverie_client import ChatMemory as Memory

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
