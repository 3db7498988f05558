"""Filling the sections of a context under one token budget. Pure: the same material gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

from pydantic import Field

from service.domain.context import PREFIX, TURN, Placement, SectionName, Shares
from service.domain.json import JsonValue
from service.domain.prompt_fence import CLOSE, NOTICE, OPEN, escape_tags, list_item, memory_block, section
from service.domain.turns import words_of
from service.embedding.tokens import count_tokens, truncate

FREE_TEXT: frozenset[SectionName] = frozenset({"instructions", "bulletin"})
"""Sections that are a text of their own and no list."""

TRUNCATED: frozenset[SectionName] = frozenset({*FREE_TEXT, "tools"})
"""Sections whose last entry is cut to fit; in the others an entry that does not fit is left out."""

MEMORIES_OF_PREFIX: tuple[SectionName, ...] = ("identity", "preferences")
"""Sections of memories whose entries, where they find no room, compete among the memories, in this order."""

CUT_ORDER: tuple[SectionName, ...] = (
    *reversed(TURN), "bulletin", "preferences", "instructions", "identity"
)  # fmt: skip

TRUNCATED_TOKENS_MIN = 20
TRUNCATION_MARK = " …"
NO_WORDS = "(an image or a file)"
_FREE_TEXT_TAGS = 8
"""Tokens of the tags around a free text, at most."""
_JOINTS_TOKENS = 2

Cost = Callable[[str], int]
"""Tokens a line takes with its line break; each line is counted once."""

SectionField = Annotated[
    SectionName,
    Field(
        description="Section: `instructions`, `bulletin` (agent summary), `identity`, `preferences`, `memories`, "
        "`documents`, `window` (recent messages) or `tools` (tool results)."
    ),
]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that may go into a section, with the id it is cited by.

    ``repeats``: the turns of the window that together say the same; where those are shown, it is not.
    """

    id: str
    text: str
    repeats: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WindowTurn:
    """A turn of the window: ``line`` as the section shows it, ``message`` as it goes to the model verbatim, and the
    tokens of the images and files in that."""

    id: str
    line: str
    message: ChatMessage
    media_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ContextInput:
    """Everything there is to choose from, best first; the window oldest first."""

    entries: Mapping[SectionName, Sequence[Entry]]
    window: Sequence[WindowTurn] = ()


@dataclass(frozen=True, slots=True)
class ContextSection:
    """Labelled section of a context."""

    name: SectionField
    text: Annotated[str, Field(description="Text of the section.")]
    items: Annotated[list[str], Field(description="Ids of the included items.")]
    tokens: Annotated[int, Field(description="Length in tokens.")]


@dataclass(frozen=True, slots=True)
class OmittedItems:
    """Items of a context section omitted for lack of budget."""

    section: SectionField
    count: Annotated[int, Field(description="Number of omitted items.")]
    tokens: Annotated[int, Field(description="Total length in tokens.")]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """Message for a model."""

    role: Annotated[str, Field(description="Role of the speaker: `system`, `user`, `assistant` or `tool`.")]
    content: Annotated[JsonValue, Field(description="Text or content parts.")]


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """Sections in order, the block of all but the window with its tokens, and the window's turns. In the block the
    instructions stand before what is marked as data.

    ``omitted``: the entries offered that are in none, by the section they were offered for. Block and turns
    together take at most the budget; so do the sections, whose sum leaves out the block's frame.
    """

    sections: list[ContextSection]
    block: str
    block_tokens: int
    turns: list[ChatMessage]
    omitted: list[OmittedItems]

    @property
    def tokens(self) -> int:
        """Return the sum over the sections."""
        return sum(one.tokens for one in self.sections)

    def messages(self, message: str, placement: Placement) -> list[ChatMessage]:
        """Return messages for a model: the block, the window, and what the user says now."""
        head = [ChatMessage(placement, self.block)] if self.block else []
        return [*head, *self.turns, ChatMessage("user", message)]


def assemble(material: ContextInput, shares: Shares, tokens_max: int) -> AssembledContext:
    """Fill identity and instructions first, then every section within its share, then give what is left to those that
    need more.

    Shares are floors. The identity takes what it needs, then the instructions do. What a section does not need goes
    to the others in order: within the prefix, whose bytes depend on its own material and shares alone, to preferences
    and bulletin; then to the sections of the turn, where what identity and preferences had no room for competes among
    the memories, first.
    What a memory says and a turn of the window shows is shown once. No section and no sum of sections ever takes more
    than ``tokens_max``.
    """
    budget = tokens_max - _frame() - _JOINTS_TOKENS
    if budget <= 0:
        return AssembledContext([], "", 0, [], _omitted(material, {}, _cost))
    cost = cache(_cost)
    filled = _prefix(material, shares, budget, cost)
    material = _competing(material, shares, filled)
    left = budget - sum(one.tokens for one in filled.values())
    scale = min(1.0, left / max(1, budget * (1 - _prefix_share(shares))))
    caps = {name: int(shares.caps(budget)[name] * scale) for name in TURN if getattr(shares, name)}
    of_turn = _turn_sections(material, caps, left, 0, cost)
    while repeated := _repeated(material, of_turn):
        material = _without(material, repeated)
        of_turn = _turn_sections(material, caps, left, of_turn["window"].tokens, cost)
    return _within(filled | of_turn, material, tokens_max, cost)


def _prefix_share(shares: Shares) -> float:
    given = {name: getattr(shares, name) for name in PREFIX + TURN}
    return float(sum(given[name] for name in PREFIX) / max(1.0, sum(given.values())))


def _turn_sections(
    material: ContextInput, caps: Mapping[SectionName, int], left: int, window_min: int, cost: Cost
) -> dict[SectionName, ContextSection]:
    """Return the sections of the turn: the window with ``window_min`` tokens and each other within its cap, then all
    with what is left."""
    filled = {name: ContextSection(name, "", [], 0) for name in TURN}
    for name in sorted(caps, key=lambda name: name != "window"):
        cap = max(caps[name], window_min) if name == "window" else caps[name]
        filled[name] = _fill(name, material, min(cap, left), cost)
        left -= filled[name].tokens
    for name in TURN:
        if name in caps and left > 0:
            more = _fill(name, material, filled[name].tokens + left, cost)
            left -= more.tokens - filled[name].tokens
            filled[name] = more
    return filled


def _repeated(material: ContextInput, filled: Mapping[SectionName, ContextSection]) -> set[str]:
    """Return the memories that say the same as turns that are shown."""
    turns = set(filled["window"].items)
    return {one.id for one in material.entries.get("memories", ()) if one.repeats and one.repeats <= turns}


def _without(material: ContextInput, ids: set[str]) -> ContextInput:
    memories = [one for one in material.entries["memories"] if one.id not in ids]
    return ContextInput({**material.entries, "memories": memories}, material.window)


def _prefix(material: ContextInput, shares: Shares, budget: int, cost: Cost) -> dict[SectionName, ContextSection]:
    """Return the sections of the prefix: identity and then instructions as far as they fit, the others within what the
    prefix's shares leave."""
    caps = shares.caps(budget)
    identity = _fill("identity", material, budget if caps["identity"] else 0, cost)
    instructions = _fill("instructions", material, budget - identity.tokens, cost)
    rest = min(sum(caps[name] for name in PREFIX), budget - instructions.tokens) - identity.tokens
    rest = max(0, rest)
    floor = min(caps["bulletin"], rest - min(caps["preferences"], rest))
    needed = _fill("bulletin", material, floor, cost).tokens
    preferences = _fill("preferences", material, rest - needed if caps["preferences"] else 0, cost)
    bulletin = _fill("bulletin", material, rest - preferences.tokens if caps["bulletin"] else 0, cost)
    first: dict[SectionName, ContextSection] = {"instructions": instructions} if instructions.text else {}
    return first | {"bulletin": bulletin, "identity": identity, "preferences": preferences}


def _competing(material: ContextInput, shares: Shares, filled: Mapping[SectionName, ContextSection]) -> ContextInput:
    """Return the material, with the memories that found no room in the prefix at the head of the memories."""
    shut_out = [
        entry
        for name in MEMORIES_OF_PREFIX
        if getattr(shares, name)
        for entry in material.entries.get(name, ())
        if entry.id not in filled[name].items
    ]
    memories = [*shut_out, *material.entries.get("memories", ())]
    return ContextInput({**material.entries, "memories": memories}, material.window)


def _omitted(material: ContextInput, filled: Mapping[SectionName, ContextSection], cost: Cost) -> list[OmittedItems]:
    """Return what is shown nowhere, by the first section that it was offered for; sections without any are left out."""
    seen = {item for one in filled.values() for item in one.items}
    omitted: list[OmittedItems] = []
    for name in ("instructions", *PREFIX, *TURN):
        missing = {id_: line for id_, line in _lines(material, name) if id_ not in seen}
        seen |= missing.keys()
        if missing:
            omitted.append(OmittedItems(name, len(missing), sum(map(cost, missing.values()))))
    return omitted


def _lines(material: ContextInput, name: SectionName) -> Iterator[tuple[str, str]]:
    """Yield the id and the line of everything offered for a section."""
    if name == "window":
        yield from ((turn.id, list_item(turn.line)) for turn in material.window)
    for entry in material.entries.get(name, ()):
        yield entry.id, escape_tags(entry.text.strip()) if name in FREE_TEXT else list_item(entry.text)


def _within(
    filled: dict[SectionName, ContextSection], material: ContextInput, tokens_max: int, cost: Cost
) -> AssembledContext:
    """Return the sections joined; should joining have cost tokens, sections give way in ``CUT_ORDER``."""
    while True:
        shown = [one for one in filled.values() if one.text and one.name != "window"]
        framed = [one.text for one in shown if one.name != "instructions"]
        block_tokens = sum(one.tokens + _line_break(one.name) for one in shown) + (_frame() if framed else 0)
        tokens = block_tokens + filled["window"].tokens
        if tokens <= tokens_max:
            break
        loser = next(filled[name] for name in CUT_ORDER if name in filled and filled[name].tokens)
        filled[loser.name] = _fill(loser.name, material, loser.tokens - (tokens - tokens_max), cost)
    kept = set(filled["window"].items)
    shown_turns = [turn for turn in material.window if turn.id in kept]
    turns, media_tokens = _messages(shown_turns, tokens_max - tokens)
    filled["window"] = replace(filled["window"], tokens=filled["window"].tokens + media_tokens)
    outside = [one.text for one in shown if one.name == "instructions"]
    block = "\n".join([*outside, *filter(None, [memory_block(framed)])])
    return AssembledContext(list(filled.values()), block, block_tokens, turns, _omitted(material, filled, cost))


def _messages(turns: Sequence[WindowTurn], tokens_max: int) -> tuple[list[ChatMessage], int]:
    """Return turns as they go to the model, and the tokens of the images and files in them: those of the newest turns,
    as many as there is room for. The others are words alone."""
    messages: list[ChatMessage] = []
    left = tokens_max
    for turn in reversed(turns):
        fits = turn.media_tokens <= left
        left -= turn.media_tokens if fits else 0
        content = turn.message.content if fits else words_of(turn.message.content) or NO_WORDS
        messages.append(ChatMessage(turn.message.role, content))
    return messages[::-1], tokens_max - left


def _fill(name: SectionName, material: ContextInput, cap: int, cost: Cost) -> ContextSection:
    if name == "window":
        return _fill_window(material.window, cap, cost)
    lines: list[str] = []
    items: list[str] = []
    left = cap - (_FREE_TEXT_TAGS if name in FREE_TEXT else _tags(name))
    for id_, line in _lines(material, name):
        if left <= 0:
            break
        if cost(line) > left and name in TRUNCATED and left >= TRUNCATED_TOKENS_MIN:
            line = _cut(line, left)
        if cost(line) > left:
            continue
        lines.append(line)
        items.append(id_)
        left -= cost(line)
    return _section(name, lines, items, cap, cost)


def _fill_window(window: Sequence[WindowTurn], cap: int, cost: Cost) -> ContextSection:
    """Return the newest turns without a gap, as many as fit."""
    lines: list[str] = []
    items: list[str] = []
    left = cap - _tags("window")
    for turn in reversed(window):
        line = list_item(turn.line)
        left -= cost(line)
        if left < 0:
            break
        lines.append(line)
        items.append(turn.id)
    return _section("window", lines[::-1], items[::-1], cap, cost)


def _cost(line: str) -> int:
    return count_tokens(line + "\n")


def _section(name: SectionName, lines: list[str], items: list[str], cap: int, cost: Cost) -> ContextSection:
    """Return the section's text with its exact tokens; the last lines go should the exact count be over the cap."""
    while lines:
        text = section(name, lines)
        tokens = count_tokens(text) if name in FREE_TEXT else _tags(name) + sum(map(cost, lines))
        if tokens <= cap:
            return ContextSection(name, text, items, tokens)
        oldest_first = name == "window"
        lines, items = (lines[1:], items[1:]) if oldest_first else (lines[:-1], items[:-1])
    return ContextSection(name, "", [], 0)


@cache
def _tags(name: SectionName) -> int:
    """Return tokens of a section's two tags. No token reaches from one line into the next that begins with ``-`` or
    ``<``, as all do but a bulletin's, so that those of the lines can be added to them."""
    return _cost(f"<{name}>") + count_tokens(f"</{name}>")


@cache
def _frame() -> int:
    """Return tokens of what stands around the sections of a block, added up for the same reason."""
    return _cost(OPEN) + _cost(NOTICE) + count_tokens(CLOSE)


@cache
def _line_break(name: SectionName) -> int:
    """Return tokens that the line break after a section adds to it."""
    return _cost(f"</{name}>") - count_tokens(f"</{name}>")


def _cut(line: str, tokens_max: int) -> str:
    """Return the beginning of a line, up to the end of a sentence or word, and a mark that more was there."""
    kept = truncate(line, tokens_max - _cost(TRUNCATION_MARK))
    end = max(kept.rfind(mark) for mark in (". ", "! ", "? ", "\n", "。"))
    if end > len(kept) // 2:
        return kept[: end + 1].rstrip() + TRUNCATION_MARK
    return kept.rpartition(" ")[0] + TRUNCATION_MARK
