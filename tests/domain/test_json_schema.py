"""The part of JSON Schema that callers may use: what fits, what does not, and what is refused."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest

from service.domain.json_schema import (
    DEPTH_MAX,
    PAIRS_MAX,
    PROBLEMS_MAX,
    REQUEST_PAIRS_MAX,
    Checked,
    check_schema,
    problems,
)

BYTES_MAX = 1_000
CPU_S_MAX = 0.05
"""Of CPU time: no other thread runs meanwhile."""
POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "fits", "fails"),
    [
        ({}, [None, 1, "x", {}, []], []),
        ({"type": "integer"}, [1, -3, 2.0], [1.5, "1", True, None]),
        ({"type": "number"}, [1, 1.5], [True, "1"]),
        ({"type": "boolean"}, [True, False], [0, 1, None]),
        ({"type": ["string", "null"]}, ["", None], [0, []]),
        ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", True, 2]),
        ({"const": 0}, [0], [False, 1]),
        ({"minimum": 1, "maximum": 3}, [1, 3, "any text"], [0, 3.5]),
        ({"minLength": 2, "maxLength": 3}, ["ab", 7], ["a", "abcd"]),
        ({"type": "array", "items": POINT, "minItems": 1, "maxItems": 2}, [[{"x": 1}]], [[], [{}], [{"x": 1}] * 3]),
        (POINT, [{"x": 1}], [{}, {"x": "1"}, {"x": 1, "y": 2}, None]),
        ({"additionalProperties": {"type": "string"}}, [{"a": "b"}], [{"a": 1}]),
        ({"anyOf": [{"type": "string"}, POINT]}, ["a", {"x": 1}], [1, {"x": None}]),
    ],
)
def test_values_fit_or_are_told_why_not(schema: dict[str, Any], fits: list[Any], fails: list[Any]) -> None:
    check_schema(schema, bytes_max=BYTES_MAX)
    assert [value for value in fits if problems(value, schema)] == []
    assert [value for value in fails if not problems(value, schema)] == []


def test_a_problem_says_where() -> None:
    schema = {"properties": {"points": {"items": POINT}}}
    assert list(map(str, problems({"points": [{"x": 1}, {"x": "1"}]}, schema))) == [
        'points.1.x: "1" is not of type "integer"'
    ]
    assert len(problems({"points": [{}] * 50}, schema)) == PROBLEMS_MAX


def test_what_would_cost_too_much_is_not_checked() -> None:
    assert problems(["x"] * PAIRS_MAX, {"items": {"type": "string"}})
    assert not problems(["x"] * (PAIRS_MAX // 10), {"items": {"type": "string"}})


def test_what_a_request_has_checked_adds_up() -> None:
    value, schema, checked = ["x"] * (PAIRS_MAX // 4), {"items": {"type": "string"}}, Checked()
    while not (found := problems(value, schema, checked)):
        assert checked.pairs <= REQUEST_PAIRS_MAX
    assert "in one request" in found[0].message
    assert not problems(value, schema, Checked())


def alternatives(*more: dict[str, Any]) -> dict[str, Any]:
    return {"items": {"anyOf": [*({"const": n} for n in range(250)), *more]}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (alternatives({"type": "integer"}), [3_000] * 97),
        (alternatives(), [3_000] * 97),
        (alternatives(), [3_000] * 6),
        ({"items": {"anyOf": [{"enum": [{"a": n} for n in range(300)]}, {"type": "object"}]}}, [{"a": -1}] * 25),
        ({"items": {"oneOf": [{"type": "string"}] * 100 + [{"type": "integer"}]}}, [1] * 200),
        ({"items": {"allOf": [{"multipleOf": 0.01}] * 40}}, [1e300] * 40),
        ({"items": {"allOf": [{"multipleOf": 0.01}] * 40}}, [1e300] * 5),
        ({"anyOf": [{"type": "null"}] * 300}, {"notes": "x" * 1_000_000}),
        ({"anyOf": [{"type": "null"}] * 30}, {"notes": ["x" * 10_000] * 30}),
        ({"not": {"items": {"not": {"items": {"minimum": 1}}}}}, [[1] * 80] * 80),
    ],
)
def test_no_check_holds_the_interpreter_for_long(schema: dict[str, Any], value: Any) -> None:
    check_schema(schema, bytes_max=10_000)
    problems(None, schema)  # compiles
    gc.disable()  # a collection goes through all that the tests before have left, and is no work of a check
    try:
        started = time.thread_time()
        problems(value, schema)
        taken = time.thread_time() - started
    finally:
        gc.enable()
    assert taken < CPU_S_MAX


def test_what_is_long_is_told_without_detail() -> None:
    (problem,) = problems({"notes": "x" * 1_000_000}, {"anyOf": [{"type": "null"}] * 300})
    assert problem == ((), "does not fit its schema")


def nested(depth: int) -> dict[str, Any]:
    return {"items": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "#/definitions/a"}, "ref"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "dialect"),
        ({"pattern": "a"}, "pattern"),
        ({"not": {"items": {"format": "email"}}}, "format"),
        ({"items": [{}]}, "items: "),
        ({"properties": []}, "properties: "),
        ({"properties": {"a": 1}}, "properties.a: "),
        ({"type": 5}, "type: "),
        ({"type": [["string"]]}, "type"),
        ({"required": "x"}, "required: "),
        ({"minLength": -1}, "minLength: "),
        ({"maxItems": True}, "maxItems: "),
        ({"minimum": "1"}, "minimum: "),
        ({"anyOf": {}}, "anyOf: "),
        ({"anyOf": []}, "anyOf: "),
        (nested(DEPTH_MAX), "nested"),
        ({"enum": ["x" * BYTES_MAX]}, "1,000 bytes"),
    ],
)
def test_what_is_not_allowed_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_schema(schema, bytes_max=BYTES_MAX)
