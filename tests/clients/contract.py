"""The contract of the clients: calls and what they answer, in ``clients/contract``, the same for every language."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from pydantic import TypeAdapter

from reverie_client import APIError
from tests.processes import ROOT

CONTRACTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "clients" / "contract").glob("*.json"))
}
AGENT = "ada"
PLACEHOLDERS = frozenset({"<any>", "<id>", "<time>", "<text>", "<number>"})
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


Send = Callable[[str, str, str, dict[str, Any]], Awaitable[Any]]
"""Calls what a step says, given the name of a class of clients, an address and a key, and gives the answer."""


async def follow(contract: dict[str, Any], send: Send, url: str, key: str) -> None:
    """Make the calls of a contract, one after another; AssertionError for the first that is answered otherwise."""
    kept: dict[str, Any] = {}
    for number, written in enumerate(contract["steps"], 1):
        step = {"arguments": [], "fields": {}, "as": key} | _put_in(written, kept)
        place = f"{contract['title']}, step {number}: {step['call']}"
        asked = send(contract.get("client", "Reverie"), url, step["as"], step)
        if "error" in step:
            with pytest.raises(APIError) as failed:
                await asked
            _check_error(failed.value, step["error"], place)
            continue
        found = TypeAdapter(Any).dump_python(await asked, mode="json")
        assert (said := difference(found, step["answer"])) is None, f"{place}: {said}"
        assert step.get("contains", "") in json.dumps(found, ensure_ascii=False), f"{place}: {found}"
        kept |= {name: _at(found, where) for name, where in step.get("keep", {}).items()}


def difference(found: Any, wanted: Any, where: str = "the answer") -> str | None:
    """How an answer differs from what is wanted: fields that are not named may be anything. None where it does not."""
    if isinstance(wanted, str) and wanted in PLACEHOLDERS:
        return None if _fits(found, wanted) else f"{where} is {found!r}, not {wanted}"
    if isinstance(wanted, dict) and isinstance(found, dict):
        pairs = [(found.get(name), value, f"{where}.{name}") for name, value in wanted.items()]
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = [(*both, f"{where}.{number}") for number, both in enumerate(zip(found, wanted, strict=True))]
    else:
        return None if found == wanted else f"{where} is {found!r}, not {wanted!r}"
    return next((said for pair in pairs if (said := difference(*pair))), None)


def _fits(found: Any, placeholder: str) -> bool:
    if placeholder == "<number>":
        return isinstance(found, int | float) and not isinstance(found, bool)
    if placeholder == "<time>":
        return isinstance(found, str) and TIME.fullmatch(found) is not None
    if placeholder == "<id>":
        return isinstance(found, str) and str(UUID(found)) == found
    return isinstance(found, str) and found != "" if placeholder == "<text>" else found is not None


def _check_error(error: APIError, wanted: dict[str, Any], place: str) -> None:
    assert (type(error).__name__, error.status) == (wanted["class"], wanted["status"]), f"{place}: {error}"
    if "fields" in wanted:
        assert sorted(error.fields) == sorted(wanted["fields"]), f"{place}: {error}"


def _put_in(value: Any, kept: dict[str, Any]) -> Any:
    """A value in which ``$name`` stands for what was kept under that name."""
    if isinstance(value, dict):
        return {name: _put_in(one, kept) for name, one in value.items()}
    if isinstance(value, list):
        return [_put_in(one, kept) for one in value]
    return kept[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def _at(found: Any, where: str) -> Any:
    for part in where.split("."):
        found = found[int(part) if isinstance(found, list) else part]
    return found
