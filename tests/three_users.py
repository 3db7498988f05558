"""Three users of one agent, one of whom joins late: what belongs to whom, and who may hear of it."""

from __future__ import annotations

from typing import Any

from tests.live_api import Caller, Json

AGENT = "a"
SESSION = "team"
QUERY = "bread"
"""Everything is about it, so all of it would be found."""

BELONGS: dict[str, frozenset[str]] = {
    "poppy": frozenset(),
    "figs": frozenset({"anna"}),
    "raisins": frozenset({"boris"}),
    "cumin": frozenset({"clara"}),
    "sesame": frozenset({"anna", "boris"}),
    "olives": frozenset({"anna", "boris", "clara"}),
}
"""A word of a memory, and those to whom that belongs."""
SAID: dict[str, frozenset[str]] = {
    "walnuts": frozenset({"anna"}),
    "rye": frozenset({"anna", "boris"}),
    "barley": frozenset({"anna", "boris", "clara"}),
}
"""A word of what was said in the session, and its members then."""
USERS = ("anna", "boris", "clara")
EVERY_WAY = [*(({"user": user}, {user}) for user in USERS), ({"session": SESSION}, set(USERS)), ({}, set[str]())]
"""How a request may say whom it is for, and who that is."""


async def prepare(api: Caller) -> dict[str, Json]:
    """Save something of each, and say something in each one's presence; the memories by their words."""
    for user, word in zip(USERS, SAID, strict=True):
        turns = [{"role": "user", "content": f"The bread that I like has {word}."}]
        await api.post(f"/v1/sessions/{SESSION}/messages", {"agent": AGENT, "user": user, "messages": turns})
    return {
        word: await api.save(f"There is bread that has {word} in it", agent=AGENT, owners=sorted(owners))
        for word, owners in BELONGS.items()
    }


def heard(answer: Any) -> set[str]:
    """The words that are in an answer."""
    text = str(answer)
    return {word for word in BELONGS | SAID if word in text}


def visible(viewer: set[str], *, said: bool = False) -> set[str]:
    """The words of memories, or also of messages, that belong to nobody or to all of these users."""
    words = BELONGS | SAID if said else BELONGS
    return {word for word, owners in words.items() if not owners or (viewer and viewer <= owners)}
