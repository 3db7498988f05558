"""The part of JSON Schema that callers may use: what fits, what does not, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from service.domain.json_schema import COST_MAX, DEPTH_MAX, PROBLEMS_MAX, check_schema, problems

BYTES_MAX = 1_000
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
        "points.1.x: '1' is not of type 'integer'"
    ]
    assert len(problems({"points": [{}] * 50}, schema)) == PROBLEMS_MAX


def test_what_would_cost_too_much_is_not_checked() -> None:
    assert problems(["x"] * COST_MAX, {"items": {"type": "string"}})
    assert not problems(["x"] * (COST_MAX // 10), {"items": {"type": "string"}})


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
