"""Blocks that another memory layer put before the words of a user, recognised by their form and cut.

Such a block is a pair of tags (``<memories> … </memories>``), or a heading with a list, before the message itself,
which may have a label (``User:``). What a user lists under a heading of the user's own ("My preferences:") stays.
"""

from __future__ import annotations

import re
from typing import Final

HEADING_MAX: Final = 160
BLOCKS_MAX: Final = 20
_TAG: Final = re.compile(r"<([A-Za-z][\w:.-]{0,60})(?: [^<>\n]{0,200})?>")
_TAG_NAME: Final = re.compile(r"memor|recall|retriev|context|knowledge|remember|facts|profile|history")
_OF_MEMORY: Final = re.compile(
    r"\b(?:memor(?:y|ies)|recall(?:ed)?|retrieved|recollections?|remembered|long[- ]term)\b"
    r"|\b(?:relevant|related|known|past|previous|stored|background) (?:\w+ )?"
    r"(?:facts?|context|information|knowledge|notes?|history|conversations?|preferences|details)\b"
    r"|\babout (?:the|this|that) (?:user|person|customer|speaker)\b"
    r"|\buser(?:'s)? (?:profile|facts|context|information)\b"
    r"|erinnerung|souvenir|mémoire|recuerdo|memoria|ricord|记忆|記憶|回忆|воспоминани"
)
_OF_CONTEXT: Final = re.compile(
    r"\b(?:context|facts|background|knowledge|history|notes|information|preferences|profile)\b"
)
_OWN: Final = re.compile(r"\b(?:my|mine|our|ours|i|we|i'm|me)\b")
_ITEM: Final = re.compile(r"(?:[-*+•·–—>]|\(?\[?\d{1,3}[.):\]]|(?:memory|fact|note) \d{1,3}:)\s*\S", re.IGNORECASE)
_RULE: Final = re.compile(r"[-=_*#~]{3,}")
_LABEL: Final = re.compile(
    r"(?:#{1,6} {0,3}|\*\*|\[|<)?(?:(?:the )?(?:user|human|current|actual|new|latest)(?:'s)?(?: current| new| latest)?"
    r"(?: (?:message|query|question|input|request|prompt|says|asks))?|message|query|question|input|request|prompt)"
    r"(?:\*\*|\]|>)?(?:[:：](?:\*\*)?|(?<=\])|(?<=>))",
    re.IGNORECASE,
)
_MARKS: Final = " \t#*_[]=->:："


def without_recall(text: str) -> str:
    """Return what a user said, without recall blocks before it; the text itself where nothing else would be left."""
    said = text
    for _ in range(BLOCKS_MAX):
        rest = _after_block(said.lstrip())
        if rest is None:
            break
        said = rest
    return said.strip() if said is not text and said.strip() else text


def _after_block(text: str) -> str | None:
    """Return what comes after a block at the beginning of a text; None where there is none."""
    tag = _TAG.match(text)
    if tag is not None:
        closing = f"</{tag.group(1)}>"
        at = text.find(closing, tag.end()) if _TAG_NAME.search(tag.group(1).lower()) else -1
        return _without_label(text[at + len(closing) :]) if at >= 0 else None
    lines = text.split("\n")
    heading = lines[0].strip()
    if len(heading) > HEADING_MAX or not _is_marked(heading):
        return None
    words = heading.strip(_MARKS).lower()
    strong, weak = _OF_MEMORY.search(words), _OF_CONTEXT.search(words)
    if _OWN.search(words) or not (strong or weak):
        return None
    end = _end_of_list(lines)
    rest = "\n".join(lines[end:])
    labelled = _without_label(rest)
    return labelled if end > 1 and (strong or labelled != rest.strip()) else None


def _is_marked(heading: str) -> bool:
    """Return whether a line is written as a heading is."""
    return heading.endswith((":", "：", ":**", "：**")) or heading.startswith(("#", "[", "==", "**"))


def _end_of_list(lines: list[str]) -> int:
    """Return the number of the first line after the list that begins below a heading; 1 where none does."""
    end, at = 1, 1
    while at < len(lines):
        line = lines[at]
        if _ITEM.match(line.strip()) or (line[:2].isspace() and line.strip() and end > 1):
            end = at + 1
        elif line.strip():
            break
        at += 1
    return end


def _without_label(rest: str) -> str:
    """Return the words of a user without the line or the label that sets them off."""
    text = rest.strip()
    first, _, more = text.partition("\n")
    if _RULE.fullmatch(first.strip()):
        text = more.strip()
    label = _LABEL.match(text)
    return text[label.end() :].strip() if label else text
