"""Who is who among those an agent hears of, and who speaks for whom: the users, and names that stand for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from service.db.pool import Connection
from service.domain.guards import normalize
from service.extraction.candidates import Candidate, Turn
from service.store import reconciling
from service.store.dreams import Lease

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


async def find_people(
    connection: Connection, lease: Lease, turns: Sequence[Turn], candidates: Sequence[Candidate]
) -> People:
    """The persons whom these candidates may be about, and those who speak in these turns."""
    names = _names(turns, candidates)
    folded = sorted({normalize(name) for name in names})
    aliases: Mapping[str, set[str]] = defaultdict(set)
    for row in await reconciling.aliases_of_persons(connection, lease, folded):
        aliases[row["alias"]].add(row["name"])
    rows = await reconciling.people_called(connection, lease, sorted({*folded, *aliases}))
    spoken = [(turn.speaker, turn.user) for turn in turns if turn.role == "user" and turn.user]
    users = {row["user_name"] for row in rows if row["way"] == "id"} | {user for _, user in spoken}
    others: dict[str, Person] = {}
    for row in rows:
        if row["way"] == "speaks as":
            others.setdefault(row["called"], Person(row["called"], row["user_name"]))
        elif row["way"] == "is called":
            others.setdefault(normalize(row["called"]), Person(row["user_name"], row["user_name"]))
    for name, user in spoken:
        if name and name != user:
            others.setdefault(name, Person(name, user))
    for user in sorted(users):
        for name in aliases.get(normalize(user), ()):
            others.setdefault(name, Person(user, user))
    return People(users, others)


def leading_names(content: str) -> list[str]:
    """What a statement may open with as a name: its first three words, two and one, without ``'s``."""
    words = content[:LEADING_CHARS_MAX].split()[:LEADING_WORDS_MAX]
    ended = [" ".join(words[:count]).rstrip(".,;:!?") for count in range(len(words), 0, -1)]
    return [name for said in ended if (name := said.removesuffix("'s").removesuffix("’s"))]


def slot_owner(slot: str | None) -> str | None:
    """Whose attribute a slot is, folded: ``alice`` of ``alice/lives_in``."""
    return slot.partition("/")[0] if slot and "/" in slot else None


def _names(turns: Iterable[Turn], candidates: Collection[Candidate]) -> set[str]:
    names = {name for turn in turns for name in (turn.speaker, turn.user) if name}
    for candidate in candidates:
        names.update(leading_names(candidate.content))
        names.update(name for name in (candidate.subject, slot_owner(candidate.slot)) if name)
    return names
