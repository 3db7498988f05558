"""What stands in place of masked personal data: ``<EMAIL_ADDRESS>`` in texts, and in names
``<EMAIL_ADDRESS:9f86d081884c7d659a2feaa0>``, whose digest tells one address from another. In place of secrets:
``[SECRET:github_token]`` and ``[SECRET:github_token:9f86d081884c7d659a2feaa0]``."""

from __future__ import annotations

import hashlib
import hmac
import re

from service.domain.workspace import ALL_PII

DIGEST_CHARS = 24
"""Hexadecimal digits, 96 bits: among a million names of a workspace two meet with a probability of 1e-17."""

_KINDS = "|".join(ALL_PII)
SECRET = "SECRET:"
"""Before the kind of a secret."""
_SECRET_KIND = r"[a-z][a-z0-9_]{1,39}"
PLACEHOLDER = re.compile(
    rf"(?:<(?:{_KINDS})|(?P<secret>\[SECRET:{_SECRET_KIND}))(?::[0-9a-f]{{{DIGEST_CHARS}}})?(?(secret)\]|>)",
    re.IGNORECASE,
)
_MASKED_SECRET = re.compile(rf"\[SECRET:({_SECRET_KIND})")
_BARE = re.compile(rf"<(?:{_KINDS})>|\[SECRET:{_SECRET_KIND}\]", re.IGNORECASE)
_NUMBERED = re.compile(rf"(?:{_KINDS})(?:_[0-9a-f]{{1,{DIGEST_CHARS}}})?", re.IGNORECASE)
_UNBRACKETED = re.compile(rf"(?<![^\W_])(?:{'|'.join(kind for kind in ALL_PII if '_' in kind)})(?![^\W_])")


def placeholder(kind: str, value: str, secret: bytes | None = None) -> str:
    """Return what stands for ``value``; with a ``secret``, told apart from every other value by its HMAC-SHA256."""
    opening, closing = "[]" if kind.startswith(SECRET) else "<>"
    if secret is None:
        return f"{opening}{kind}{closing}"
    digest = hmac.digest(secret, f"{kind}\x00{value}".encode("utf-8", "surrogatepass"), hashlib.sha256).hex()
    return f"{opening}{kind}:{digest[:DIGEST_CHARS]}{closing}"


def secret_kinds(text: str) -> list[str]:
    """Return the kinds of the secrets that were masked in a text."""
    return _MASKED_SECRET.findall(text)


def holds_placeholder(name: str) -> bool:
    """Return whether a name is made of masked data, in angle brackets or as a model or a rule leaves it without."""
    found = PLACEHOLDER.search(name) or _UNBRACKETED.search(name) or _NUMBERED.fullmatch(name.strip("<>"))
    return found is not None


def holds_bare_placeholder(name: str) -> bool:
    """Return whether a name is made of masked data of which nothing says whose it was."""
    return _BARE.search(name) is not None


def identifies_a_person(name: str) -> str:
    """Return the name itself. Raises ValueError for one with a placeholder that stands for whoever's data was
    masked."""
    if holds_bare_placeholder(name):
        raise ValueError("must not hold a placeholder of masked personal data: it stands for anybody")
    return name
