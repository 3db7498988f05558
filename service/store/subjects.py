"""What is held about one user, found and removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.guards import normalize
from service.domain.json import JsonObject, JsonValue
from service.domain.redact_sentences import content_words
from service.store import insights

WHY = ("user", "owner", "person", "hearsay", "source", "metadata", "session", "derived", "shared", "insight")
"""Why a memory goes with a user, in the order in which they count: it is about the user, the user's alone,
about the person of that name, or the user's word on somebody else; its source, its metadata or its session refers to
the user; it was derived from such memories and the user's messages alone; others were behind it as well, and nothing of
theirs is left; or it was concluded from one of all these."""


@dataclass(frozen=True, slots=True)
class SubjectMessage:
    """A message of a user, as an export shows it."""

    id: UUID
    session_id: UUID
    seq: int
    role: str
    content: JsonValue
    name: str | None
    tool_call_id: str | None
    tokens: int
    created_at: datetime


@dataclass(slots=True)
class SubjectData:
    """What is held about a user.

    ``own``: memories that go with the user, and why each does, the first of ``WHY``. ``shared``: memories that others
    are behind as well; for each, its origins (messages and replaced memories) that are the user's, and those that are
    not. ``agents``: whose they are. ``proposals``: those about the user, of the user's word, made of one of the user's
    messages, or naming the user; the agent of each.
    """

    messages: list[SubjectMessage]
    own: dict[UUID, str]
    shared: dict[UUID, tuple[set[UUID], set[UUID]]] = field(default_factory=dict)
    agents: set[UUID] = field(default_factory=set)
    proposals: dict[UUID, UUID] = field(default_factory=dict)

    @property
    def message_ids(self) -> list[UUID]:
        return [one.id for one in self.messages]

    @property
    def session_ids(self) -> list[UUID]:
        return list({one.session_id for one in self.messages})


_DISOWN = (
    "disown_documents", "disown_messages", "disown_terms", "disown_index", "drop_same_proposals", "disown_proposals",
    "disown_entities", "disown_dreams", "disown_events", "disown_deletions",
)  # fmt: skip

CONTENT_TABLES = (
    "memories", "memory_versions", "messages", "sessions", "search_index", "documents", "chunks", "entities",
    "entity_aliases", "entity_merges", "bulletins", "dreams", "dream_changes", "dream_steps", "proposals", "audit_log",
    "events", "pages", "page_versions", "model_calls", "saved_searches",
)  # fmt: skip
"""Tables a purge takes rows from, or words out of, whose columns Postgres keeps samples of."""


@dataclass(frozen=True, slots=True)
class CalledBy:
    """``names``: what a user is called, in its own ``users`` forms and as the person who goes by one of them.
    ``nicknames``: what nobody else is called of these."""

    users: list[str]
    names: frozenset[str]
    nicknames: frozenset[str]


async def called_by(connection: Connection, workspaces: Sequence[UUID], users: list[str]) -> CalledBy:
    """Return what a user is called in any of these workspaces. Leaves the connection in the last of them."""
    called = set(users)
    nicknames: set[str] = set()
    for workspace in workspaces:
        await connection.switch_workspace(workspace)
        rows = await connection.fetch("remaining_aliases", workspace=workspace, aliases=_aliases(users))
        called.update(row["alias"] for row in rows)
        rows = await connection.fetch("subject_aliases", workspace=workspace, aliases=_aliases(users))
        nicknames.update(row["alias"] for row in rows)
    return CalledBy(users, frozenset(called), frozenset(nicknames))


async def find_subject_data(connection: Connection, workspace: UUID, called: CalledBy) -> SubjectData:
    """Everything about the user, and everything derived from it, however far."""
    users = called.users
    messages = await connection.many(SubjectMessage, "subject_messages", workspace=workspace, users=users)
    aliases = _aliases(users)
    rows = await connection.fetch(
        "subject_memories",
        workspace=workspace,
        users=users,
        aliases=aliases,
        nicknames=sorted(called.nicknames),
        messages=[one.id for one in messages],
    )
    rows = sorted(rows, key=lambda row: WHY.index(row["why"]), reverse=True)
    own = {row["id"]: row["why"] for row in rows if not row["former"]}
    mentioning = await connection.fetch("mentioning_memories", workspace=workspace, aliases=aliases)
    held = SubjectData(messages, own)
    said = set(held.message_ids)
    while True:
        from_rows = await connection.fetch(
            "origins",
            workspace=workspace,
            messages=list(said),
            message_texts=[str(id_) for id_ in said],
            memories=list(held.own),
        )
        origins: dict[UUID, set[UUID]] = {}
        for row in from_rows:
            origins.setdefault(row["memory_id"], set()).add(row["origin"])
        theirs = said | held.own.keys()
        derived = {memory for memory, from_ in origins.items() if from_ <= theirs} - held.own.keys()
        if not derived:
            break
        held.own |= dict.fromkeys(derived, "derived")
    held.shared = {memory: (from_ & theirs, from_ - theirs) for memory, from_ in origins.items()}
    held.shared |= {row["id"]: (set(), set()) for row in mentioning if row["id"] not in held.shared}
    held.shared |= {row["id"]: (set(), set()) for row in rows if row["former"] and row["id"] not in held.shared}
    concluded = await insights.resting_on(connection, workspace, [*held.own, *held.shared])
    held.own = dict.fromkeys(concluded, "insight") | held.own
    for memory in held.own:
        held.shared.pop(memory, None)
    held.proposals = await _proposals(connection, workspace, called, held.message_ids)
    return held


async def _proposals(
    connection: Connection, workspace: UUID, called: CalledBy, messages: list[UUID]
) -> dict[UUID, UUID]:
    rows = await connection.fetch("subject_proposals", workspace=workspace, users=called.users, messages=messages)
    named = content_words(called.names)
    return {row["id"]: row["agent_id"] for row in rows if row["own"] or content_words([row["content"]]) & named}


def counted_by_why(own: dict[UUID, str]) -> dict[str, int]:
    """Return how many memories go for each reason; reasons without one are left out."""
    found = Counter(own.values())
    return {why: found[why] for why in WHY if found[why]}


async def texts(connection: Connection, workspace: UUID, ids: Iterable[UUID]) -> list[str]:
    """Return what messages and memories say."""
    return [row["content"] for row in await connection.fetch("texts_of", workspace=workspace, ids=list(ids))]


async def superseded_by(connection: Connection, workspace: UUID, memories: list[UUID]) -> list[UUID]:
    """Other memories that one of these has replaced."""
    return [row["id"] for row in await connection.fetch("superseded_by", workspace=workspace, ids=memories)]


async def remove_edges(
    connection: Connection, workspace: UUID, users: list[str], own: list[UUID], kept: list[UUID]
) -> dict[str, int]:
    """Remove the edges of memories, those that ``kept`` ones no longer bear out, and the entities that nothing speaks
    of any more; how many of each."""
    aliases = _aliases(users)
    touched = await connection.fetch("entities_of", workspace=workspace, ids=own + kept, aliases=aliases, users=users)
    edges = await connection.run("purge_edges", workspace=workspace, ids=own)
    edges += await connection.run("purge_dangling_edges", workspace=workspace, ids=kept)
    lonely = await connection.fetch(
        "orphaned_entities", workspace=workspace, ids=[row["id"] for row in touched], aliases=aliases, users=users
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
    connection: Connection,
    workspace: UUID,
    users: list[str],
    memories: list[UUID],
    shared: list[UUID],
    messages: list[UUID],
) -> dict[str, int]:
    """Remove memories, messages and the user's documents with all that hangs on them, and of shared memories their
    past; how many rows."""
    chunks = [row["id"] for row in await connection.fetch("subject_chunks", workspace=workspace, users=users)]
    ids = memories + messages + chunks

    async def run(name: str, **values: object) -> int:
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
        "documents": await run("purge_documents", users=users),
    }


async def strip_quotes(connection: Connection, workspace: UUID, memories: list[UUID], reason: str) -> None:
    """Take out of memories, and of their past, the words of what replaced them."""
    await connection.run("strip_quotes_memories", workspace=workspace, ids=memories, reason=reason)
    await connection.run("strip_quotes_versions", workspace=workspace, ids=memories, reason=reason)


async def purge_related(
    connection: Connection,
    workspace: UUID,
    users: list[str],
    agents: list[UUID],
    sessions: list[UUID],
    message_ids: Sequence[UUID],
) -> dict[str, int]:
    """Remove sessions left empty, what dreams noted about the memories ``message_ids``, and bulletins; erase kept
    answers.

    The checkpoints of the agents' dreams go as well: they hold what a language model made of the user's messages. So do
    all kept calls of models: a prompt quotes many people's words, and may quote this user's without the name.
    """
    run = connection.run
    counts = {
        "sessions": await run("purge_sessions", workspace=workspace, users=users, ids=sessions),
        "dream_changes": await run("purge_changes", workspace=workspace, agents=agents, ids=message_ids),
        "bulletins": await run("purge_bulletins", workspace=workspace, agents=agents),
        "dream_steps": await run("purge_steps", workspace=workspace, agents=agents),
        "model_calls": await run("purge_model_calls", workspace=workspace),
    }
    await run("anonymize_sessions", workspace=workspace, users=users)
    await run("purge_dream_errors", workspace=workspace, agents=agents)
    await run("erase_responses", workspace=workspace)
    await run("anonymize_audit", workspace=workspace, users=users)
    return counts


async def disown(connection: Connection, workspace: UUID, users: list[str], now: datetime) -> None:
    """Take the user out of the owners of what is left, and revoke its keys."""
    for name in _DISOWN:
        await connection.run(name, workspace=workspace, users=users)
    await connection.run("revoke_keys_of_user", workspace=workspace, users=users, now=now)


def _aliases(users: list[str]) -> list[str]:
    return [normalize(user) for user in users]


async def export(
    connection: Connection, workspace: UUID, users: list[str], held: SubjectData
) -> dict[str, list[JsonObject]]:
    """Return as JSON the memories that are held, each with its ``memory`` and its ``history``, and everything else
    about the user by what it is."""
    ids = [*held.own, *held.shared]

    async def read(query: str, **values: object) -> list[JsonObject]:
        return [dict(row) for row in await connection.fetch(query, workspace=workspace, **values)]

    return {
        "memories": await read("subject_export_memories", ids=ids),
        "sessions": await read("subject_export_sessions", users=users, ids=held.session_ids),
        "documents": await read("subject_export_documents", users=users),
        "proposals": await read("subject_export_proposals", ids=list(held.proposals)),
        "edges": await read("subject_export_edges", ids=ids),
    }
