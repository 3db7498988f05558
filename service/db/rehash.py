"""Compute identity hashes anew where rows have got owners, by which memories are told apart as well."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from service.domain.identity import identity_hash, scoped_key
from service.domain.own_types import like

if TYPE_CHECKING:
    import asyncpg

BATCH = 2_000

_OWNED = {
    "memories": """
        SELECT workspace_id, id, coalesce(like_type, type) AS type, content, user_name, agent_id, key, occurred_at,
            hearsay_by, owners, identity_hash
        FROM memories
        WHERE owners <> '{}' AND (workspace_id, id) > ($1, $2) ORDER BY workspace_id, id LIMIT $3
    """,
    "proposals": """
        SELECT p.workspace_id, p.id, coalesce(s.value -> 'memory_types' -> p.type ->> 'like', p.type) AS type,
            p.content, p.user_name, p.agent_id, NULL AS key, p.occurred_at, p.hearsay_by, p.owners, p.identity_hash
        FROM proposals p LEFT JOIN settings s ON s.workspace_id = p.workspace_id
        WHERE p.owners <> '{}' AND (p.workspace_id, p.id) > ($1, $2) ORDER BY p.workspace_id, p.id LIMIT $3
    """,
}
_ENDED = """
UPDATE memories m SET identity_hash = h.hash FROM hashes h
WHERE h.kind = 'memories' AND m.workspace_id = h.workspace_id AND m.id = h.id;
UPDATE proposals p SET identity_hash = h.hash FROM hashes h
WHERE h.kind = 'proposals' AND p.workspace_id = h.workspace_id AND p.id = h.id;
UPDATE memories i SET source = jsonb_set(i.source, '{evidence}', n.evidence)
FROM (
    SELECT e.workspace_id, e.id, jsonb_agg(CASE
        WHEN h.id IS NULL THEN e.part ELSE e.part || jsonb_build_object('says', encode(h.hash, 'hex')) END ORDER BY e.at
    ) AS evidence
    FROM (
        SELECT m.workspace_id, m.id, p.part, p.at
        FROM memories m CROSS JOIN LATERAL jsonb_array_elements(m.source -> 'evidence') WITH ORDINALITY AS p(part, at)
        WHERE m.type = 'insight'
    ) e
    LEFT JOIN hashes h ON h.kind = 'memories' AND h.workspace_id = e.workspace_id AND h.id::text = e.part ->> 'id'
        AND encode(h.former, 'hex') = e.part ->> 'says'
    GROUP BY e.workspace_id, e.id
) n
WHERE n.workspace_id = i.workspace_id AND n.id = i.id
"""


async def rehash_owned(connection: asyncpg.Connection) -> None:
    """Compute the hashes of memories and proposals that have owners, and what insights note of those of their evidence.

    Runs in the transaction of the caller, who may see all rows.
    """
    await connection.execute(
        "CREATE TEMP TABLE hashes (workspace_id uuid, id uuid, kind text, former bytea, hash bytea) ON COMMIT DROP"
    )
    for kind, owned in _OWNED.items():
        last = UUID(int=0), UUID(int=0)
        while rows := await connection.fetch(owned, *last, BATCH):
            hashed = [
                (row["workspace_id"], row["id"], kind, row["identity_hash"], bytes.fromhex(_hash(row))) for row in rows
            ]
            await connection.copy_records_to_table("hashes", records=hashed)
            last = hashed[-1][:2]
    await connection.execute(f"ANALYZE hashes; {_ENDED}")


def _hash(row: asyncpg.Record) -> str:
    return identity_hash(
        like({}, row["type"]), row["content"], user=row["user_name"], key=scoped_key(row["agent_id"], row["key"]),
        occurred_at=row["occurred_at"], hearsay_by=row["hearsay_by"], owners=row["owners"],
    )  # fmt: skip
