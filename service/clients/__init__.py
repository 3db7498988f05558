"""Clients of Reverie. They need httpx and pydantic, and nothing of the server.

``Reverie`` and ``AsyncReverie`` speak the whole API; ``Memory`` has the four methods of a chat loop;
``service.clients.langgraph`` is a LangGraph store (it needs ``langgraph``).
"""

from service.clients.chat_memory import AIMessage, Memory, Message, SystemMessage, ToolMessage, UserMessage
from service.clients.errors import (
    Ambiguous,
    APIError,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    RateLimited,
    ReverieClientError,
    ServerFailed,
    TooLarge,
)
from service.clients.reverie import AsyncReverie, Reverie

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
