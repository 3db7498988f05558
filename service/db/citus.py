"""How migrations make tables in a database that ``sql/citus.sql`` has spread over a cluster."""

from __future__ import annotations

from typing import Any

from alembic.ddl.postgresql import PostgresqlImpl
from sqlalchemy import Table, text

from service.db.migrate import IS_CITUS

_IS_DISTRIBUTED = "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('agents'))"


class CitusPostgresqlImpl(PostgresqlImpl):
    """Takes the place of Alembic's own for Postgres by being defined, and does the same on any other Postgres.

    A tenant table is spread before it gets its foreign keys: Citus refuses them between a table that is spread and one
    that is not.
    """

    __dialect__ = "postgresql"

    def create_table(self, table: Table, **options: Any) -> None:
        """Make the table, its indexes and its foreign keys."""
        if "workspace_id" not in table.columns or not self._is_distributed():
            super().create_table(table, **options)
            return
        super().create_table(table, include_foreign_key_constraints=(), **options)
        self._exec(text(f"SELECT create_distributed_table('{table.name}', 'workspace_id', colocate_with => 'agents')"))
        for foreign_key in table.foreign_key_constraints:
            self.add_constraint(foreign_key)

    def _is_distributed(self) -> bool:
        assert self.connection is not None
        return bool(self.connection.scalar(text(IS_CITUS)) and self.connection.scalar(text(_IS_DISTRIBUTED)))
