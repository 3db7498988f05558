"""A memory for AutoGen's agents: recalls before each answer, and remembers what the user said."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import BaseModel

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn

with extra("autogen"):
    from autogen_core import CancellationToken
    from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import SystemMessage, UserMessage


class ReverieMemory(Memory):
    """The memory of an ``AgentMemory``. Its methods never raise for a server that fails: they log a warning."""

    component_config_schema = BaseModel

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Add what is known that bears on the last message of the user, and remember that message."""
        messages = await model_context.get_messages()
        last = next((one for one in reversed(messages) if isinstance(one, UserMessage)), None)
        if last is None or not isinstance(last.content, str):
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        known = await asyncio.to_thread(self._memory.recall, last.content)
        await asyncio.to_thread(self._memory.remember, [turn("user", last.content)])
        if known:
            await model_context.add_message(SystemMessage(content=known))
        found = [_content(known)] if known else []
        return UpdateContextResult(memories=MemoryQueryResult(results=found))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """Return the memories and turns that a query finds, best first."""
        said = query if isinstance(query, str) else str(query.content)
        found = await asyncio.to_thread(self._memory.find, said, **kwargs)
        return MemoryQueryResult(
            results=[_content(result.text, score=result.score, kind=result.kind) for result in found]
        )

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Save a text as a memory."""
        await asyncio.to_thread(self._memory.save, str(content.content))

    async def clear(self) -> None:
        """Start a new conversation; memories stay (to forget a person, purge)."""
        await asyncio.to_thread(self._memory.clear)

    async def close(self) -> None:
        """Close the connections."""
        self._memory.close()


def _content(text: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=metadata)
