"""Bytes in base64, as texts hold them."""

from __future__ import annotations

import base64
import binascii


def decoded_base64(value: str) -> bytes | None:
    """Return the bytes of a value in base64 of either alphabet, padded or not; None for none."""
    plain = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
