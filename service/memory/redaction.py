"""Personal data stops here (row P1): everything a caller writes passes one of these before anything else sees it.

What callers *name* things with (agents, users, sessions, teams, tasks, ids of tool calls) is left as it is: a name
that is masked would stand for somebody else as well. Name people by ids, not by their addresses.

Refusals name the field (InvalidInput); a redactor that fails refuses the write (RedactorUnavailable).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from service.domain.drafts import MemoryDraft, MemoryPatch, MessageDraft
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.workspace import PiiSettings
from service.errors import InvalidInput
from service.memory.engine import Engine
from service.privacy import PiiPolicy, PiiRejected
from service.store.settings import workspace_settings

Loc = tuple[str | int, ...]
Written = tuple[Loc, Any]
"""Where something was written, and what: text, JSON, or None."""

Draft = TypeVar("Draft", bound=BaseModel)

MEMORY_FIELDS = ("content", "summary", "key", "tags", "metadata", "source")
MESSAGE_FIELDS = ("content", "name")
BODY: Loc = ("body",)


async def policy_of(engine: Engine, principal: Principal) -> PiiSettings:
    """What the caller's workspace does with personal data."""
    if principal.settings is not None:
        return principal.settings.pii
    return await workspace_policy(engine, principal.workspace_id)


async def workspace_policy(engine: Engine, workspace: UUID) -> PiiSettings:
    """What a workspace does with personal data."""
    async with engine.db.transaction(workspace) as connection:
        return (await workspace_settings(connection, workspace)).pii


async def cleared(engine: Engine, settings: PiiSettings, written: Sequence[Written]) -> list[Any]:
    """What may be kept of each value, in order."""
    policy = PiiPolicy(settings.mode, settings.entities)
    values = [value for _, value in written]
    if policy.mode == "off":
        return values
    texts = [place for place, value in enumerate(values) if isinstance(value, str)]
    try:
        for place, redaction in zip(
            texts, await engine.redactor.redact([values[place] for place in texts], policy), strict=True
        ):
            values[place] = redaction.text
    except PiiRejected as error:
        raise InvalidInput(written[texts[error.index]][0], error.message) from None
    for place, value in enumerate(values):
        if value and not isinstance(value, str):
            try:
                values[place] = await engine.redactor.redact_json(value, policy)
            except PiiRejected as error:
                raise InvalidInput(written[place][0], error.message) from None
    return values


async def masked(engine: Engine, settings: PiiSettings, values: Sequence[Any]) -> list[Any]:
    """The values with personal data masked, also where the workspace would refuse it: for what is read and derived."""
    softer = settings.model_copy(update={"mode": "redact"}) if settings.mode == "reject" else settings
    return await cleared(engine, softer, [((), value) for value in values])


async def cleared_fields(
    engine: Engine, principal: Principal, fields: Mapping[str, Any], loc: Loc = BODY
) -> dict[str, Any]:
    """What may be kept of each field of a request."""
    settings = await policy_of(engine, principal)
    values = await cleared(engine, settings, [((*loc, name), value) for name, value in fields.items()])
    return dict(zip(fields, values, strict=True))


async def cleared_drafts(
    engine: Engine, principal: Principal, drafts: Sequence[MemoryDraft], locs: Sequence[Loc]
) -> list[MemoryDraft]:
    """Memories as they may be saved."""
    return await _cleared_models(engine, principal, drafts, locs, MEMORY_FIELDS)


async def cleared_patch(engine: Engine, principal: Principal, patch: MemoryPatch) -> MemoryPatch:
    """Changes of a memory as they may be made."""
    return (await _cleared_models(engine, principal, [patch], [BODY], (*MEMORY_FIELDS, "reason")))[0]


async def cleared_messages(engine: Engine, principal: Principal, drafts: Sequence[MessageDraft]) -> list[MessageDraft]:
    """Messages as they may be stored."""
    locs = [(*BODY, "messages", position) for position in range(len(drafts))]
    return await _cleared_models(engine, principal, drafts, locs, MESSAGE_FIELDS)


async def masked_search(engine: Engine, principal: Principal, request: SearchRequest) -> SearchRequest:
    """A search as the embedder and the database may see it; its filters are masked as what they filter is."""
    settings = await policy_of(engine, principal)
    if settings.mode == "off":
        return request
    fields = ("query", "tags", "metadata")
    values = await masked(engine, settings, [getattr(request, name) for name in fields])
    return request.model_copy(update=dict(zip(fields, values, strict=True)))


async def _cleared_models(
    engine: Engine, principal: Principal, drafts: Sequence[Draft], locs: Sequence[Loc], names: Sequence[str]
) -> list[Draft]:
    settings = await policy_of(engine, principal)
    if settings.mode == "off":
        return list(drafts)
    written: list[Written] = []
    owners: list[tuple[int, str]] = []
    for position, draft in enumerate(drafts):
        for name in names:
            if name in draft.model_fields_set:
                written.append(((*locs[position], name), getattr(draft, name)))
                owners.append((position, name))
        for number, link in enumerate(getattr(draft, "links", ())):
            if link.entity is not None:
                written.append(((*locs[position], "links", number, "entity", "name"), link.entity.name))
                owners.append((position, f"links.{number}"))
    changes: list[dict[str, Any]] = [{} for _ in drafts]
    values = await cleared(engine, settings, written)
    for (position, name), (_, before), after in zip(owners, written, values, strict=True):
        if after != before:
            changes[position][name] = after
    return [rewritten(draft, change, loc) for draft, change, loc in zip(drafts, changes, locs, strict=True)]


def rewritten(draft: Draft, changes: dict[str, Any], loc: Loc) -> Draft:
    """The draft with its masked values. Raises InvalidInput past its bounds: a mask may be long."""
    if not changes:
        return draft
    fields = draft.model_dump(exclude_unset=True)
    for name, value in changes.items():
        if name.startswith("links."):
            fields["links"][int(name.removeprefix("links."))]["entity"]["name"] = value
        else:
            fields[name] = value
    try:
        return type(draft).model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InvalidInput((*loc, *first["loc"]), f"{first['msg']} (after masking personal data)") from None
