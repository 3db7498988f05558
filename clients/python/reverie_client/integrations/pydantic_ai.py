"""Tools of a memory for Pydantic AI: ``Agent(…, toolsets=[ReverieToolset(memory)])``."""

from __future__ import annotations

from typing import Any

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory

with extra("pydantic-ai"):
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.toolsets import FunctionToolset


class ReverieToolset(FunctionToolset[AgentDepsT]):
    """``save_memory`` and ``search_memory`` of an ``AgentMemory``. A failure is text that the model reads."""

    def __init__(self, memory: AgentMemory, **options: Any) -> None:
        """``options`` are those of a ``FunctionToolset``."""
        super().__init__([memory.save_memory, memory.search_memory], **{"id": "reverie", **options})
