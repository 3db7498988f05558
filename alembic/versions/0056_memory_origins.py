"""Who said a memory, or by which way it arrived.

Revision ID: 0056
Revises: 0055
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import for_each_workspace

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

FROM_SOURCES = """
UPDATE memories m SET origin = found.origin
FROM (
    SELECT o.memory_id, CASE max(CASE
            WHEN x.role = 'tool' THEN 3
            WHEN x.role = 'user' AND x.name <> coalesce(x.user_name, s.user_name) THEN 2
            WHEN x.role = 'assistant' THEN 1
            ELSE 0 END)
        WHEN 3 THEN 'tool' WHEN 2 THEN 'other_user' WHEN 1 THEN 'assistant' ELSE 'own_user' END AS origin
    FROM memory_sources o
    JOIN messages x ON x.workspace_id = one AND x.id = o.message_id
    JOIN sessions s ON s.workspace_id = one AND s.id = x.session_id
    WHERE o.workspace_id = one
    GROUP BY o.memory_id
) found
WHERE m.workspace_id = one AND m.id = found.memory_id AND m.source ->> 'kind' IN ('dream', 'window', 'summary')
"""
FROM_HEARSAY = """
UPDATE memories
SET origin = CASE WHEN hearsay_by IN ('tool', 'assistant') THEN hearsay_by ELSE 'other_user' END
WHERE workspace_id = one AND hearsay_by IS NOT NULL AND origin IN ('api', 'own_user')
"""
FROM_IMPORTS = """
UPDATE memories m SET origin = 'imported'
WHERE m.workspace_id = one AND m.origin = 'api' AND (m.change_reason = 'imported' OR EXISTS (
    SELECT 1 FROM memory_versions v
    WHERE v.workspace_id = one AND v.memory_id = m.id AND v.change_reason = 'imported'))
"""
FROM_EVIDENCE = """
UPDATE memories m SET origin = found.origin
FROM (
    SELECT i.id, (ARRAY['own_user', 'api', 'assistant', 'other_user', 'imported', 'document', 'tool'])[max(
        array_position(ARRAY['own_user', 'api', 'assistant', 'other_user', 'imported', 'document', 'tool'], x.origin)
    )] AS origin
    FROM memories i
    CROSS JOIN LATERAL jsonb_to_recordset(i.source -> 'evidence') AS e(id uuid)
    JOIN memories x ON x.workspace_id = one AND x.id = e.id
    WHERE i.workspace_id = one AND i.type = 'insight' AND jsonb_typeof(i.source -> 'evidence') = 'array'
    GROUP BY i.id
) found
WHERE m.workspace_id = one AND m.id = found.id
"""


def upgrade() -> None:
    op.add_column("memories", sa.Column("origin", sa.Text(), server_default="api", nullable=False))
    for statement in (FROM_SOURCES, FROM_HEARSAY, FROM_IMPORTS, FROM_EVIDENCE):
        for_each_workspace(statement)


def downgrade() -> None:
    """Settings lose what an earlier release refuses."""
    for_each_workspace("UPDATE settings SET value = value - 'origins' WHERE workspace_id = one")
    for_each_workspace("UPDATE agents SET settings = settings - 'origins' WHERE workspace_id = one")
    op.drop_column("memories", "origin")
