"""The metadata, and the columns and keys that tables are made of."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, UUID

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

NOW = text("now()")


def id_column(name: str, *, nullable: bool = False) -> Column[Any]:
    """A UUID."""
    return Column(name, UUID(as_uuid=True), nullable=nullable)


def workspace_column() -> Column[Any]:
    """Whose row it is."""
    return id_column("workspace_id")


def text_column(name: str, *, nullable: bool = False, default: str | None = None) -> Column[Any]:
    """A text."""
    return Column(name, Text, nullable=nullable, server_default=default)


def time_column(name: str, *, nullable: bool = True, default_now: bool = False) -> Column[Any]:
    """A moment, with its zone."""
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=NOW if default_now else None)


def json_column(name: str, *, default: str = "{}", nullable: bool = False) -> Column[Any]:
    """A JSON object, or what ``default`` says."""
    return Column(name, JSONB, nullable=nullable, server_default=None if nullable else default)


def bool_column(name: str, default: str = "false") -> Column[Any]:
    """Yes or no."""
    return Column(name, Boolean, nullable=False, server_default=default)


def int_column(name: str, default: str = "0") -> Column[Any]:
    """A 32-bit integer."""
    return Column(name, Integer, nullable=False, server_default=default)


def bigint_column(name: str, default: str = "0") -> Column[Any]:
    """A 64-bit integer."""
    return Column(name, BigInteger, nullable=False, server_default=default)


def workspace_pk(*columns: str) -> PrimaryKeyConstraint:
    """The primary key: the workspace first."""
    return PrimaryKeyConstraint("workspace_id", *columns)


def references(
    table: str, column: str, *, name: str | None = None, cascade: bool = True, deferred: bool = False
) -> ForeignKeyConstraint:
    """A reference within the workspace."""
    return ForeignKeyConstraint(
        ["workspace_id", column],
        [f"{table}.workspace_id", f"{table}.id"],
        ondelete="CASCADE" if cascade else None,
        name=name,
        deferrable=True if deferred else None,
        initially="DEFERRED" if deferred else None,
    )


def workspace_fk() -> ForeignKeyConstraint:
    """The workspace exists."""
    return ForeignKeyConstraint(["workspace_id"], ["workspaces.workspace_id"])
