"""Clients of Reverie. They need httpx and pydantic, and nothing of the server.

``Reverie`` and ``AsyncReverie`` speak the whole API; ``Memory`` and ``AsyncMemory`` have the methods of mem0;
``ChatMemory`` has what a chat loop needs; ``remember`` gives a client of a model a memory; ``reverie_client.langgraph``
is a LangGraph store (it needs ``langgraph``).
"""

from reverie_client.chat_memory import AIMessage, ChatMemory, Message, SystemMessage, ToolMessage, UserMessage
from reverie_client.errors import (
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
from reverie_client.memory import AsyncMemory, Memory
from reverie_client.remembering import remember
from reverie_client.reverie import AsyncReverie, Reverie

__all__ = [
    "AIMessage",
    "APIError",
    "Ambiguous",
    "AsyncMemory",
    "AsyncReverie",
    "ChatMemory",
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
    "remember",
]
