"""Whose word counts: the persons whom a dream knows by a name, whom it speaks of or who speak."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from service.db.pool import Connection
from service.domain.guards import normalize
from service.extraction.candidates import Candidate, Turn
from service.extraction.trust import People, Person, leading_names, slot_owner
from service.store.dreams import Lease


async def find_people(
    connection: Connection, lease: Lease, turns: Sequence[Turn], candidates: Sequence[Candidate]
) -> People:
    """The persons whom these candidates may be about, and those who speak in these turns."""
    names = _names(turns, candidates)
    folded = sorted({normalize(name) for name in names})
    aliases: Mapping[str, set[str]] = defaultdict(set)
    for row in await connection.fetch("aliases_of_persons", **lease.of_owners, names=folded):
        aliases[row["alias"]].add(row["name"])
    rows = await connection.fetch("people_called", **lease.of_agent, names=sorted({*folded, *aliases}))
    speaking = People.speaking(turns)
    users = {row["user_name"] for row in rows if row["way"] == "id"} | speaking.users
    others: dict[str, Person] = {}
    for row in rows:
        if row["way"] == "speaks as":
            others.setdefault(row["called"], Person(row["called"], row["user_name"]))
        elif row["way"] == "is called":
            others.setdefault(normalize(row["called"]), Person(row["user_name"], row["user_name"]))
    others = speaking.others | others
    for user in sorted(users):
        for name in aliases.get(normalize(user), ()):
            others.setdefault(name, Person(user, user))
    return People(users, others)


def _names(turns: Iterable[Turn], candidates: Collection[Candidate]) -> set[str]:
    names = {name for turn in turns for name in (turn.speaker, turn.user) if name}
    for candidate in candidates:
        names.update(leading_names(candidate.content))
        names.update(name for name in (candidate.subject, slot_owner(candidate.slot)) if name)
    return names
