"""What dreams conclude by rules, and that a conclusion falls when something it rests on does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import contents, dream, say
from tests.worker.test_undo import state

Json = dict[str, Any]

RUNS = (
    ("I ran by the river this morning.", "2026-10-03T12:00:00Z"),
    ("I went running by the river yesterday.", "2026-10-20T12:00:00Z"),
    ("I went for a run by the river on 12 November 2026.", "2026-11-14T12:00:00Z"),
)
HABIT = "Sam often runs by the river (3 times, October–November 2026)"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def insights(api: Tenant, **filters: Any) -> list[Json]:
    """The current insights, as anybody may list them."""
    found: list[Json] = (await api.get("/v1/memories", type="insight", limit=200, **filters))["items"]
    return found


async def stored(api: Tenant, statement: str, *values: Any) -> list[Any]:
    """Rows of the database."""
    return [dict(row) for row in await api.rows(statement, *values)]


async def ran(api: Tenant, *, user: str = "Sam", times: int = 3) -> None:
    """A user says on so many days that they ran by the river."""
    for content, at in RUNS[:times]:
        await say(api, content, user=user, session=user, created_at=at)


async def evidence(api: Tenant) -> list[str]:
    """The ids of what the one insight rests on, in order."""
    (insight,) = await insights(api)
    return [one["id"] for one in insight["source"]["evidence"]]


async def test_what_is_done_three_times_is_a_habit(api: Tenant) -> None:
    await ran(api, times=2)
    await dream(api)
    assert await insights(api) == []
    await say(api, RUNS[2][0], user="Sam", session="Sam", created_at=RUNS[2][1])
    done = await dream(api)
    (insight,) = await insights(api)
    assert insight["content"] == HABIT
    assert (insight["user"], insight["metadata"]) == ("Sam", {"supports": 3, "contradicts": 0})
    assert insight["confidence"] == pytest.approx(0.75)
    events = await contents(api, type="event")
    assert len(events) == 3
    ids = [one["id"] for one in insight["source"]["evidence"]]
    assert {(await api.get(f"/v1/memories/{id_}"))["content"] for id_ in ids} == events
    edges = await stored(api, "SELECT relation, target_id::text FROM edges WHERE source_id = $1", insight["id"])
    assert sorted(tuple(edge.values()) for edge in edges) == sorted(("derived_from", id_) for id_ in ids)
    (created,) = [change for change in done["changes"] if (change["after"] or {}).get("type") == "insight"]
    assert (created["op"], created["reason"]) == ("created", "concluded from 3 memories")


async def test_another_time_updates_it_and_nothing_else_does(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    (first,) = await insights(api)
    await say(api, "I live in Oslo.", user="Sam", created_at="2026-11-19T12:00:00Z")
    await dream(api)
    assert await insights(api) == [first]
    await say(api, "I ran by the river today.", user="Sam", created_at="2026-11-20T12:00:00Z")
    await say(api, "I ran by the river today.", user="Sam", session="again", created_at="2026-11-20T18:00:00Z")
    await dream(api)
    (insight,) = await insights(api)
    assert insight["content"] == "Sam often runs by the river (4 times, October–November 2026)"
    assert (await api.get(f"/v1/memories/{first['id']}"))["superseded_by"] == insight["id"]


async def test_a_change_over_time(api: Tenant) -> None:
    await say(api, "I live in Berlin.", user="Sam", created_at="2026-09-01T12:00:00Z")
    await dream(api)
    assert await insights(api) == []
    await say(api, "I live in Bergen now.", user="Sam", created_at="2026-10-20T12:00:00Z")
    await dream(api)
    (insight,) = await insights(api)
    assert insight["content"] == "Sam moved from Berlin to Bergen in October 2026"
    await say(api, "I moved to Oslo.", user="Sam", created_at="2026-11-23T12:00:00Z")
    await dream(api)
    assert [one["content"] for one in await insights(api)] == ["Sam moved from Bergen to Oslo in November 2026"]


async def test_a_change_told_within_one_dream(api: Tenant) -> None:
    await say(api, "I work at Initech.", user="Sam", created_at="2026-09-01T12:00:00Z")
    await say(api, "I now work at Globex.", user="Sam", created_at="2026-11-20T12:00:00Z")
    await say(api, "The Apollo budget is 50000.", user="Sam", created_at="2026-11-20T12:01:00Z")
    await say(api, "The Apollo budget is now 60000.", user="Sam", created_at="2026-11-21T12:01:00Z")
    await dream(api)
    assert {one["content"] for one in await insights(api)} == {
        "Sam changed jobs from Initech to Globex in November 2026",
        "Apollo's budget changed from 50000 to 60000 in November 2026",
    }


@pytest.mark.parametrize("how", ["delete", "edit", "expire", "hearsay", "other_user", "unlink"])
async def test_it_falls_with_a_piece_of_its_evidence(api: Tenant, how: str) -> None:
    await ran(api)
    await dream(api)
    first = (await evidence(api))[0]
    path = f"/v1/memories/{first}"
    version = (await api.get(path))["version"]
    if how == "delete":
        await api.delete(path)
    elif how == "unlink":
        edge = await stored(api, "SELECT id::text FROM edges WHERE target_id = $1 AND relation = 'derived_from'", first)
        await api.delete(f"/v1/edges/{edge[0]['id']}")
    else:
        change = {
            "edit": {"content": "Sam ran through the park."},
            "expire": {"expires_at": "2099-01-01T00:00:00Z"},
            "hearsay": {"hearsay_by": "mallory"},
            "other_user": {"user": "Tom"},
        }[how]
        await api.patch(path, {"version": version} | change)
    assert await insights(api) == []
    assert await api.search("does Sam often run by the river?", types=["insight"]) == []
    kept = await stored(api, "SELECT content FROM memories WHERE type = 'insight' AND workspace_id = $1", api.workspace)
    assert kept == [], "nothing of it is kept"


async def test_an_edit_that_says_nothing_else_leaves_it(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    first = (await evidence(api))[0]
    await api.patch(f"/v1/memories/{first}", {"version": 1, "importance": 0.1, "tags": ["sport"]})
    await api.post(f"/v1/memories/{first}/feedback", {"useful": True})
    assert len(await insights(api)) == 1


async def test_what_the_rest_bears_out_is_concluded_again(api: Tenant) -> None:
    await ran(api)
    await say(api, "I ran by the river today.", user="Sam", created_at="2026-11-20T12:00:00Z")
    await dream(api)
    assert len(await evidence(api)) == 4
    await api.delete(f"/v1/memories/{(await evidence(api))[0]}")
    assert await insights(api) == []
    await dream(api)
    (insight,) = await insights(api)
    assert insight["metadata"]["supports"] == 3


async def test_an_insight_that_somebody_deleted_is_not_concluded_again(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    (insight,) = await insights(api)
    await api.delete(f"/v1/memories/{insight['id']}")
    await say(api, "I ran by the river today.", user="Sam", created_at="2026-11-20T12:00:00Z")
    await dream(api)
    assert await insights(api) == []


async def test_a_denial_ends_a_habit(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    await say(api, "I don't run by the river anymore.", user="Sam", created_at="2026-11-20T12:00:00Z")
    await dream(api)
    assert await insights(api) == []


async def test_users_are_apart(api: Tenant) -> None:
    await ran(api, times=2)
    await say(api, "I ran by the river today.", user="Tom", session="tom", created_at="2026-11-20T12:00:00Z")
    await say(api, "I ran by the river today.", user="sam", session="sam2", created_at="2026-11-21T12:00:00Z")
    await say(api, "Sam ran by the river today.", user="Tom", session="tom", created_at="2026-11-22T12:00:00Z")
    await dream(api)
    assert await insights(api) == []


async def test_saved_memories_are_evidence_as_well(api: Tenant) -> None:
    for day in (3, 4, 5):
        await api.save(f"Sam ran by the river on {day} November 2026.", type="event", user="Sam",
                       occurred_at=f"2026-11-0{day}T08:00:00Z")  # fmt: skip
    await dream(api)
    (insight,) = await insights(api)
    assert insight["content"] == "Sam often runs by the river (3 times, November 2026)"
    await dream(api)
    assert await insights(api) == [insight]


@pytest.mark.parametrize(
    "steering",
    [{"ignore_types": ["insight"]}, {"types": ["event"]}, {"ignore_patterns": ["run*"]}, {"ignore_entities": ["Sam"]},
     {"reflect": "off"}],
)  # fmt: skip
async def test_what_is_ignored_is_not_concluded(api: Tenant, steering: Json) -> None:
    await ran(api)
    await api.put("/v1/agents/a", {"settings": {"dream": steering}})
    await dream(api)
    assert await insights(api) == []


async def test_a_dry_run_shows_it_and_an_undo_takes_it_back(api: Tenant) -> None:
    await ran(api)
    shown = await dream(api, dry_run=True)
    assert HABIT in {(change["after"] or {}).get("content") for change in shown["changes"]}
    assert await insights(api) == []
    before = await state(api)
    done = await dream(api)
    assert len(await insights(api)) == 1
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert await state(api) == before


async def test_undo_brings_back_what_it_replaced(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    await say(api, "I ran by the river today.", user="Sam", created_at="2026-11-20T12:00:00Z")
    before = await state(api)
    done = await dream(api)
    assert (await insights(api))[0]["metadata"]["supports"] == 4
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert await state(api) == before


async def test_undo_of_an_earlier_dream_takes_what_later_ones_concluded_from_it(api: Tenant) -> None:
    await ran(api, times=2)
    first = await dream(api)
    await say(api, RUNS[2][0], user="Sam", session="other", created_at=RUNS[2][1])
    second = await dream(api)
    assert len(await insights(api)) == 1
    assert await api.status("POST", f"/v1/dreams/{first['id']}/undo") == 200
    assert await insights(api) == []
    assert await api.status("POST", f"/v1/dreams/{second['id']}/undo") == 200


async def test_a_purge_leaves_nothing(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    await say(api, "I ran by the river today.", user="Sam", created_at="2026-11-20T12:00:00Z")
    await dream(api)
    receipt = await api.post("/v1/users/Sam/purge", {})
    assert receipt["receipt"]["counts"]["memories"] == 6
    for rows in ("memories WHERE true", "dream_changes WHERE after::text LIKE '%often%'"):
        assert await stored(api, f"SELECT 1 FROM {rows} AND workspace_id = $1", api.workspace) == []  # noqa: S608


async def test_a_restored_insight_must_still_hold(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    (insight,) = await insights(api)
    first = (await evidence(api))[0]
    await api.delete(f"/v1/memories/{insight['id']}")
    assert await api.status("POST", f"/v1/memories/{insight['id']}/restore") == 200
    await api.delete(f"/v1/memories/{insight['id']}")
    await api.delete(f"/v1/memories/{first}")
    assert await api.status("POST", f"/v1/memories/{insight['id']}/restore") == 409


async def test_an_insight_is_neither_edited_nor_read_again(api: Tenant) -> None:
    await ran(api)
    await dream(api)
    (insight,) = await insights(api)
    answer = await api.call(
        "PATCH", f"/v1/memories/{insight['id']}", json={"version": insight["version"], "content": "Sam swims"}
    )
    assert (answer.status_code, answer.json()["errors"][0]["loc"]) == (422, ["body", "type"])
    assert (await dream(api))["report"]["memories"] == 0
