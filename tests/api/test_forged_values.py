"""Cursors, numbers, moments, ids and versions that nobody was given: refused by name, on every endpoint there is."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from datetime import UTC
from functools import cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.domain import cursors
from tests.api.test_hostile_input import DOCUMENT, UNTRIED, bodies, in_path, operations
from tests.live_api import Api, Caller, Tenant
from tests.worker.dreaming import dream, say

Json = dict[str, Any]


def forged(value: Any) -> str:
    """A cursor of a JSON text, or of a value."""
    text = value if isinstance(value, str) else json.dumps(value)
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")


AN_ID = "0195f0a0-0000-7000-8000-000000000001"
NEVER = [
    "", "x", "%", "\x00", "é", "\ud800", "=", "====", "W10", "bnVsbA", "!!!!", "a" * 500, "a" * 5_000, "W" * 1_200,
    forged(None), forged([]), forged({}), forged([None]), forged([True]), forged([[]]), forged([{}]), forged("[" * 900),
    forged("[NaN]"), forged("[1e300]"), forged("[1e400]"), forged("[-Infinity]"), forged("[1.0]"), forged("[01]"),
    forged("[9223372036854775808]"), forged("[-9223372036854775809]"), forged("[" + "9" * 300 + "]"),
    forged('["\\u0000"]'),
    forged('["\\ud800"]'), forged('["a\ud800"]'), forged(["\x00", AN_ID]), forged(["", ""]), forged([AN_ID, AN_ID]),
    forged(["0001-01-01T00:00:00+23:59", AN_ID]), forged(["9999-12-31T23:59:59-23:59", AN_ID]),
    forged(["0001-01-01T00:00:00", AN_ID]), forged(["10000-01-01T00:00:00Z", AN_ID]), forged([2**31, AN_ID]),
    forged(["2024-01-01", AN_ID]), forged(["2024-01-01T00:00:00+00:00", "x"]), forged(["2024-01-01T00:00:00+00:00", 1]),
    forged([1, 2]), forged("[1] "), forged("[1]\n"),
    forged([AN_ID]) + "=", forged([AN_ID]) + "!", forged([AN_ID]) + "AAAA",
]  # fmt: skip
"""None of these is a cursor of any list."""
PERHAPS = [forged([n]) for n in (0, 1, -1, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63 - 1, -(2**63))] + [
    forged(json.dumps([text], ensure_ascii=False))
    for text in ("", "a", "' OR 1=1", "x" * 300, "👩", AN_ID, AN_ID.upper() + " ", "{" + AN_ID + "}")
]
"""Well-formed for some lists."""
VALUES = [
    "\x00", "", " ", "x", "-1", "0", "2147483648", "-2147483649", "9223372036854775808", "9" * 400, "1e300", "NaN",
    "inf",
    "1.5", "0x10", "١", "٣٤", "null", "[]", "true\x00", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "-4713-01-01", "1e20", "-1e20", "urn:uuid:x",
    "{" + AN_ID + "}", AN_ID,
    "../..", "%00", "'", "\u202e", "a" * 5_000,
]  # fmt: skip
JSON_VALUES: list[Any] = [
    -1, 0, 2**31 - 1, 2**31, -(2**31) - 1, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 1e300, 1.5, -0.0,
    "NAN", "\x00",
    "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z", "10000-01-01T00:00:00Z", [], {},
    "1",
]  # fmt: skip
"""``NAN`` is sent as a bare word."""
NO_EFFECT = {("PUT", "/v1/settings")}
"""Would lock the test out (a rate limit); its numbers are those of schemathesis."""


def fits_a_header(value: str) -> bool:
    return value.isprintable() and value.isascii() and value == value.strip()


async def names(api: Api) -> dict[str, str]:
    """Something of every kind that a path may name, so that a request comes as far as the database."""
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    link = {"relation": "about", "entity": {"name": "n", "kind": "k"}}
    memory = await api.save("The ferry leaves at nine", user="u", links=[link])
    document = await api.post("/v1/documents", {"agent": "a", "title": "t", "text": "Some text."})
    hook = await api.post("/v1/webhooks", {"url": "https://hooks.invalid/x"})
    entity = (await api.get("/v1/entities"))["items"][0]
    done = (await api.get("/v1/dreams"))["items"][0]
    key = await api.post("/v1/keys", {"role": "reader", "name": "r"})
    page = await api.post("/v1/pages", {"agent": "a", "question": "When does the ferry leave?"})
    saved = {"agent": "a", "name": "ferry", "query": "ferry", "expected": [memory["id"]]}
    search = await api.post("/v1/searches", saved)
    return {
        "agent": "a", "session": "s", "user": "u", "entity": "n", "memory_id": memory["id"],
        "document_id": document["id"], "webhook_id": hook["id"], "entity_id": entity["id"], "dream_id": done["id"],
        "key_id": key["id"], "page_id": page["id"], "search_id": search["id"],
    }  # fmt: skip


def resolved(parameter: Json) -> Json:
    """A parameter, said here or by reference."""
    if "$ref" in parameter:
        return dict(DOCUMENT["components"]["parameters"][parameter["$ref"].rpartition("/")[2]])
    return parameter


def parameters(place: str) -> Iterator[tuple[str, str, str]]:
    """Every parameter in that place, with its operation: method, path, name."""
    for method, path, operation in operations():
        for parameter in map(resolved, operation.get("parameters", ())):
            if parameter["in"] == place and (method, path) not in UNTRIED:
                yield method, path, parameter["name"]


LISTS = sorted({(method, path) for method, path, name in parameters("query") if name == "cursor"})


@cache
def needed(path: str) -> dict[str, str]:
    """What a request needs in its query to do anything, and not to wait for ever."""
    asked = {name for _, other, name in parameters("query") if other == path}
    return {name: value for name, value in {"agent": "a", "wait": "false", "q": "x"}.items() if name in asked}


async def send(api: Caller, method: str, path: str, **options: Any) -> int:
    """The status of a request that must be answered as the document says: no 5xx, a problem names its reason."""
    answer = await api.call(method, path, **options)
    assert answer.status_code < 500, (method, path, options, answer.text[:500])
    assert answer.status_code not in (401, 429), answer.text
    if answer.status_code == 422:
        assert answer.json()["errors"], answer.text
    return answer.status_code


def test_every_list_is_known() -> None:
    paged = {
        (method.upper(), path)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
        if "next_cursor" in json.dumps(shape(operation))
    }
    assert paged == set(LISTS)
    assert len(LISTS) >= 10


def shape(operation: Json) -> Json:
    """The schema of what an operation answers."""
    content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
    schema: Json = content.get("schema", {})
    return dict(DOCUMENT["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {}))


async def test_no_list_takes_a_forged_cursor(api: Api) -> None:
    known = await names(api)
    for method, path in LISTS:
        assert await send(api, method, in_path(path, **known), params=needed(path)) == 200, path
        for cursor in NEVER:
            raw = quote(cursor, safe="", errors="surrogatepass")
            query = "&".join(f"{name}={value}" for name, value in needed(path).items())
            status = await send(api, method, f"{in_path(path, **known)}?{query}&cursor={raw}")
            assert status == 422, (path, cursor)
        for cursor in PERHAPS:
            assert await send(api, method, in_path(path, **known), params=needed(path) | {"cursor": cursor}) in (
                200,
                422,
            )


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.datetimes().map(str) | st.uuids().map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.lists(ANYTHING, min_size=1, max_size=2) | ANYTHING)
async def test_no_cursor_is_a_surprise(tenant: Tenant, value: Any) -> None:
    cursor = forged(json.dumps(value, ensure_ascii=False))
    for method, path in LISTS:
        status = await send(tenant, method, in_path(path), params=needed(path) | {"cursor": cursor})
        assert status in (200, 404, 422) or (status == 403 and path == "/v1/workspaces"), path


STORED = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
MOMENTS = st.datetimes(timezones=st.just(UTC))
NUMBERS = st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=500)
@given(key=st.tuples(MOMENTS, st.uuids()) | st.tuples(st.uuids()) | st.tuples(STORED) | st.tuples(NUMBERS))
def test_what_was_encoded_is_decoded(key: tuple[Any, ...]) -> None:
    cursor = cursors.encode(*key)
    assert len(cursor) <= cursors.CURSOR_MAX
    assert cursors.decode(cursor, *map(type, key)) == list(key)


async def test_the_longest_names_have_pages(tenant: Tenant) -> None:
    made = sorted(n * 200 for n in '👩"é')
    for name in made:
        await tenant.put(f"/v1/agents/{quote(name)}", {})
    found: list[str] = []
    cursor: Json = {}
    while page := await tenant.get("/v1/agents", limit=1, **cursor):
        found += [agent["agent"] for agent in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert sorted(found) == made


@pytest.mark.parametrize("place", ["query", "header"])
async def test_every_parameter_of_a_query_or_header(api: Api, place: str) -> None:
    known = await names(api)
    for method, path, name in parameters(place):
        if method != "GET" and method != "POST":
            continue
        if name == "cursor":
            continue
        body = {"json": ALL[method, path]} if (method, path) in ALL else {}
        for value in VALUES:
            given_query = needed(path)
            if place == "query":
                query = "&".join(f"{one}={quote(two)}" for one, two in given_query.items() if one != name)
                where = f"{in_path(path, **known)}?{query}&{name}={quote(value, safe='')}"
                await send(api, method, where, **body)
            elif fits_a_header(value):
                await send(api, method, in_path(path, **known), params=given_query, headers={name: value}, **body)


async def test_every_part_of_a_path(api: Api) -> None:
    known = await names(api)
    for method, path, name in parameters("path"):
        for value in VALUES:
            if value in ("", "../..") or (method != "GET" and value == known.get(name)):
                continue
            body = {"json": ALL[method, path]} if (method, path) in ALL else {}
            where = path.replace("{" + name + "}", quote(value, safe=""))
            await send(api, method, in_path(where, **known), params=needed(path), **body)


ALL = bodies()


def resolved_schema(schema: Json) -> Json:
    return dict(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]) if "$ref" in schema else schema


def numbers(schema: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a body may have a number, a moment or an id."""
    schema = resolved_schema(schema)
    for option in schema.get("anyOf", ()):
        yield from numbers(option, path)
    if schema.get("type") in ("integer", "number") or schema.get("format") in ("date-time", "uuid"):
        yield path
    for name, field in schema.get("properties", {}).items():
        yield from numbers(field, (*path, name))
    if schema.get("type") == "array" and schema.get("items"):
        yield from numbers(schema["items"], (*path, 0))


def with_value(body: Any, path: tuple[Any, ...], value: Any) -> bytes:
    made = copy.deepcopy(body)
    inner = made
    for part, after in pairwise(path):
        if isinstance(inner, list) and not inner:
            inner.append([] if after == 0 else {})
        elif isinstance(inner, dict) and not isinstance(inner.get(part), dict | list):
            inner[part] = [] if after == 0 else {}
        inner = inner[part]
    if isinstance(inner, list) and not inner:
        inner.append(value)
    else:
        inner[path[-1]] = value
    return json.dumps(made).replace('"NAN"', "NaN").encode()


async def test_every_number_moment_and_id_of_every_body(api: Api) -> None:
    known = await names(api)
    tried = 0
    for (method, path), body in ALL.items():
        if (method, path) in NO_EFFECT:
            continue
        operation = DOCUMENT["paths"][path][method.lower()]
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        for place in dict.fromkeys(numbers(schema)):
            for value in JSON_VALUES:
                content = with_value(body, place, value)
                where = in_path(path, **known)
                await send(api, method, where, content=content, headers={"Content-Type": "application/json"})
                tried += 1
    assert tried > 500


@pytest.mark.parametrize("given_id", [value for value in VALUES if value.strip() and fits_a_header(value)])
async def test_a_last_event_id_that_is_none(tenant: Tenant, given_id: str) -> None:
    await tenant.save("one")
    status = await send(tenant, "GET", "/v1/events", params={"wait": "false"}, headers={"Last-Event-ID": given_id})
    assert status == (200 if given_id in ("0", "2147483648") else 422)
