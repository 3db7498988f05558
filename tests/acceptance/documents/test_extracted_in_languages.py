"""What is said in German, French, Spanish and Chinese becomes memories as it does in English, also without a model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import dream, say

Json = dict[str, Any]

# "I don't like Python, but I love Go.", "I'll use Postgres for this project.", "I never smoke."
STATED = {
    "german": (
        [
            "Ich mag Python nicht, aber Go liebe ich.",
            "Ich werde Postgres für dieses Projekt verwenden.",
            "Ich rauche nie.",
        ],
        [
            ("preference", "Ada mag Python nicht."),
            ("preference", "Ada liebt Go."),
            ("decision", "Ada wird Postgres für dieses Projekt verwenden."),
            ("fact", "Ada raucht nie."),
        ],
    ),
    "french": (
        ["Je n'aime pas Python, mais j'adore Go.", "J'utiliserai Postgres pour ce projet.", "Je ne fume jamais."],
        [
            ("preference", "Ada n'aime pas Python."),
            ("preference", "Ada adore Go."),
            ("decision", "Ada utilisera Postgres pour ce projet."),
            ("fact", "Ada ne fume jamais."),
        ],
    ),
    "spanish": (
        ["No me gusta Python, pero me encanta Go.", "Usaré Postgres para este proyecto.", "Nunca fumo."],
        [
            ("preference", "A Ada no le gusta Python."),
            ("preference", "A Ada le encanta Go."),
            ("decision", "Ada usará Postgres para este proyecto."),
            ("fact", "Ada nunca fuma."),
        ],
    ),
    "chinese": (
        ["我不喜欢Python，但是我喜欢Go。", "这个项目我会用Postgres。", "我每天早上跑步。"],
        [
            ("preference", "Ada不喜欢Python。"),
            ("preference", "Ada喜欢Go。"),
            ("decision", "Ada这个项目会用Postgres。"),
            ("fact", "Ada每天早上跑步。"),
        ],
    ),
}
HOMES = {
    "german": ("Ich wohne in Oslo.", "Ich bin nach Bergen gezogen.", "Ada ist nach Bergen gezogen."),
    "french": ("J'habite à Oslo.", "J'ai déménagé à Bergen.", "Ada a déménagé à Bergen."),
    "spanish": ("Vivo en Oslo.", "Me mudé a Bergen.", "Ada se mudó a Bergen."),
    "chinese": ("我住在奥斯陆。", "我搬到了卑尔根。", "Ada搬到了卑尔根。"),
}
TEA = {
    "german": ("Ich mag Tee.", "Ich mag keinen Tee.", "Ada mag keinen Tee."),
    "french": ("J'aime le thé.", "Je n'aime pas le thé.", "Ada n'aime pas le thé."),
    "spanish": ("Me gusta el té.", "No me gusta el té.", "A Ada no le gusta el té."),
    "chinese": ("我喜欢茶。", "我不喜欢茶。", "Ada不喜欢茶。"),
}
NOTHING = [
    "Mag ich Tee?", "Wenn ich reich wäre, würde ich in Rom wohnen.", "Mein Chef sagt, ich wohne in Rom.",
    "Est-ce que j'aime le thé ?", "Si j'étais riche, j'habiterais à Rome.", "Mon chef dit que j'habite à Rome.",
    "¿Me gusta el té?", "Si fuera rico, viviría en Roma.", "Mi jefe dice que vivo en Roma.",
    "我喜欢茶吗？", "如果我有钱，我就住在罗马。", "老板说我住在罗马。",
]  # fmt: skip


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def current(api: Tenant) -> list[tuple[str, str]]:
    """Types and contents of the live memories, but for what was concluded from them."""
    page = await api.get("/v1/memories", agent="a", limit=200)
    return [(memory["type"], memory["content"]) for memory in page["items"] if memory["type"] != "insight"]


@pytest.mark.parametrize("language", STATED)
async def test_each_statement_becomes_a_memory_of_its_type(api: Tenant, language: str) -> None:
    said, wanted = STATED[language]
    await say(api, *said, user="Ada")
    await dream(api)
    assert sorted(await current(api)) == sorted(wanted)


@pytest.mark.parametrize("language", HOMES)
async def test_a_new_home_supersedes_the_old_one(api: Tenant, language: str) -> None:
    old, new, told = HOMES[language]
    await say(api, old, user="Ada")
    await dream(api)
    await say(api, new, user="Ada")
    await dream(api)
    assert await current(api) == [("fact", told)]


@pytest.mark.parametrize("language", HOMES)
async def test_it_supersedes_one_told_in_english_and_the_other_way_round(api: Tenant, language: str) -> None:
    _, new, told = HOMES[language]
    await say(api, "I live in Oslo.", user="Ada")
    await dream(api)
    await say(api, new, user="Ada")
    await dream(api)
    assert await current(api) == [("fact", told)]
    await say(api, "I moved to Tromsø.", user="Ada")
    await dream(api)
    assert await current(api) == [("fact", "Ada moved to Tromsø.")]


@pytest.mark.parametrize("language", TEA)
async def test_a_denial_replaces_what_it_denies(api: Tenant, language: str) -> None:
    likes, dislikes, told = TEA[language]
    await say(api, likes, user="Ada")
    await dream(api)
    await say(api, dislikes, user="Ada")
    await dream(api)
    assert await current(api) == [("preference", told)]


async def test_nothing_comes_of_questions_conditions_and_what_others_say(api: Tenant) -> None:
    await say(api, *NOTHING, user="Ada")
    await dream(api)
    assert await current(api) == []


async def test_english_with_words_of_another_language_stays_english(api: Tenant) -> None:
    await say(api, "I love the song Ne me quitte pas, je ne sais quoi and all.", "My motto is carpe diem.", user="Ada")
    await say(api, "I live in El Paso near the Rio Grande.", user="Ada")
    await dream(api)
    assert ("fact", "Ada lives in El Paso near the Rio Grande.") in await current(api)
