"""Metadata of entities: masked, merged one level deep, and held to the schema of their kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.concurrency.executor import NOT_KNOWN, FairExecutor
from service.db.pool import Connection
from service.domain.drafts import EntityRef, MemoryDraft
from service.domain.json import JsonObject
from service.domain.json_schema import Checked
from service.domain.own_types import EntityKind, Misfit, check_entity
from service.domain.principal import Principal
from service.errors import InvalidInput, Loc
from service.memory.access.redaction import FieldValue, masking_of, redact
from service.runtime import Runtime
from service.store import entities


@dataclass(frozen=True, slots=True)
class Described:
    """Metadata given for an entity, and where in the request."""

    entity_id: UUID
    metadata: JsonObject
    loc: Loc


async def redact_entities(
    runtime: Runtime, principal: Principal, given: Sequence[tuple[Loc, EntityRef]]
) -> list[EntityRef]:
    """Mask personal data in the metadata of entities. Raises InvalidInput where the workspace refuses it."""
    written: list[FieldValue] = [((*loc, "metadata"), entity.metadata) for loc, entity in given]
    masked = await redact(runtime, await masking_of(runtime, principal), written)
    return [
        entity.model_copy(update={"metadata": metadata}) for (_, entity), metadata in zip(given, masked, strict=True)
    ]


async def redact_links(
    runtime: Runtime, principal: Principal, drafts: Sequence[MemoryDraft], locs: Sequence[Loc]
) -> list[MemoryDraft]:
    """Mask personal data in the metadata of the entities that drafts link to."""
    given = [
        (position, place, link.entity)
        for position, draft in enumerate(drafts)
        for place, link in enumerate(draft.links)
        if link.entity is not None and link.entity.metadata
    ]
    if not given:
        return list(drafts)
    masked = await redact_entities(
        runtime, principal, [((*locs[n], "links", place, "entity"), entity) for n, place, entity in given]
    )
    changed: dict[int, dict[int, EntityRef]] = defaultdict(dict)
    for (position, place, _), entity in zip(given, masked, strict=True):
        changed[position][place] = entity
    return [
        draft.model_copy(
            update={
                "links": [
                    link.model_copy(update={"entity": changed[n][place]}) if place in changed[n] else link
                    for place, link in enumerate(draft.links)
                ]
            }
        )
        if n in changed
        else draft
        for n, draft in enumerate(drafts)
    ]


async def check_metadata(
    executor: FairExecutor,
    kinds: Mapping[str, EntityKind],
    kind: str,
    metadata: JsonObject,
    loc: Loc,
    checked: Checked | None = None,
) -> None:
    """Raise InvalidInput, below ``loc``, for metadata that does not fit the schema of a kind."""
    if kind not in kinds or kinds[kind].metadata_schema is None or not metadata:
        return
    try:
        await executor.run(check_entity, kinds, kind, metadata, checked, characters=NOT_KNOWN)
    except Misfit as error:
        raise InvalidInput((*loc, *error.loc), str(error)) from None


async def describe(
    connection: Connection,
    workspace: UUID,
    executor: FairExecutor,
    kinds: Mapping[str, EntityKind],
    given: Sequence[Described],
    now: datetime,
) -> None:
    """Merge metadata into that of entities, in the order in which it was given. Entities are locked in the order of
    their ids (lock ordering against deadlock).

    Raises InvalidInput, naming the metadata, where what comes of it does not fit the schema of the entity's kind.
    """
    by_entity: dict[UUID, list[Described]] = defaultdict(list)
    for one in given:
        if one.metadata:
            by_entity[one.entity_id].append(one)
    checked = Checked()
    for entity in await entities.lock_all(connection, workspace, list(by_entity)):
        metadata = entity.metadata
        for one in by_entity[entity.id]:
            metadata = metadata | one.metadata
            await check_metadata(executor, kinds, entity.kind, metadata, one.loc, checked)
        if metadata != entity.metadata:
            await entities.set_metadata(connection, workspace, entity.id, metadata, now)
