"""Three users of one agent, one of whom joins late, through the real package of each framework.

Whatever is in a request to the model is compared with what its user may know by then, and with what must have come.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.openai_server import Reply
from tests.fakes.wire_formats import FakeModels
from tests.integrations.python.test_examples import NOTED, calls, framework, model, run
from tests.live_api import SharedServer
from tests.three_users import BELONGS, SAID, USERS, prepare, visible

__all__ = ["framework", "model"]

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("integrations")]

GROUP = "picnic"
BREAD = "Which bread is there?"
ALLERGY = "What am I allergic to?"
FILES = frozenset({"anthropic"})
"""The frameworks whose model is given nothing but files, which are one user's each."""
ALONE = FILES | {"google-adk"}
"""The frameworks whose sessions are one user's each."""
HISTORY = frozenset({"openai-agents", "llama-index", "langchain"})
"""The frameworks that the history of a session is read for."""


@dataclass(frozen=True)
class Turn:
    """What a user says; where a word tells it from all else, who are the members of the session by then."""

    user: str | None
    session: str
    text: str
    word: str = ""
    members: frozenset[str] = frozenset()


TURNS = [
    Turn("anna", "anna's", "I am allergic to almonds.", "almonds", frozenset({"anna"})),
    Turn("boris", "boris's", "I am allergic to dates.", "dates", frozenset({"boris"})),
    Turn("anna", GROUP, "I bring kale.", "kale", frozenset({"anna"})),
    Turn("boris", GROUP, "I bring leek.", "leek", frozenset({"anna", "boris"})),
    Turn("clara", GROUP, "I bring melon.", "melon", frozenset(USERS)),
    Turn("anna", GROUP, "I bring quince too.", "quince", frozenset(USERS)),
    Turn("clara", "clara's", "I am allergic to ginger.", "ginger", frozenset({"clara"})),
    Turn(None, "nobody's", "The kitchen serves nutmeg.", "nutmeg"),
    *(Turn(user, f"{user}, later", text) for user in (*USERS, None) for text in (BREAD, ALLERGY)),
    Turn(None, GROUP, BREAD),
]
MESSAGES = [f"No. {number}: {turn.text}" for number, turn in enumerate(TURNS)]


def known(framework: str, viewer: set[str], number: int) -> set[str]:
    """The words of the turns before this one that belong to nobody or to all of these users."""
    owners = {
        turn.word: {turn.user} - {None} if framework in ALONE else turn.members for turn in TURNS[:number] if turn.word
    }
    return {word for word, of in owners.items() if not of or (viewer and viewer <= of)}


def at_least(framework: str, number: int) -> set[str]:
    """What the model has to be told."""
    turn = TURNS[number]
    viewer = {turn.user} if turn.user else set[str]()
    wanted = {turn.word} - {""}
    if turn.text == ALLERGY:
        wanted |= {one.word for one in TURNS if one.user == turn.user and "allergic" in one.text} - {""}
    if turn.text == BREAD and framework not in FILES:
        wanted |= visible(viewer)
    if turn.word and framework in HISTORY:
        wanted |= {one.word for one in TURNS if one.session == turn.session} & known(framework, viewer, number)
    return wanted


def at_most(framework: str, number: int) -> set[str]:
    """What the model may be told: for nobody in a session, what belongs to all its members."""
    turn = TURNS[number]
    viewer = {turn.user} if turn.user else set(USERS) if turn.session == GROUP else set[str]()
    return visible(viewer, said=True) | known(framework, viewer, number) | {turn.word}


def replies(framework: str) -> list[Reply]:
    """What the model says to all turns, where it calls tools."""
    views = [calls("memory", command="view", path=f"/memories/{number}.md") for number, one in enumerate(TURNS)]
    scripted: list[Reply] = []
    for number, turn in enumerate(TURNS):
        create = calls("memory", command="create", path=f"/memories/{number}.md", file_text=turn.text)
        save, search = calls("save_memory", statement=turn.text), calls("search_memory", question=turn.text)
        if framework in FILES:
            scripted += [*([create] if turn.word else views[:number]), NOTED]
        if framework == "pydantic-ai":
            scripted += [save if turn.word else search, NOTED]
    return scripted


def heard(model: FakeModels) -> list[set[str]]:
    """The words that are in the requests of each turn: a request without a number continues the one before it."""
    words = {*BELONGS, *SAID, *(turn.word for turn in TURNS)}
    told: list[set[str]] = [set() for _ in TURNS]
    number = 0
    for endpoint in ("chat", "responses", "messages"):
        for body in map(json.dumps, model.requests(endpoint)):
            number = max(map(int, re.findall(r"No\. (\d+):", body)), default=number)
            told[number] |= words & set(re.findall(r"[a-z]+", body))
    return told


async def test_what_one_user_said_reaches_no_other(
    framework: str, served: SharedServer, model: FakeModels, tmp_path: Path
) -> None:
    script = Path(shutil.copy(Path(__file__).with_name("conversations.py"), tmp_path))
    model.say(*replies(framework))
    turns = [(turn.user, turn.session, message) for turn, message in zip(TURNS, MESSAGES, strict=True)]
    async with served.tenant() as tenant:
        await prepare(tenant)
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(run, framework, script, model, framework, json.dumps(turns), **given)
    assert done.returncode == 0, done.stderr
    for number, told in enumerate(heard(model)):
        assert at_least(framework, number) <= told <= at_most(framework, number), MESSAGES[number]


async def test_a_user_of_google_adk_deletes_their_own_memories_alone(
    served: SharedServer, model: FakeModels, tmp_path: Path
) -> None:
    script = Path(shutil.copy(Path(__file__).with_name("adk_deletions.py"), tmp_path))
    async with served.tenant() as tenant:
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(run, "google-adk", script, model, **given)
    assert done.stdout == "[False, False, True, False]\n[False, False, True]\n", done.stderr
