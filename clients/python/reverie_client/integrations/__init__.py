"""Reverie as the memory of agents written in other frameworks; each module needs the extra of its name.

``AgentMemory`` is what all of them take: whose memory it is. It needs none of them.
"""

from reverie_client.integrations.agent_memory import AgentMemory

__all__ = ["AgentMemory"]
