"""What a page hands to the browser and takes back, in an address or a cookie: encrypted, with a time limit.

Nothing is stored until somebody has signed in or consented, so that requests of strangers fill no table.
"""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass
from typing import TypeVar

from cryptography.fernet import Fernet, InvalidToken
from pydantic import BaseModel
from starlette.requests import Request

SEALED_S = 600
"""For a user to sign in or to decide."""

Sealed = TypeVar("Sealed", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Seal:
    """``secret``: 32 bytes, the same in every process of an installation."""

    secret: bytes

    def close(self, value: BaseModel) -> str:
        """Return a value as a text for addresses and cookies."""
        return self._cipher(type(value)).encrypt(value.model_dump_json().encode()).decode()

    def open(self, text: str, kind: type[Sealed]) -> Sealed | None:
        """Return the value of this kind; None for a text that is forged, damaged, or older than SEALED_S."""
        try:
            return kind.model_validate_json(self._cipher(kind).decrypt(text.encode(), ttl=SEALED_S))
        except InvalidToken:
            return None

    def _cipher(self, kind: type[BaseModel]) -> Fernet:
        """Return a cipher for this kind alone, so that no sealed text passes for one of the other."""
        own = hmac.digest(self.secret, kind.__name__.encode(), "sha256")
        return Fernet(base64.urlsafe_b64encode(own))


def seal_of(request: Request) -> Seal:
    """Return the seal of the running app."""
    seal: Seal = request.app.state.seal
    return seal
