"""Components of a memory for Haystack's pipelines: one finds, one writes."""

from __future__ import annotations

from reverie_client.extras import extra
from reverie_client.integrations.agent_memory import AgentMemory, turn
from reverie_client.models import Role, SearchResult

with extra("haystack"):
    from haystack import Document, component
    from haystack.dataclasses import ChatMessage

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


@component
class ReverieRetriever:
    """The memories and turns that a query finds, as documents; none where the server fails, which is logged."""

    def __init__(self, memory: AgentMemory, top_k: int = 10) -> None:
        self._memory = memory
        self._top_k = top_k

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Find documents, best first."""
        found = self._memory.find(query, top_k or self._top_k)
        return {"documents": [_document(result) for result in found if result.text]}


@component
class ReverieWriter:
    """Appends messages to the conversation."""

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    @component.output_types(written=bool)
    def run(self, messages: list[ChatMessage]) -> dict[str, bool]:
        """Return whether the server has the messages for good."""
        turns = [turn(ROLES[one.role.value], one.text) for one in messages if one.role.value in ROLES and one.text]
        return {"written": self._memory.remember(turns)}


def _document(result: SearchResult) -> Document:
    found = result.memory or result.message
    assert found is not None
    return Document(id=str(found.id), content=result.text, score=result.score, meta={"kind": result.kind})
