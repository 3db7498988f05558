"""Structured output of language models, read entry by entry.

Models wrap JSON in prose, fences and thoughts, break its syntax, and break one field of one entry in hundreds. ``read``
finds the JSON, repairs its syntax (json_repair), brings it into the shape of a form, and validates each entry by
itself: what is wrong and optional falls back to its default, an entry that lacks what it needs is left out and told.

A form declares beside its fields how else models write them: ``OtherNames``, ``chosen``, ``Share``, ``Numbers``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, Final, Generic, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from service.domain.field_types import replace_unstorable
from service.domain.validation import reason_of

REPAIRED_CHARS_MAX: Final = 100_000
"""Text without valid JSON above this is no answer: repairing takes time that grows faster than the text."""
FAULTS_SHOWN_MAX: Final = 10
_THOUGHTS: Final = re.compile(
    r"\A[^{\[<]*<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)|\A(?![\s`]*[{\[]).*</think>",
    re.DOTALL | re.IGNORECASE,
)
"""Thoughts before an answer; some servers leave the opening tag out."""
_NUMBER: Final = re.compile(r"\d+")
_PASSES_MAX: Final = 8
FORMS_KEPT: Final = 512
"""Forms whose names are looked up once; workspaces with types of their own have forms of their own."""
_CLOSES: Final = {"{": "}", "[": "]"}


class Form(BaseModel):
    """What a model is to answer with: a base whose texts may be given as numbers."""

    model_config = ConfigDict(coerce_numbers_to_str=True)


@dataclass(frozen=True, slots=True)
class OtherNames:
    """Names under which models give a field, besides its own."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        """Take the names as they are written in JSON: lower case, with underscores."""
        object.__setattr__(self, "names", names)


def chosen(*names: str, otherwise: str | None = None, also: Mapping[str, str] | None = None) -> BeforeValidator:
    """Return a validator that reads one of ``names`` in any case, as a plural, or by a synonym in ``also``.

    ``otherwise``: what any other text stands for; None leaves it as it is, to be refused.
    """
    synonyms = also or {}

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value if otherwise is None else otherwise
        word = _key(value)
        for form in (word, word.removesuffix("s"), f"{word.removesuffix('ies')}y"):
            if form in names or form in synonyms:
                return synonyms.get(form, form)
        return value if otherwise is None else otherwise

    return BeforeValidator(read)


def _share(value: Any) -> Any:
    """Read a share that was given as a percentage or on a scale to ten or to a hundred."""
    percent = isinstance(value, str) and value.strip().endswith("%")
    try:
        number = float(value.strip().rstrip("%") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return value
    if percent or 10 < number <= 100:
        return number / 100
    return number / 10 if 1 < number <= 10 else number


def _numbers(value: Any) -> Any:
    """Read numbers given alone, as texts such as ``turn 2``, or in a text with commas."""
    if isinstance(value, str):
        return [int(one) for one in _NUMBER.findall(value)[:100] if len(one) < 10]
    if isinstance(value, list):
        return [number for one in value for number in (_numbers(one) if isinstance(one, str | list) else [one])]
    return value if value is None else [value]


Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(_share)]
"""A number from 0 to 1; ``7`` and ``70 %`` are .7."""
Numbers = Annotated[list[int], BeforeValidator(_numbers)]
"""Whole numbers; ``1``, ``"1, 2"`` and ``["turn 2"]`` too."""

Value = TypeVar("Value", bound=BaseModel)


class NoValue(Exception):
    """A text holds no value of a form; ``faults`` say why, the worst first."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = list(faults)


@dataclass(frozen=True, slots=True)
class Read(Generic[Value]):
    """A value and what of it was left out.

    ``rejected``: entries by the reason. ``faults``: the same for each entry, by its number. ``cut_off``: the text ends
    before its JSON does; the entry that it ends in is left out.
    """

    value: Value
    rejected: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    cut_off: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether nothing was left out."""
        return not self.rejected and not self.cut_off

    @property
    def is_empty(self) -> bool:
        """Return whether a form of entries holds none."""
        of = entries_of(type(self.value))
        return of is not None and not getattr(self.value, of.name)

    def joined(self, other: Read[Value]) -> Read[Value]:
        """Return both: the entries of this one, and of ``other`` those that this one lacks, with what ``other`` left
        out."""
        of = entries_of(type(self.value))
        if of is None:
            return other
        kept = list(getattr(self.value, of.name))
        kept += [entry for entry in getattr(other.value, of.name) if entry not in kept]
        value = self.value.model_copy(update={of.name: kept})
        return Read(value, other.rejected, other.faults, other.cut_off)


def read(text: str, form: type[Value]) -> Read[Value]:
    """Return the value that a model's answer holds, without the entries that do not fit.

    Its strings hold nothing that Postgres cannot store. Raises NoValue where there is no value, or nothing but entries
    that do not fit.
    """
    documents, cut_off = _documents(_THOUGHTS.sub("", text).strip())
    if len(documents) > 1:
        documents = [one for one in documents if isinstance(one, dict) or any(isinstance(part, dict) for part in one)]
    if not documents:
        raise NoValue(["it was cut off before its first entry" if cut_off else "it holds no JSON"])
    if cut_off and not _wraps_entries(form, documents[-1]):
        raise NoValue(["it was cut off"])
    raw = _shaped(form, _storable(documents if len(documents) > 1 else documents[0]))
    found: Read[Value] = _validated(form, raw, cut_off)
    if found.rejected and found.is_empty:
        raise NoValue(found.faults)
    return found


# --- the JSON in a text -----------------------------------------------------------------------------------------------


def _documents(text: str) -> tuple[list[Any], bool]:
    """Return the JSON values in a text, and whether the last one was not closed; its open entry is left out."""
    try:
        return [json.loads(text)], False
    except (ValueError, RecursionError):
        pass
    if len(text) > REPAIRED_CHARS_MAX:
        return [], False
    values: list[Any] = []
    cut_off = False
    for part, is_open in _stretches(text):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            value = _repaired(part)
        cut_off = is_open
        if isinstance(value, dict | list):
            values.append(value)
    return values, cut_off


def _stretches(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of a text from a bracket to the one that closes it. The last one may be open: it ends before
    the outermost entry of a list that is not closed, since half an entry may lack its negation."""
    opened: list[int] = []
    quoted = escaped = False
    for at, char in enumerate(text):
        if quoted and opened:
            escaped, quoted = (char == "\\" and not escaped), (char != '"' or escaped)
        elif char == '"':
            quoted = bool(opened)
        elif char in _CLOSES:
            opened.append(at)
        elif opened and char == _CLOSES[text[opened[-1]]]:
            start = opened.pop()
            if not opened:
                yield text[start : at + 1], False
    if opened:
        outer = (inner for list_, inner in pairwise(opened) if text[list_] == "[" and text[inner] == "{")
        end = next(outer, None)
        closing = "".join(_CLOSES[text[at]] for at in reversed(opened) if end is not None and at < end)
        yield text[opened[0] : end] + closing, True


def _repaired(text: str) -> Any:
    """Return the value of JSON with broken syntax; None where it cannot be told."""
    from json_repair import loads

    try:
        return loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {replace_unstorable(name): _storable(one) for name, one in value.items()}
    return value


# --- the shape of a form ----------------------------------------------------------------------------------------------


class Entries(NamedTuple):
    """The only field of a form, and the form of the entries that it lists."""

    name: str
    form: type[BaseModel]


@lru_cache(maxsize=FORMS_KEPT)
def entries_of(form: type[BaseModel]) -> Entries | None:
    """Return what a form that is nothing but a list of entries lists; None for any other form."""
    if len(form.model_fields) != 1:
        return None
    ((name, field),) = form.model_fields.items()
    model, many = _model_of(field.annotation)
    return Entries(name, model) if model is not None and many else None


def _shaped(form: type[BaseModel], raw: Any) -> Any:
    """Return a value in the shape of a form: its names, its lists, and entries that stand for themselves."""
    of = entries_of(form)
    if of is not None:
        return {of.name: [_shaped(of.form, one) for one in _entries(form, of, raw)]}
    if isinstance(raw, list):
        objects = [one for one in raw if isinstance(one, dict)]
        first, only = next(iter(form.model_fields)), len(form.model_fields) == 1
        raw = objects[-1] if objects else {first: raw} if only else raw
    if isinstance(raw, dict) and len(raw) == 1 and not _known(form, raw):
        (inner,) = raw.values()
        raw = inner if isinstance(inner, dict) else raw
    if isinstance(raw, str):
        texts = [name for name, field in form.model_fields.items() if field.is_required() and field.annotation is str]
        raw = {texts[0]: raw} if len(texts) == 1 else raw
    return _named(form, raw) if isinstance(raw, dict) else raw


def _wraps_entries(form: type[BaseModel], raw: Any) -> bool:
    """Return whether a value that was cut off is a list of entries, and not half an entry or half a value."""
    of = entries_of(form)
    return of is not None and (isinstance(raw, list) or not _known(of.form, raw))


def _named(form: type[BaseModel], raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object by the names of the form's fields, in their shapes, without those that are null and optional."""
    shaped: dict[str, Any] = {}
    names = _names(form)
    for given, value in raw.items():
        name = names.get(_key(given))
        if name is None or name in shaped or (value is None and not form.model_fields[name].is_required()):
            continue
        model, many = _model_of(form.model_fields[name].annotation)
        if model is not None and many:
            value = [_shaped(model, one) for one in _flat(value)]
        shaped[name] = value
    return shaped


def _entries(form: type[BaseModel], of: Entries, raw: Any) -> list[Any]:
    """Return the entries in what was answered: under their name or another, bare, in lists of lists, or one alone.

    Raises NoValue for an object that holds none.
    """
    if isinstance(raw, list):
        return [one for part in raw for one in _entries_or_self(form, of, part)]
    if not isinstance(raw, dict):
        raise NoValue(["it is no JSON object"])
    if not raw:
        return []
    known = _names(form)
    under = [value for given, value in raw.items() if known.get(_key(given)) == of.name]
    if under:
        return _flat(under[0])
    if _known(of.form, raw):
        return [raw]
    nested = [value for value in raw.values() if isinstance(value, dict | list)]
    if len(nested) == 1:
        return _entries(form, of, nested[0])
    if nested and all(isinstance(value, dict) for value in nested):
        return nested
    raise NoValue([f"{of.name}: is required"])


def _entries_or_self(form: type[BaseModel], of: Entries, part: Any) -> list[Any]:
    if isinstance(part, list) or (isinstance(part, dict) and not _known(of.form, part)):
        try:
            return _entries(form, of, part)
        except NoValue:
            return [part]
    return [part]


def _flat(value: Any) -> list[Any]:
    """Return a list without lists in it; of an object with numbers for names its values; of anything else itself."""
    if value is None:
        return []
    if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
        value = list(value.values())
    if not isinstance(value, list):
        return [value]
    return [one for part in value for one in (_flat(part) if isinstance(part, list) else [part])]


def _key(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


@lru_cache(maxsize=FORMS_KEPT)
def _names(form: type[BaseModel]) -> Mapping[str, str]:
    """Return the field that each name stands for."""
    names: dict[str, str] = {}
    for name, info in form.model_fields.items():
        others = [each for one in info.metadata if isinstance(one, OtherNames) for each in one.names]
        names |= dict.fromkeys(others, name)
    return names | {name: name for name in form.model_fields}


def _known(form: type[BaseModel], raw: Mapping[str, Any]) -> bool:
    names = _names(form)
    return any(_key(given) in names for given in raw)


def _model_of(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """Return the form that a field is, or a list of, and which of both; None where it is neither."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next((one for one in get_args(annotation) if one is not type(None)), None)
    many = get_origin(annotation) is list
    inner = get_args(annotation)[0] if many else annotation
    is_form = isinstance(inner, type) and issubclass(inner, BaseModel)
    return (inner if is_form else None), many and is_form


# --- entry by entry ---------------------------------------------------------------------------------------------------


def _validated(form: type[Value], raw: Any, cut_off: bool) -> Read[Value]:
    """Return the value of a form, of entries those that fit. Raises NoValue where a form of anything else does not."""
    of = entries_of(form)
    if of is None:
        return Read(_settled(form, raw), cut_off=cut_off)
    kept: list[BaseModel] = []
    found = Read(form.model_construct(None, **{of.name: kept}), cut_off=cut_off)
    for number, one in enumerate(raw[of.name], start=1):
        try:
            kept.append(_settled(of.form, one))
        except NoValue as unfit:
            found.rejected[unfit.faults[0]] += 1
            found.faults.append(f"entry {number}: {'; '.join(unfit.faults)}")
    return found


def _settled(form: type[Value], raw: Any) -> Value:
    """Return the value after what does not fit and need not be there has been taken out of ``raw``.

    Raises NoValue, which names what is needed and does not fit.
    """
    errors: Sequence[Any] = ()
    for _ in range(_PASSES_MAX):
        try:
            return form.model_validate(raw)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=True)
        dispensable = [(_dispensable(form, each["loc"]), each) for each in errors]
        needed = [each for path, each in dispensable if not path and each["type"] != "too_long"]
        if needed:
            errors = needed
            break
        # From the end: positions in a list stay right until they are used.
        for path, each in sorted(dispensable, key=lambda step: [f"{part:>9}" for part in step[0]], reverse=True):
            _take_out(raw, path, each)
    raise NoValue([f"{'.'.join(map(str, each['loc'])) or 'it'}: {reason_of(each)}" for each in errors])


def _dispensable(form: type[BaseModel], loc: Sequence[int | str]) -> tuple[int | str, ...]:
    """Return the way to the innermost part around an error that need not be there: an element of a list, or a field
    with a default; empty where all of it is needed."""
    found: tuple[int | str, ...] = ()
    model: type[BaseModel] | None = form
    for depth, step in enumerate(loc, start=1):
        if isinstance(step, int):
            found = tuple(loc[:depth])
        elif model is not None and step in model.model_fields:
            info = model.model_fields[step]
            if not info.is_required():
                found = tuple(loc[:depth])
            model, _ = _model_of(info.annotation)
    return found


def _take_out(raw: Any, path: Sequence[int | str], error: Mapping[str, Any]) -> None:
    """Take a part out of a value; of a list that is too long, what exceeds its bound."""
    too_long = error["type"] == "too_long"
    path = error["loc"] if too_long else path
    for step in path[:-1]:
        if not _has(raw, step):
            return
        raw = raw[step]
    if too_long:
        raw[path[-1]] = list(error["input"])[: error["ctx"]["max_length"]]
    elif _has(raw, path[-1]):
        del raw[path[-1]]


def _has(raw: Any, step: int | str) -> bool:
    if isinstance(raw, list):
        return isinstance(step, int) and step < len(raw)
    return isinstance(raw, dict) and step in raw
