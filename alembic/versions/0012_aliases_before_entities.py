"""A name may be taken before its entity is written, in one transaction: whoever takes the name first makes the entity.

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

NAME = "fk_entity_aliases_entities_workspace_id_entity_id"


def upgrade() -> None:
    _replace(deferred=True)


def downgrade() -> None:
    _replace(deferred=False)


def _replace(*, deferred: bool) -> None:
    op.drop_constraint(op.f(NAME), "entity_aliases", type_="foreignkey")
    op.create_foreign_key(
        op.f(NAME),
        "entity_aliases",
        "entities",
        ["workspace_id", "entity_id"],
        ["workspace_id", "id"],
        ondelete="CASCADE",
        deferrable=deferred or None,
        initially="DEFERRED" if deferred else None,
    )
