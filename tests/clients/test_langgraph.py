"""The LangGraph store over real HTTP: the behaviours LangGraph's own store tests ask for, and its agents.

Told apart from LangGraph's stores by intent, and tested as such: expired items are gone at once; a query gives ranked
items only; the fields of an item are searched as one text.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedStore, ToolNode, tools_condition
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from reverie_client import InvalidRequest
from reverie_client.langgraph import RANKED_MAX, ReverieStore
from reverie_client.langgraph_items import accepts, matches_namespace, text_of
from tests.clients.langgraph_stores import Spoken, keys, store_of
from tests.live_api import Caller, Tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


async def test_items_there_and_back(spoken: Spoken) -> None:
    namespace = ("users", "ana", "notes")
    await spoken("put", namespace, "n1", {"title": "Tea", "n": 1, "deep": {"list": [1, None, {"x": "ü"}]}})
    first = await spoken("get", namespace, "n1")
    assert (first.namespace, first.key) == (namespace, "n1")
    assert first.value == {"title": "Tea", "n": 1, "deep": {"list": [1, None, {"x": "ü"}]}}
    await spoken("put", namespace, "n1", {"title": "Green tea"})
    second = await spoken("get", namespace, "n1")
    assert second.value == {"title": "Green tea"}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    assert await spoken("get", ("users", "ben", "notes"), "n1") is None
    assert await spoken("get", namespace, "n2") is None
    await spoken("delete", namespace, "n1")
    assert await spoken("get", namespace, "n1") is None
    await spoken("delete", namespace, "n1")
    await spoken("put", namespace, "n1", {"title": "again"})
    assert (await spoken("get", namespace, "n1")).value == {"title": "again"}


async def test_a_value_is_replaced_even_where_its_text_is_not(store: ReverieStore) -> None:
    for flag in (True, False):
        await store.aput(("n",), "k", {"text": "the same", "flag": flag}, index=["text"])
    item = await store.aget(("n",), "k")
    assert item is not None
    assert item.value == {"text": "the same", "flag": False}


@pytest.mark.parametrize("key", ["", " ", "a.b/c", "ключ", "x" * 1_000, "' OR 1=1", "tab\tnewline\n"])
async def test_any_text_is_a_key(store: ReverieStore, key: str) -> None:
    await store.aput(("n",), key, {"v": 1})
    assert (await store.aget(("n",), key)).key == key  # type: ignore[union-attr]
    assert await keys(store, "n") == [key]


async def test_a_batch_reads_before_it_writes(spoken: Spoken) -> None:
    await spoken("put", ("t", "foo"), "k1", {"data": "one"})
    await spoken("put", ("t", "bar"), "k2", {"data": "two"})
    found = await spoken(
        "batch",
        [
            SearchOp(("t",), filter={"data": "one"}),
            GetOp(("t", "bar"), "k2"),
            PutOp(("t", "bar"), "k2", {"data": "newer"}),
            ListNamespacesOp(),
            PutOp(("t",), "k3", {"data": "lost"}),
            PutOp(("t",), "k3", {"data": "kept"}),
            PutOp(("t", "foo"), "k1", None),
            GetOp(("t",), "nothing"),
        ],
    )
    assert [item.key for item in found[0]] == ["k1"]
    assert found[1].value == {"data": "two"}
    assert found[3] == [("t", "bar"), ("t", "foo")]
    assert [found[place] for place in (2, 4, 5, 6, 7)] == [None] * 5
    after = await spoken("batch", [GetOp(("t", "bar"), "k2"), GetOp(("t",), "k3"), GetOp(("t", "foo"), "k1")])
    assert [item and item.value for item in after] == [{"data": "newer"}, {"data": "kept"}, None]
    with pytest.raises(ValueError, match="Unknown operation"):
        await spoken("batch", ["no operation"])


async def test_large_batches_beside_each_other(store: ReverieStore) -> None:
    puts = [PutOp(("many", str(n % 3)), f"k{n}", {"text": f"item {n} " + "x" * 3_000}) for n in range(240)]
    await asyncio.gather(store.abatch(puts[:120]), store.abatch(puts[120:]))
    found = await store.abatch([GetOp(("many", str(n % 3)), f"k{n}") for n in range(240)])
    assert all(isinstance(item, Item) for item in found)
    assert len(await store.asearch(("many",), limit=1_000)) == 240
    assert len(await store.asearch(("many", "1"), limit=1_000)) == 80


NAMESPACES = [
    ("foo",), ("foo", "child"), ("foo", "child", "deep"), ("foobar",), ("foobar", "baz"), ("user_1",), ("userX1",),
    ("a%b",), ("axxb",), ("a", "b"), ("a", "bc"), ("ab", "c"), ("uid", "users", "alice"), ("uid", "users", "malice"),
    ("uid", "a", "b", "alice"),
]  # fmt: skip


async def test_namespaces_match_label_by_label(store: ReverieStore) -> None:
    await store.abatch([PutOp(namespace, "k", {"v": 1}) for namespace in NAMESPACES])

    async def within(*prefix: str) -> set[tuple[str, ...]]:
        return {item.namespace for item in await store.asearch(prefix, limit=100)}

    for prefix in [*NAMESPACES, ("fo",), ("a",), ("uid", "users"), ()]:
        assert await within(*prefix) == {one for one in NAMESPACES if one[: len(prefix)] == prefix}
    listed = store.alist_namespaces
    assert await listed() == sorted(NAMESPACES)
    assert await listed(prefix=("foo",)) == [("foo",), ("foo", "child"), ("foo", "child", "deep")]
    assert await listed(suffix=("alice",)) == [("uid", "a", "b", "alice"), ("uid", "users", "alice")]
    assert await listed(prefix=("uid", "*", "alice")) == [("uid", "users", "alice")]
    assert await listed(prefix=("*", "child")) == [("foo", "child"), ("foo", "child", "deep")]
    assert await listed(suffix=("b", "*")) == [("uid", "a", "b", "alice")]
    assert await listed(prefix=("uid",), suffix=("malice",)) == [("uid", "users", "malice")]
    assert await listed(prefix=("uid",), max_depth=2) == [("uid", "a"), ("uid", "users")]
    assert await listed(limit=2, offset=1) == sorted(NAMESPACES)[1:3]
    assert await listed(prefix=("nowhere",)) == []
    await store.adelete(("foobar", "baz"), "k")
    assert await listed(prefix=("foobar",)) == [("foobar",)]


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), (1,)])
async def test_what_is_no_namespace_is_refused(store: ReverieStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        await store.aput(namespace, "k", {"v": 1})


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"color": "red"}, "ab"),
        ({"color": {"$eq": "red"}}, "ab"),
        ({"color": {"$ne": "red"}}, "cd"),
        ({"n": {"$gt": 2}}, "cd"),
        ({"n": {"$gte": 2}}, "bcd"),
        ({"n": {"$lt": 2}}, "a"),
        ({"n": {"$lte": 2.0}}, "ab"),
        ({"n": {"$gt": 1, "$lt": 4}}, "bc"),
        ({"n": {"$gte": 2}, "color": "red"}, "b"),
        ({"deep": {"x": 1}}, "a"),
        ({"deep": {"x": {"$ne": 1}}}, "b"),
        ({"tags": ["p", "q"]}, "a"),
        ({"tags": ["q", "p"]}, ""),
        ({"day": {"$gte": "2024-02-01"}}, "b"),
        ({"missing": None}, "abcd"),
        ({"n": True}, "a"),
        ({}, "abcd"),
    ],
)
async def test_filters(wanted: dict[str, Any], found: str) -> None:
    values = {
        "a": {"color": "red", "n": 1, "deep": {"x": 1}, "tags": ["p", "q"], "day": "2024-01-31"},
        "b": {"color": "red", "n": 2, "deep": {"x": 2}, "tags": ["p"], "day": "2024-02-01"},
        "c": {"color": "green", "n": 3, "deep": 1},
        "d": {"n": 4.5},
    }
    assert [name for name, value in values.items() if accepts(wanted, value)] == list(found)


async def test_filters_hold_for_lists_and_for_queries(spoken: Spoken) -> None:
    docs = {
        "d1": {"text": "red apple", "color": "red", "score": 4.5},
        "d2": {"text": "red car", "color": "red", "score": 3.0},
        "d3": {"text": "green apple", "color": "green", "score": 4.0},
        "d4": {"text": "blue car", "color": "blue", "score": 3.5},
    }
    await spoken("batch", [PutOp(("t",), key, value, index=["text"]) for key, value in docs.items()])

    async def found(**options: Any) -> list[str]:
        return [item.key for item in await spoken("search", ("t",), **options)]

    assert set(await found(filter={"color": "red"})) == {"d1", "d2"}
    assert await found(query="apple", filter={"color": "red"}) == ["d1", "d2"]
    assert await found(query="car", filter={"color": "red"}) == ["d2", "d1"]
    assert (await found(query="blue", filter={"score": {"$gt": 3.2}}))[0] == "d4"
    assert set(await found(query="blue", filter={"score": {"$gt": 3.2}})) == {"d1", "d3", "d4"}
    assert await found(query="apple", filter={"score": {"$gte": 4.0}, "color": "green"}) == ["d3"]
    with pytest.raises(ValueError, match=r"\$regex"):
        await found(filter={"color": {"$regex": "r"}})


async def test_a_query_finds_by_meaning_and_follows_changes(store: ReverieStore) -> None:
    await store.aput(("t",), "d1", {"text": "the zebra Xerxes is zany"})
    await store.aput(("t",), "d2", {"text": "something about dogs"})
    await store.aput(("other",), "d3", {"text": "the zebra Xerxes is zany"})
    found = await store.asearch(("t",), query="zany zebra")
    assert found[0].key == "d1"
    assert found[0].score is not None
    assert found[0].score > found[-1].score or len(found) == 1  # type: ignore[operator]
    assert (await keys(store, "t", query="which pets or animals bark?"))[0] == "d2"
    await store.aput(("t",), "d1", {"text": "a text about the weather in Bergen"})
    after = {item.key: item.score for item in await store.asearch(("t",), query="zany zebra")}
    assert after.get("d1", 0.0) < found[0].score  # type: ignore[operator]


@pytest.mark.parametrize("query", ["", "  ", None])
async def test_without_a_query_items_come_newest_first_and_unscored(store: ReverieStore, query: str | None) -> None:
    for n in range(5):
        await store.aput(("t",), f"d{n}", {"text": f"document {n}"})
    found = await store.asearch(("t",), query=query, limit=3)
    assert [(item.key, item.score) for item in found] == [("d4", None), ("d3", None), ("d2", None)]
    assert await keys(store, "t", query=query, limit=3, offset=3) == ["d1", "d0"]
    assert await keys(store, "t", limit=0) == []


@pytest.mark.parametrize("query", ["test!@#$%^&*()", "test " * 500, "тест 試験 🙂", "'; DROP TABLE memories; --"])
async def test_no_query_fails(store: ReverieStore, query: str) -> None:
    await store.aput(("t",), "d", {"text": "a test document, тест, 試験"})
    assert await keys(store, "t", query=query) == ["d"]


async def test_pages_of_a_query(store: ReverieStore) -> None:
    await store.abatch([PutOp(("t",), f"d{n}", {"text": f"test document number {n}"}) for n in range(5)])
    pages = [await keys(store, "t", query="test document", limit=2, offset=start) for start in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert {key for page in pages for key in page} == {f"d{n}" for n in range(5)}
    assert RANKED_MAX == 100


async def test_what_is_indexed(static_api: Caller) -> None:
    async with store_of(static_api, fields=["title", "parts[*].text"]) as store:
        value = {"title": "Harbour", "parts": [{"text": "ships and cranes"}], "secret": "marmalade"}
        await store.aput(("t",), "whole", value)
        await store.aput(("t",), "other", {"title": "Mountain"}, index=["secret"])
        await store.aput(("t",), "hidden", {"title": "Harbour, too"}, index=False)
        assert (await keys(store, "t", query="harbour ships"))[0] == "whole"
        assert "hidden" not in await keys(store, "t", query="Harbour, too")
        assert set(await keys(store, "t")) == {"whole", "other", "hidden"}
        assert (await store.aget(("t",), "hidden")).value == {"title": "Harbour, too"}  # type: ignore[union-attr]
        contents = {memory["content"] for memory in (await static_api.get("/v1/memories", agent="a"))["items"]}
        assert contents == {"Harbour\nships and cranes", "t: other", "t: hidden"}


@pytest.mark.parametrize(
    ("value", "fields", "said"),
    [
        ({"text": "Ana likes tea"}, None, "Ana likes tea"),
        ({"a": "x", "b": {"c": 2, "d": [True, None]}}, None, "a: x\nb.c: 2\nb.d: True"),
        ({}, None, ""),
        ({"a": "x", "b": ["y", "z"]}, ["b[*]", "missing"], "y\nz"),
        ({"a": 1}, ["$"], '{"a": 1}'),
        ({"a": "x" * 9_000}, None, "x" * 8_000),
    ],
)
def test_what_a_value_says(value: dict[str, Any], fields: list[str] | None, said: str) -> None:
    assert text_of(value, fields) == said


async def test_an_item_is_a_memory_like_any_other(store: ReverieStore, static_api: Caller) -> None:
    await store.aput(("users", "ana"), "diet", {"text": "Ana eats no fish"})
    assert [memory["content"] for memory in await static_api.search("what does Ana eat?")] == ["Ana eats no fish"]
    await static_api.save("Somebody eats fish")
    assert await keys(store) == ["diet"]


async def test_what_a_dream_has_replaced_is_still_there_by_its_key(store: ReverieStore, static_api: Caller) -> None:
    await store.aput(("t",), "home", {"text": "Ana lives in Oslo"})
    old = (await static_api.get("/v1/memories", agent="a"))["items"][0]
    newer = await static_api.save("Ana lives in Bergen")
    await static_api.post("/v1/import", old | {"superseded_by": newer["id"], "version": old["version"] + 1})
    assert (await store.aget(("t",), "home")).value == {"text": "Ana lives in Oslo"}  # type: ignore[union-attr]
    assert await keys(store, "t") == ["home"]
    assert await keys(store, "t", query="where does Ana live?") == []
    await store.aput(("t",), "home", {"text": "Ana lives in Tromsø"})
    assert (await store.aget(("t",), "home")).value == {"text": "Ana lives in Tromsø"}  # type: ignore[union-attr]
    assert await keys(store, "t") == ["home"]
    await store.adelete(("t",), "home")
    assert await store.aget(("t",), "home") is None


async def test_agents_do_not_meet(static_api: Caller) -> None:
    ana, ben = await static_api.as_role("agent", "ana"), await static_api.as_role("agent", "ben")
    async with store_of(static_api, ana.key, None) as hers, store_of(static_api, ben.key, None) as his:
        await hers.aput(("t",), "k", {"text": "hers"})
        await his.aput(("t",), "k", {"text": "his"})
        assert (await hers.aget(("t",), "k")).value == {"text": "hers"}  # type: ignore[union-attr]
        assert [item.value for item in await his.asearch((), query="hers")] == [{"text": "his"}]
        await his.adelete(("t",), "k")
        assert await keys(hers, "t") == ["k"]


async def test_personal_data_in_labels_does_not_make_one_of_two(store: ReverieStore, static_api: Caller) -> None:
    await static_api.put("/v1/settings", {"pii": {"mode": "redact"}})
    people = {"Ann": ("users", "+4915112345678"), "Ben": ("users", "+4915187654321")}
    for name, person in people.items():
        await store.aput(person, "k", {"text": f"call {person[1]}", "name": name})
    for name, person in people.items():
        (item,) = await store.asearch(person)
        assert item.value["name"] == name
        assert item.namespace == person
        assert person[1] not in str(item.value)
        kept = await store.aget(person, "k")
        assert kept is not None
        assert kept.value == item.value


async def test_what_cannot_be_kept_is_refused(store: ReverieStore) -> None:
    with pytest.raises(InvalidRequest):
        await store.aput(("t",), "k", {"text": "a NUL \x00"})
    assert await store.aget(("t",), "k") is None


async def test_the_same_answers_as_langgraphs_own_store(store: ReverieStore) -> None:
    theirs = InMemoryStore()
    values = [{"n": n % 4, "text": f"text {n}", "deep": {"even": n % 2 == 0}} for n in range(12)]
    puts = [PutOp(NAMESPACES[n % 7], f"k{n}", value) for n, value in enumerate(values)]
    ops: list[Any] = [SearchOp(prefix, limit=100) for prefix in [(), ("foo",), ("foobar",), ("fo",)]]
    for wanted in ({"n": 2}, {"n": {"$gte": 2}}, {"deep": {"even": True}}, {"text": {"$ne": "text 3"}}):
        ops.append(SearchOp((), filter=wanted, limit=100))
    for path in (("foo",), ("*", "child"), ("foobar", "*")):
        ops += [ListNamespacesOp((MatchCondition(kind, path),)) for kind in ("prefix", "suffix")]  # type: ignore[arg-type]
    ops += [ListNamespacesOp(max_depth=depth, limit=3, offset=offset) for depth in (1, 2) for offset in (0, 2)]

    def told(answers: list[Any]) -> list[Any]:
        return [
            sorted(
                (one.namespace, one.key, json.dumps(one.value, sort_keys=True)) if isinstance(one, Item) else one
                for one in answer
            )
            for answer in answers
        ]

    for one in (theirs, store):
        await one.abatch(puts)
    assert told(await store.abatch(ops)) == told(await theirs.abatch(ops))


def test_a_wildcard_is_one_label() -> None:
    assert matches_namespace(("a", "b", "c"), MatchCondition("prefix", ("a", "*", "c")))
    assert not matches_namespace(("a", "b", "x", "c"), MatchCondition("prefix", ("a", "*", "c")))
    assert not matches_namespace(("malice",), MatchCondition("suffix", ("alice",)))


async def test_an_agent_remembers_from_one_thread_to_the_next(store: ReverieStore) -> None:
    """A graph whose scripted model calls tools: what it stored in one conversation it recalls in the next."""

    @tool
    async def remember(text: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
        """Remember something about the user."""
        await store.aput(("users", "ana"), text, {"text": text})
        return "remembered"

    @tool
    async def recall(question: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
        """What is known about the user."""
        found = await store.asearch(("users", "ana"), query=question, limit=1)
        return found[0].value["text"] if found else "nothing"

    def calling(name: str, **arguments: str) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": name}])

    model = GenericFakeChatModel(
        messages=iter(
            [
                calling("remember", text="Ana is allergic to nuts"),
                calling("remember", text="Ana has a dog called Rex"),
                AIMessage("Noted."),
                calling("recall", question="which food must be avoided, any allergic reactions?"),
                AIMessage("No nuts."),
            ]
        )
    )

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", think)
    builder.add_node("tools", ToolNode([remember, recall]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    graph = builder.compile(store=store)
    await graph.ainvoke({"messages": [("user", "I am allergic to nuts, and my dog is called Rex.")]})
    state = await graph.ainvoke({"messages": [("user", "What must I not eat?")]})
    told = [message.content for message in state["messages"] if isinstance(message, ToolMessage)]
    assert told == ["Ana is allergic to nuts"]
    assert state["messages"][-1].content == "No nuts."
