"""Personal data and secrets stop here: everything a caller writes passes one of these before anything else sees it.

This is about texts. What callers *name* things with is masked by ``service.memory.access.naming``, before it comes
here.

Refusals name the field (InvalidInput); a redactor that fails refuses the write (RedactorUnavailable).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from service.domain.drafts import MemoryDraft, MemoryPatch, MessageDraft
from service.domain.json import JsonObject, JsonValue
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.workspace import Masking, PiiSettings, SecretSettings
from service.errors import InvalidInput
from service.memory.access.naming import with_masked_names
from service.memory.engine import Engine
from service.privacy.redactor import PiiPolicy, PiiRejected
from service.store.settings import workspace_settings

Loc = tuple[str | int, ...]
FieldValue = tuple[Loc, JsonValue]
"""Where something was written, and what: text, JSON, or None."""

Draft = TypeVar("Draft", bound=BaseModel)

MEMORY_FIELDS = ("content", "summary", "metadata", "source")
MESSAGE_FIELDS = ("content",)
BODY: Loc = ("body",)


async def masking_of(engine: Engine, principal: Principal) -> Masking:
    """What the caller's workspace does with personal data and secrets."""
    if principal.settings is not None:
        return principal.settings.masking
    return await workspace_masking(engine, principal.workspace_id)


async def workspace_masking(engine: Engine, workspace: UUID) -> Masking:
    """What a workspace does with personal data and secrets."""
    async with engine.db.transaction(workspace) as connection:
        return (await workspace_settings(connection, workspace)).masking


async def redact(
    engine: Engine, masking: Masking, written: Sequence[FieldValue], *, lenient: bool = False
) -> list[JsonValue]:
    """What may be kept of each value, in order; where ``lenient``, what the workspace refuses is masked."""
    policy = PiiPolicy.of(masking, lenient=lenient)
    values = [value for _, value in written]
    if policy.off:
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


async def redact_lenient(engine: Engine, masking: Masking, values: Sequence[JsonValue]) -> list[JsonValue]:
    """The values with personal data masked, also where the workspace would refuse it: for what is read and derived."""
    return await redact(engine, masking, [((), value) for value in values], lenient=True)


async def redact_fields(engine: Engine, principal: Principal, fields: Mapping[str, JsonValue]) -> JsonObject:
    """What may be kept of each field of a request."""
    masking = await masking_of(engine, principal)
    values = await redact(engine, masking, [((*BODY, name), value) for name, value in fields.items()])
    return dict(zip(fields, values, strict=True))


async def redact_drafts(
    engine: Engine, principal: Principal, drafts: Sequence[MemoryDraft], locs: Sequence[Loc]
) -> list[MemoryDraft]:
    """Memories as they may be saved."""
    return await _redact_models(engine, principal, drafts, locs, MEMORY_FIELDS)


async def redact_patch(engine: Engine, principal: Principal, patch: MemoryPatch) -> MemoryPatch:
    """Changes of a memory as they may be made."""
    return (await _redact_models(engine, principal, [patch], [BODY], (*MEMORY_FIELDS, "reason")))[0]


async def redact_messages(engine: Engine, principal: Principal, drafts: Sequence[MessageDraft]) -> list[MessageDraft]:
    """Messages as they may be stored, their names too: the proxy's come by no route."""
    masking = await masking_of(engine, principal)
    loc = (*BODY, "messages")
    typed = [(MessageDraft, draft, (*loc, position)) for position, draft in enumerate(drafts)]
    named = await with_masked_names(engine, principal.workspace_id, masking, typed, refuse=True)
    return await _redact_models(engine, principal, named, [(*loc, n) for n in range(len(named))], MESSAGE_FIELDS)


async def refuse_personal_data(
    engine: Engine, principal: Principal, loc: Loc, text: str, *, besides: Sequence[str] = ()
) -> None:
    """Raise InvalidInput for personal data in what is of no use when masked, but for the kinds ``besides``."""
    masking = await masking_of(engine, principal)
    kinds = tuple(kind for kind in masking.pii.entities if kind not in besides)
    pii = PiiSettings(mode="reject", entities=kinds) if masking.pii.mode != "off" and kinds else PiiSettings()
    await redact(engine, Masking(pii, SecretSettings(mode="off")), [(loc, text)])


async def redact_search(engine: Engine, principal: Principal, request: SearchRequest) -> SearchRequest:
    """A search as the embedder and the database may see it; its filter is masked as what it filters is."""
    masking = await masking_of(engine, principal)
    if masking.off:
        return request
    fields = ("query", "queries", "metadata")
    values = await redact_lenient(engine, masking, [getattr(request, name) for name in fields])
    return request.model_copy(update=dict(zip(fields, values, strict=True)))


async def _redact_models(
    engine: Engine, principal: Principal, drafts: Sequence[Draft], locs: Sequence[Loc], names: Sequence[str]
) -> list[Draft]:
    masking = await masking_of(engine, principal)
    if masking.off:
        return list(drafts)
    written: list[FieldValue] = []
    owners: list[tuple[int, str]] = []
    for position, draft in enumerate(drafts):
        for name in names:
            if name in draft.model_fields_set:
                written.append(((*locs[position], name), getattr(draft, name)))
                owners.append((position, name))
    changes: list[JsonObject] = [{} for _ in drafts]
    values = await redact(engine, masking, written)
    for (position, name), (_, before), after in zip(owners, written, values, strict=True):
        if after != before:
            changes[position][name] = after
    written_anew = list(zip(drafts, changes, locs, strict=True))
    return await engine.executor.each(lambda one: apply_redaction(*one), written_anew, lambda one: _changed(one[1]))


def _changed(changes: JsonObject) -> int:
    return sum(len(text) for text in changes.values() if isinstance(text, str))


def apply_redaction(draft: Draft, changes: JsonObject, loc: Loc) -> Draft:
    """The draft with its masked values. Raises InvalidInput past its bounds: a mask may be long."""
    if not changes:
        return draft
    try:
        return type(draft).model_validate(draft.model_dump(exclude_unset=True) | changes)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InvalidInput((*loc, *first["loc"]), f"{first['msg']} (after masking personal data)") from None
