"""What a setting is: a field that is defined once, with its sentence, default, unit, section, and when to change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from service.domain.strict import FrozenModel

Section = Literal["models", "users", "memory", "dreams", "search", "context", "privacy", "limits", "proxy"]
SECTIONS: Final[dict[Section, str]] = {
    "models": "Models",
    "users": "Users",
    "memory": "What is remembered",
    "dreams": "Dreams",
    "search": "Search",
    "context": "Context",
    "privacy": "Privacy",
    "limits": "Limits",
    "proxy": "Proxy",
}
"""Sections with their titles, in the order in which they are shown."""
T = TypeVar("T")

EXTENSION: Final = "x-reverie-setting"
"""Where the JSON schema of a setting has its section, unit, when to change it, and whether it is advanced."""
TITLES: Final = "x-reverie-sections"
"""Where the JSON schema of all settings has the names and titles of their sections, in their order."""


class Definition(FrozenModel):
    """A setting as it is shown: ``name`` is dotted, and ``description`` ends with the default."""

    name: str
    description: str
    section: Section
    unit: str | None = None
    change: str
    advanced: bool = False


def setting(
    default: T, sentence: str, *, section: Section, change: str, unit: str | None = None, shown: str | None = None,
    advanced: bool = False, ge: float | None = None, gt: float | None = None, le: float | None = None,
    min_length: int | None = None, max_length: int | None = None,
) -> T:  # fmt: skip
    """Define a setting as the field of a model. ``change`` says when to change it, ``shown`` what is said of a default
    whose value says nothing; one that is ``advanced`` stands behind those that most installations look at."""
    marks: JsonDict = {"section": section, "unit": unit, "change": change, "advanced": advanced}
    amount = f"{_said(default) if shown is None else shown}{f' {unit}' if unit and default is not None else ''}"
    return Field(
        default, description=f"{sentence} Default {amount}.", ge=ge, gt=gt, le=le, min_length=min_length,
        max_length=max_length, json_schema_extra={EXTENSION: {name: value for name, value in marks.items() if value}},
    )  # fmt: skip


def definitions(*models: type[BaseModel], within: str = "") -> Iterator[Definition]:
    """Return the settings of models, in their order; a field that is a model and no setting is a section of some."""
    for model in models:
        for name, field in model.model_fields.items():
            extra = field.json_schema_extra
            if isinstance(extra, dict) and isinstance(marks := extra.get(EXTENSION), dict):
                told = {"name": within + name, "description": field.description}
                yield Definition.model_validate(told | marks)
            elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
                yield from definitions(field.annotation, within=f"{within}{name}.")


def _said(default: object) -> str:
    if default is None:
        return "null"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, int | float):
        return f"{default:,}".removesuffix(".0")
    if isinstance(default, str):
        return f"`{default}`" if default else "empty"
    return " and ".join(map(_said, default)) if isinstance(default, Sequence) and default else "empty"
