"""What is held about one user, found and removed (rows P2, P3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.guards import normalize


@dataclass(slots=True)
class Holdings:
    """What is held about a user.

    ``own``: memories that come from nobody else. ``shared``: memories that others are behind as well; for each, its
    origins (messages and replaced memories) that are the user's, and those that are not. ``agents``: whose they are.
    """

    messages: list[Row]
    own: set[UUID]
    shared: dict[UUID, tuple[set[UUID], set[UUID]]] = field(default_factory=dict)
    agents: set[UUID] = field(default_factory=set)

    @property
    def message_ids(self) -> list[UUID]:
        return [row["id"] for row in self.messages]

    @property
    def session_ids(self) -> list[UUID]:
        return list({row["session_id"] for row in self.messages})


async def agents_of(connection: Connection, workspace: UUID, user: str) -> set[UUID]:
    """The agents that know the user."""
    return {row["agent_id"] for row in await connection.fetch("subject_agents", workspace=workspace, user=user)}


async def holdings(connection: Connection, workspace: UUID, user: str) -> Holdings:
    """Everything about the user, and everything derived from it, however far."""
    messages = await connection.fetch("subject_messages", workspace=workspace, user=user)
    about = await connection.fetch("subject_memories", workspace=workspace, user=user, alias=normalize(user))
    mentioning = await connection.fetch("mentioning_memories", workspace=workspace, alias=normalize(user))
    held = Holdings(messages, {row["id"] for row in about})
    said = set(held.message_ids)
    while True:
        rows = await connection.fetch(
            "origins",
            workspace=workspace,
            messages=list(said),
            message_texts=[str(id_) for id_ in said],
            memories=list(held.own),
        )
        origins: dict[UUID, set[UUID]] = {}
        for row in rows:
            origins.setdefault(row["memory_id"], set()).add(row["origin"])
        theirs = said | held.own
        derived = {memory for memory, from_ in origins.items() if from_ <= theirs} - held.own
        if not derived:
            break
        held.own |= derived
    held.shared = {memory: (from_ & theirs, from_ - theirs) for memory, from_ in origins.items()}
    held.shared |= {row["id"]: (set(), set()) for row in mentioning if row["id"] not in held.shared}
    for memory in held.own:
        held.shared.pop(memory, None)
    return held


async def texts(connection: Connection, workspace: UUID, ids: Iterable[UUID]) -> list[str]:
    """What messages and memories say."""
    return [row["content"] for row in await connection.fetch("texts_of", workspace=workspace, ids=list(ids))]


async def owners(connection: Connection, workspace: UUID, memories: Iterable[UUID]) -> set[UUID]:
    """The agents memories belong to."""
    rows = await connection.fetch("owners_of", workspace=workspace, ids=list(memories))
    return {row["agent_id"] for row in rows}


async def replaced_by(connection: Connection, workspace: UUID, memories: list[UUID]) -> list[UUID]:
    """Other memories that one of these has replaced."""
    return [row["id"] for row in await connection.fetch("replaced_by", workspace=workspace, ids=memories)]


async def break_leases(connection: Connection, workspace: UUID, agents: Iterable[UUID], now: datetime) -> None:
    """Take the agents from whoever dreams for them; they are due again at once."""
    await connection.run("break_leases", workspace=workspace, agents=sorted(agents), now=now)


async def remove_edges(
    connection: Connection, workspace: UUID, user: str, own: list[UUID], kept: list[UUID]
) -> dict[str, int]:
    """Remove the edges of memories, those that ``kept`` ones no longer bear out, and the entities that nothing speaks
    of any more; how many of each."""
    alias = normalize(user)
    touched = await connection.fetch("entities_of", workspace=workspace, ids=own + kept, alias=alias)
    edges = await connection.run("purge_edges", workspace=workspace, ids=own)
    edges += await connection.run("purge_unsaid_edges", workspace=workspace, ids=kept)
    lonely = await connection.fetch(
        "lonely_entities", workspace=workspace, ids=[row["id"] for row in touched], alias=alias
    )
    ids = [row["id"] for row in lonely]
    merges = await connection.run("purge_merges", workspace=workspace, ids=ids)
    return {
        "entity_merges": merges,
        "edges": edges + await connection.run("purge_edges", workspace=workspace, ids=ids),
        "entity_aliases": await connection.run("purge_aliases", workspace=workspace, ids=ids),
        "entities": await connection.run("purge_entities", workspace=workspace, ids=ids),
    }


async def remove(
    connection: Connection, workspace: UUID, user: str, memories: list[UUID], shared: list[UUID], messages: list[UUID]
) -> dict[str, int]:
    """Remove memories, messages and the user's documents with all that hangs on them, and of shared memories their
    past; how many rows."""
    chunks = [row["id"] for row in await connection.fetch("subject_chunks", workspace=workspace, user=user)]
    ids = memories + messages + chunks

    async def run(name: str, **values: Any) -> int:
        return await connection.run(name, workspace=workspace, **values)

    return {
        "memory_versions": await run("purge_versions", ids=memories + shared),
        "memory_sources": await run("purge_sources", memories=memories, messages=messages),
        "window_summaries": await run("purge_summaries", memories=memories + shared, messages=messages),
        "memory_usage": await run("purge_usage", ids=memories),
        "search_terms": await run("purge_terms", ids=ids),
        "search_index": await run("purge_index", ids=ids),
        "memories": await run("purge_memories", ids=memories),
        "messages": await run("purge_messages", ids=messages),
        "chunks": await run("purge_chunks", ids=chunks),
        "documents": await run("purge_documents", user=user),
    }


async def unquote(connection: Connection, workspace: UUID, memories: list[UUID], reason: str) -> None:
    """Take out of memories, and of their past, the words of what replaced them."""
    await connection.run("unquote_memories", workspace=workspace, ids=memories, reason=reason)
    await connection.run("unquote_versions", workspace=workspace, ids=memories, reason=reason)


async def forget_around(
    connection: Connection, workspace: UUID, user: str, agents: list[UUID], sessions: list[UUID], told: Sequence[UUID]
) -> dict[str, int]:
    """Remove sessions left empty, what dreams noted about the memories ``told``, and bulletins; erase kept answers.

    The checkpoints of the agents' dreams go as well: they hold what a language model made of the user's messages.
    """
    run = connection.run
    counts = {
        "sessions": await run("purge_sessions", workspace=workspace, user=user, ids=sessions),
        "dream_changes": await run("purge_changes", workspace=workspace, agents=agents, ids=list(told)),
        "bulletins": await run("purge_bulletins", workspace=workspace, agents=agents),
        "dream_steps": await run("purge_steps", workspace=workspace, agents=agents),
    }
    await run("unname_sessions", workspace=workspace, user=user)
    await run("purge_dream_errors", workspace=workspace, agents=agents)
    await run("erase_answers", workspace=workspace)
    await run("unname_audit", workspace=workspace, user=user)
    return counts
