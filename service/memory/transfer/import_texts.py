"""Documents, bulletins, pages, saved searches and proposals of an import."""

from __future__ import annotations

from uuid import UUID

from service.domain.export_lines import (
    BulletinLine,
    DocumentLine,
    PageLine,
    PageVersionPart,
    ProposalLine,
    SearchLine,
    SearchResultPart,
)
from service.domain.identity import identity_hash
from service.domain.json import JsonObject
from service.domain.own_types import like
from service.domain.owners import with_owner
from service.domain.pages import PageSentence
from service.domain.proposals import fingerprint
from service.domain.types import MemoryType
from service.memory.saving.documents import parts_of
from service.memory.transfer.import_base import ImportTransaction, Lines, Writer, writer_of
from service.store import documents, transfer
from service.store.documents import NewDocument
from service.store.settings import workspace_settings
from service.store.vectors import EmbeddingBatch


async def write_documents(writing: ImportTransaction, lines: Lines[DocumentLine]) -> None:
    """Make the documents that are not here, cut by the settings of this workspace; the worker embeds their parts."""
    known = await transfer.existing(writing.connection, writing.workspace, "documents", [line.id for _, line in lines])
    bounds = (await workspace_settings(writing.connection, writing.workspace)).documents
    tally = writing.tallies["document"]
    for _, line in lines:
        if line.id in known:
            tally.unchanged += 1
            continue
        known.add(line.id)
        items = await parts_of(writing.executor, line.title, line.text, bounds)
        document = NewDocument(
            id=line.id,
            title=line.title,
            text=line.text,
            user=line.user,
            owners=line.owners if line.owners is not None else with_owner([], line.user),
            metadata=line.metadata,
            created_by=line.created_by or writing.principal.actor,
        )
        await documents.add(
            writing.connection, writing.workspace, document, items, EmbeddingBatch(None, [None] * len(items)),
            agent_id=await writing.agent(line.agent), now=line.created_at or writing.now,
        )  # fmt: skip
        tally.created += 1


async def write_bulletins(writing: ImportTransaction, lines: Lines[BulletinLine]) -> None:
    """Bring versions of bulletins along that are not here. One without owners, from before there were any, tells of
    every user, and is passed over: a dream writes another."""
    items = [
        line.model_dump() | {"agent_id": await writing.agent(line.agent)}
        for _, line in lines
        if line.owners is not None
    ]
    made = await transfer.add_bulletins(writing.connection, writing.workspace, items, writing.now)
    writing.count("bulletin", lines, made, len(items))


async def write_pages(writing: ImportTransaction, lines: Lines[PageLine]) -> None:
    """Bring pages along that are not here, with their versions, which cite memories by the ids that these have here.

    A page without a version that its user may see, from before there were owners, is due."""
    items = []
    for _, line in lines:
        cited = [version | {"sentences": _cited_here(writing, version)} for version in line.versions]
        versions = await _seen(writing, line.scope.user, cited)
        items.append(
            line.model_dump(exclude={"agent", "scope"})
            | {
                "agent_id": await writing.agent(line.agent),
                "owners": line.owners,
                "scope": line.scope.model_dump(mode="json", exclude_none=True),
                "created_by": line.created_by or writing.principal.actor,
                "versions": versions,
                "due_at": line.due_at if len(versions) == len(cited) else writing.now,
            }
        )
    made = await transfer.add_pages(writing.connection, writing.workspace, items, writing.now)
    writing.count("page", lines, made)


async def _seen(writing: ImportTransaction, user: str | None, versions: list[PageVersionPart]) -> list[PageVersionPart]:
    """Return the versions that cite nothing which belongs to others than the page does."""
    cited = [
        {memory["id"] for sentence in version["sentences"] for memory in sentence["memories"]} for version in versions
    ]
    rows = await writing.connection.fetch(
        "owners_of_memories", workspace=writing.workspace, ids=list(set().union(*cited))
    )
    hidden = {row["id"] for row in rows if row["owners"] and user not in row["owners"]}
    return [version for version, ids in zip(versions, cited, strict=True) if not ids & hidden]


def _cited_here(writing: ImportTransaction, version: PageVersionPart) -> list[PageSentence]:
    return [
        {
            "text": sentence["text"],
            "memories": [
                {"id": writing.same.get(memory["id"], memory["id"]), "digest": memory["digest"]}
                for memory in sentence["memories"]
            ],
        }
        for sentence in version["sentences"]
    ]


async def write_searches(writing: ImportTransaction, lines: Lines[SearchLine]) -> None:
    """Bring saved searches along that are not here, with their results and the ids that their memories have here."""
    items = [
        line.model_dump(include={"id", "name", "query", "k", "revision", "created_at", "updated_at"})
        | {
            "agent_id": await writing.agent(line.agent),
            "owners": line.owners,
            "options": line.kept_options(),
            "expected": [writing.same.get(memory, memory) for memory in line.expected],
            "created_by": line.created_by or writing.principal.actor,
            "results": [_counted_here(writing, result) for result in line.results],
        }
        for _, line in lines
    ]
    made = await transfer.add_searches(writing.connection, writing.workspace, items, writing.now)
    writing.count("search", lines, made)


def _counted_here(writing: ImportTransaction, result: SearchResultPart) -> JsonObject:
    def here(memory: UUID | None) -> UUID | None:
        return memory if memory is None else writing.same.get(memory, memory)

    outcomes = [
        one | {"memory_id": here(one["memory_id"]), "counted_as": here(one["counted_as"])} for one in result["outcomes"]
    ]
    overrides = result["overrides"].model_dump(mode="json", exclude_unset=True)
    return result | {"outcomes": outcomes, "overrides": overrides}


async def write_proposals(writing: ImportTransaction, lines: Lines[ProposalLine]) -> None:
    """Bring proposals along that are not here. One with words is known by them, whatever its line says."""
    types = (await workspace_settings(writing.connection, writing.workspace)).memory_types
    marks = await writing.executor.each(
        lambda line: _marks(line, like(types, line.type)), [line for _, line in lines], lambda line: len(line.content)
    )
    items = [
        line.model_dump() | marked | {"agent_id": await writing.agent(line.agent)}
        for (_, line), marked in zip(lines, marks, strict=True)
    ]
    made = await transfer.add_proposals(writing.connection, writing.workspace, items, writing.now)
    writing.count("proposal", lines, made)


def _marks(line: ProposalLine, type_: MemoryType) -> dict[str, str]:
    user, hearsay_by, occurred_at = line.user, line.hearsay_by, line.occurred_at
    owners = line.owners if line.owners is not None else with_owner([], user)
    identity = identity_hash(
        type_, line.content, user=user, key=None, hearsay_by=hearsay_by, occurred_at=occurred_at, owners=owners
    )
    if not line.content:
        return {"identity_hash": identity}
    words = fingerprint(line.content, type_=type_, user=user, hearsay_by=hearsay_by, occurred_at=occurred_at)
    return {"fingerprint": words, "identity_hash": identity}


TEXT_WRITERS: dict[str, Writer] = {
    "document": writer_of(DocumentLine, write_documents),
    "bulletin": writer_of(BulletinLine, write_bulletins),
    "page": writer_of(PageLine, write_pages),
    "search": writer_of(SearchLine, write_searches),
    "proposal": writer_of(ProposalLine, write_proposals),
}
