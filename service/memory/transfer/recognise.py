"""Which format a file is in, told from its beginning."""

from __future__ import annotations

import csv
from contextlib import suppress
from itertools import islice

import ijson
import orjson

from service.domain.json import JsonObject
from service.memory.transfer.arkos import NEEDED
from service.memory.transfer.importing import Format
from service.memory.transfer.mem0 import LISTS

HEAD_BYTES = 256 * 1024
ARKOS = set(NEEDED)
LIST_PREFIXES = {prefix.rpartition(".item")[0] for prefix in LISTS if "." in prefix}
"""The keys of an object under which Mem0's memories are a list."""


def recognise(head: bytes) -> Format:
    """The format of a file that begins like this; ``reverie`` for what is none of the others, so that its errors are
    those of an export."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return "mem0"
    first, _, rest = text.partition(b"\n")
    if not text.startswith(b"{"):
        header = next(csv.reader([first.decode(errors="replace")]), [])
        return "arkos" if set(header) >= ARKOS else "reverie"
    line = _object(first)
    if line is None:
        return "mem0" if rest and _first_key(text) in LIST_PREFIXES else "reverie"
    if LIST_PREFIXES & line.keys():
        return "mem0"
    return "arkos" if line.keys() >= ARKOS else "reverie"


def _object(text: bytes) -> JsonObject | None:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _first_key(text: bytes) -> str | None:
    """The first key of an object that may be cut off."""
    with suppress(ijson.JSONError):
        for event, value in islice(ijson.basic_parse(text, use_float=True), 2):
            if event == "map_key":
                return str(value)
    return None
