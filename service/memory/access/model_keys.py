"""The keys that workspaces give for models of their own: encrypted with a key of the installation that is not in the
database, each for its workspace and its server alone."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.domain.llm_settings import LAST_SHOWN, SEALED
from service.errors import ReverieError
from service.settings import Settings

FILE: Final = "encryption-key"
NONCE_BYTES: Final = 12
SHOWN_FROM_CHARS: Final = 12
"""Of a shorter key no character is shown."""


class KeyUnreadable(ReverieError):
    """The key was not stored with this REVERIE_ENCRYPTION_KEY, or not for this server: give it again."""


class ModelKeys:
    """Encrypts and decrypts with REVERIE_ENCRYPTION_KEY, else with ``<data folder>/encryption-key``, which is made for
    the first key that is stored."""

    def __init__(self, settings: Settings) -> None:
        self._given = settings.encryption_key
        self._file = settings.data_dir / FILE

    def seal(self, workspace: UUID, api_base: str | None, key: str) -> str:
        """The key as it is stored."""
        last = key[-LAST_SHOWN:] if len(key) >= SHOWN_FROM_CHARS else ""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = nonce + self._cipher(make=True).encrypt(nonce, key.encode(), _bound_to(workspace, api_base))
        return f"{SEALED}{last}:{base64.b64encode(sealed).decode()}"

    def unseal(self, workspace: UUID, api_base: str | None, stored: str) -> str:
        """The key itself. Raises KeyUnreadable."""
        try:
            sealed = base64.b64decode(stored.rpartition(":")[2])
            nonce, text = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
            return self._cipher(make=False).decrypt(nonce, text, _bound_to(workspace, api_base)).decode()
        except (InvalidTag, ValueError, OSError):
            raise KeyUnreadable from None

    def _cipher(self, *, make: bool) -> AESGCM:
        given = self._given
        if given is None:
            if make and not self._file.exists():
                _make(self._file)
            given = self._file.read_text("utf-8").strip()
        return AESGCM(hashlib.sha256(given.encode()).digest())


def _bound_to(workspace: UUID, api_base: str | None) -> bytes:
    return f"{workspace}\n{api_base or ''}".encode()


def _make(file: Path) -> None:
    """Write a new key with mode 600, whole at once: of two processes one does."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.write(secrets.token_urlsafe(32) + "\n")
    with suppress(FileExistsError):
        os.link(part, file)
    part.unlink()
