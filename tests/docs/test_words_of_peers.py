"""The map from the words of other memory services: each call, field and method that it names on our side exists."""

from __future__ import annotations

import re

import pytest

import reverie_client
from service.domain.types import MemoryType
from tests.api_document import DOCUMENT
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "words-of-peers.md").read_text("utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line][1:]
OURS = "\n".join(row[2] for row in ROWS)
PEERS = ("mem0", "Zep", "Honcho", "Hindsight", "LangMem", "Letta")


def test_every_row_names_a_peer_and_every_peer_has_rows() -> None:
    assert all(len(row) == 3 for row in ROWS)
    for row in ROWS:
        assert set(re.split(r"[,;] ", row[1])) <= set(PEERS), row
    assert all(any(peer in row[1] for row in ROWS) for peer in PEERS)


@pytest.mark.parametrize("call", sorted(set(re.findall(r"`((?:GET|POST|PUT|DELETE) /[^`]+)`", PAGE))))
def test_every_call_exists(call: str) -> None:
    method, _, path = call.partition(" ")
    known = {re.sub(r"\{[^}]*\}", "{}", known): methods for known, methods in DOCUMENT["paths"].items()}
    assert method.lower() in known[re.sub(r"\{[^}]*\}", "{}", path.partition("?")[0])]


def test_every_field_and_type_exists() -> None:
    named = set(re.findall(r"`([a-z_.]+)`", OURS)) - {str(one) for one in MemoryType}
    described = str(DOCUMENT)
    assert {"scope", "valid_from", "as_of", "expires_at"} <= named
    for name in named:
        assert all(f"'{part}'" in described or f"`{part}`" in described for part in name.split(".")), name


def test_the_methods_of_mem0_that_it_names_are_those_of_memory() -> None:
    methods = set(re.findall(r"`memory\.(\w+)", PAGE))
    assert methods == {"add", "search", "history", "delete_all"}
    for kind in (reverie_client.Memory, reverie_client.AsyncMemory):
        assert all(callable(getattr(kind, name)) for name in methods)
