"""A session of the OpenAI Agents SDK in Reverie: the history of one conversation, and what all others taught.

Items are messages of the conversation, so dreams make memories of them and searches find them. Messages are permanent:
``pop_item`` and ``clear_session`` note that what is before them is not given to the model again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn, whole_of
from reverie_client.models import MessageRecord, Role
from reverie_client.options import MessageDraft

with extra("openai-agents"):
    from agents import SessionSettings, TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import resolve_session_limit
    from agents.run_config import CallModelData, ModelInputData

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class ReverieSession(SessionABC):
    """The session of an ``AgentMemory``. Its methods never raise for a server that fails: they log a warning."""

    def __init__(self, memory: AgentMemory, session_settings: SessionSettings | None = None) -> None:
        """``session_settings`` may bound how many of the last items the model is given."""
        self.session_id = memory.session
        self.session_settings = session_settings or SessionSettings()
        self._memory = memory

    async def recall(self, data: CallModelData[Any]) -> ModelInputData:
        """Add what is known that bears on the user's message to the instructions: ``call_model_input_filter`` of a
        ``RunConfig``."""
        said = next((one for one in reversed(data.model_data.input) if _fields(one).get("role") == "user"), None)
        known = await asyncio.to_thread(self._memory.recall, _text_of(said)) if said is not None else ""
        parts = [one for one in (data.model_data.instructions, known) if one]
        return replace(data.model_data, instructions="\n\n".join(parts) or None)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the last items, oldest first; all of them without a limit."""
        bound = resolve_session_limit(limit, self.session_settings)
        return [_item(record) for record in await asyncio.to_thread(self._memory.history, bound)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items to the history."""
        await asyncio.to_thread(self._memory.remember, [_turn(_fields(item)) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item back, and return it."""
        last = await self.get_items(1)
        if not last or not await asyncio.to_thread(self._memory.take_back):
            return None
        return last[0]

    async def clear_session(self) -> None:
        """Start a new history."""
        await asyncio.to_thread(self._memory.clear)


def _fields(item: TResponseInputItem) -> dict[str, Any]:
    return cast(dict[str, Any], item)


def _text_of(item: TResponseInputItem) -> str:
    content = _fields(item).get("content") or ""
    parts: Iterable[dict[str, Any]] = [{"text": content}] if isinstance(content, str) else content
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _turn(item: dict[str, Any]) -> MessageDraft:
    given = item.get("role")
    role = ROLES.get(str(given)) or ("tool" if str(item.get("type")).endswith("_output") else "assistant")
    if item.keys() == {"role", "content"} and isinstance(item["content"], str) and role == given:
        return turn(role, item["content"])
    return turn(role, _text_of(cast(TResponseInputItem, item)), item)


def _item(record: MessageRecord) -> TResponseInputItem:
    return cast(TResponseInputItem, whole_of(record) or {"role": record.role, "content": record.content})
