"""LangChain: a middleware for agents, the history of a conversation, and a retriever of what is known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic import ConfigDict

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn, whole_of
from reverie_client.models import MessageRecord, Role, SearchResult
from reverie_client.options import MessageDraft

with extra("langchain"):
    from langchain.agents import AgentState
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import (
        AIMessage,
        BaseMessage,
        HumanMessage,
        SystemMessage,
        message_to_dict,
        messages_from_dict,
    )
    from langchain_core.retrievers import BaseRetriever
    from langgraph.runtime import Runtime

ROLES: dict[str, Role] = {
    "human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "model": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip


class ReverieMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Middleware of ``create_agent``: each call of the model is given what is known that bears on the user's message,
    and what was said in a run is remembered after it. A server that fails is logged."""

    def __init__(self, memory: AgentMemory) -> None:
        super().__init__()
        self._memory = memory

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._informed(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(await asyncio.to_thread(self._informed, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        run = _last_run(state["messages"])
        self._memory.remember([_turn(message) for message in run], run[-1].id if run else None)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _informed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        run = _last_run(request.messages)
        known = self._memory.recall(run[0].text) if run else ""
        if not known:
            return request
        parts = [one for one in (request.system_prompt, known) if one]
        return request.override(system_message=SystemMessage("\n\n".join(parts)))


class ReverieChatMessageHistory(BaseChatMessageHistory):
    """The history of an ``AgentMemory``, for ``RunnableWithMessageHistory``. A server that fails is logged."""

    def __init__(self, memory: AgentMemory, limit: int | None = None) -> None:
        """``limit`` bounds how many of the last messages are given."""
        self._memory = memory
        self._limit = limit

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """Return the messages of the conversation, oldest first."""
        return [_message(record) for record in self._memory.history(self._limit)]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages."""
        self._memory.remember([_turn(message) for message in messages])

    def clear(self) -> None:
        """Start a new history."""
        self._memory.clear()


class ReverieRetriever(BaseRetriever):
    """The memories and turns that a query finds, as documents; none where the server fails, which is logged."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: AgentMemory
    limit: int = 10

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [_document(result) for result in self.memory.find(query, self.limit) if result.text]


def _last_run(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return the user's last message and what followed."""
    starts = [number for number, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return messages[starts[-1] :] if starts else []


def _turn(message: BaseMessage) -> MessageDraft:
    plain = isinstance(message.content, str) and not getattr(message, "tool_calls", None)
    plain = plain and type(message) in (HumanMessage, AIMessage) and not message.additional_kwargs
    role = ROLES.get(getattr(message, "role", message.type), "assistant")
    return turn(role, message.text, None if plain else message_to_dict(message))


def _message(record: MessageRecord) -> BaseMessage:
    whole = whole_of(record)
    if whole:
        return messages_from_dict([whole])[0]
    kind = HumanMessage if record.role == "user" else AIMessage
    return kind(content=record.content)


def _document(result: SearchResult) -> Document:
    found = result.memory or result.message
    metadata: dict[str, Any] = {"kind": result.kind, "score": result.score}
    return Document(page_content=result.text, id=str(found.id) if found is not None else None, metadata=metadata)
