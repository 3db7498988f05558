"""A memory service for Google's Agent Development Kit: what sessions taught, found for a user of an app."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from reverie_client.errors import NotFound
from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn
from reverie_client.models import SearchResult
from reverie_client.options import MessageDraft

with extra("google-adk"):
    from google.adk.events import Event
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session
    from google.genai import types


class ReverieMemoryService(BaseMemoryService):
    """The memory service of an ``AgentMemory``: of its agent, else the app's. Adding and searching never raise."""

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    async def add_session_to_memory(self, session: Session) -> None:
        """Append what was said in a session and is not there yet."""
        turns = [one for event in session.events if (one := _turn(event))]
        memory = self._of(session.app_name, session.user_id, session.id)
        await asyncio.to_thread(memory.remember_all, turns)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Append events; one that is given again within a day is appended once."""
        memory = self._of(app_name, user_id, session_id or "events")
        for event in events:
            if said := _turn(event):
                await asyncio.to_thread(memory.remember, [said], event.id)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Save statements as memories."""
        memory = self._of(app_name, user_id, "memories")
        for text in filter(None, (_text_of(entry.content) for entry in memories)):
            await asyncio.to_thread(memory.save, text)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the memories and turns that a query finds, best first."""
        found = await asyncio.to_thread(self._of(app_name, user_id, "search").find, query)
        return SearchMemoryResponse(memories=[_entry(result) for result in found if result.text])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Delete a memory of the user, or without one nobody's. Raises ReverieClientError: NotFound for a memory that
        is none of the user's, and for a turn, which is permanent."""
        if memory_id is not None:
            await asyncio.to_thread(_delete, self._of(app_name, user_id, "memories"), memory_id)

    def _of(self, app_name: str, user_id: str, session: str) -> AgentMemory:
        return self._memory.in_session(f"{user_id}/{session}", user_id, app_name)


def _delete(memory: AgentMemory, memory_id: str) -> None:
    """Delete a memory of the user, who sees nobody's as well."""
    found = memory.client.get_memory(memory_id)
    if memory.user and not found.owners and not found.user:
        raise NotFound(404, {"title": "Not found", "detail": "This memory is not the user's."})
    memory.client.delete_memory(memory_id)


def _turn(event: Event) -> MessageDraft | None:
    text = _text_of(event.content)
    return turn("user" if event.author == "user" else "assistant", text) if text else None


def _text_of(content: types.Content | None) -> str:
    parts = content.parts or [] if content is not None else []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _entry(result: SearchResult) -> MemoryEntry:
    found = result.memory or result.message
    assert found is not None
    author = result.message.role if result.message is not None else None
    content = types.Content(role=author or "user", parts=[types.Part(text=result.text)])
    return MemoryEntry(id=str(found.id), content=content, author=author, timestamp=found.created_at.isoformat())
