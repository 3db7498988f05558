"""Digests that stand for names in keys and tags of memories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


def digest(labels: Sequence[str]) -> str:
    """Stands for these labels, in letters alone: nothing that reads personal data finds a number in it."""
    said = json.dumps(list(labels), ensure_ascii=True).encode()
    return hashlib.sha256(said).hexdigest()[:32].translate(LETTERS)
