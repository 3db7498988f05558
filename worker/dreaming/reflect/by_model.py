"""Conclusions of a language model: asked seldom, about one user's memories at a time, and held to what it was shown.

Fields of users' profiles that no rule fills are asked of a language model too, and held to their schema and to the
memories that it was shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import orjson
import structlog

from service.domain.dream_settings import DreamChoices
from service.domain.guards import may_merge, normalize
from service.domain.identity import digest_of
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.profile import Scalar, text_of
from service.domain.profile_schema import Property, coerced, fitting
from service.domain.prompt_fence import escape_tags, section
from service.embedding.tokens import count_tokens
from service.memory.prompts import PROFILE, REFLECT, Concluded, FilledField, FilledProfile, Reflections, steered
from worker.dreaming.checkpoints import NO_ANSWER, Checkpoints
from worker.dreaming.reflect.conclude import FIELD
from worker.dreaming.reflect.insight import Evidence, Insight, KnownInsight

log = structlog.get_logger(__name__)

ANSWER_TOKENS_MAX = 2_000
MEMORIES_MIN = 3
MODEL = "model:"

FIELDS_TOKENS_MAX = 4_000


@dataclass(frozen=True, slots=True)
class Remembered:
    """A current memory of a user, as the model is shown it."""

    evidence: Evidence
    type: str
    user: str | None
    on: str


@dataclass(frozen=True, slots=True)
class Concluding:
    """Conclusions of a model, and how much of it was ``rejected``: what cites unknown memories, or fewer than two."""

    insights: list[Insight]
    rejected: int


async def conclude_by_model(
    remembered: Sequence[Remembered], user: str | None, choices: DreamChoices, tokens_max: int, checkpoints: Checkpoints
) -> tuple[Concluding, int]:
    """Return what follows from a user's memories, and how many tokens of them were shown: none where there are few of
    them. Where the model fails, nothing follows."""
    shown, tokens = within(remembered, tokens_max)
    if len(shown) < MEMORIES_MIN:
        return Concluding([], 0), 0
    messages = steered([{"role": "system", "content": REFLECT}, {"role": "user", "content": listed(shown)}], choices)
    try:
        answered = await checkpoints.structured("reflect", messages, Reflections, tokens_max=ANSWER_TOKENS_MAX)
    except NO_ANSWER as error:
        log.warning("reflection_by_rules", memories=len(shown), error=error.message)
        return Concluding([], 0), tokens
    found = [_insight(one, shown, user) for one in answered.insights]
    borne_out = [one for one in found if one is not None]
    return Concluding(borne_out, len(found) - len(borne_out)), tokens


def listed(shown: Iterable[Remembered]) -> str:
    """Return the memories as a model reads them: numbered, a line each, marked as data."""
    lines = [
        dumps({"memory": n, "type": one.type, "on": one.on, "says": escape_tags(one.evidence.content)}).decode()
        for n, one in enumerate(shown, 1)
    ]
    return section("memories", lines)


def within(remembered: Sequence[Remembered], tokens_max: int) -> tuple[list[Remembered], int]:
    """Return the newest that fit, oldest first, and their length."""
    shown: list[Remembered] = []
    tokens = 0
    for one in reversed(remembered):
        length = count_tokens(one.evidence.content) + 20
        if tokens + length > tokens_max:
            break
        shown.insert(0, one)
        tokens += length
    return shown, tokens


def _insight(concluded: Concluded, shown: Sequence[Remembered], user: str | None) -> Insight | None:
    supports, against = dict.fromkeys(concluded.memories), dict.fromkeys(concluded.against)
    cited = [*supports, *against]
    if len(supports) < 2 or len(set(cited)) < len(cited) or not all(1 <= number <= len(shown) for number in cited):
        return None
    said = {normalize(shown[number - 1].evidence.content) for number in cited}
    if not concluded.content.strip() or normalize(concluded.content) in said:
        return None
    evidence = [shown[number - 1].evidence for number in supports]
    evidence += [shown[number - 1].evidence.opposing() for number in against]
    about = f"{MODEL}{concluded.kind}:{digest_of(str(user), normalize(concluded.content))}"
    return Insight(new_id(), about, user, concluded.content.strip(), evidence, "model")


def on_known_matters(
    concluded: Sequence[Insight], by_rules: Sequence[Insight], known: Sequence[KnownInsight]
) -> list[Insight]:
    """Return the conclusions, each under the matter of a former one that it repeats, and each matter once; without
    those that rules draw from the same memories."""
    drawn = [frozenset(one.id for one in insight.evidence) for insight in by_rules]
    drawn += [one.evidence for one in known if not one.about.startswith((MODEL, FIELD))]
    found: dict[str, Insight] = {}
    for insight in concluded:
        evidence = {one.id for one in insight.evidence}
        if any(evidence <= one for one in drawn):
            continue
        about = next((one.about for one in known if _repeats(insight, evidence, one)), insight.about)
        alike = [other for other in found.values() if _kind(other.about) == _kind(about)]
        if not any(_overlap(evidence, other) for other in alike):
            found.setdefault(about, replace(insight, about=about))
    return list(found.values())


def _repeats(insight: Insight, evidence: set[UUID], known: KnownInsight) -> bool:
    """Return whether a former conclusion of the model's says the same, or rests on the same for the most part."""
    if known.user != insight.user or _kind(known.about) != _kind(insight.about):
        return False
    shared = len(evidence & known.evidence)
    return may_merge(known.content, insight.content) or 2 * shared >= min(len(evidence), len(known.evidence))


def _kind(about: str) -> str:
    """Return what kind of conclusion a matter is of, and whose: ``model:habit``."""
    return about.rpartition(":")[0]


def _overlap(evidence: set[UUID], other: Insight) -> bool:
    theirs = {one.id for one in other.evidence}
    return 2 * len(evidence & theirs) > min(len(evidence), len(theirs))


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value of a field, and the memories that say so."""

    field: Property
    value: Scalar
    evidence: list[Evidence]

    def insight(self, user: str) -> Insight:
        """Return the value as an insight about the user; a list has a matter for each of its values."""
        matter = [user, self.field.name, self.value if self.field.several else None]
        about = FIELD + hashlib.sha256(dumps(matter)).hexdigest()[:32]
        content = f"{user}'s {self.field.name}: {text_of(self.value)}"
        return Insight(new_id(), about, user, content, self.evidence, "model", fills=(self.field.name, self.value))


@dataclass(frozen=True, slots=True)
class Filling:
    """Values that a model filled one user's profile with. ``rejected``: so many values do not fit their schema, or cite
    what was not shown; ``newest``: the last memory that it was shown; ``tokens``: of all of them."""

    values: list[FieldValue]
    rejected: int
    newest: Evidence
    tokens: int


async def fill_by_model(
    remembered: Sequence[Remembered], fields: Sequence[Property], choices: DreamChoices, tokens_max: int,
    checkpoints: Checkpoints,
) -> Filling | None:  # fmt: skip
    """Return what the model fills the fields with; None where there is nothing to show it, or where it fails."""
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
        profile = await checkpoints.structured("profile", messages, FilledProfile, tokens_max=FIELDS_TOKENS_MAX)
    except NO_ANSWER as error:
        log.warning("profile_not_filled", memories=len(shown), error=error.message)
        return None
    values = _borne_out(profile.fields, {one.name: one for one in fields}, shown)
    return Filling(values, max(0, len(profile.fields) - len(values)), shown[-1].evidence, tokens)


def _borne_out(
    answered: Sequence[FilledField], fields: dict[str, Property], shown: Sequence[Remembered]
) -> list[FieldValue]:
    """Return the values that fit and cite what was shown: one for each field, or each once for one with several."""
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
    """Yield the JSON values in the text, or the text itself as the schema wants it."""
    try:
        decoded = orjson.loads(text)
    except orjson.JSONDecodeError:
        decoded = text.strip()
    for one in decoded if field.several and isinstance(decoded, list) else [decoded]:
        value = coerced(one, field.value) if isinstance(one, str) else fitting(one, field.value)
        if value is not None:
            yield value
