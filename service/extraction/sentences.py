"""From a message to the speaker's own sentences: injected memory, code, pasted text and quoted speech removed.

Every pattern here runs in time linear in the text: repeats are over single characters or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from service.extraction.patterns.instructions import is_instruction

SPEECH = "\x01"  # stands where somebody's quoted words were; a sentence that holds it is not the speaker's own

_SENTENCE_CHARS_MAX = 500  # longer runs without a full stop are data, not speech
_INJECTED_OPEN = re.compile(r"<reverie-memory", re.IGNORECASE)
_INJECTED_CLOSE = re.compile(r"</reverie-memory>", re.IGNORECASE)
_RECALLED = re.compile(r"^[ \t]*retrieved memories:", re.IGNORECASE)
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*•–]|\d{1,3}[.)]|\[)")
_BULLET = re.compile(r"^[ \t]*(?:[-*•–+]|\d{1,3}[.)]|#{1,6})[ \t]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\ufeff]")
_APOSTROPHE = re.compile(r"(?<=\w)[’ʼ](?=\w)")
_INLINE_CODE = re.compile(r"`([^`\n]{1,80})`")
_EMAIL_QUOTE = re.compile(r"^(?:On .{1,80} wrote:|-{2,}\s?(?:Original|Forwarded) |From: \S)", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|(?<=\s)[*_](?=\w)|(?<=\w)[*_](?=[\s.,!?])")
_WRITING_TASK = re.compile(
    r"^(?:hi[,!]? |hello[,!]? |please |can you |could you |now |help me )*(?:write|rewrite|draft|compose"
    r"|translate|summari[sz]e"
    r"|proofread|paraphrase|edit|correct|improve|rephrase|generate|act as|act like|pretend|you are|you will"
    r"|continue|classify"
    r"|role-?play|imagine|create|fix|analy[sz]e|convert|grade|review)\b",
    re.IGNORECASE,
)
_RESUMES = re.compile(r"^(?:by the way|btw|also, i|speaking of)\b", re.IGNORECASE)

_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|‘[^\n‘]{1,300}?’(?!\w)|«[^»\n]{1,300}»"
    r"|(?<!\w)'(?!(?:cause|em|til|n|bout|s|t|re|ve|ll|d|m)\b)(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w)"
)
_OWN_VOICE = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|my|me|we|we're|our|us|you|your)\b", re.IGNORECASE)
_LEADS_SPEECH = re.compile(
    r"(?:\b(?:says?|said|saying|asks?|asked|told|tells|texted|wrote|writes|replied|answered|shouted|claims?|goes"
    r"|like|quote"
    r"|went|yelled|thinks?)\b[^\"“‘«']{0,30}|:\s*)$",
    re.IGNORECASE,
)
_LONG_QUOTE_WORDS = 9

_BOUNDARY = re.compile(r"[.!?…]{1,10}[\"”’)\]*]{0,3}(?=\s|$)|[.!?…]{1,10}(?=[^\x00-\u2fff])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|e\.g|i\.e|approx|dept|fig|inc|ltd|co|corp|u\.s|u\.k|mt|ft|no)"
    r"|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"(?:</?[a-zA-Z][\w-]{0,20}[ >/]|(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b[\]:]? "
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|Traceback |File \"|at \w+\.|import |from \w+ import |def |class \w+[(:]|return |function |const |let \w+ ="
    r"|var |public |private |#include|SELECT |INSERT |UPDATE "
    r"|DELETE FROM |CREATE TABLE |git |npm |pip |sudo |docker |\$ |>>> ))"
)
_ALNUM_SHARE_MIN = 0.72
_NO_PROSE = re.compile(r"[^\w ,.'’]|_")


def own_sentences(text: str, spelling: Callable[[str], str] | None = None) -> list[str]:
    """The sentences of ``text`` that its author wrote as statements of their own, in order.

    Injected or recalled memories, code, quoted mail, material pasted for a writing task and data lines are gone.
    ``spelling`` puts each line right before it is cut. Questions, hypotheticals and the like are still in: see
    :mod:`service.extraction.filters`.
    """
    lines = _own_lines(without_injected(_APOSTROPHE.sub("'", _CONTROL.sub(" ", text))))
    body = _masked_speech(_EMPHASIS.sub("", "\n".join(map(spelling, lines) if spelling else lines)))
    return list(_without_tasks(list(_split(body))))


def without_injected(text: str) -> str:
    """``text`` without what Reverie itself put into a prompt."""
    kept: list[str] = []
    at = 0
    while (start := _INJECTED_OPEN.search(text, at)) is not None:
        kept = _after_stray_close(kept, text[at : start.start()])
        end = _INJECTED_CLOSE.search(text, start.end())
        if end is None:
            return "\n".join(kept)
        at = end.end()
    return "\n".join(_after_stray_close(kept, text[at:]))


def _after_stray_close(kept: list[str], outside: str) -> list[str]:
    """``kept`` and ``outside``. Where the opening was cut off, what stands before its close was injected too."""
    *before, rest = _INJECTED_CLOSE.split(outside)
    return [rest] if before else [*kept, rest]


def _own_lines(text: str) -> Iterator[str]:
    """Lines outside code fences, quotes and recalled memories, with list marks removed."""
    fenced = recalled = False
    blank = True
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        elif _RECALLED.match(line):
            recalled = True
        elif recalled:
            recalled = not (blank and bare) or bool(_LIST_ITEM.match(line))
            if not recalled:
                yield bare
        elif _EMAIL_QUOTE.match(bare):
            return
        elif not fenced and not bare.startswith((">", "|")) and not _is_data(line):
            yield _INLINE_CODE.sub(r"\1", _BULLET.sub("", bare))
        blank = not bare


def _is_data(line: str) -> bool:
    """Indented code, tables of figures, log lines: too few letters and spaces to be prose."""
    if _MACHINE.match(line.lstrip()):
        return True
    if len(line) < 12:
        return False
    return len(_NO_PROSE.findall(line)) > (1 - _ALNUM_SHARE_MIN) * len(line)


def _masked_speech(text: str) -> str:
    if not any(mark in text for mark in "\"“‘«'"):
        return text

    def mask(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        before = text[max(0, match.start() - 60) : match.start()]
        words = inner.split()
        is_speech = len(words) > 1 and bool(_OWN_VOICE.search(inner)) and not inner.istitle()
        if is_speech or len(words) >= _LONG_QUOTE_WORDS or _LEADS_SPEECH.search(before):
            return SPEECH
        return match[0]

    return _QUOTED.sub(mask, text)


def _split(text: str) -> Iterator[str]:
    start = 0
    for match in _BOUNDARY.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text, max(start, match.start() - 8), match.end()):
            continue
        sentence = text[start : match.end()].strip()
        start = match.end()
        if 0 < len(sentence) <= _SENTENCE_CHARS_MAX:
            yield sentence
    rest = text[start:].strip()
    if 0 < len(rest) <= _SENTENCE_CHARS_MAX:
        yield rest


def _without_tasks(sentences: Sequence[str]) -> Iterator[str]:
    """Leaves out what follows "Translate this:" or "Write a story…": it is material, not a statement."""
    in_material = False
    for sentence in sentences:
        if _RESUMES.match(sentence):
            in_material = False
        if not in_material and _WRITING_TASK.match(sentence) and not sentence.endswith("?"):
            in_material = not is_instruction(sentence)
        if not in_material:
            yield sentence
