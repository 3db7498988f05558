"""Notes folded into one text: a heading with their dates, and a line of each, which names all that the note names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from service.domain.field_types import CONTENT_MAX
from service.domain.identifiers import identifiers, missing_from

SHARES = (0.5, 0.4, 0.3)
"""Of a note's length, that its line may be given; the first that saves enough is taken."""
LINE_CHARS_MIN, LINE_CHARS_MAX = 40, 200
BEGINNING_CHARS_MIN = 16
HEADING_CHARS_MAX = 80
_FILLERS = frozenset(("the", "a", "an", "very", "really", "just", "quite", "actually"))


@dataclass(frozen=True, slots=True)
class Note:
    """A memory to fold: its text on one line, what the text names, and when it was."""

    text: str
    named: Sequence[str]
    at: datetime


def note(content: str, at: datetime, about: str | None) -> Note:
    """Return the note of a memory; ``about`` is a name to put in front where the text does not begin with it."""
    text = " ".join(content.split())
    if about and not text.casefold().startswith(about.casefold()):
        text = f"{about}: {text}"
    return Note(text, identifiers([text]), at)


def note_lines(notes: Sequence[Note], share: float) -> list[str]:
    """Return a line of each note: whole if it is short, else its beginning and then what it names further on."""
    fair = max(LINE_CHARS_MIN, min(LINE_CHARS_MAX, (CONTENT_MAX - HEADING_CHARS_MAX) // max(1, len(notes))))
    return [_line(note, min(fair, max(BEGINNING_CHARS_MIN, int(share * len(note.text))))) for note in notes]


def folded(notes: Sequence[Note], lines: Sequence[str]) -> str:
    """Return the text that stands for notes, made of their lines."""
    months = dict.fromkeys(f"{at:%B %Y}" for at in (min(note.at for note in notes), max(note.at for note in notes)))
    return "\n".join([f"{len(notes)} notes, {' to '.join(months)}:", *lines])


def with_missing(text: str, named: Sequence[str]) -> str:
    """Return a text, and after it what it should name and does not, as far as there is room."""
    listed: list[str] = []
    room = CONTENT_MAX - len(text) - len(" Also named: .")
    for token in missing_from(text, named):
        room -= len(token) + len(", ")
        if room < 0:
            break
        listed.append(token)
    return f"{text} Also named: {', '.join(listed)}." if listed else text


def _line(note: Note, room: int) -> str:
    if len(note.text) <= room:
        return note.text
    text = " ".join(word for word in note.text.split() if word not in _FILLERS)
    beginning = _beginning(text, room)
    for _ in range(2):  # a shorter beginning may leave out more
        left = room - len(", ".join(missing_from(beginning, note.named))) - 3
        beginning = _beginning(text, max(BEGINNING_CHARS_MIN, left))
    missing = missing_from(beginning, note.named)
    words = beginning.split()
    while missing and words and words[-1] in missing[0].split():  # it was cut in the middle of a name
        words.pop()
    return " ".join([*words, "…", ", ".join(missing)]).rstrip()


def _beginning(text: str, room: int) -> str:
    """Whole words, as many as there is room for; a longer word than that is cut."""
    if len(text) <= room:
        return text
    end = text.rfind(" ", 0, room + 1)
    return text[: end if end > 0 else room].rstrip(" ,;:-–—(")
