"""A context provider for Microsoft's Agent Framework: recalls before each run of an agent, remembers after it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn
from reverie_client.models import Role

with extra("agent-framework"):
    from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


class ReverieContextProvider(ContextProvider):
    """The provider of an ``AgentMemory``: the framework's session is the conversation. It never raises."""

    def __init__(self, memory: AgentMemory, source_id: str = "reverie") -> None:
        super().__init__(source_id)
        self._memory = memory

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add what is known that bears on the input to the instructions."""
        said = "\n".join(message.text for message in context.input_messages if message.role == "user")
        if known := await asyncio.to_thread(self._of(session).recall, said):
            context.extend_instructions(self.source_id, known)

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Remember what was said in this run."""
        response = context.response
        said: Iterable[Message] = [*context.input_messages, *(response.messages if response else [])]
        turns = [turn(ROLES[one.role], one.text) for one in said if one.role in ROLES and one.text]
        occasion = response.response_id if response else None
        await asyncio.to_thread(self._of(session).remember, turns, occasion)

    def _of(self, session: AgentSession) -> AgentMemory:
        return self._memory.in_session(session.session_id)
