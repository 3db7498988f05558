"""Personal data and secrets in names: masked so that different names stay different, and the same one finds the same.

Each finding in a name becomes a placeholder with a keyed digest of what was found (``service.domain.placeholders``),
by a secret of the workspace that is made once and never changes. So whoever gives the original finds what was saved
under it, in every process, and no two names become one.

Agents, teams, tasks, sessions and users that were named before the workspace masked anything keep those names: to mask
them from then on would split each of them in two.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from service.concurrency.executor import ITEM_CHARACTERS
from service.db.deferred_commit import without_deferred_commit
from service.domain.field_types import TAG_MAX
from service.domain.naming import Loc, with_names
from service.domain.placeholders import SECRET, placeholder
from service.domain.workspace import Masking
from service.errors import InvalidInput
from service.memory.engine import Engine
from service.privacy.redactor import PiiPolicy, PiiRejected, Redaction
from service.store import names as store

SECRET_BYTES = 32
PLACES = {
    "agent": "agent", "members": "agent", "team": "team", "teams": "team", "task": "task", "session": "session",
    "user": "user",
}  # fmt: skip
"""Fields that name what may have been named before."""

Value = TypeVar("Value")
Typed = tuple[object, Value, Loc]
"""A value with its type and its place."""


async def with_masked_names(
    engine: Engine, workspace: UUID, masking: Masking, values: Sequence[Typed[Value]], *, refuse: bool
) -> list[Value]:
    """The values with the personal data in their names masked, in order.

    Where the workspace refuses personal data, so does this: InvalidInput names the field. Without ``refuse`` it masks
    there too, for what is only looked up.
    """
    if masking.off:
        return [value for _, value, _ in values]
    found = [one for some in await engine.executor.each(_names_in, values, _extent) for one in some]
    masked = await masked_names(engine, workspace, masking, found, refuse=refuse)
    if all(new == name for new, (_, name) in zip(masked, found, strict=True)):
        return [value for _, value, _ in values]
    left = iter(masked)  # in the order in which they were found

    def replaced(_: Loc, name: str) -> str:
        new = next(left)
        return name if new == name else new

    return await engine.executor.each(lambda typed: with_names(*typed, replaced), values, _extent)


def _names_in(typed: Typed[object]) -> list[tuple[Loc, str]]:
    found: list[tuple[Loc, str]] = []

    def collected(at: Loc, name: str) -> str:
        found.append((at, name))
        return name

    with_names(*typed, collected)
    return found


def _extent(typed: Typed[object]) -> int:
    """What it takes to go through a value: names are short, it is their number that counts."""
    inside = vars(typed[1]).values() if isinstance(typed[1], BaseModel) else (typed[1],)
    return ITEM_CHARACTERS * sum(len(one) for one in inside if isinstance(one, list))


async def masked_names(
    engine: Engine, workspace: UUID, masking: Masking, names: Sequence[tuple[Loc, str]], *, refuse: bool
) -> list[str]:
    """As ``with_masked_names``, of names each with its place."""
    if masking.off:
        return [name for _, name in names]
    clean, policy = engine.clean_names, PiiPolicy.of(masking, lenient=True)
    asked = list(dict.fromkeys(name for _, name in names if clean.get((policy, name)) is None))
    dirty: list[str] = []
    for name, redaction in zip(asked, await engine.redactor.redact(asked, policy), strict=True):
        if redaction.found:
            dirty.append(name)
        else:
            clean.put((policy, name), True)
    if not dirty:
        return [name for _, name in names]
    secret = await name_secret(engine, workspace)
    masks = dict(zip(dirty, await engine.redactor.redact(dirty, policy, secret), strict=True))
    known = await _in_use(engine, workspace, [name for at, name in names if name in masks and _kind(at)])
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
    """The kinds of data, of those found, that the workspace refuses."""
    modes = {True: masking.secrets.mode, False: masking.pii.mode}
    return [kind for kind in found if modes[kind.startswith(SECRET)] == "reject"]


async def forms_of(engine: Engine, workspace: UUID, masking: Masking, name: str) -> list[str]:
    """Every form in which a name may be stored: as it is, and masked by the workspace's kinds of data or by all.

    Also while nothing is masked: it may have been before.
    """
    if masking.pii.mode == "off" and not await _has_secret(engine, workspace):
        return [name]
    secret = await name_secret(engine, workspace)
    policies = [PiiPolicy.of(masking, lenient=True), PiiPolicy("redact", Masking().pii.entities, "redact")]
    redacted = [await engine.redactor.redact([name], policy, secret) for policy in policies]
    return list(dict.fromkeys([name, *(_bounded(name, one, secret) for (one,) in redacted)]))


def _bounded(name: str, redaction: Redaction, secret: bytes) -> str:
    """The masked name, as one placeholder where it would be longer than a name may be."""
    if len(redaction.text) <= max(len(name), TAG_MAX):
        return redaction.text
    return placeholder(redaction.found[0], name, secret)


def _kind(at: Loc) -> str | None:
    field = next((part for part in reversed(at) if isinstance(part, str)), "")
    return PLACES.get(field)


async def name_secret(engine: Engine, workspace: UUID) -> bytes:
    """The secret under which a workspace's masked names are digests; made once."""
    secret = engine.pii_secrets.get(workspace)
    if secret is None:
        with (
            without_deferred_commit()
        ):  # committed by itself: what a request rolls back must not have been used by another
            async with engine.db.transaction(workspace) as connection:
                secret = await store.secret(connection, workspace, secrets.token_bytes(SECRET_BYTES))
        engine.pii_secrets.put(workspace, secret)
    return secret


async def _has_secret(engine: Engine, workspace: UUID) -> bool:
    async with engine.db.transaction(workspace) as connection:
        return await store.has_secret(connection, workspace)


async def _in_use(engine: Engine, workspace: UUID, names: Sequence[str]) -> set[tuple[str, str]]:
    if not names:
        return set()
    async with engine.db.transaction(workspace) as connection:
        return await store.in_use(connection, workspace, set(names))
