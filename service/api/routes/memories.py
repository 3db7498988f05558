"""Memories: save, read, change, search; documents, which are searched with memories (``include: ["documents"]``)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query
from pydantic import Field, model_validator

from service.api.dependencies import (
    TOKEN_MAX,
    AboutQuery,
    AgentQuery,
    Call,
    Items,
    JsonResponse,
    Page,
    Paging,
    WhereText,
    items_response,
    json_response,
    page_response,
    stored_response,
)
from service.api.errors import NOTHING_STORED
from service.api.routing import api_router
from service.domain.documents import Document, DocumentDraft, DocumentHead
from service.domain.drafts import MemoryDraft, MemoryPatch, Tags
from service.domain.field_types import AsGiven, Name, Tag, Text, Timestamp
from service.domain.memory import Memory, MemoryPage, MemorySource, MemoryStats, MemoryVersion, SavedMemory
from service.domain.own_types import TYPES_MAX, TypeName
from service.domain.principal import CachedCredential, Principal
from service.domain.search import PreviewRequest, SearchRequest
from service.domain.strict import StrictModel
from service.domain.types import Scope
from service.domain.where import WhereObject, parse_where, parse_where_text
from service.errors import InvalidInput
from service.memory.saving import bulk, delete_by_filter, documents, lifecycle
from service.memory.saving.bulk import BULK_MAX, BulkAction
from service.memory.saving.lifecycle import ListFilter
from service.memory.saving.remember import remember, remember_one
from service.memory.search.explain import PreviewAnswer, explained_search
from service.memory.search.recall import recall
from service.memory.search_results import SearchAnswer
from service.runtime import Runtime


class Batch(StrictModel):
    """Up to 1,000 memories, saved all or none."""

    items: Annotated[list[MemoryDraft], Field(min_length=1, max_length=1000)] = Field(
        description="Memories to save, 1 to 1,000."
    )


class Feedback(StrictModel):
    """Rating of a memory."""

    useful: bool = Field(description="Usefulness of the memory: true raises its importance by 0.1, false lowers it.")


class MemoryFilter(StrictModel):
    """Which memories to change; at least one field must be given. All given fields must hold.

    A request for a user changes what belongs to that user alone.
    """

    agent: Name | None = Field(None, description="Author of the memories. Default: all, with an admin key.")
    types: list[TypeName] | None = Field(None, min_length=1, max_length=TYPES_MAX, description="Types of the memories.")
    scopes: list[Scope] | None = Field(None, min_length=1, max_length=len(Scope), description="Scopes of the memories.")
    session: Name | None = Field(None, description="Session of the memories.")
    about: Name | None = Field(None, description="User described by the memories.")
    tag: Tag | None = Field(None, description="Tag of the memories.")
    key: Name | None = Field(None, description="Upsert key of the memories.")
    source: Annotated[Name, AsGiven()] | None = Field(None, description="Value of `kind` in `source`.")
    q: Text | None = Field(None, min_length=1, max_length=1000, description="Part of the content.")
    since: Timestamp | None = Field(None, description="Earliest time of occurrence (or creation), inclusive.")
    until: Timestamp | None = Field(None, description="Latest time of occurrence (or creation), exclusive.")
    created_since: Timestamp | None = Field(None, description="Earliest creation time, inclusive.")
    created_until: Timestamp | None = Field(None, description="Latest creation time, exclusive.")
    where: WhereObject = None

    @model_validator(mode="after")
    def _not_empty(self) -> MemoryFilter:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError("must name at least one field: an empty filter would match everything")
        return self

    def listed(self) -> ListFilter:
        """The filter of a list of the same memories, superseded and expired ones included."""
        return ListFilter(
            types=self.types, scopes=[scope.value for scope in self.scopes] if self.scopes else None,
            session=self.session, user=self.about, tag=self.tag, key=self.key, source=self.source, text=self.q,
            since=self.since, until=self.until, created_since=self.created_since, created_until=self.created_until,
            with_superseded=True, with_expired=True, where=parse_where(self.where, ("body", "filter", "where")),
        )  # fmt: skip


class DeleteMemories(StrictModel):
    """Memories to count, or to delete."""

    filter: MemoryFilter = Field(description="Which memories to delete, 1,000 at most.")
    dry_run: bool = Field(False, description="Count what would be deleted, and answer a token. Default false.")
    token: Text | None = Field(
        None, max_length=TOKEN_MAX, description="Token of a dry run of the last 10 minutes; required to delete."
    )


class BulkChange(StrictModel):
    """One action on several memories."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=BULK_MAX)] | None = Field(
        None, description="Ids of the memories, 1 to 500; required without `filter`."
    )
    filter: MemoryFilter | None = Field(
        None,
        description="Filter of the memories instead of `ids`, 500 at most: of deleted ones for `restore`. Not for "
        "`delete`: `POST /v1/memories/delete` counts first.",
    )
    action: BulkAction = Field(
        description="Action: `delete`, `restore`, `pin` (exempt from decay), `unpin`, `add_tags` or `remove_tags`."
    )
    tags: Tags = Field([], description="Tags to add or remove, at most 50; required for these actions. Default empty.")

    @model_validator(mode="after")
    def _one_choice(self) -> BulkChange:
        if (self.ids is None) == (self.filter is None):
            raise ValueError("must have either ids or filter")
        return self


MemoryId = Annotated[UUID, Path(description="Id of the memory.")]
SourceKind = Annotated[Name, AsGiven()]

router = api_router(prefix="/v1/memories", tags=["memories"])


@router.post(
    "",
    status_code=201,
    responses={200: {"model": SavedMemory}},
    summary="Save a memory",
)
async def save_memory(call: Call, draft: MemoryDraft) -> JsonResponse[SavedMemory]:
    """Answers 201 for a new memory, and 200 when a stored one was reinforced (identical) or updated (same key)."""
    return await save_as(*call, draft)


@router.post("/batch", status_code=201, summary="Save a batch of memories")
async def save_memories(call: Call, batch: Batch) -> JsonResponse[Items[SavedMemory]]:
    """Up to 1,000 memories in one transaction: all or none."""
    return items_response(await remember(*call, batch.items), 201)


TypesQuery = Annotated[
    list[TypeName] | None, Query(max_length=TYPES_MAX, description="Memory types to filter by. Default: all.")
]
TextQuery = Annotated[Text | None, Query(max_length=1000, description="Part of the content, at most 1,000 characters.")]
IncludeQuery = Annotated[
    str,
    Query(
        description="Comma-separated list of `deleted`, `superseded` and `expired`, to include such memories. "
        "Default empty."
    ),
]
SortQuery = Annotated[
    lifecycle.MemorySort,
    Query(
        description="Order: `newest` or `oldest` (by creation), `happened` (latest occurrence first), `recalled` "
        "(last recalled first) or `importance` (most important first, before decay). Default `newest`."
    ),
]


@router.get("", summary="List memories")
async def list_memories(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    type: TypesQuery = None,
    scope: Annotated[list[Scope] | None, Query(description="Scopes to filter by. Default: all.")] = None,
    session: Annotated[Name | None, Query(description="Session to filter by.")] = None,
    about: AboutQuery = None,
    tag: Annotated[Tag | None, Query(description="Tag to filter by.")] = None,
    key: Annotated[Name | None, Query(description="Upsert key to filter by.")] = None,
    source: Annotated[SourceKind | None, Query(description="Value of `kind` in `source` to filter by.")] = None,
    q: TextQuery = None,
    since: Annotated[
        Timestamp | None, Query(description="Earliest time of occurrence (or creation), inclusive.")
    ] = None,
    until: Annotated[Timestamp | None, Query(description="Latest time of occurrence (or creation), exclusive.")] = None,
    created_since: Annotated[Timestamp | None, Query(description="Earliest creation time, inclusive.")] = None,
    created_until: Annotated[Timestamp | None, Query(description="Latest creation time, exclusive.")] = None,
    include: IncludeQuery = "",
    min_importance: Annotated[
        float | None, Query(ge=0, le=1, description="Minimum importance, before its decay. Default: none.")
    ] = None,
    sort: SortQuery = "newest",
    total: Annotated[
        bool, Query(description="Number of all memories that pass the filters, in `total`. Default false.")
    ] = False,
    where: WhereText = None,
    as_of: Annotated[
        Timestamp | None,
        Query(description="Time of the facts: memories valid then, as they stood then, instead of now."),
    ] = None,
) -> JsonResponse[MemoryPage]:
    """Memories visible to the caller. A cursor belongs to its order. `as_of` allows neither `include` nor the order
    `recalled`."""
    wanted = included(include, "deleted", "superseded", "expired")
    filter_ = lifecycle.ListFilter(
        types=type or None,
        scopes=[s.value for s in scope] if scope else None,
        session=session, user=about, tag=tag, key=key, source=source, text=q or None,
        since=since, until=until, created_since=created_since, created_until=created_until,
        with_deleted="deleted" in wanted, with_superseded="superseded" in wanted, with_expired="expired" in wanted,
        min_importance=min_importance, where=parse_where_text(where, ("query", "where")),
        as_of=as_of,
    )  # fmt: skip
    return json_response(await lifecycle.list_memories(*call, agent, filter_, sort=sort, with_total=total, **paging))


@router.post("/bulk", summary="Change several memories")
async def change_memories(call: Call, body: BulkChange) -> JsonResponse[Items[bulk.BulkItem]]:
    """One action on up to 500 memories in one transaction, with the outcome of each."""
    if body.filter is None:
        items = await bulk.change_many(*call, body.ids or [], body.action, body.tags)
    else:
        filter_ = body.filter.listed()
        items = await bulk.change_matching(*call, body.filter.agent, filter_, body.action, body.tags)
    return items_response(items)


@router.post("/search", summary="Search memories")
async def search_memories(call: Call, request: SearchRequest) -> JsonResponse[SearchAnswer]:
    """Results by descending score. Counts the access to each returned memory."""
    return await search_as(*call, request)


@router.post("/search/preview", summary="Preview a search")
async def preview_search(call: Call, request: PreviewRequest) -> JsonResponse[PreviewAnswer]:
    """The ranking of a search, explained, without counting access. With `explain_id`, the answer says at which stage
    that memory was lost, and what would bring it back."""
    return json_response(await explained_search(*call, request, request.explain_id))


@router.post("/delete", summary="Delete memories by a filter")
async def delete_memories(call: Call, body: DeleteMemories) -> JsonResponse[delete_by_filter.MemoriesDeletion]:
    """Count first with `dry_run`, then send the token of the answer: all of them are deleted, or none (409 if others
    match by now). Each can be restored until `retention.deleted_days` have passed. Agent keys delete their own only."""
    deleted = await delete_by_filter.delete_memories(
        *call, body.filter.agent, body.filter.listed(), dry_run=body.dry_run, token=body.token
    )
    return json_response(deleted)


@router.get("/stats", summary="Get memory statistics")
async def get_memory_stats(call: Call, agent: AgentQuery = None) -> JsonResponse[MemoryStats]:
    """Number and length of the memories visible to the caller, in total and by type."""
    return json_response(await lifecycle.memory_stats(*call, agent))


@router.get("/{memory_id}")
async def get_memory(
    call: Call,
    memory_id: MemoryId,
    include: Annotated[
        str,
        Query(description="Comma-separated list of `deleted` and `expired`, to return such a memory. Default empty."),
    ] = "",
) -> JsonResponse[Memory]:
    """Get a memory."""
    wanted = included(include, "deleted", "expired")
    return json_response(await lifecycle.get_memory(*call, memory_id, include=wanted))


@router.patch("/{memory_id}", summary="Update a memory")
async def update_memory(call: Call, memory_id: MemoryId, changes: MemoryPatch) -> JsonResponse[Memory]:
    """Optimistic locking: 409 when the stored version is newer than `version`."""
    return json_response(await lifecycle.change_memory(*call, memory_id, changes))


@router.delete("/{memory_id}", status_code=204, summary="Delete a memory")
async def delete_memory(
    call: Call,
    memory_id: MemoryId,
    hard: Annotated[
        bool,
        Query(description="Removal of the memory and its versions at once, for admin keys alone. Default false."),
    ] = False,
) -> None:
    """The memory can be restored until `retention.deleted_days` have passed; with `hard` it cannot."""
    await lifecycle.delete_memory(*call, memory_id, hard=hard)


@router.post("/{memory_id}/restore")
async def restore_memory(call: Call, memory_id: MemoryId) -> JsonResponse[Memory]:
    """Restore a deleted memory."""
    return json_response(await lifecycle.restore_memory(*call, memory_id))


@router.post("/{memory_id}/feedback", summary="Rate the usefulness of a memory")
async def rate_memory(call: Call, memory_id: MemoryId, given: Feedback) -> JsonResponse[Memory]:
    """Raises or lowers the importance by 0.1, within 0 and 1."""
    return json_response(await lifecycle.record_feedback(*call, memory_id, useful=given.useful))


@router.get("/{memory_id}/history", summary="List the versions of a memory")
async def list_memory_history(call: Call, memory_id: MemoryId) -> JsonResponse[Items[MemoryVersion]]:
    """All versions of the memory, oldest first."""
    return items_response(await lifecycle.memory_history(*call, memory_id))


@router.get("/{memory_id}/sources")
async def list_memory_sources(call: Call, memory_id: MemoryId) -> JsonResponse[Items[MemorySource]]:
    """List the source messages of a memory."""
    return items_response(await lifecycle.memory_sources(*call, memory_id))


def included(include: str, *allowed: str) -> frozenset[str]:
    """The parts of a comma-separated ``include``. Raises InvalidInput for any that are not ``allowed``."""
    parts = frozenset(part.strip() for part in include.split(",") if part.strip())
    if wrong := parts.difference(allowed):
        raise InvalidInput(("query", "include"), f"{', '.join(sorted(wrong))}: may only be {', '.join(allowed)}")
    return parts


async def save_as(
    runtime: Runtime, caller: Principal, draft: MemoryDraft, key: CachedCredential | None = None
) -> JsonResponse[SavedMemory]:
    """Answer the save of a draft, as ``remember_one`` has it."""
    saved = await remember_one(runtime, caller, draft, key)
    if saved is None:
        return json_response(SavedMemory(None, created=False))
    return json_response(saved, 201 if saved.created else 200)


async def search_as(
    runtime: Runtime, caller: Principal, request: SearchRequest, key: CachedCredential | None = None
) -> JsonResponse[SearchAnswer]:
    """Answer a search, as ``recall`` has it."""
    return json_response(await recall(runtime, caller, request, key=key))


DocumentId = Annotated[UUID, Path(description="Id of the document.")]

documents_router = api_router(prefix="/v1/documents", tags=["documents"])


@documents_router.post("", status_code=201, responses=NOTHING_STORED, summary="Create a document")
async def create_document(call: Call, draft: DocumentDraft) -> JsonResponse[Document]:
    """Text or Markdown, split into chunks, embedded and searchable."""
    return stored_response(await documents.add_document(*call, draft))


@documents_router.get("", summary="List documents")
async def list_documents(
    call: Call, paging: Paging, agent: AgentQuery = None, about: AboutQuery = None
) -> JsonResponse[Page[DocumentHead]]:
    """Documents without their text, newest first."""
    return page_response(*await documents.list_documents(*call, agent, about, **paging))


@documents_router.get("/{document_id}")
async def get_document(call: Call, document_id: DocumentId) -> JsonResponse[Document]:
    """Get a document."""
    return json_response(await documents.get_document(*call, document_id))


@documents_router.delete("/{document_id}", status_code=204, summary="Delete a document")
async def delete_document(call: Call, document_id: DocumentId) -> None:
    """Deletes the document and its chunks permanently."""
    await documents.drop_document(*call, document_id)
