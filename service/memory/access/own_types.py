"""Memory types and schemas of a workspace's own, where its settings change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from service.db.pool import Connection
from service.domain.json_schema import check_schema
from service.domain.own_types import SCHEMA_BYTES_MAX, MetadataSchema, Misfit, OwnType, check_filter
from service.domain.profile_schema import check_profile_schema
from service.domain.workspace import Masking, WorkspaceSettings
from service.errors import InvalidInput
from service.memory.access.redaction import FieldValue, redact
from service.memory.engine import Engine
from service.store import memories

OWN_NAMES = frozenset({"memory_types", "entity_kinds"})
REDACTED = frozenset({"description", "metadata_schema"})


async def check_own_types(
    connection: Connection, workspace: UUID, present: WorkspaceSettings, wanted: WorkspaceSettings
) -> None:
    """Raise InvalidInput for a schema that is none, for a type in use that would go or behave otherwise, and for a type
    that dreams would keep and that is not there."""
    for name, own in wanted.memory_types.items():
        if own != present.memory_types.get(name):
            _check_schema("memory_types", name, own.metadata_schema)
    for name, kind in wanted.entity_kinds.items():
        if kind != present.entity_kinds.get(name):
            _check_schema("entity_kinds", name, kind.metadata_schema)
    ended = [name for name, own in present.memory_types.items() if _ends(own, wanted.memory_types.get(name))]
    used = await memories.types_in_use(connection, workspace, ended) if ended else []
    if used:
        raise InvalidInput(
            ("body", "memory_types", used[0]),
            "is the type of memories here, so it can neither be left out nor be like another type",
        )
    check_filters(wanted.memory_types, ("body", "dream", "types"), wanted.dream.types)
    check_filters(wanted.memory_types, ("body", "dream", "ignore_types"), wanted.dream.ignore_types)


def check_profile(present: WorkspaceSettings, wanted: WorkspaceSettings) -> None:
    """Raise InvalidInput for a schema that profiles cannot have."""
    if wanted.profile_schema is not None and wanted.profile_schema != present.profile_schema:
        try:
            check_profile_schema(wanted.profile_schema)
        except ValueError as error:
            raise InvalidInput(("body", "profile_schema"), str(error)) from None


async def redact_own_types(engine: Engine, pii: Masking, changes: WorkspaceSettings) -> WorkspaceSettings:
    """The changes with personal data masked in what types and kinds mean, and in schemas; what they leave unset stays
    so."""
    if changes.profile_schema is not None:
        (masked_schema,) = await redact(engine, pii, [(("body", "profile_schema"), changes.profile_schema)])
        changes = changes.model_copy(update={"profile_schema": masked_schema})
    written: list[FieldValue] = []
    for setting in OWN_NAMES & changes.model_fields_set:
        for name, own in getattr(changes, setting).items():
            written += [(("body", setting, name, field), value) for field, value in own if field in REDACTED]
    masked = await redact(engine, pii, written)
    updates = {setting: dict(getattr(changes, setting)) for setting in OWN_NAMES & changes.model_fields_set}
    for (loc, before), after in zip(written, masked, strict=True):
        if after != before:
            _, setting, name, field = map(str, loc)
            updates[setting][name] = updates[setting][name].model_copy(update={field: after})
    return changes.model_copy(update=updates) if updates else changes


def check_filters(types: Mapping[str, OwnType], loc: tuple[str, ...], named: Iterable[str] | None) -> None:
    """Raise InvalidInput, at ``loc``, for a type to filter by that is not there."""
    try:
        check_filter(types, named)
    except Misfit as error:
        raise InvalidInput(loc, str(error)) from None


def _check_schema(setting: str, name: str, schema: MetadataSchema) -> None:
    try:
        if schema is not None:
            check_schema(schema, bytes_max=SCHEMA_BYTES_MAX)
    except ValueError as error:
        raise InvalidInput(("body", setting, name, "metadata_schema"), str(error)) from None


def _ends(own: OwnType, wanted: OwnType | None) -> bool:
    return wanted is None or wanted.like != own.like
