"""Requests that may be sent twice: an ``Idempotency-Key`` makes the second one an exact replay.

The answer commits in the same transaction as what the request wrote, so after a crash there are both or neither; a
repetition under way at the same time waits for the first at an advisory lock. Answers are kept for a day, sealed
under a key made of the caller's API key and the Idempotency-Key: whoever reads the table reads nothing.
A request that fails or writes nothing is not kept, since repeating it does no harm.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.db.deferred_commit import defer_commit
from service.db.failures import translate_db_errors
from service.db.pool import Connection
from service.domain.principal import Principal
from service.errors import Conflict
from service.runtime import Runtime
from service.store import idempotency
from service.store.idempotency import RequestSlot, StoredResponse

RETENTION = timedelta(days=1)
NONCE_BYTES = 12
FAILED = 400


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """A request under an Idempotency-Key (``key``), sent with the API key ``credentials``.

    ``content`` is what must be equal for it to be the same request: method, path, query and body.
    """

    key: str
    credentials: str
    content: bytes


@dataclass(frozen=True, slots=True)
class IdempotentResponse:
    """An HTTP answer. ``replayed`` when it was given before."""

    status: int
    content_type: str
    body: bytes
    replayed: bool = False


class _ConcurrentlyAnswered(Exception):
    def __init__(self, kept: StoredResponse) -> None:
        super().__init__()
        self.kept = kept


async def run_idempotent(
    runtime: Runtime,
    principal: Principal,
    request: IdempotentRequest,
    work: Callable[[], Awaitable[IdempotentResponse | None]],
) -> IdempotentResponse | None:
    """Return the answer of ``work``, or the one it had the first time; None when ``work`` sent it as a stream, unkept.

    Raises Conflict when the key was used for another request, and when the first answer is no longer kept.
    """
    slot = RequestSlot(principal.workspace_id, principal.key_id, hashlib.sha256(request.key.encode()).digest())
    fingerprint = hmac.digest(request.key.encode(), request.content, "sha256")

    async def gate(raw: object) -> None:
        connection = Connection(raw)
        await idempotency.claim(connection, slot)
        kept = await idempotency.find(connection, slot, runtime.now() - RETENTION)
        if kept is not None:
            raise _ConcurrentlyAnswered(kept)

    async with runtime.db.transaction(principal.workspace_id) as connection:
        kept = await idempotency.find(connection, slot, runtime.now() - RETENTION)
    if kept is not None:
        return _replay(request, fingerprint, kept)
    try:
        async with defer_commit(gate) as ending:
            answer = await work()
            if answer is None:
                await ending.commit()
                return None
            if answer.status >= FAILED or not ending.wrote:
                return answer
            kept = StoredResponse(fingerprint, answer.status, answer.content_type, _sealed(request, answer.body))
            if ending.held is not None:
                with translate_db_errors():
                    await idempotency.store(Connection(ending.held), slot, kept, runtime.now())
            else:
                async with runtime.db.transaction(principal.workspace_id) as connection:
                    await idempotency.store(connection, slot, kept, runtime.now())
            await ending.commit()
            return answer
    except _ConcurrentlyAnswered as meanwhile:
        return _replay(request, fingerprint, meanwhile.kept)


def _replay(request: IdempotentRequest, fingerprint: bytes, kept: StoredResponse) -> IdempotentResponse:
    if not hmac.compare_digest(kept.fingerprint, fingerprint):
        raise Conflict("This Idempotency-Key was used for another request.")
    if kept.body is None:
        raise Conflict("This request was carried out; its answer has been erased by a purge since.")
    try:
        body = _cipher(request).decrypt(kept.body[:NONCE_BYTES], kept.body[NONCE_BYTES:], None)
    except InvalidTag:
        raise Conflict("This request was carried out before this API key was rotated.") from None
    return IdempotentResponse(kept.status, kept.content_type, body, replayed=True)


def _sealed(request: IdempotentRequest, body: bytes) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _cipher(request).encrypt(nonce, body, None)


def _cipher(request: IdempotentRequest) -> AESGCM:
    return AESGCM(hmac.digest(request.credentials.encode(), b"idempotency\x00" + request.key.encode(), "sha256"))
