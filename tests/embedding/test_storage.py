"""How vectors are kept is part of their signature."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from pydantic import ValidationError

from service.embedding.embedder import (
    MonitoredEmbedder,
    Storage,
    base_signature,
    can_convert_in_place,
    storage_of,
    with_storage,
)
from service.embedding.sources import StaticEmbedder
from service.settings import Settings

EMBEDDERS = ("static:wordllama-l2_supercat:256", "remote:ollama/nomic-embed-text:768", "remote:odd:binary:3")


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("storage", get_args(Storage))
def test_what_is_said_in_a_signature_is_read_from_it(embedder: str, storage: Storage) -> None:
    signature = with_storage(embedder, storage)
    assert (base_signature(signature), storage_of(signature)) == (embedder, storage)
    assert (signature == embedder) == (storage == "halfvec")


async def test_an_embedder_is_another_when_its_vectors_are_kept_another_way() -> None:
    static = StaticEmbedder.open()
    signatures = [MonitoredEmbedder(static, storage).signature for storage in ("halfvec", "float32", "binary")]
    assert signatures == [static.signature, f"{static.signature}:float32", f"{static.signature}:binary"]
    await static.aclose()


def test_only_vectors_that_are_kept_as_precisely_are_taken_over() -> None:
    one, other = "static:one:4", "static:other:4"
    assert can_convert_in_place(f"{one}:binary", one)
    assert can_convert_in_place(one, f"{one}:binary")
    assert can_convert_in_place(one, f"{one}:float32")
    assert not can_convert_in_place(f"{one}:float32", one)
    assert not can_convert_in_place(f"{one}:binary", other)


def test_a_way_that_there_is_not_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("int8", "Binary"):
        monkeypatch.setenv("REVERIE_TUNING", json.dumps({"embedding_storage": value}))
        with pytest.raises(ValidationError, match=r"REVERIE_TUNING\.embedding_storage"):
            Settings(_env_file=None)
    monkeypatch.setenv("REVERIE_TUNING", '{"embedding_storage": "binary"}')
    assert Settings(_env_file=None).tuning.embedding_storage == "binary"
    monkeypatch.setenv("REVERIE_TUNING", "")
    assert Settings(_env_file=None).tuning.embedding_storage == "halfvec"
