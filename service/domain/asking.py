"""Asking memory a question, and whether an answer rests on what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from service.domain.field_types import ActingAgent, BoundedObject, Name, Query, ReadTask, Timestamp, TokenBudget
from service.domain.guards import normalize
from service.domain.json import JsonObject, JsonValue
from service.domain.json_schema import check_schema
from service.domain.search import (
    AskersZone,
    ContainedMetadata,
    Expand,
    OccurredSince,
    OccurredUntil,
    SearchedTags,
    SearchedTypes,
    Wordings,
)
from service.domain.strict import StrictModel
from service.domain.where import WhereObject

NOT_KNOWN = "not known"
SCHEMA_BYTES_MAX = 10_000

_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_START = re.compile(r"[.!?:]\s|\n")


def _schema(schema: JsonObject) -> JsonObject:
    check_schema(schema, bytes_max=SCHEMA_BYTES_MAX)
    return schema


Effort = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class EffortLimits:
    """What an answer may take: memories, their tokens as a share of the default, and tokens of the answer."""

    memories: int
    share: float
    answer_tokens: int
    expand: bool = False


EFFORTS: dict[Effort, EffortLimits] = {
    "low": EffortLimits(10, 0.5, 500),
    "medium": EffortLimits(30, 1, 1_000),
    "high": EffortLimits(60, 2, 2_000, expand=True),
}


class AskRequest(StrictModel):
    """Question to an agent's memory."""

    agent: ActingAgent = None
    question: Query = Field(min_length=1, description="Question in natural language, at most 8,000 characters.")
    queries: Wordings = Field([])
    expand: Expand = False
    types: SearchedTypes = None
    tags: SearchedTags = None
    user: Name | None = Field(
        None,
        description="User the question is for: what belongs to nobody or to this user is read. Default: the members of "
        "the session, else nobody.",
    )
    about: Name | None = Field(None, description="User described by the memories to read. Default: any.")
    metadata: ContainedMetadata = None
    where: WhereObject = None
    since: OccurredSince = None
    until: OccurredUntil = None
    time_zone: AskersZone = None
    session: Name | None = Field(None, description="Current session; its session-scoped memories are included.")
    task: ReadTask = None
    as_of: Timestamp | None = Field(
        None, description="Time of the facts: memories valid then, as they stood then, instead of now."
    )
    effort: Effort = Field(
        "medium",
        description="Effort: `low` (10 memories, half the tokens), `medium` (30 memories) or `high` (60 memories, "
        "twice the tokens, and further wordings as with `expand`). Default `medium`.",
    )
    max_tokens: TokenBudget | None = Field(
        None,
        description="Token budget of the memories given to the model. Default: the setting "
        "`retrieval.context_max_tokens` (2,000), by `effort`.",
    )
    response_schema: Annotated[BoundedObject, AfterValidator(_schema)] | None = Field(
        None,
        description="JSON Schema (draft 2020-12) of `data`, at most 10,000 bytes, without references, regular "
        "expressions and formats. Default: no `data`.",
    )
    evidence: bool = Field(
        False, description="Addition of the cited memories with the quoted words (`evidence`). Default false."
    )
    stream: bool = Field(
        False,
        description="Server-sent events `memories` (at once) and `answer` (once it is checked) instead of one body. "
        "Default false.",
    )


def contains_quote(text: str, quote: str) -> bool:
    """Return whether a text has these words, in this order, whatever their case and punctuation."""
    wanted = _words(quote)
    return bool(wanted) and f" {wanted} " in f" {_words(text)} "


def is_grounded(answer: str, sources: Sequence[str]) -> bool:
    """Return whether every figure and every name in an answer stands in its sources.

    An answer may be worded freely; what it must not do is name a number, a date or a person that nobody has told it.
    """
    known = " ".join(normalize(source) for source in sources)
    words = frozenset(_words(known).split())
    figures = frozenset(_FIGURE.findall(known))
    return set(_FIGURE.findall(normalize(answer))) <= figures and all(name in words for name in _names(answer))


def leaves_of(value: JsonValue) -> str:
    """Return the texts and numbers of a JSON value and its keys, in one sentence, so that each name in it is looked
    up."""
    found: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            found += node
            stack += node.values()
        elif isinstance(node, list):
            stack += node
        elif isinstance(node, float) and node.is_integer():
            found.append(str(int(node)))
        elif node is not None and not isinstance(node, bool):
            found.append(str(node))
    return "it is " + ", ".join(found)


def _names(text: str) -> Iterable[str]:
    """Words written with a capital where no sentence begins."""
    end = 0
    for match in _WORD.finditer(text):
        word, gap = match.group(), text[end : match.start()]
        _, underscore, before = gap.rpartition("_")
        begins = (end == 0 and not underscore) or _SENTENCE_START.search(before)
        if word[0].isupper() and len(word) > 1 and not begins:
            yield from _words(word).split()
        end = match.end()


def _words(text: str) -> str:
    return " ".join(word.removesuffix("'s") for word in _WORD.findall(normalize(text).replace("’", "'")))
