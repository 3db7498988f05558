"""Personal data and secrets stop here: everything a caller writes passes one of these before anything else sees it.

Texts: refusals name the field (InvalidInput); a redactor that fails refuses the write (RedactorUnavailable).

Names are masked so that different names stay different, and the same one finds the same: each finding in a name becomes
a placeholder with a keyed digest of what was found (``service.domain.placeholders``), by a secret of the workspace that
is made once and never changes. So whoever gives the original finds what was saved under it, in every process, and no
two names become one. Agents, teams, tasks, sessions and users that were named before the workspace masked anything keep
those names: to mask them from then on would split each of them in two.

The filter ``where`` of a request is masked as what it filters was stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from service.concurrency.executor import ITEM_CHARACTERS
from service.concurrency.lru import LRUCache
from service.db.deferred_commit import without_deferred_commit
from service.domain.drafts import MemoryDraft, MemoryPatch, MessageDraft
from service.domain.field_types import LANGGRAPH_NAMES, TAG_MAX, BoundedObject
from service.domain.json import JsonObject, JsonValue
from service.domain.naming import with_names
from service.domain.placeholders import SECRET, placeholder
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.validation import reason_of
from service.domain.where import (
    JSON_FIELDS,
    NAME_FIELDS,
    Condition,
    Where,
    conditions_of,
    parse_where,
    restated,
    with_conditions,
)
from service.domain.workspace import Masking, PiiSettings, SecretSettings
from service.errors import InvalidInput, Loc
from service.privacy.redactor import PiiPolicy, PiiRejected, Redaction
from service.runtime import Runtime
from service.store.settings import workspace_settings
from service.store.where import WhereQuery, compiled

FieldValue = tuple[Loc, JsonValue]
"""Where something was written, and what: text, JSON, or None."""

Draft = TypeVar("Draft", bound=BaseModel)

MEMORY_FIELDS = ("content", "summary", "metadata", "source")
MESSAGE_FIELDS = ("content",)
BODY: Loc = ("body",)

SECRET_BYTES = 32
NAMES_MAX = 50_000
SECRETS_MAX = 10_000
PLACES = {
    "agent": "agent", "members": "agent", "team": "team", "teams": "team", "task": "task", "session": "session",
    "user": "user",
}  # fmt: skip
"""Fields that name what may have been named before."""
Value = TypeVar("Value")
Typed = tuple[object, Value, Loc]
"""A value with its type and its place."""


async def masking_of(runtime: Runtime, principal: Principal) -> Masking:
    """Return what the caller's workspace does with personal data and secrets."""
    if principal.settings is not None:
        return principal.settings.masking
    return await workspace_masking(runtime, principal.workspace_id)


async def workspace_masking(runtime: Runtime, workspace: UUID) -> Masking:
    """Return what a workspace does with personal data and secrets."""
    async with runtime.db.transaction(workspace) as connection:
        return (await workspace_settings(connection, workspace)).masking


async def redact(
    runtime: Runtime, masking: Masking, written: Sequence[FieldValue], *, lenient: bool = False
) -> list[JsonValue]:
    """Return what may be kept of each value, in order; where ``lenient``, what the workspace refuses is masked."""
    policy = PiiPolicy.of(masking, lenient=lenient)
    values = [value for _, value in written]
    if policy.off:
        return values
    texts = [place for place, value in enumerate(values) if isinstance(value, str)]
    try:
        for place, redaction in zip(
            texts, await runtime.redactor.redact([values[place] for place in texts], policy), strict=True
        ):
            values[place] = redaction.text
    except PiiRejected as error:
        raise InvalidInput(written[texts[error.index]][0], error.message) from None
    for place, value in enumerate(values):
        if value and not isinstance(value, str):
            try:
                values[place] = await runtime.redactor.redact_json(value, policy)
            except PiiRejected as error:
                raise InvalidInput(written[place][0], error.message) from None
    return values


async def redact_lenient(runtime: Runtime, masking: Masking, values: Sequence[JsonValue]) -> list[JsonValue]:
    """Return the values with personal data masked, also where the workspace would refuse it: for what is read and
    derived."""
    return await redact(runtime, masking, [((), value) for value in values], lenient=True)


async def redact_fields(runtime: Runtime, principal: Principal, fields: Mapping[str, JsonValue]) -> JsonObject:
    """Return what may be kept of each field of a request."""
    masking = await masking_of(runtime, principal)
    values = await redact(runtime, masking, [((*BODY, name), value) for name, value in fields.items()])
    return dict(zip(fields, values, strict=True))


async def redact_drafts(
    runtime: Runtime, principal: Principal, drafts: Sequence[MemoryDraft], locs: Sequence[Loc]
) -> list[MemoryDraft]:
    """Return memories as they may be saved."""
    return await _redact_models(runtime, principal, drafts, locs, MEMORY_FIELDS)


async def redact_patch(runtime: Runtime, principal: Principal, patch: MemoryPatch) -> MemoryPatch:
    """Return changes of a memory as they may be made."""
    return (await _redact_models(runtime, principal, [patch], [BODY], (*MEMORY_FIELDS, "reason")))[0]


async def redact_messages(runtime: Runtime, principal: Principal, drafts: Sequence[MessageDraft]) -> list[MessageDraft]:
    """Return messages as they may be stored, their names too: the proxy's come by no route."""
    masking = await masking_of(runtime, principal)
    loc = (*BODY, "messages")
    typed = [(MessageDraft, draft, (*loc, position)) for position, draft in enumerate(drafts)]
    named = await with_masked_names(runtime, principal.workspace_id, masking, typed, refuse=True)
    return await _redact_models(runtime, principal, named, [(*loc, n) for n in range(len(named))], MESSAGE_FIELDS)


async def refuse_personal_data(
    runtime: Runtime, principal: Principal, loc: Loc, text: str, *, besides: Sequence[str] = ()
) -> None:
    """Raise InvalidInput for personal data in what is of no use when masked, but for the kinds ``besides``."""
    masking = await masking_of(runtime, principal)
    kinds = tuple(kind for kind in masking.pii.entities if kind not in besides)
    pii = PiiSettings(mode="reject", entities=kinds) if masking.pii.mode != "off" and kinds else PiiSettings()
    await redact(runtime, Masking(pii, SecretSettings(mode="off")), [(loc, text)])


async def redact_search(runtime: Runtime, principal: Principal, request: SearchRequest) -> SearchRequest:
    """Return a search as the embedder and the database may see it; its filter is masked as what it filters is."""
    masking = await masking_of(runtime, principal)
    if masking.off:
        return request
    fields = ("query", "queries", "metadata")
    values = await redact_lenient(runtime, masking, [getattr(request, name) for name in fields])
    return request.model_copy(update=dict(zip(fields, values, strict=True)))


async def _redact_models(
    runtime: Runtime, principal: Principal, drafts: Sequence[Draft], locs: Sequence[Loc], names: Sequence[str]
) -> list[Draft]:
    masking = await masking_of(runtime, principal)
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
    values = await redact(runtime, masking, written)
    for (position, name), (_, before), after in zip(owners, written, values, strict=True):
        if after != before:
            changes[position][name] = after
    written_anew = list(zip(drafts, changes, locs, strict=True))
    return await runtime.executor.each(lambda one: apply_redaction(*one), written_anew, lambda one: _changed(one[1]))


def _changed(changes: JsonObject) -> int:
    return sum(len(text) for text in changes.values() if isinstance(text, str))


def apply_redaction(draft: Draft, changes: JsonObject, loc: Loc) -> Draft:
    """Return the draft with its masked values. Raises InvalidInput past its bounds: a mask may be long."""
    if not changes:
        return draft
    try:
        return type(draft).model_validate(draft.model_dump(exclude_unset=True) | changes)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InvalidInput((*loc, *first["loc"]), f"{reason_of(first)} (after masking personal data)") from None


async def with_masked_names(
    runtime: Runtime, workspace: UUID, masking: Masking, values: Sequence[Typed[Value]], *, refuse: bool
) -> list[Value]:
    """Return the values with the personal data in their names masked, in order.

    Where the workspace refuses personal data, so does this: InvalidInput names the field. Without ``refuse`` it masks
    there too, for what is only looked up.
    """
    if masking.off:
        return [value for _, value, _ in values]
    found = [one for some in await runtime.executor.each(_names_in, values, _extent) for one in some]
    masked = await masked_names(runtime, workspace, masking, found, refuse=refuse)
    if all(new == name for new, (_, name) in zip(masked, found, strict=True)):
        return [value for _, value, _ in values]
    left = iter(masked)  # in the order in which they were found

    def replaced(_: Loc, name: str) -> str:
        new = next(left)
        return name if new == name else new

    return await runtime.executor.each(lambda typed: with_names(*typed, replaced), values, _extent)


def _names_in(typed: Typed[object]) -> list[tuple[Loc, str]]:
    found: list[tuple[Loc, str]] = []

    def collected(at: Loc, name: str) -> str:
        found.append((at, name))
        return name

    with_names(*typed, collected)
    return found


def _extent(typed: Typed[object]) -> int:
    """Return what it takes to go through a value: names are short, it is their number that counts."""
    inside = vars(typed[1]).values() if isinstance(typed[1], BaseModel) else (typed[1],)
    return ITEM_CHARACTERS * sum(len(one) for one in inside if isinstance(one, list))


def _clean_names(_: Runtime) -> LRUCache[tuple[PiiPolicy, str], bool]:
    return LRUCache(NAMES_MAX)


async def masked_names(
    runtime: Runtime, workspace: UUID, masking: Masking, names: Sequence[tuple[Loc, str]], *, refuse: bool
) -> list[str]:
    """Return names masked as ``with_masked_names`` masks them; each comes with its place."""
    if masking.off:
        return [name for _, name in names]
    clean, policy = runtime.part(_clean_names), PiiPolicy.of(masking, lenient=True)
    asked = list(dict.fromkeys(name for _, name in names if clean.get((policy, name)) is None))
    dirty: list[str] = []
    for name, redaction in zip(asked, await runtime.redactor.redact(asked, policy), strict=True):
        if redaction.found:
            dirty.append(name)
        else:
            clean.put((policy, name), True)
    if not dirty:
        return [name for _, name in names]
    secret = await name_secret(runtime, workspace)
    masks = dict(zip(dirty, await runtime.redactor.redact(dirty, policy, secret), strict=True))
    known = await _in_use(runtime, workspace, [name for at, name in names if name in masks and _kind(at)])
    masked = []
    for at, name in names:
        if name not in masks or (_kind(at), name) in known:
            masked.append(name)
        elif refuse and (refused := refused_kinds(masking, masks[name].found)):
            raise InvalidInput(at, PiiRejected(refused, 0).message)
        else:
            masked.append(_bounded(name, masks[name], secret))
    return masked


def refused_kinds(masking: Masking, found: Sequence[str]) -> list[str]:
    """Return the kinds of data, of those found, that the workspace refuses."""
    modes = {True: masking.secrets.mode, False: masking.pii.mode}
    return [kind for kind in found if modes[kind.startswith(SECRET)] == "reject"]


async def forms_of(runtime: Runtime, workspace: UUID, masking: Masking, name: str) -> list[str]:
    """Return every form in which a name may be stored: as it is, and masked by the workspace's kinds of data or by all.

    Also while nothing is masked: it may have been before.
    """
    if masking.pii.mode == "off" and not await _has_secret(runtime, workspace):
        return [name]
    secret = await name_secret(runtime, workspace)
    policies = [PiiPolicy.of(masking, lenient=True), PiiPolicy("redact", Masking().pii.entities, "redact")]
    redacted = [await runtime.redactor.redact([name], policy, secret) for policy in policies]
    return list(dict.fromkeys([name, *(_bounded(name, one, secret) for (one,) in redacted)]))


def _bounded(name: str, redaction: Redaction, secret: bytes) -> str:
    """Return the masked name, as one placeholder where it would be longer than a name may be."""
    if len(redaction.text) <= max(len(name), TAG_MAX):
        return redaction.text
    return placeholder(redaction.found[0], name, secret)


def _kind(at: Loc) -> str | None:
    field = next((part for part in reversed(at) if isinstance(part, str)), "")
    return PLACES.get(field)


def _pii_secrets(_: Runtime) -> LRUCache[UUID, bytes]:
    return LRUCache(SECRETS_MAX)


async def name_secret(runtime: Runtime, workspace: UUID) -> bytes:
    """Return the secret under which a workspace's masked names are digests; made once."""
    secret = runtime.part(_pii_secrets).get(workspace)
    if secret is None:
        with (
            without_deferred_commit()
        ):  # committed by itself: what a request rolls back must not have been used by another
            async with runtime.db.transaction(workspace) as connection:
                secret = await connection.value("pii_secret", workspace=workspace)
                while secret is None:
                    await connection.run(
                        "keep_pii_secret", workspace=workspace, secret=secrets.token_bytes(SECRET_BYTES)
                    )
                    secret = await connection.value("pii_secret", workspace=workspace)
        runtime.part(_pii_secrets).put(workspace, secret)
    return secret


async def _has_secret(runtime: Runtime, workspace: UUID) -> bool:
    async with runtime.db.transaction(workspace) as connection:
        return await connection.value("pii_secret", workspace=workspace) is not None


async def _in_use(runtime: Runtime, workspace: UUID, names: Sequence[str]) -> set[tuple[str, str]]:
    if not names:
        return set()
    async with runtime.db.transaction(workspace) as connection:
        rows = await connection.fetch("names_in_use", workspace=workspace, names=list(set(names)))
    return {(row["kind"], row["name"]) for row in rows}


async def where_query(runtime: Runtime, principal: Principal, where: Where | None) -> WhereQuery | None:
    """Return a parsed filter as the queries take it; None for none."""
    masking = await masking_of(runtime, principal)
    if where is None or masking.off:
        return compiled(where)
    return compiled(await _masked_where(runtime, principal.workspace_id, masking, where, refuse=False))


async def kept_where(
    runtime: Runtime, workspace: UUID, masking: Masking, given: BoundedObject | None, loc: Loc
) -> BoundedObject | None:
    """Return a filter as it may be stored, in the words that it was given in unless something in it is masked. Raises
    InvalidInput, which names the path of what does not fit, or of what the workspace refuses."""
    where = parse_where(given, loc)
    if given is None or where is None or masking.off:
        return given
    masked = await _masked_where(runtime, workspace, masking, where, refuse=True)
    return given if masked == where else restated(given, masked)


async def _masked_where(runtime: Runtime, workspace: UUID, masking: Masking, where: Where, *, refuse: bool) -> Where:
    written = [one for one in conditions_of(where) if one.field in JSON_FIELDS and not _holds_names(one)]
    objects = await redact(runtime, masking, [(one.loc, _nested(one)) for one in written], lenient=not refuse)
    named = [(one, text) for one in conditions_of(where) if _holds_names(one) for text in _condition_texts(one)]
    located = [(one.loc[:-1], text) for one, text in named]  # which ends with the field
    names = await masked_names(runtime, workspace, masking, located, refuse=refuse)
    masked = {text: name for (_, text), name in zip(named, names, strict=True)}
    stored = {id(one): _flat(one, object_) for one, object_ in zip(written, objects, strict=True)}
    return with_conditions(where, lambda one: stored.get(id(one)) or _masked_condition(one, masked))


def _holds_names(condition: Condition) -> bool:
    return condition.field in NAME_FIELDS or (condition.field == "metadata" and condition.keys in LANGGRAPH_NAMES)


def _condition_texts(condition: Condition) -> list[str]:
    values = condition.value if condition.operator == "in" else [condition.value]
    return [value for value in values if isinstance(value, str)]


def _masked_condition(condition: Condition, masked: dict[str, str]) -> Condition:
    if not _holds_names(condition):
        return condition

    def renamed(value: JsonValue) -> JsonValue:
        return masked.get(value, value) if isinstance(value, str) else value

    value = condition.value
    return replace(condition, value=[renamed(one) for one in value] if condition.operator == "in" else renamed(value))


def _nested(condition: Condition) -> JsonValue:
    """Return the value under its keys, as it stands in a memory: a key speaks for what is under it."""
    value = condition.value
    for key in reversed(condition.keys):
        value = {key: value}
    return value


def _flat(condition: Condition, object_: JsonValue) -> Condition:
    keys: list[str] = []
    for _ in condition.keys:
        ((key, object_),) = object_.items()
        keys.append(key)
    return replace(condition, keys=tuple(keys), value=object_)
