"""The right to be forgotten (row P2): everything about or from a user goes, in one transaction, with a receipt.

A memory that others are behind as well keeps what they said: the sentences with words only the user brought go, and
its past versions go. Whoever dreams for one of the agents concerned loses its lease, so that a purge during a dream
wins; and since the messages are gone, no later dream brings anything back.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain.identity import identity_hash, keyed, summary_of
from service.domain.ids import new_id
from service.domain.principal import Principal
from service.domain.scrub import json_without, telling_words, without
from service.domain.types import MemoryType
from service.embedding.tokens import count_tokens
from service.memory import audit
from service.memory.engine import Engine
from service.store import memories, subjects
from service.store.subjects import Holdings
from service.store.vectors import Embedded

REASON = "a purge"
LONGEST_S = 600.0
Record = dict[str, Any]


async def purge_user(engine: Engine, principal: Principal, user: str) -> Record:
    """Forget a user; the receipt ``{id, counts, at}``, where counts are rows removed by table.

    ``counts.shared_memories`` are those that stay without the user's part. Raises Forbidden for anyone but an admin.
    """
    principal.must_administer()
    now = engine.now()
    workspace = principal.workspace_id
    receipt_id = new_id()
    async with engine.db.transaction(workspace) as connection:
        await connection.allow(LONGEST_S)
        await connection.run("purge_one_at_a_time", workspace=workspace)
        counts = await _Purge(connection, workspace, user, now).run()
        await audit.record(connection, principal, "user.purged", target=str(receipt_id), details=counts)
    return {"receipt": {"id": receipt_id, "counts": counts, "at": now}}


class _Purge:
    """One user's purge, in one transaction."""

    def __init__(self, connection: Connection, workspace: UUID, user: str, now: datetime) -> None:
        self._connection = connection
        self._workspace = workspace
        self._user = user
        self._name = telling_words([user])
        self._now = now

    async def run(self) -> Record:
        """Remove and scrub everything; how many rows of each table went."""
        connection, workspace = self._connection, self._workspace
        held = await self._held()
        kept = await self._shared(held)
        own = sorted(held.own)
        replaced = await subjects.replaced_by(connection, workspace, own)
        quoting = await subjects.replaced_by(connection, workspace, own + kept)
        edges = await subjects.remove_edges(connection, workspace, self._user, own, kept)
        rows = await subjects.remove(connection, workspace, self._user, own, kept, held.message_ids)
        await self._revive(replaced)
        await subjects.unquote(connection, workspace, quoting, REASON)
        around = await subjects.forget_around(
            connection, workspace, self._user, sorted(held.agents), held.session_ids, [*own, *kept, *quoting]
        )
        return rows | edges | around | {"shared_memories": len(kept)}

    async def _held(self) -> Holdings:
        """What is held, with every dream that could still write something of it fenced off."""
        agents = await subjects.agents_of(self._connection, self._workspace, self._user)
        while True:
            await subjects.break_leases(self._connection, self._workspace, agents, self._now)
            held = await subjects.holdings(self._connection, self._workspace, self._user)
            held.agents = agents | await subjects.owners(self._connection, self._workspace, [*held.own, *held.shared])
            if held.agents == agents:
                return held
            agents = held.agents

    async def _shared(self, held: Holdings) -> list[UUID]:
        """Scrub the shared memories; those that stay. One of which nothing is left joins the user's own."""
        kept: list[UUID] = []
        for memory_id in sorted(held.shared):
            theirs, others = held.shared[memory_id]
            if await self._scrub(memory_id, theirs, others):
                kept.append(memory_id)
            else:
                held.own.add(memory_id)
        return kept

    async def _revive(self, replaced: list[UUID]) -> None:
        """Memories of others whose replacement is gone hold again, unless another says the same by now."""
        for memory_id in replaced:
            row = await memories.lock(self._connection, self._workspace, memory_id)
            assert row is not None
            twin = await memories.find_twin(self._connection, self._workspace, _item(row))
            await self._connection.run(
                "revive_memory", workspace=self._workspace, id=memory_id, twin=twin, now=self._now, reason=REASON
            )
            await memories.reindex(self._connection, self._workspace, memory_id)

    async def _scrub(self, memory_id: UUID, theirs: set[UUID], others: set[UUID]) -> bool:
        row = await memories.lock(self._connection, self._workspace, memory_id)
        if row is None:
            return False
        brought = telling_words(await subjects.texts(self._connection, self._workspace, theirs))
        said = telling_words(await subjects.texts(self._connection, self._workspace, others))
        gone = (brought - said) | self._name
        content = without(row["content"], gone)
        if not content:
            return False
        item = _item(row) | {
            "content": content,
            "summary": without(row["summary"], gone) or summary_of(content),
            "key": json_without(row["key"], gone) if row["key"] else None,
            "tags": json_without(list(row["tags"]), gone),
            "metadata": json_without(row["metadata"], gone),
            "source": json_without(row["source"], gone),
            "tokens": count_tokens(content),
        }
        item["identity_hash"] = identity_hash(
            MemoryType(row["type"]),
            content,
            user=row["user_name"],
            key=keyed(row["agent_id"], item["key"]),
            occurred_at=row["occurred_at"],
        )
        if row["deleted_at"] is None and row["superseded_by"] is None:
            twin = await memories.find_twin(self._connection, self._workspace, item)
            if twin not in (None, memory_id):
                return False
        pending = Embedded(None, [None]) if content != row["content"] else None
        await memories.rewrite(
            self._connection, self._workspace, memory_id, item, pending,
            actor="purge", reason=REASON, now=self._now, archived=False,
        )  # fmt: skip
        return True


def _item(row: Any) -> Record:
    """The columns of a locked memory as statements take them."""
    return dict(row) | {"identity_hash": row["identity_hash"].hex(), "lexemes": None}
