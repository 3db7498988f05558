"""Deletions in two steps: what would go is counted and signed, and done when that signature is sent back.

A token is ``<expiry>.<HMAC-SHA-256>`` over the key, what is deleted, its counts and the expiry, by a secret that all
processes of an installation share. Nothing is stored.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from service.domain.json import JsonValue, dumps
from service.domain.principal import Principal
from service.errors import Conflict, InvalidInput
from service.memory.engine import Engine
from service.store.installation import shared_secret

VALID = timedelta(minutes=10)
PLACE = ("query", "token")


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The token that confirms a deletion until it expires."""

    token: str
    expires_at: datetime


async def issue_token(
    engine: Engine, principal: Principal, target: JsonValue, counts: Mapping[str, int]
) -> Confirmation:
    """The token for a deletion of ``target`` (JSON) by this key while the counts stay."""
    expires_at = (engine.now() + VALID).replace(microsecond=0)
    secret = await signing_secret(engine)
    return Confirmation(_signed(secret, principal, target, counts, expires_at), expires_at)


async def signing_secret(engine: Engine) -> bytes:
    """What ``check_token`` needs. Read before the transaction of the deletion: those that wait for its locks can hold
    all other connections."""
    async with engine.db.unscoped() as connection:
        return await shared_secret(connection, "confirmation")


def check_token(
    secret: bytes,
    now: datetime,
    principal: Principal,
    target: JsonValue,
    counts: Mapping[str, int],
    token: str,
    place: tuple[str, ...] = PLACE,
) -> None:
    """Raise InvalidInput for a token that has expired or is none, and Conflict for one of another key, target or
    counts."""
    seconds, dot, _ = token.partition(".")
    if not dot or not seconds.isascii() or not seconds.isdigit() or len(seconds) > 12:
        raise InvalidInput(place, "is no token of a dry run")
    expires_at = datetime.fromtimestamp(min(int(seconds), 2**37), UTC)
    if expires_at <= now:
        raise InvalidInput(place, "has expired: count again with dry_run")
    expected = _signed(secret, principal, target, counts, expires_at)
    if not hmac.compare_digest(expected.encode(), token.encode("utf-8", "replace")):
        raise Conflict("This is not what was counted: count again with dry_run.", counts=dict(counts))


def _signed(
    secret: bytes, principal: Principal, target: JsonValue, counts: Mapping[str, int], expires_at: datetime
) -> str:
    seconds = int(expires_at.timestamp())
    what = [principal.workspace_id, principal.key_id, target, sorted(counts.items()), seconds]
    return f"{seconds}.{hmac.new(secret, dumps(what), hashlib.sha256).hexdigest()}"
