"""Entities, their merges, and edges of an import."""

from __future__ import annotations

from uuid import UUID

from service.domain.export_edges import EdgeLine, MergeLine
from service.domain.export_lines import EntityLine
from service.domain.guards import normalize
from service.domain.placeholders import holds_bare_placeholder
from service.errors import InvalidImportLine, InvalidInput
from service.memory.saving.entity_metadata import check_metadata
from service.memory.transfer.import_base import ImportTransaction, Lines, Writer, writer_of
from service.store import transfer
from service.store.settings import workspace_settings


async def write_entities(writing: ImportTransaction, lines: Lines[EntityLine]) -> None:
    """Make the entities that are not here; one known here by any of its names is that one.

    One that was merged into another has given its names away, and is known by its id alone. One that an earlier release
    made of masked personal data, which may be anybody's, is passed over. Metadata that is here stays, and what is
    missing of it is added.
    """
    kinds = (await workspace_settings(writing.connection, writing.workspace)).entity_kinds
    for number, line in lines:
        if holds_bare_placeholder(line.name):
            writing.tallies["entity"].skipped += 1
            continue
        try:
            await check_metadata(writing.executor, kinds, line.kind, line.metadata, ())
        except InvalidInput as error:
            raise InvalidImportLine(number, error.loc, error.message) from None
        audience = await writing.audience(number, line.audience, line.agent)
        own = [] if line.merged_into else [normalize(line.name)]
        aliases = list(dict.fromkeys([*own, *line.aliases]))
        known: UUID | None = await writing.connection.value(
            "find_entity_by_alias",
            workspace=writing.workspace, id=line.id, audience=audience, owners=line.owners or [], kind=line.kind,
            aliases=aliases,
        )  # fmt: skip
        if known is None:
            await writing.connection.run(
                "import_entity", workspace=writing.workspace, id=line.id,
                agent_id=await writing.agent(line.agent), audience=audience, owners=line.owners or [],
                name=line.name, kind=line.kind,
                metadata=line.metadata, merged_into=line.merged_into, dream_id=line.dream_id,
                created_at=line.created_at or writing.now,
                updated_at=line.updated_at or writing.now,
            )  # fmt: skip
            writing.tallies["entity"].created += 1
            if line.owners is None:
                writing.unowned_entities.add(line.id)
        else:
            writing.tallies["entity"].unchanged += 1
            if known != line.id:
                writing.same[line.id] = known
            await writing.connection.run(
                "complete_entity", workspace=writing.workspace, id=known, metadata=line.metadata
            )
        await writing.connection.run(
            "add_aliases",
            workspace=writing.workspace, audience=audience, owners=line.owners or [], kind=line.kind,
            entity_id=known or line.id, aliases=aliases,
        )  # fmt: skip


async def write_edges(writing: ImportTransaction, lines: Lines[EdgeLine]) -> None:
    """Write the edges whose ends are here."""
    items = []
    for number, line in lines:
        ends = {name: getattr(line, name) for name in ("source_id", "target_id", "memory_id")}
        items.append(
            line.model_dump()
            | {"audience": await writing.audience(number, line.audience, None)}
            | {name: writing.same.get(end, end) for name, end in ends.items()}
        )
    found, made = await transfer.add_edges(writing.connection, writing.workspace, items, writing.now)
    writing.count("edge", lines, made, found)


async def write_merges(writing: ImportTransaction, lines: Lines[MergeLine]) -> None:
    """Record how entities were merged, but not where either is here under another id: nothing leads back there."""
    known = await transfer.existing(writing.connection, writing.workspace, "merges", [line.id for _, line in lines])
    tally = writing.tallies["merge"]
    for number, line in lines:
        if line.entity_id in writing.same or line.into_id in writing.same:
            into_id = writing.same.get(line.into_id, line.into_id)
            await writing.connection.run(
                "merged_elsewhere", workspace=writing.workspace, id=line.entity_id, into_id=into_id
            )
            tally.skipped += 1
            continue
        twice = [
            edge.model_dump(mode="json")
            | {"workspace_id": writing.workspace, "audience": await writing.audience(number, edge.audience, None)}
            for edge in line.twice
        ]
        moved = line.model_dump(mode="json", include={"aliases", "edges"}) | {"twice": twice}
        made = await transfer.add_merge(
            writing.connection, writing.workspace, id=line.id, entity_id=line.entity_id, into_id=line.into_id,
            moved=moved, actor=line.actor, created_at=line.created_at,
        )  # fmt: skip
        tally.created += made
        tally.unchanged += line.id in known
        tally.skipped += not made and line.id not in known


GRAPH_WRITERS: dict[str, Writer] = {
    "entity": writer_of(EntityLine, write_entities),
    "merge": writer_of(MergeLine, write_merges),
    "edge": writer_of(EdgeLine, write_edges),
}
