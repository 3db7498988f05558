"""The calls that need something to act on: entities, dreams, people and the engine, there and back."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from reverie_client import AsyncReverie, Conflict, NotFound, ServerFailed
from reverie_client.options import MessageDraft
from service.settings import Settings
from tests.live_api import ADMIN_KEY, serving
from worker.app import run_once


@pytest.fixture
def static(settings: Settings) -> Settings:
    return settings.model_copy(update={"embedding_model": "static"})


@pytest.fixture
async def client(static: Settings) -> AsyncIterator[AsyncReverie]:
    """An awaited client that acts as the agent ``a``."""
    async with serving(static) as api, AsyncReverie(str(api.http.base_url), ADMIN_KEY, agent="a") as opened:
        yield opened


async def saved_about(client: AsyncReverie, content: str, *names: str) -> str:
    links = [{"relation": "about", "entity": {"name": name, "kind": "project"}} for name in names]
    saved = await client.save_memory("fact", content, links=links)  # type: ignore[arg-type]
    assert saved.memory is not None
    return str(saved.memory.id)


async def test_entities_and_edges(client: AsyncReverie) -> None:
    first = await saved_about(client, "Apollo ships in May", "apollo", "gemini")
    second = await saved_about(client, "Apollo barks at night", "apollo")
    known = {one.name: one async for one in client.list_entities()}
    apollo, gemini = known["apollo"], known["gemini"]
    assert (await client.get_entity(apollo.id)).name == "apollo"
    assert len((await client.get_entity_graph(apollo.id, depth=1))["memories"]) == 2
    assert "the programme" in (await client.update_entity(apollo.id, {"aliases": ["the programme"]}))["aliases"]
    dog = await client.split_entity(apollo.id, [second], "apollo the dog")
    assert dog["name"] == "apollo the dog"
    assert (await client.merge_entity(gemini.id, apollo.id))["id"] == str(apollo.id)
    assert (await client.unmerge_entity(gemini.id))["id"] == str(gemini.id)
    edge = await client.create_edge(
        {"relation": "supports", "source": {"memory_id": first}, "target": {"memory_id": second}}
    )
    await client.delete_edge(edge["id"])
    with pytest.raises(NotFound):
        await client.delete_edge(edge["id"])


async def test_a_dream_and_what_came_of_it(client: AsyncReverie, static: Settings) -> None:
    stored = await client.append_messages("s", [{"role": "user", "content": "I moved to Bergen."}], user="sam")
    await run_once(static)
    assert len((await client.list_message_memories(stored.messages[0].id)).items) == 1
    (dream,) = [one async for one in client.list_dreams(status="succeeded")]
    written = await client.rewrite_bulletin("a", user="sam")
    assert (await client.get_bulletin("a", user="sam")).version == written.version
    assert written.version in {one.version async for one in client.list_bulletin_versions("a", user="sam")}
    (candidate,) = (await client.extract_memories("I moved to Bergen.", user="sam")).candidates
    assert (candidate.content, candidate.user) == ("sam moved to Bergen.", "sam")
    said: list[MessageDraft] = [{"role": "user", "content": "I moved to Bergen."}]
    assert "I moved to Bergen." in str(
        (await client.extract_memories(said, instructions="Be brief.", prompts=True)).prompts
    )
    answer = await client.ask_memory("Where does Sam live?", user="sam")
    assert answer.answer is None
    assert answer.memories
    assert (await client.summarize_memories())["not_folded"] == "too_few"
    assert (await client.summarize_memories(older_than_days=30, tokens_max=0))["candidates"] == []
    with pytest.raises(Conflict):
        await client.undo_summary(answer.memories[0]["id"])
    await client.compact_window("s")
    assert (await client.undo_dream(dream.id)).status == "undone"
    assert (await client.list_message_memories(stored.messages[0].id)).items == []


async def test_pages(client: AsyncReverie) -> None:
    saved = await client.save_memory("decision", "Pricing is billed yearly")
    assert saved.memory is not None
    page = await client.create_page("What of pricing?", scope={"types": ["decision"]}, trigger="manual")
    assert [one.memory_ids for one in page.sentences] == [[saved.memory.id]]
    await client.update_memory(saved.memory.id, 1, content="Pricing is billed monthly")
    assert (await client.get_page(page.id)).stale
    assert (await client.rewrite_page(page.id)).version == 2
    newest, _ = [one async for one in client.list_page_versions(page.id)]
    assert [one.text for one in newest.added] == ["Pricing is billed monthly"]
    assert (await client.put_page(page.id, "What of tea?")).trigger == "dream"
    assert [one.id async for one in client.list_pages()] == [page.id]
    await client.delete_page(page.id)
    with pytest.raises(NotFound):
        await client.get_page(page.id)


async def test_the_inbox(client: AsyncReverie, static: Settings) -> None:
    await client.put_agent("a", settings={"dream": {"propose_below": 0.99}})
    turns = [{"role": "user", "content": text} for text in ("I love tea.", "I live in Oslo.", "I work at Acme.")]
    await client.append_messages("s", turns, user="sam")  # type: ignore[arg-type]
    await run_once(static)
    first, second, third = [one async for one in client.list_inbox()]
    assert (await client.get_proposal(first.id)).content == first.content
    assert first.sources[0].session == "s"
    edited = await client.decide_proposal(first.id, "edit", content="Sam works at Globex.", tags=["job"])
    assert edited.memory is not None
    assert (edited.memory.content, edited.memory.tags) == ("Sam works at Globex.", ["job"])
    decided = await client.decide_proposals([second.id, third.id], "reject")
    assert [one.proposal.status for one in decided.items] == ["rejected", "rejected"]
    with pytest.raises(Conflict):
        await client.decide_proposal(second.id, "accept")


async def test_a_person_is_exported_and_forgotten(client: AsyncReverie) -> None:
    saved = await client.save_memory("preference", "Likes tea", user="sam")
    assert saved.memory is not None
    assert (await client.rate_memory(saved.memory.id, useful=True))["importance"] > saved.memory.importance
    assert "Likes tea" in str(await client.export_user("sam"))
    assert [one.user async for one in client.list_users(q="sa")] == ["sam"]
    await client.save_memory("goal", "Sam wants to sail", user="sam")
    assert [one.value for one in (await client.get_profile("sam")).fields] == ["Sam wants to sail"]
    assert (await client.purge_user("sam"))["receipt"]["counts"]["memories"] == 2
    assert "Likes tea" not in str(await client.export_user("sam"))


async def test_the_engine(client: AsyncReverie, static: Settings) -> None:
    assert (await client.get_engine())["embedder"]["source"] == "static"
    assert await client.list_embedding_providers()
    assert (await client.verify_engine())["working"]
    await client.save_memory("fact", "Ana likes tea")
    assert (await client.start_reindex(force=True))["pending"] == 1
    await run_once(static)
    assert (await client.get_reindex())["pending"] == 0
    await client.update_settings({"secrets": {"mode": "off"}})
    await client.save_memory("fact", "The password is kalo!1999fin")
    assert (await client.start_rescan())["started"]
    await run_once(static)
    assert (await client.get_rescan())["kinds"].keys() == {"password"}
    assert "memories" in [one["table"] async for one in client.list_rescan_findings()]
    completion = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(NotFound):
        await client.create_chat_completion(completion)
    await client.update_settings({"proxy": {"enabled": True}})
    with pytest.raises(ServerFailed):
        await client.create_chat_completion(completion)
