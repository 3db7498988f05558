"""Entities, edges and bulletins of an import."""

from __future__ import annotations

from service.domain.guards import normalize
from service.memory.transfer.writing import Lines, Writer, Writing
from service.store import transfer


async def write_entities(writing: Writing, lines: Lines) -> None:
    """Make the entities that are not here; one known here by any of its names is that one."""
    for number, line in lines:
        audience = await writing.audience(number, line.audience, line.agent)
        aliases = list(dict.fromkeys([normalize(line.name), *line.aliases]))
        known = await transfer.entity_known_as(
            writing.connection, writing.workspace, line.id, audience, line.kind, aliases
        )
        if known is None:
            await writing.connection.run(
                "import_entity", workspace=writing.workspace, id=line.id,
                agent_id=await writing.places.agent(line.agent), audience=audience, name=line.name, kind=line.kind,
                dream_id=line.dream_id, created_at=line.created_at or writing.now,
                updated_at=line.updated_at or writing.now,
            )  # fmt: skip
            writing.tallies["entity"].created += 1
        else:
            writing.tallies["entity"].unchanged += 1
            if known != line.id:
                writing.same[line.id] = known
        await writing.connection.run(
            "add_aliases", workspace=writing.workspace, audience=audience, kind=line.kind, entity_id=known or line.id,
            aliases=aliases,
        )  # fmt: skip


async def write_edges(writing: Writing, lines: Lines) -> None:
    """Write the edges whose ends are here."""
    items = []
    for number, line in lines:
        ends = {name: getattr(line, name) for name in ("source_id", "target_id", "memory_id")}
        items.append(
            line.model_dump()
            | {"audience": await writing.audience(number, line.audience, None)}
            | {name: writing.same.get(end, end) for name, end in ends.items()}
        )
    row = await writing.connection.row("import_edges", workspace=writing.workspace, items=items, now=writing.now)
    assert row is not None
    tally = writing.tallies["edge"]
    tally.created += row["made"]
    tally.unchanged += row["found"] - row["made"]
    tally.skipped += len(lines) - row["found"]


async def write_bulletins(writing: Writing, lines: Lines) -> None:
    """Bring versions of bulletins along that are not here."""
    items = [line.model_dump() | {"agent_id": await writing.places.agent(line.agent)} for _, line in lines]
    rows = await writing.connection.fetch("import_bulletins", workspace=writing.workspace, items=items, now=writing.now)
    writing.tallies["bulletin"].created += len(rows)
    writing.tallies["bulletin"].unchanged += len(lines) - len(rows)


GRAPH_WRITERS: dict[str, Writer] = {"entity": write_entities, "edge": write_edges, "bulletin": write_bulletins}
