"""Generated lives, told over a month to several agents: what is known of each person in the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from reverie.evaluation.lives.generator import DAYS, Fact, Life, lives
from reverie.evaluation.lives.measured import Score
from service.provider import load_litellm
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Json
from tests.pg_dump import dump
from tests.worker.dreaming import asked_for, dream, fact, model, notes, turns_of

AGENTS = 4
COUNT = 200
PURGED = 5
NIGHTS = 3
"""Dreams of each agent, one for every ten days."""


async def tell(api: Api, told: Sequence[Life]) -> None:
    """Let everybody talk, and the agents dream."""
    days = DAYS // NIGHTS
    for first in range(0, DAYS, days):
        for life in told:
            for day in range(first, first + days):
                if day in life.sessions:
                    body = {"agent": life.agent, "user": life.user, "messages": life.sessions[day]}
                    await api.post(f"/v1/sessions/{life.user}-{day}/messages", body)
        for agent in sorted({life.agent for life in told}):
            await dream(api.runtime, agent)


async def score_of(api: Api, told: Sequence[Life]) -> Score:
    """How well the profiles of these people tell what is true."""
    score = Score()
    for life in told:
        answer = await api.get(f"/v1/users/{life.user}/profile", agent=life.agent)
        score.add(life, answer["fields"])
    print(score, *sorted(score.wrong), sep="\n")
    return score


async def superseded_of(api: Api, life: Life) -> set[str]:
    """What memories about somebody said that hold no more, and no other says."""
    about = {"agent": life.agent, "user": life.user, "limit": 200}
    every = (await api.get("/v1/memories", include="superseded", **about))["items"]
    current = {one["content"] for one in every if one["superseded_by"] is None}
    return {one["content"] for one in every if one["superseded_by"] is not None} - current


async def shown_of(api: Api, life: Life) -> str:
    """What an agent is told for somebody's next message, but for what was said word for word."""
    body = {
        "agent": life.agent, "user": life.user, "message": "What do you know about me?", "include_messages": "never",
        "max_tokens": 4000,
    }  # fmt: skip
    context = await api.post("/v1/context", body)
    return "\n".join(section["text"] for section in context["sections"])


async def asked_about(api: Api, told: Sequence[Life]) -> dict[str, str]:
    """A page about each of these people, by user, that is written again after every dream."""
    pages = {}
    for life in told:
        question = "Where does this person live and work, and what do they like?"
        body = {"agent": life.agent, "question": question, "scope": {"user": life.user}}
        pages[life.user] = (await api.post("/v1/pages", body))["id"]
    return pages


async def test_rules_alone_know_these_people_and_a_purge_forgets_them(own_static_api: Api, settings: Settings) -> None:
    api, told = own_static_api, lives(COUNT, AGENTS)
    pages = await asked_about(api, told[::5])
    await tell(api, told)
    score = await score_of(api, told)
    assert score.precision >= 0.95
    assert score.recall >= 0.7
    assert score.outdated == []
    bulletins = {life.user: await api.get(f"/v1/agents/{life.agent}/bulletin", user=life.user) for life in told}
    assert all(one["current"] for bulletin in bulletins.values() for one in bulletin["sentences"])
    outdated = answered = 0
    for life in told[::5]:
        gone = await superseded_of(api, life)
        outdated += len(gone)
        page = await api.get(f"/v1/pages/{pages[life.user]}")
        answered += len(page["sentences"])
        insights = (await api.get("/v1/memories", agent=life.agent, about=life.user, type="insight"))["items"]
        shown = [
            await shown_of(api, life), bulletins[life.user]["content"], *(one["text"] for one in page["sentences"]),
            *(one["content"] for one in insights),
        ]  # fmt: skip
        assert not [one for one in gone if any(one.rstrip(".") in text for text in shown)], life.user
    assert outdated >= 20
    assert answered >= 40
    await forgotten(api, told[:PURGED], str(settings.database_url))


async def forgotten(api: Api, told: Sequence[Life], database_url: str) -> None:
    for life in told:
        await api.post(f"/v1/users/{life.user}/purge")
        assert (await api.get(f"/v1/users/{life.user}/profile"))["fields"] == []
        trace = re.compile(rf"\b{life.user}\b")
        assert not trace.search(str((await api.get("/v1/users", q=life.user))["items"]))
        assert not trace.search(await shown_of(api, life))
        assert not trace.search(str((await api.get("/v1/pages", limit=200))["items"]))
        assert not trace.search(str((await api.get("/v1/memories", type="insight", limit=200))["items"]))
    written = dump(database_url)
    for life in told:
        assert not re.search(rf"\b{life.user}\b", written), life.user


def noted(life: Life, told: Fact, turn: int) -> Json:
    """What a model that understands everything makes of a sentence."""
    user, value = life.user, told.value
    slots = {
        "employer": "works_at", "home": "lives_in", "time zone": "time_zone", "language": f"speaks/{value}",
        "likes": f"likes/{value}", "dislikes": f"likes/{value}",
    }  # fmt: skip
    common: dict[str, Any] = {"subject": user, "value": value.casefold()}
    if told.field == "goals":
        return fact(f"{user} wants to {value}.", turn, type="goal", subject=user)
    if told.field in ("family", "pets"):
        slot = f"{user}'s {told.kind}/named/{value}".casefold()
        return fact(f"{user}'s {told.kind} is called {value}.", turn, slot=slot, **common)
    slot = f"{user}/{slots.get(told.kind, told.kind)}".casefold()
    if told.field == "dislikes":
        return fact(f"{user} does not like {value}.", turn, slot=slot, polarity="negative", **common)
    return fact(f"{user}'s {told.kind}: {value}.", turn, slot=slot, **common)


async def test_a_model_that_understands_everything(own_static_api: Api) -> None:
    told = [life for life in lives(COUNT, AGENTS) if life.language == "en"][:40]
    said = {(life.user, one.said): (life, one) for life in told for one in (*life.true, *life.no_more)}

    def reply(body: Json) -> str:
        if asked_for(body) != "Notes":
            return '{"verdicts": [], "sections": []}'
        found = []
        for turn in turns_of(body):
            for (user, sentence), (life, one) in said.items():
                if user == turn["who"] and turn["said"].startswith(sentence):
                    found.append(noted(life, one, turn["turn"]))
        return notes(found)

    await load_litellm()
    with FakeOpenAI() as server:
        server.default_reply = reply
        own_static_api.runtime.llm = model(server, timeout_s=60)
        await tell(own_static_api, told)
        score = await score_of(own_static_api, told)
    assert score.precision >= 0.95
    assert score.recall >= 0.95
    assert score.outdated == []
