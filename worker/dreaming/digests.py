"""Digests that identify statements and what they are about."""

from __future__ import annotations

import hashlib


def digest_of(*parts: str) -> str:
    """32 hexadecimal digits that differ with the parts and their order."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
