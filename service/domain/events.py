"""What is told of what happens, and how a webhook is signed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import Literal, get_args

Kind = Literal[
    "memory.created",
    "memory.updated",
    "memory.superseded",
    "memory.deleted",
    "memory.restored",
    "dream.started",
    "dream.finished",
    "dream.failed",
    "dream.undone",
    "proposal.created",
    "window.compacted",
]

EVENT_TYPES = ", ".join(f"`{kind}`" for kind in get_args(Kind))
"""All event types as the API's documentation lists them."""

SECRET_PREFIX = "whsec_"
VERSION = "v1"


def signature(secret: str, event_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of ``webhook-signature``: HMAC-SHA256 over id, Unix time in seconds and body, in base64.

    Source: the Standard Webhooks specification. A secret that is not ``whsec_`` and base64 is taken as it is.
    """
    signed = b".".join((event_id.encode(), str(timestamp).encode(), body))
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"{VERSION},{base64.b64encode(digest).decode()}"


def _key(secret: str) -> bytes:
    if secret.startswith(SECRET_PREFIX):
        try:
            return base64.b64decode(secret[len(SECRET_PREFIX) :], validate=True)
        except binascii.Error:
            pass
    return secret.encode()
