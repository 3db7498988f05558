"""Profiles whose fields a JSON Schema names."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from service.domain.profile_schema import SLOT, Filled, check_profile_schema, coerced, profile_by_schema
from tests.domain.test_profile import NOW, START, Known, known

TEXT = {"type": "string"}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def shown(wanted: dict[str, Any], *memories: Known, filled: list[Filled] | None = None) -> list[tuple[str, Any]]:
    check_profile_schema(wanted)
    return [(one.name, one.value) for one in profile_by_schema("ada", memories, filled or [], NOW, wanted)]


def given(name: str, value: Any, number: int = 1) -> Filled:
    return Filled(name, value, (UUID(int=number),), START)


def test_a_property_is_filled_by_its_name_or_by_its_slot() -> None:
    memories = (
        known("ada lives in Oslo.", "ada/lives_in", "oslo"),
        known("ada works at Initech.", "ada/works_at", "initech"),
        known("ada likes tea.", "ada/likes/tea", "tea"),
        known("ada likes jazz.", "ada/likes/jazz", "jazz"),
        known("ada's sister is called Maria.", "ada's sister/named/maria", "maria"),
        known("ada wears size 42.", "ada/shoe_size", "42"),
    )
    wanted = schema(
        home=TEXT, Employer=TEXT | {SLOT: "work/employer"}, works_at=TEXT, sister=TEXT,
        size={"type": "integer", SLOT: "shoe_size"}, tastes={"type": "array", "items": TEXT, SLOT: "likes"},
        birthday=TEXT,
    )  # fmt: skip
    assert shown(wanted, *memories) == [
        ("Employer", "Initech"), ("home", "Oslo"), ("sister", "Maria"), ("size", 42), ("tastes", "jazz"),
        ("tastes", "tea"), ("works_at", "Initech"),
    ]  # fmt: skip


def test_an_older_value_never_stands_for_the_newest() -> None:
    oslo, paris = (
        known(f"ada lives in {city}.", "ada/lives_in", city.lower(), day=day)
        for day, city in enumerate(("Oslo", "Paris"))
    )
    wanted = schema(home={"enum": ["Oslo", "Bergen"]})
    assert shown(wanted, oslo) == [("home", "Oslo")]
    assert shown(wanted, oslo, paris) == []
    assert shown(schema(likes=TEXT), known("ada likes tea.", "ada/likes/tea", "tea", day=1),
                 known("ada likes jazz.", "ada/likes/jazz", "jazz", day=2)) == [("likes", "jazz")]  # fmt: skip


def test_rules_and_model_never_fill_one_field_both() -> None:
    wanted = schema(home=TEXT, team=TEXT)
    filled = [given("home", "Rome"), given("team", "Brann"), given("gone", "x")]
    assert shown(wanted, filled=filled) == [("team", "Brann")]


def test_what_a_model_filled_must_still_fit() -> None:
    assert shown(schema(team={"type": "string", "maxLength": 3}), filled=[given("team", "Brann")]) == []
    assert shown(schema(team=TEXT), filled=[given("team", {"a": 1})]) == []
    teams = {"type": "array", "items": TEXT}
    assert shown(schema(team=teams), filled=[given("team", "Brann", 1), given("team", "Brann", 2)]) == [
        ("team", "Brann")
    ]


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("Vegan", {"enum": ["vegan", "none"]}, "vegan"),
        ("42", {"type": "integer"}, 42),
        ("-1.5", {"type": "number"}, -1.5),
        ("1.5", {"type": "integer"}, None),
        ("42", {"type": "string"}, "42"),
        ("yes", {"type": "boolean"}, True),
        ("No", {"type": "boolean"}, False),
        ("maybe", {"type": "boolean"}, None),
        ("1e5", {"type": "number"}, None),
        ("--", {"type": "number"}, None),
        ("9" * 400, {"type": "number"}, None),
        ("", {"type": "string"}, None),
        ("Oslo", {"const": "oslo"}, "oslo"),
        ("200", {"type": "integer", "maximum": 120}, None),
    ],
)
def test_values_are_read_as_the_schema_wants_them(text: str, wanted: dict[str, Any], value: Any) -> None:
    assert coerced(text, wanted) == value


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"type": "array"}, "`object`"),
        ({"type": "object"}, "properties"),
        (schema(), "properties"),
        (schema(a={"type": "object", "properties": {}}), "'a'"),
        (schema(a={"type": ["string", "null"]}), "'a'"),
        (schema(a={"type": "array", "items": {"type": "array"}}), "'a'"),
        (schema(a=True), "'a'"),
        (schema(a={"enum": [None]}), "'a'"),
        (schema(a={"type": "string", "pattern": "x"}), "pattern"),
        (schema(a={"type": "string", SLOT: 1}), SLOT),
        (schema(a={"type": "string", SLOT: "\x00"}), "NUL"),
        (schema(a={"type": "string", "description": "x" * 9_000}), "bytes"),
        (schema(a=TEXT) | {"anyOf": []}, "anyOf"),
        (schema(**{"a\n": TEXT}), "printable"),
        (schema(**{f"p{n}": TEXT for n in range(51)}), "50"),
        (schema(a={"type": "integer", "minimum": "x"}), "no JSON Schema"),
    ],
)
def test_what_is_no_schema_of_a_profile_is_refused(wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_profile_schema(wanted)
