"""Which models the proxy calls, however a request names them."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import Forbidden, InvalidInput
from service.proxy.admission import admit

OWN = "openai/gpt-4o-mini"


def body(**fields: Any) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": "hi"}]} | fields).encode()


@pytest.mark.parametrize(
    ("model", "allowed"),
    [
        ("gpt-4o-mini", []),
        ("openai/gpt-4o-mini", []),
        ("gpt-4o", ["gpt-4o*"]),
        ("openai/gpt-4o", ["gpt-4o"]),
        ("gpt-4o", ["openai/gpt-4o"]),
        ("anything", ["*"]),
    ],
)
def test_an_allowed_model_goes_through_byte_for_byte(model: str, allowed: list[str]) -> None:
    content = body(model=model)
    admitted = admit(content, allowed, OWN)
    assert (admitted.model, admitted.content) == (model, content)


@pytest.mark.parametrize(
    ("model", "allowed"),
    [
        ("gpt-4o", []),
        ("GPT-4O-MINI", []),
        ("gpt-4o-mini ", []),
        ("gpt-4o-mini:online", []),
        ("azure/gpt-4o-mini", []),
        ("openai/openai/gpt-4o-mini", []),
        ("gpt-4o-mini", ["gpt-5"]),
    ],
)
def test_another_model_is_refused_by_its_name(model: str, allowed: list[str]) -> None:
    with pytest.raises(Forbidden) as refused:
        admit(body(model=model), allowed, OWN)
    assert repr(model) in refused.value.message


def test_without_a_configured_model_none_is_allowed_until_listed() -> None:
    with pytest.raises(Forbidden):
        admit(body(model="m"), [], None)
    assert admit(body(model="m"), ["m"], None).model == "m"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000, body(), body(model=None), body(model=""), body(model=1),
        body(model=["gpt-4o-mini"]), body(model="m" * 201),
    ],
)  # fmt: skip
def test_what_names_no_model_is_invalid(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        admit(content, ["*"], OWN)


@pytest.mark.parametrize("field", ["models", "fallbacks", "Models", "fallback_models", "modelſ"])
def test_fields_that_name_other_models_are_refused(field: str) -> None:
    with pytest.raises(Forbidden, match="other models"):
        admit(body(model="gpt-4o-mini", **{field: ["gpt-5"]}), [], OWN)


@pytest.mark.parametrize("other", ["Model", "MODEL", "mOdEl"])
@pytest.mark.parametrize("first", [True, False])
def test_a_second_spelling_of_the_field_is_refused(other: str, first: bool) -> None:
    names = {other: "gpt-5", "model": "gpt-4o-mini"} if first else {"model": "gpt-4o-mini", other: "gpt-5"}
    with pytest.raises(InvalidInput, match="once"):
        admit(body(**names), [], OWN)


@pytest.mark.parametrize(
    "content",
    [
        b'{"model":"gpt-5","messages":[],"model":"gpt-4o-mini"}',
        b'{"mod\\u0065l":"gpt-5","messages":[],"model":"gpt-4o-mini"}',
        b'{"\\u006dodel":"gpt-5","model":"gpt-4o-mini"}',
        b'{"model" : "gpt-5", "messages":[], "model"\t: "gpt-4o-mini"}',
    ],
)
def test_what_another_parser_could_read_otherwise_is_written_anew(content: bytes) -> None:
    """A parser that takes the first of two keys would call a model that nobody allowed."""
    admitted = admit(content, [], OWN)
    pairs: list[tuple[str, Any]] = json.loads(admitted.content, object_pairs_hook=list)
    assert [value for name, value in pairs if name == "model"] == ["gpt-4o-mini"]


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4), st.sampled_from(["a", "b", "é"]))
def test_what_is_admitted_names_the_model_once_in_every_reading(extra: dict[str, str], model: str) -> None:
    content = orjson.dumps(extra | {"model": model})
    try:
        admitted = admit(content, ["a"], None)
    except (Forbidden, InvalidInput):
        return
    pairs: list[tuple[str, Any]] = json.loads(admitted.content, object_pairs_hook=list)
    assert [value for name, value in pairs if name.casefold() == "model"] == ["a"]
