"""Keyword search in the languages of the world, without an embedder, so that words alone decide."""

from __future__ import annotations

from uuid import uuid4

import asyncpg
import pytest

from service.db.embedded import database_url
from service.domain.text_normalization import normalize_for_search
from tests.live_api import Tenant

FOUND = [
    ("german", "Meine Schwester wohnt in schönen alten Häusern am See", "Haus am See"),
    ("german", "Er ist für größere Übungen bekannt und läuft gern", "grossere Ubung"),
    ("german", "Der Hund läuft jeden Morgen durch den Park", "LÄUFT der Hund?"),
    ("french", "Elle préfère les crêpes salées du café de la gare", "creperie ou crepe preferee au cafe"),
    ("french", "Nous avons décidé de baisser les prix en été", "décision sur les prix de l'été"),
    ("spanish", "A mi hermana le gustan las montañas y los niños", "montana"),
    ("russian", "Я купил зелёный чай и новые книги для сестры", "зеленая книга"),
    ("russian", "Мы решили снизить цены на обучение", "ЦЕНА обучения"),
    ("simple", "我养了一只黑色的猫，它叫咪咪", "猫叫什么名字"),
    ("simple", "我们决定下个月搬到上海的新办公室", "上海办公室"),
    ("simple", "毎朝コーヒーを飲んでから東京駅まで歩きます", "東京の駅"),
    ("simple", "毎朝ｺｰﾋｰを飲みます", "コーヒー"),
    ("simple", "저는 아침마다 커피를 마십니다", "커피"),
    ("simple", "동생은 차를 좋아합니다", "차"),
    ("simple", "ฉันชอบดื่มชาร้อนตอนเช้า", "ดื่มชา"),
    ("simple", "Lubię czytać książki wieczorem w domu", "ksiazki"),
    ("greek", "Η γάτα μου λέγεται Μίνα και αγαπά το ψάρι", "γατα"),
    ("english", "我在 Google 上班 since last autumn", "上班"),
    ("english", "我在 Google 上班 since last autumn", "google"),
    ("russian", "Мы развернули новый Kubernetes кластер вчера вечером", "kubernetes clusters"),
    ("english", "Ana has kept the résumés of her team at the café", "resume cafe"),
]
NOISE = [
    "The quarterly report is due on Monday",
    "Das Auto steht in der Garage",
    "今天天气很好",
    "Погода сегодня хорошая",
]


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


@pytest.mark.parametrize(("language", "content", "query"), FOUND)
async def test_a_text_is_found_by_other_forms_of_its_words(
    api: Tenant, language: str, content: str, query: str
) -> None:
    for noise in NOISE:
        await api.save(noise)
    memory = await api.save(content)
    found = await api.search(query, strategy="keyword")
    assert found
    assert found[0]["content"] == content
    stored = await api.stored("SELECT language FROM memories WHERE id = $1::uuid", memory["id"])
    assert stored == language


@pytest.mark.parametrize(
    ("content", "query"), [("我养了一只猫", "狗"), ("東京に住んでいます", "大阪"), ("커피를 마십니다", "우유")]
)
async def test_characters_that_do_not_stand_together_are_not_found(api: Tenant, content: str, query: str) -> None:
    await api.save(content)
    assert await api.search(query, strategy="keyword") == []


async def test_one_query_finds_what_was_said_in_two_languages(api: Tenant) -> None:
    german = await api.save("Anna arbeitet seit Jahren an einem Programm für Kinder")
    english = await api.save("Ana has been working on programs for the children")
    found = {memory["id"] for memory in await api.search("programs Programme", strategy="keyword")}
    assert found == {german["id"], english["id"]}


async def test_a_setting_decides_for_what_is_written_from_then_on(api: Tenant) -> None:
    await api.save("Häuser")
    assert await api.search("Haus", strategy="keyword") == []
    settings = await api.put("/v1/settings", {"retrieval": {"language": "german"}})
    assert settings["retrieval"]["language"] == "german"
    await api.save("Alte Häuser")
    assert [memory["content"] for memory in await api.search("Haus", strategy="keyword")] == ["Alte Häuser"]
    assert await api.status("PUT", "/v1/settings", json={"retrieval": {"language": "klingon"}}) == 422


async def test_a_changed_text_is_found_in_its_new_language(api: Tenant) -> None:
    memory = await api.save("The cat sleeps on the warm stove")
    changed = "Die Katzen schlafen immer auf den warmen Öfen"
    await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": changed})
    assert [found["content"] for found in await api.search("Katze Ofen", strategy="keyword")] == [changed]
    assert await api.search("stove", strategy="keyword") == []


async def test_a_text_without_spaces_has_the_weight_of_its_words(static_api: Tenant) -> None:
    """By white space it would be one word, and its vector would hardly count."""
    memory = await static_api.save("我们决定下个月搬到上海的新办公室因为租金便宜")
    words = await static_api.stored("SELECT words FROM search_index WHERE id = $1::uuid", memory["id"])
    assert words == 11


@pytest.mark.parametrize(
    "locale",
    [
        "LOCALE_PROVIDER libc LOCALE 'C'",
        "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'",
        "LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C'",
    ],
)
async def test_words_come_out_the_same_under_every_locale(server_url: str, locale: str) -> None:
    """Postgres asks the database's locale what a letter is."""
    text = normalize_for_search("ดื่มชา 茶道 Übung コーヒー 커피를 ёж")
    name = f"test_{uuid4().hex}"
    server = await asyncpg.connect(server_url)
    try:
        try:
            await server.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' {locale}")
        except (asyncpg.FeatureNotSupportedError, asyncpg.PostgresSyntaxError) as error:
            pytest.skip(f"this Postgres has no such locale: {error}")
        connection = await asyncpg.connect(database_url(server_url, name))
        try:
            found = await connection.fetchval("SELECT tsvector_to_array(to_tsvector('english', $1))", text)
        finally:
            await connection.close()
        await server.execute(f"DROP DATABASE {name}")
    finally:
        await server.close()
    assert set(found) == {"ubung", "еж", "ดื่ม", "มช", "ชา", "茶道", "茶", "道", "コー", "ーヒ", "ヒー", "커피", "피를"}
