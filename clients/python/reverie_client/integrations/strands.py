"""A memory store for Strands: ``Agent(…, memory_manager=MemoryManager([ReverieMemoryStore(memory)]))``.

The manager adds what the store finds to each call of the model, and hands it the messages of each invocation.
"""

from __future__ import annotations

import asyncio
from uuid import uuid4

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import FOUND_MAX, AgentMemory, turn
from reverie_client.options import MessageDraft

with extra("strands"):
    from strands.memory.extraction.triggers import InvocationTrigger
    from strands.memory.extraction.types import ExtractionConfig
    from strands.memory.types import AddMessagesContext, MemoryEntry, MemoryStore, Metadata, SearchOptions
    from strands.types.content import Message


class ReverieMemoryStore(MemoryStore):
    """The store of an ``AgentMemory``. Its methods never raise for a server that fails: they log a warning."""

    def __init__(self, memory: AgentMemory, name: str = "reverie") -> None:
        self.name = name
        self.description: str | None = "What is known from earlier conversations"
        self.max_search_results: int | None = FOUND_MAX
        self.writable = True
        self.extraction = ExtractionConfig(trigger=[InvocationTrigger()])
        self._memory = memory
        self._run = str(uuid4())

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the memories and turns that a query finds, best first."""
        limit = (options or {}).get("max_search_results") or FOUND_MAX
        found = await asyncio.to_thread(self._memory.find, query, limit)
        return [MemoryEntry(result.text, metadata={"kind": result.kind}) for result in found if result.text]

    async def add(self, content: str, metadata: Metadata | None = None) -> bool:
        """Save a statement as a memory."""
        return await asyncio.to_thread(self._memory.save, content)

    async def add_messages(self, messages: list[Message], context: AddMessagesContext | None = None) -> bool:
        """Append messages; a batch that is given again is appended once."""
        turns = [one for message in messages if (one := _turn(message))]
        numbers = context.sequence_numbers if context is not None else None
        occasion = f"{self._run} {numbers}" if numbers else None
        return await asyncio.to_thread(self._memory.remember, turns, occasion)


def _turn(message: Message) -> MessageDraft | None:
    text = "\n".join(block["text"] for block in message["content"] if "text" in block)
    return turn(message["role"], text) if text.strip() else None
