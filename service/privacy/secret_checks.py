"""What can be checked of a secret offline: checksums, structure and entropy, each by the issuer's definition."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import zlib
from collections import Counter

import orjson

from service.domain.encodings import decoded_base64

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE58 = {sign: place for place, sign in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}
_BECH32 = {sign: place for place, sign in enumerate("qpzry9x8gf2tvdw0s3jn54khce6mua7l")}
_BECH32_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BEGINNING = re.compile(r"(?>[A-Za-z]{2,8}[-_](?:pat_|[a-z]{2,8}[0-9]{0,2}-(?:v1-)?)?)")
_WORDS = re.compile(r"(?>[A-Za-z]*[0-9]{0,4})(?:[-_.](?>[A-Za-z]*[0-9]{0,4}))*")
_AGE_PREFIX = "age-secret-key-"
_CRC_DIGITS = 6
_BASE58_CHARS_MAX = 120
_JWT_HEADER_MAX = 4_096
_HEX = frozenset("0123456789abcdefABCDEF-")


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


def is_random(value: str) -> bool:
    """Whether a value looks drawn at random rather than written as an example (``xxxx…``, ``1234…``, ``your-token``):
    its entropy is at least 0.62 of what its length and alphabet allow, which 999 of 1,000 random ones reach, and its
    characters do not count up."""
    signs = 16 if _HEX.issuperset(value) else 64
    possible = math.log2(max(2, min(len(value), signs)))
    return len(value) > 1 and entropy(value) >= 0.62 * possible and not _counts_up(value)


def is_issued(token: str) -> bool:
    """Whether a token of a known beginning is more than a placeholder: it has at least two digits and eight different
    characters behind the beginning, not only words with signs between them."""
    secret = _BEGINNING.sub("", token)
    return sum(map(str.isdigit, secret)) >= 2 and len(set(secret)) >= 8 and not _WORDS.fullmatch(secret)


def _counts_up(value: str) -> bool:
    steps = [ord(later) - ord(former) for former, later in itertools.pairwise(value)]
    return sum(step == 1 for step in steps) > len(steps) * 0.6


def has_crc32_suffix(token: str) -> bool:
    """GitHub's and npm's tokens: after the prefix and ``_``, the last six characters are the CRC-32 of those before
    in base 62, padded with zeros (github.blog, "Behind GitHub's new authentication token formats", 2021)."""
    _, _, secret = token.partition("_")
    body, given = secret[:-_CRC_DIGITS], secret[-_CRC_DIGITS:]
    rest, digits = zlib.crc32(body.encode()), ""
    while rest:
        rest, digit = divmod(rest, 62)
        digits = _BASE62[digit] + digits
    return bool(body) and digits.rjust(_CRC_DIGITS, "0") == given


def is_base58check(value: str) -> bool:
    """Whether the last four bytes are the doubled SHA-256 of those before them: Bitcoin's private keys."""
    if len(value) > _BASE58_CHARS_MAX:
        return False
    number = 0
    for sign in value:
        if sign not in _BASE58:
            return False
        number = number * 58 + _BASE58[sign]
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(data) > 4 and hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def is_age_key(value: str) -> bool:
    """Whether the Bech32 checksum (BIP 173) of an ``AGE-SECRET-KEY-1…`` is right."""
    signs = value.lower().removeprefix(f"{_AGE_PREFIX}1")
    if any(sign not in _BECH32 for sign in signs):
        return False
    expanded = [ord(sign) >> 5 for sign in _AGE_PREFIX] + [0] + [ord(sign) & 31 for sign in _AGE_PREFIX]
    check = 1
    for each in [*expanded, *(_BECH32[sign] for sign in signs)]:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ each
        for bit, generator in enumerate(_BECH32_GENERATORS):
            check ^= generator if top >> bit & 1 else 0
    return check == 1


def is_jwt(value: str) -> bool:
    """Whether the first part is a JOSE header: a JSON object with ``alg`` or ``enc`` (RFC 7515, 7516)."""
    header = decoded_base64(value.partition(".")[0][:_JWT_HEADER_MAX])
    try:
        parsed = orjson.loads(header) if header else None
    except orjson.JSONDecodeError:
        return False
    return isinstance(parsed, dict) and ("alg" in parsed or "enc" in parsed)


def is_discord_token(value: str) -> bool:
    """Whether the first part is a user's number in base64."""
    number = decoded_base64(value.partition(".")[0])
    return number is not None and number.isdigit()


def is_basic_auth(value: str) -> bool:
    """Whether a value is ``user:password`` in base64 (RFC 7617)."""
    pair = decoded_base64(value)
    return pair is not None and b":" in pair and all(0x20 <= byte != 0x7F for byte in pair)
