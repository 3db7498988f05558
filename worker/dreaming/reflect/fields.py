"""Fields of users' profiles that no rule fills: asked of a language model, and held to their schema and to the memories
that it was shown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson
import structlog

from service.domain.dream_settings import DreamChoices
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.profile import Scalar, text_of
from service.domain.profile_schema import Property, coerced, fitting
from service.domain.prompt_fence import escape_tags, section
from service.memory.prompts import PROFILE, FilledField, FilledProfile, steered
from worker.dreaming.checkpoints import NO_ANSWER, Checkpoints
from worker.dreaming.reflect.by_model import Remembered, listed, within
from worker.dreaming.reflect.conclude import FIELD
from worker.dreaming.reflect.insight import Evidence, Insight

log = structlog.get_logger(__name__)

ANSWER_TOKENS_MAX = 4_000


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value of a field, and the memories that say so."""

    field: Property
    value: Scalar
    evidence: list[Evidence]

    def insight(self, user: str) -> Insight:
        """As what is concluded about the user; a list has a matter for each of its values."""
        matter = [user, self.field.name, self.value if self.field.several else None]
        about = FIELD + hashlib.sha256(dumps(matter)).hexdigest()[:32]
        content = f"{user}'s {self.field.name}: {text_of(self.value)}"
        return Insight(new_id(), about, user, content, self.evidence, "model", fills=(self.field.name, self.value))


@dataclass(frozen=True, slots=True)
class Filling:
    """What a model filled one user's profile with. ``rejected``: so many values do not fit their schema, or cite what
    was not shown; ``newest``: the last memory that it was shown; ``tokens``: of all of them."""

    values: list[FieldValue]
    rejected: int
    newest: Evidence
    tokens: int


async def fill_by_model(
    remembered: Sequence[Remembered], fields: Sequence[Property], choices: DreamChoices, tokens_max: int,
    checkpoints: Checkpoints,
) -> Filling | None:  # fmt: skip
    """What the model fills the fields with; None where there is nothing to show it, or where it fails."""
    shown, tokens = within(remembered, tokens_max)
    if not shown:
        return None
    asked = [
        escape_tags(dumps({"name": one.name, "several": one.several, "schema": one.value}).decode()) for one in fields
    ]
    messages = steered(
        [
            {"role": "system", "content": PROFILE},
            {"role": "user", "content": f"{section('fields', asked)}\n{listed(shown)}"},
        ],
        choices,
    )
    try:
        profile = await checkpoints.structured("profile", messages, FilledProfile, tokens_max=ANSWER_TOKENS_MAX)
    except NO_ANSWER as error:
        log.warning("profile_not_filled", memories=len(shown), error=error.message)
        return None
    values = _borne_out(profile.fields, {one.name: one for one in fields}, shown)
    return Filling(values, max(0, len(profile.fields) - len(values)), shown[-1].evidence, tokens)


def _borne_out(
    answered: Sequence[FilledField], fields: dict[str, Property], shown: Sequence[Remembered]
) -> list[FieldValue]:
    """The values that fit and cite what was shown: one for each field, or each once for one with several."""
    found: dict[tuple[str, str | None], FieldValue] = {}
    for one in answered:
        field, cited = fields.get(one.name), list(dict.fromkeys(one.memories))
        if field is None or not all(1 <= number <= len(shown) for number in cited):
            continue
        for value in _values(one.value, field):
            key = (field.name, dumps(value).decode() if field.several else None)
            found.setdefault(key, FieldValue(field, value, [shown[number - 1].evidence for number in cited]))
    return list(found.values())


def _values(text: str, field: Property) -> Iterator[Scalar]:
    """The JSON values in the text, or the text itself as the schema wants it."""
    try:
        decoded = orjson.loads(text)
    except orjson.JSONDecodeError:
        decoded = text.strip()
    for one in decoded if field.several and isinstance(decoded, list) else [decoded]:
        value = coerced(one, field.value) if isinstance(one, str) else fitting(one, field.value)
        if value is not None:
            yield value
