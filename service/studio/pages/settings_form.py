"""The workspace's settings, as a form made of the API's own description of them."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from reverie_client import InvalidRequest, ReverieClientError
from service.studio.components import box, button, error_banner, notify, notify_error, text
from service.studio.formatting import constant_in_words, error_message
from service.studio.layout import PageContext
from service.studio.pages.costs import show_costs

Json = dict[str, Any]

GENERAL = ""
LINE_MAX = 500
"""Characters; what may be longer gets several lines."""
TITLES = {
    GENERAL: ("General", "What every agent is told, and where it is."),
    "memory": ("Memory", "Whether anything is captured, dreamed about and recalled."),
    "pii": ("Personal data", "What is done with it in what is written."),
    "window": ("Window", "How much of a conversation goes to the model verbatim."),
    "retrieval": ("Search", "How results are found, weighed and ordered."),
    "budget": ("Budget", "What all calls of models together may use in a day."),
    "dream": ("Dreams", "How often, and what one may read and spend."),
    "context": ("Context", "What share of the budget each part of a context has."),
    "rate_limit": ("Rate limit", "How many requests one key may make."),
    "retention": ("Retention", "How long deleted memories are kept, and when events fade."),
    "documents": ("Documents", "How documents are cut into parts."),
    "embedding": ("Embedding", "The model that all workspaces share, and the cache of each process."),
    "rerank": ("Reranking", "The model that all workspaces share."),
    "llm": ("Models of steps", "Language models of the workspace's own, as JSON: see the hints."),
    "proxy": ("Proxy", "Whether there is an OpenAI-compatible proxy, for which models, and what it adds and keeps."),
}

UNITS = {"s": "seconds", "h": "hours", "days": "days", "usd": "US dollars"}
NAMES = {
    "rrf_k": "RRF constant k", "k1": "BM25 k1", "b": "BM25 b",
    "day_tokens_max": "tokens a day at most", "day_cost_max_usd": "cost a day at most, US dollars",
}  # fmt: skip


class SettingsForm:
    """All settings. What is saved is what was changed, and every field is checked before and after."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._fields: dict[tuple[str, str], _Field] = {}

    async def build(self) -> None:
        """Put them on the page."""
        present = await self._desk.reverie.get_settings()
        answer = await self._desk.reverie.http.get("/openapi.json")
        api = answer.json()
        whole = _resolved(
            api, api["paths"]["/v1/settings"]["put"]["requestBody"]["content"]["application/json"]["schema"]
        )
        await show_costs(self._desk, present)
        if not self._desk.may_administer:
            text("Settings are changed by admins. You are signed in with another kind of key.", "note")
        with box("card flush"):
            for section, settings in _sections(api, whole):
                shown = _part(present, section)
                if shown is None:  # of the installation: shown to its admins alone
                    continue
                locked = shown.get("locked_by", {})
                title, about = TITLES.get(section, (section.replace("_", " ").capitalize(), ""))
                with ui.expansion(title, caption=about).props("dense-toggle"), box("fields"):
                    for name, described in settings.items():
                        field = _Field(name, described, shown[name])
                        self._fields[section, name] = field
                        if name in locked:
                            field.lock(locked[name])
                        if not self._desk.may_administer:
                            field.input.disable()
        if self._desk.may_administer:
            with box("row-of"):
                button("Save", self._save, "primary")
                button("Put back", self._put_back, "quiet")

    def _put_back(self) -> None:
        for field in self._fields.values():
            field.put_back()

    async def _save(self) -> None:
        wrong = [field for field in self._fields.values() if not field.is_valid()]
        if wrong:
            error_banner(f"Not saved: look at {', '.join(field.label for field in wrong)}.")
            return
        changes: Json = {}
        for (section, name), field in self._fields.items():
            if field.has_changed():
                (changes if section == GENERAL else changes.setdefault(section, {}))[name] = field.value()
        if not changes:
            notify("Nothing has changed.")
            return
        try:
            present = await self._desk.reverie.put_settings(changes)
        except InvalidRequest as error:
            error_banner(f"Not saved. {error_message(error)}")
        except ReverieClientError as error:
            notify_error(error)
        else:
            for (section, name), field in self._fields.items():
                field.set((_part(present, section) or {})[name])
            notify("Saved. In effect from the next call.")


def _sections(api: Json, whole: Json) -> list[tuple[str, dict[str, Json]]]:
    """The settings by section, as they are described; those of no section first, under GENERAL."""
    general: dict[str, Json] = {}
    found = [(GENERAL, general)]
    for name, schema in whole["properties"].items():
        described = _resolved(api, schema)
        within = _resolved(api, _one_of(described)).get("properties")
        if within is None:
            general[name] = described
        else:
            settings = {one: _resolved(api, part) for one, part in within.items() if one != "locked_by"}
            found.append((name, settings))
    return found


def _part(settings: Json, section: str) -> Json | None:
    """What a section holds; None for one that the visitor's key may not see."""
    part: Json | None = settings if section == GENERAL else settings[section]
    return part


def label_of(name: str) -> str:
    """The name of a setting in words: ``idle_s`` is ``idle, seconds``."""
    if name in NAMES:
        return NAMES[name]
    *words, last = name.split("_")
    if words and last in UNITS:
        return f"{label_of('_'.join(words))}, {UNITS[last]}"
    if words and last == "max":
        return f"{' '.join(words)} at most"
    return name.replace("_", " ")


class _Field:
    """One setting: an input that fits what it may be."""

    def __init__(self, name: str, schema: Json, value: Any) -> None:
        self.label = label_of(name)
        self._schema = _one_of(schema)
        self._optional = any(one.get("type") == "null" for one in schema.get("anyOf", []))
        self._kind = self._schema.get("type", "string")
        self._saved = value
        self.input: Any = self._make()
        self.input.props("outlined dense options-dense hide-bottom-space" if self._kind != "boolean" else "dense")
        hint = schema.get("description") or self._schema.get("description") or ""
        bounds = _bounds_in_words(self._schema, optional=self._optional)
        if words := "; ".join(filter(None, (hint, bounds))):
            if self._kind == "boolean":
                self.input.tooltip(words)
            else:
                self.input.props["hint"] = words

    def _make(self) -> Any:
        label, value = self.label[0].upper() + self.label[1:], self._saved
        if choices := self._schema.get("enum"):
            return ui.select(list(choices), label=label, value=value, with_input=len(choices) > 12)
        if self._kind == "boolean":
            return ui.switch(label, value=value)
        if self._kind == "array":
            named = self._schema.get("items", {}).get("enum", [])
            choices = {one: constant_in_words(one) for one in named} or list(value or [])
            free = None if self._schema.get("items", {}).get("enum") else "add-unique"
            field = ui.select(choices, label=label, value=list(value or []), multiple=True, new_value_mode=free)  # type: ignore[arg-type]
            return field.props("use-chips").classes("whole-row")
        if self._kind in ("integer", "number"):
            precision = 0 if self._kind == "integer" else None
            return ui.number(label, value=value, precision=precision, validation=self._problem)
        if self._kind == "object":
            return ui.textarea(label, value=_as_json(value), validation=self._problem_of_json).classes("whole-row")
        if self._schema.get("maxLength", 0) > LINE_MAX:
            return ui.textarea(label, value=value or "").props("autogrow").classes("whole-row")
        return ui.input(label, value=value or "")

    def _problem(self, value: Any) -> str | None:
        if value is None:
            return None if self._optional else "It needs a number."
        low, high = self._schema.get("minimum"), self._schema.get("maximum")
        above = self._schema.get("exclusiveMinimum")
        fits = (low is None or value >= low) and (high is None or value <= high) and (above is None or value > above)
        return None if fits else f"It must be {_bounds_in_words(self._schema, optional=False)}."

    def _problem_of_json(self, given: str) -> str | None:
        if self._optional and not given.strip():
            return None
        try:
            return None if isinstance(json.loads(given), dict) else "It must be a JSON object."
        except ValueError:
            return "It must be a JSON object."

    def lock(self, variable: str) -> None:
        """Show that an environment variable decides."""
        self.input.disable()
        self.input.props["hint"] = f"Set by the environment variable {variable}."

    def is_valid(self) -> bool:
        return bool(self.input.validate()) if hasattr(self.input, "validate") else True

    def value(self) -> Any:
        given = self.input.value
        if self._kind == "integer" and given is not None:
            return int(given)
        if self._kind == "object":
            return json.loads(given) if given.strip() else None
        if self._kind in ("string", "array") and self._optional and not given:
            return None
        return given

    def has_changed(self) -> bool:
        return bool(self.value() != self._saved)

    def set(self, value: Any) -> None:
        self._saved = value
        self.put_back()

    def put_back(self) -> None:
        saved = list(self._saved or []) if self._kind == "array" else self._saved
        self.input.set_value(_as_json(saved) if self._kind == "object" else saved)


def _as_json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _resolved(api: Json, schema: Json) -> Json:
    """The schema itself, where it is a reference to one."""
    while "$ref" in schema or len(schema.get("allOf", [])) == 1:
        if "allOf" in schema:
            schema = {**schema["allOf"][0], **{name: value for name, value in schema.items() if name != "allOf"}}
            continue
        target: Json = api
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
    return schema


def _one_of(schema: Json) -> Json:
    """What a field may be besides null; several lists of words become one."""
    options = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    if not options:
        return schema
    words = [word for one in options for word in one.get("enum", [one["const"]] if "const" in one else [])]
    return {**options[0], "enum": sorted(words)} if words else options[0]


def _bounds_in_words(schema: Json, *, optional: bool) -> str:
    low, high, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
    words = ""
    if low is not None and high is not None:
        words = f"{_number(low)} to {_number(high)}"
    elif above is not None:
        words = f"more than {_number(above)}" + (f", at most {_number(high)}" if high is not None else "")
    elif low is not None:
        words = f"at least {_number(low)}"
    return f"{words}; empty: no limit" if optional and words else words


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"
