"""Each setting is defined once, with all that is said of it, and few are shown at first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from service.domain.installation import InstallationSettings
from service.domain.setting import EXTENSION, SECTIONS, TITLES, Definition, Section, definitions, setting
from service.domain.strict import FrozenModel
from service.domain.workspace import FORMER_SETTINGS, AgentSettings, WorkspaceSettings
from tests.api_document import DOCUMENT

SHOWN_MAX, ADVANCED_MAX = 45, 40
ALL = list(definitions(WorkspaceSettings, InstallationSettings))


class Kettle(FrozenModel):
    """A section of one setting."""

    warm_s: float | None = setting(
        1_800.0, "Time that the water stays warm.", section="limits", unit="seconds", change="In winter.", ge=0
    )


class Kitchen(FrozenModel):
    """A section in a section, and a setting beside it."""

    kettle: Kettle = Kettle()
    cups: list[str] = setting([], "Cups.", section="users", change="For guests.", shown="one each", advanced=True)


def test_a_setting_has_all_that_is_said_of_it() -> None:
    assert list(definitions(Kitchen)) == [
        Definition(
            name="kettle.warm_s",
            description="Time that the water stays warm. Default 1,800 seconds.",
            section="limits",
            unit="seconds",
            change="In winter.",
        ),
        Definition(
            name="cups", description="Cups. Default one each.", section="users", change="For guests.", advanced=True
        ),
    ]


@pytest.mark.parametrize(
    ("default", "said"),
    [
        (None, "null"), (True, "true"), (False, "false"), (7, "7"), (1_000_000, "1,000,000"), (0.05, "0.05"),
        (5.0, "5"), ("", "empty"), ([], "empty"), ({}, "empty"), ("auto", "`auto`"), (("a", "b"), "`a` and `b`"),
    ],
)  # fmt: skip
def test_the_default_is_said_as_people_write_it(default: object, said: str) -> None:
    field: Any = setting(default, "It.", section="limits", change="Never.")
    assert field.description == f"It. Default {said}."


def test_few_are_shown_at_first_and_none_twice() -> None:
    assert len([one for one in ALL if not one.advanced]) <= SHOWN_MAX
    assert len([one for one in ALL if one.advanced]) <= ADVANCED_MAX
    for part in ("name", "description"):
        values = [getattr(one, part) for one in ALL]
        assert [value for value in values if values.count(value) > 1] == []


def test_no_former_setting_is_one() -> None:
    assert {one.name for one in ALL} & FORMER_SETTINGS == set()


def test_an_agent_has_no_setting_of_which_something_else_is_said() -> None:
    assert {one.model_dump_json() for one in definitions(AgentSettings)} <= {one.model_dump_json() for one in ALL}


def test_the_document_says_the_same() -> None:
    told = dict(_in_document("PutSettings"))
    assert told == {
        one.name: (one.description, one.model_dump(exclude={"name", "description"}, exclude_defaults=True))
        for one in ALL
    }


def test_the_document_has_the_titles_of_the_sections() -> None:
    told = DOCUMENT["components"]["schemas"]["PutSettings"][TITLES]
    assert [(one["name"], one["title"]) for one in told] == list(SECTIONS.items())
    assert {*SECTIONS} == {*get_args(Section)} == {one.section for one in ALL}


def _in_document(schema: str, within: str = "") -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """Every field of a schema that is no section, by its dotted name, with its description and marks."""
    schemas = DOCUMENT["components"]["schemas"]
    for name, field in schemas[schema]["properties"].items():
        references = [one["$ref"] for one in (field, *field.get("anyOf", ())) if "$ref" in one]
        inner = references[0].rpartition("/")[2] if references else ""
        if EXTENSION in field or "properties" not in schemas.get(inner, {}):
            if name != "locked_by":
                yield within + name, (field["description"], field.get(EXTENSION, {}))
        else:
            yield from _in_document(inner, f"{within}{name}.")
