"""Who is who among those an agent hears of, and who speaks for whom: the users, and names that stand for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from service.domain.guards import normalize
from service.extraction.candidates import Turn

LEADING_WORDS_MAX = 3
LEADING_CHARS_MAX = 600


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose own word counts. ``name``: the subject of their memories.

    ``user`` is the user in whose turns they speak: themselves, or, for a name that is not a user's, the first user who
    spoke under it; None where it is not clear which of several users is meant.
    """

    name: str
    user: str | None


@dataclass(slots=True)
class People:
    """The persons known under some names. A user's own id wins over another spelling of it, that over other names."""

    users: set[str] = field(default_factory=set)
    others: dict[str, Person] = field(default_factory=dict)
    _folded: dict[str, list[str]] = field(init=False)

    @classmethod
    def speaking(cls, turns: Iterable[Turn]) -> People:
        """Those who speak in these turns."""
        spoken = [(turn.speaker, turn.user) for turn in turns if turn.role == "user" and turn.user]
        others: dict[str, Person] = {}
        for name, user in spoken:
            if name and name != user:
                others.setdefault(name, Person(name, user))
        return cls({user for _, user in spoken if user}, others)

    def __post_init__(self) -> None:
        self._folded = defaultdict(list)
        for user in sorted(self.users):
            self._folded[normalize(user)].append(user)

    def find(self, name: str | None, speaker: str | None = None) -> Person | None:
        """The person called so, if one is known. ``speaker``: the user who says it, who may spell the own id freely."""
        if not name:
            return None
        if name in self.users:
            return Person(name, name)
        spelled = self._folded.get(normalize(name), [])
        if speaker in spelled:
            return Person(speaker, speaker)
        if spelled:
            return Person(spelled[0], spelled[0]) if len(spelled) == 1 else Person(name, None)
        return self.others.get(name) or self.others.get(normalize(name))

    def leading(self, content: str, speaker: str | None = None) -> Person | None:
        """The person whose name a statement opens with."""
        for name in leading_names(content):
            person = self.find(name, speaker)
            if person is not None:
                return person
        return None


def leading_names(content: str) -> list[str]:
    """What a statement may open with as a name: its first three words, two and one, without ``'s``."""
    words = content[:LEADING_CHARS_MAX].split()[:LEADING_WORDS_MAX]
    ended = [" ".join(words[:count]).rstrip(".,;:!?") for count in range(len(words), 0, -1)]
    return [name for said in ended if (name := said.removesuffix("'s").removesuffix("’s"))]


def slot_owner(slot: str | None) -> str | None:
    """Whose attribute a slot is, folded: ``alice`` of ``alice/lives_in``."""
    return slot.partition("/")[0] if slot and "/" in slot else None
