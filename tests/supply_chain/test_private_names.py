"""Private names of dependencies: each that the code uses is listed here, with a test that fails when it goes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tokenizers import Tokenizer, models

from tests.processes import ROOT
from tests.supply_chain.private_names import private_names, private_names_under

FOLDERS = ("service", "worker", "reverie", "clients/python", "alembic", "scripts")


def word_cache_can_be_turned_off() -> None:
    tokenizer = Tokenizer(models.BPE(vocab={"a": 0}, merges=[]))
    tokenizer.model._resize_cache(0)
    assert tokenizer.encode("a").ids == [0]


ALLOWED: dict[tuple[str, str], Callable[[], None]] = {
    ("service/embedding/sources.py", "_resize_cache"): word_cache_can_be_turned_off,
}
"""Who uses which name, and what it must do."""


def test_nothing_else_is_used_and_nothing_is_listed_in_vain() -> None:
    found = private_names_under(ROOT, FOLDERS)
    assert {(one.file, one.name) for one in found} == set(ALLOWED), sorted(found)


@pytest.mark.parametrize("works", ALLOWED.values(), ids=lambda one: one.__name__)
def test_a_private_name_that_is_used_is_there(works: Callable[[], None]) -> None:
    works()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import litellm._logging", "litellm._logging"),
        ("from litellm import _turn_on_debug as on", "litellm._turn_on_debug"),
        ("from httpx._client import Client", "httpx._client.Client"),
        ("import httpx\nhttpx.Client()._transport", "httpx.Client._transport"),
        ("import numpy as np\ndef f():\n    return np._core", "numpy._core"),
        ("import httpx\ngetattr(httpx, '_api')", "httpx._api"),
        ("def f(client):\n    return client.thing._inner", "_inner"),
        ("def f(client):\n    client._inner = 3", "_inner"),
    ],
)
def test_the_search_finds_every_way_to_a_private_name(source: str, name: str) -> None:
    assert {one.name for one in private_names({"a.py": source})} == {name}


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos._exit(1)", "from service.x import _y", "class A:\n    def f(self):\n        self._x = self._x",
        "class A:\n    _x: int = 3\ndef f(a):\n    return a._x", "def f(row):\n    return row._replace(a=1).__class__",
        "from collections import namedtuple\nnamedtuple('P', 'x')._make([1])",
    ],
)  # fmt: skip
def test_own_names_the_standard_library_and_named_tuples_are_left_alone(source: str) -> None:
    assert private_names({"a.py": source}) == set()
