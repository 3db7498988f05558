"""Which models the proxy calls, however a request names them."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import Forbidden, InvalidInput
from service.proxy.chat import admit
from service.proxy.wire_formats import CHAT_COMPLETIONS, MESSAGES, RESPONSES, WireFormat

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
    admitted = admit(content, allowed, OWN, CHAT_COMPLETIONS)
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
        admit(body(model=model), allowed, OWN, CHAT_COMPLETIONS)
    assert repr(model) in refused.value.message


def test_without_a_configured_model_none_is_allowed_until_listed() -> None:
    with pytest.raises(Forbidden):
        admit(body(model="m"), [], None, CHAT_COMPLETIONS)
    assert admit(body(model="m"), ["m"], None, CHAT_COMPLETIONS).model == "m"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000, body(), body(model=None), body(model=""), body(model=1),
        body(model=["gpt-4o-mini"]), body(model="m" * 201),
    ],
)  # fmt: skip
def test_what_names_no_model_is_invalid(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        admit(content, ["*"], OWN, CHAT_COMPLETIONS)


@pytest.mark.parametrize("field", ["models", "fallbacks", "Models", "fallback_models", "modelſ"])
def test_fields_that_name_other_models_are_refused(field: str) -> None:
    with pytest.raises(Forbidden, match="other models"):
        admit(body(model="gpt-4o-mini", **{field: ["gpt-5"]}), [], OWN, CHAT_COMPLETIONS)


@pytest.mark.parametrize("other", ["Model", "MODEL", "mOdEl"])
@pytest.mark.parametrize("first", [True, False])
def test_a_second_spelling_of_the_field_is_refused(other: str, first: bool) -> None:
    names = {other: "gpt-5", "model": "gpt-4o-mini"} if first else {"model": "gpt-4o-mini", other: "gpt-5"}
    with pytest.raises(InvalidInput, match="once"):
        admit(body(**names), [], OWN, CHAT_COMPLETIONS)


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
    admitted = admit(content, [], OWN, CHAT_COMPLETIONS)
    pairs: list[tuple[str, Any]] = json.loads(admitted.content, object_pairs_hook=list)
    assert [value for name, value in pairs if name == "model"] == ["gpt-4o-mini"]


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4), st.sampled_from(["a", "b", "é"]))
def test_what_is_admitted_names_the_model_once_in_every_reading(extra: dict[str, str], model: str) -> None:
    content = orjson.dumps(extra | {"model": model})
    try:
        admitted = admit(content, ["a"], None, CHAT_COMPLETIONS)
    except (Forbidden, InvalidInput):
        return
    pairs: list[tuple[str, Any]] = json.loads(admitted.content, object_pairs_hook=list)
    assert [value for name, value in pairs if name.casefold() == "model"] == ["a"]


SMUGGLED: dict[str, Any] = {
    "api_base": "http://127.0.0.1:1", "base_url": "http://127.0.0.1:1", "api_key": "k", "extra_headers": {"a": "b"},
    "headers": {"a": "b"}, "extra_body": {"api_base": "http://127.0.0.1:1"}, "extra_query": {}, "organization": "o",
    "custom_llm_provider": "openai", "api_version": "1", "aws_secret_access_key": "k", "vertex_credentials": "{}",
    "litellm_params": {"api_base": "x"}, "user_config": {}, "model_list": [], "mock_response": "x", "API_BASE": "x",
    "success_callback": ["webhook"], "input_cost_per_token": 0, "proxy_server_request": {}, "no-log": True, "": 1,
}  # fmt: skip


@pytest.mark.parametrize("wire", [CHAT_COMPLETIONS, RESPONSES, MESSAGES], ids=lambda wire: wire.name)
def test_what_no_format_has_stays_here(wire: WireFormat) -> None:
    plain = {"model": "m", "tools": [], "temperature": 0.1, "metadata": {"api_base": "a label"}}
    for name, value in SMUGGLED.items():
        admitted = admit(json.dumps(plain | {name: value}).encode(), ["m"], None, wire)
        assert admitted.payload == plain
        assert orjson.loads(admitted.content) == plain
    admitted = admit(json.dumps(plain | SMUGGLED).encode().replace(b"api_key", b"api\\u005fkey"), ["m"], None, wire)
    assert orjson.loads(admitted.content) == plain


def test_what_servers_of_the_protocol_take_goes_through() -> None:
    content = body(model="m", top_k=3, min_p=0.1, chat_template_kwargs={"enable_thinking": False}, provider={"sort": 1})
    assert admit(content, ["m"], None, CHAT_COMPLETIONS).content == content
