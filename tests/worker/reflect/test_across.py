"""Preferences that hold across things, and questions that stay open: concluded by rules, gone with their evidence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import contents, dream, say
from tests.worker.reflect.test_insights import insights
from tests.worker.test_undo import state

Json = dict[str, Any]

OSLO = ("I'm thinking about taking the job in Oslo.", "I'm still thinking about taking the job in Oslo.")
OPEN = "Open question: Sam is still thinking about taking the job in Oslo (2 times, October–November 2026)"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def tell(api: Tenant, *texts: str, user: str = "Sam", day: int = 10, month: int = 11) -> None:
    """A user says this on a day of 2026."""
    at = f"2026-{month:02}-{day:02}T10:00:00Z"
    await say(api, *texts, user=user, session=f"{user}-{month}-{day}", created_at=at)


async def concluded(api: Tenant, *texts: str) -> set[str]:
    """What is concluded from what Sam says, a text a day."""
    for day, text in enumerate(texts, 1):
        await tell(api, text, day=day)
    await dream(api)
    return {one["content"] for one in await insights(api)}


@pytest.mark.parametrize(
    ("texts", "insight"),
    [
        (("I love hiking in Jotunheimen.", "I like hiking in Lofoten."), "Sam likes hiking (Jotunheimen, Lofoten)"),
        (("I like green tea.", "I really enjoy drinking mint tea."), "Sam likes tea (green, mint)"),
        (("I hate driving in Rome.", "I don't like driving in Naples."), "Sam dislikes driving (Rome, Naples)"),
        (("Ich mag schwarzen Tee.", "Ich trinke gern grünen Tee."), "Sam mag Tee (schwarzen, grünen)"),
        (("J'aime le thé vert.", "J'aime le thé noir."), "Sam aime : thé (vert, noir)"),
        (("Me gusta caminar en Cuba.", "Me encanta caminar en Noruega."), "A Sam le gusta: caminar (Cuba, Noruega)"),
        (("我喜欢在挪威徒步。", "我喜欢在冰岛徒步。"), "Sam喜欢徒步（挪威、冰岛）"),
    ],
)  # fmt: skip
async def test_what_is_liked_of_several_things_is_liked(api: Tenant, texts: tuple[str, ...], insight: str) -> None:
    assert await concluded(api, *texts) == {insight}
    (one,) = await insights(api)
    assert (one["user"], one["metadata"]) == ("Sam", {"supports": 2, "contradicts": 0})
    ids = {each["id"] for each in one["source"]["evidence"]}
    assert ids == {memory["id"] for memory in (await api.get("/v1/memories", type="preference"))["items"]}


@pytest.mark.parametrize(
    "texts",
    [
        ("I like hiking in Lofoten.",),
        ("I like hot dogs.", "I like big dogs."),
        ("I like ice cream.", "I like sour cream."),
        ("I like green tea.", "I don't like black tea."),
        ("I like hiking.", "I like hiking in Lofoten.", "I love hiking in Jotunheimen."),
        ("I like playing with my dog.", "I like playing in the band."),
        ("I like good wine.", "I like all wine."),
        ("I like hiking in Lofoten.", "I like hiking in Lofoten."),
        ("I like reading in bed.", "My sister likes reading in trains."),
        ("I like green tea.", "我喜欢红茶。"),
    ],
)
async def test_nothing_is_made_of_less(api: Tenant, texts: tuple[str, ...]) -> None:
    assert await concluded(api, *texts) == set()


async def test_different_places_are_different_memories(api: Tenant) -> None:
    await concluded(api, "I love hiking in Jotunheimen.", "I like hiking in Lofoten.", "I really love hiking.")
    liked = await contents(api, type="preference")
    assert {"Sam loves hiking in Jotunheimen.", "Sam likes hiking in Lofoten."} <= liked


async def test_another_thing_updates_it_and_a_dislike_ends_it(api: Tenant) -> None:
    await concluded(api, "I like green tea.", "I like mint tea.")
    (first,) = await insights(api)
    await tell(api, "I like white tea.", day=12)
    await dream(api)
    (second,) = await insights(api)
    assert second["content"] == "Sam likes tea (green, mint, white)"
    assert (await api.get(f"/v1/memories/{first['id']}"))["superseded_by"] == second["id"]
    await tell(api, "I hate black tea.", day=14)
    await dream(api)
    assert await insights(api) == []


async def test_users_are_apart(api: Tenant) -> None:
    await tell(api, "I like green tea.")
    await tell(api, "I like mint tea.", user="Tom")
    await tell(api, "Sam likes mint tea.", user="Tom", day=11)
    await dream(api)
    assert await insights(api) == []


async def test_what_is_undecided_on_several_days_is_an_open_question(api: Tenant) -> None:
    await tell(api, OSLO[0], month=10)
    await dream(api)
    assert await insights(api) == []
    await tell(api, OSLO[1])
    await tell(api, "I like green tea.", day=12)
    await dream(api)
    (insight,) = await insights(api)
    assert (insight["content"], insight["user"]) == (OPEN, "Sam")


@pytest.mark.parametrize(
    "answer", ["I took the job in Oslo.", "I decided against the job in Oslo.", "I signed the contract for Oslo."]
)
async def test_an_answer_settles_it(api: Tenant, answer: str) -> None:
    await tell(api, OSLO[0], month=10)
    await tell(api, OSLO[1])
    before = await dream(api)
    assert [one["content"] for one in await insights(api)] == [OPEN]
    await tell(api, answer, day=20)
    await dream(api)
    assert await insights(api) == []
    assert before["status"] == "succeeded"


async def test_what_was_answered_at_once_or_asked_on_one_day_is_none(api: Tenant) -> None:
    await tell(api, *OSLO)
    await tell(api, "I'm considering moving to Lisbon.", month=10, user="Tom")
    await tell(api, "I'm still thinking about moving to Lisbon.", user="Tom")
    await tell(api, "We moved to Lisbon.", day=20, user="Tom")
    await dream(api)
    assert await insights(api) == []


@pytest.mark.parametrize("texts", [OSLO, ("I like green tea.", "I love mint tea.")])
async def test_it_falls_with_its_evidence_and_an_undo_takes_it_back(api: Tenant, texts: tuple[str, ...]) -> None:
    for day, text in enumerate(texts, 1):
        await tell(api, text, day=day)
    before = await state(api)
    done = await dream(api)
    (insight,) = await insights(api)
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert await state(api) == before
    await dream(api)
    (insight,) = await insights(api)
    await api.delete(f"/v1/memories/{insight['source']['evidence'][0]['id']}")
    assert await insights(api) == []
    await dream(api)
    assert await insights(api) == []


async def test_an_insight_is_no_evidence(api: Tenant) -> None:
    await concluded(api, "I like green tea.", "I like mint tea.")
    await tell(api, "I like white wine.", day=12)
    await dream(api)
    for one in await insights(api):
        for evidence in one["source"]["evidence"]:
            assert (await api.get(f"/v1/memories/{evidence['id']}"))["type"] == "preference"
