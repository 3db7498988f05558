"""Web and mail addresses and paths, kept whole: a word stands in for each until the statement is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”]{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?!\w)"
    r"|(?<![\w/.~])(?:~|\.{1,2})?(?:/[\w.@-]{1,60}){2,12}/?"
)
_ENDS = ".,;:!?)]}'’"
_STAND_IN = "Zqaddress"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_STANDS = re.compile(rf"{_STAND_IN}([a-z])", re.IGNORECASE)


def without_addresses(text: str) -> tuple[str, list[str]]:
    """``text`` with a word in place of each address, and the addresses; those past the 26th are left out."""
    if "/" not in text and "@" not in text and "www." not in text:
        return text, []
    found: list[str] = []

    def replace(match: re.Match[str]) -> str:
        address = match[0].rstrip(_ENDS)
        rest = match[0][len(address) :]
        if len(found) == len(_LETTERS):
            return rest
        found.append(address)
        return f"{_STAND_IN}{_LETTERS[len(found) - 1]}{rest}"

    return _ADDRESS.sub(replace, text), found


def with_addresses(text: str, addresses: Sequence[str]) -> str:
    """``text`` with the addresses back in their places."""
    if not addresses:
        return text

    def restore(match: re.Match[str]) -> str:
        at = _LETTERS.index(match[1].lower())
        return addresses[at] if at < len(addresses) else match[0]

    return _STANDS.sub(restore, text)
