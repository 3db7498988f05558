"""A memory for LlamaIndex's agents and chat engines: the history of one conversation, and what all others taught."""

from __future__ import annotations

from typing import Any

from pydantic import PrivateAttr

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn, whole_of
from reverie_client.models import MessageRecord, Role
from reverie_client.options import MessageDraft

with extra("llama-index"):
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
    from llama_index.core.memory import BaseMemory

ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "system", "tool": "tool", "function": "tool"}


class ReverieMemory(BaseMemory):
    """The memory of an ``AgentMemory``. Its methods never raise for a server that fails: they log a warning."""

    _memory: AgentMemory = PrivateAttr()
    _limit: int | None = PrivateAttr()
    _given: list[ChatMessage] = PrivateAttr(default_factory=list)
    """What was put here, for where the server does not give it back."""

    def __init__(self, memory: AgentMemory, limit: int | None = 50) -> None:
        """``limit`` bounds how many of the last messages ``get`` gives."""
        super().__init__()
        self._memory = memory
        self._limit = limit

    @classmethod
    def class_name(cls) -> str:
        return "ReverieMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> ReverieMemory:
        """Return the memory of an ``AgentMemory`` that is made of the arguments."""
        return cls(AgentMemory(**kwargs))

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """Return the last messages, behind what is known that bears on the input, else on the user's last message."""
        said = [_message(record) for record in self._memory.history(self._limit)] or list(self._given)
        question = input or next((one.content for one in reversed(said) if one.role == MessageRole.USER), None)
        known = self._memory.recall(question or "")
        return [ChatMessage(role=MessageRole.SYSTEM, content=known), *said] if known else said

    def get_all(self) -> list[ChatMessage]:
        """Return every message of the conversation."""
        return [_message(record) for record in self._memory.history()] or list(self._given)

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages."""
        self._given += messages
        self._memory.remember([_turn(message) for message in messages])

    def set(self, messages: list[ChatMessage]) -> None:
        """Start a new history, with these messages."""
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        """Start a new history."""
        self._given.clear()
        self._memory.clear()


def _turn(message: ChatMessage) -> MessageDraft:
    role = ROLES.get(message.role.value, "assistant")
    plain = not message.additional_kwargs and all(isinstance(block, TextBlock) for block in message.blocks)
    text = message.content or ""
    whole = None if plain and role == message.role.value else message.model_dump(mode="json")
    return turn(role, text, whole)


def _message(record: MessageRecord) -> ChatMessage:
    whole = whole_of(record)
    return ChatMessage.model_validate(whole) if whole else ChatMessage(role=record.role, content=record.content)
