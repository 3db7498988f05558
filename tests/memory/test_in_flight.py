"""Work in flight: what is recorded of it, whose death counts, and who may be inside together."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from uuid import UUID, uuid4

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.in_flight import CHARS_AT_ONCE, AdmissionGate, Died, InFlight, Place, Tracker
from tests.live_api import Api
from tests.waiting import until
from tests.worker.dreaming import say

OWNER = UUID(int=7)
PLACE = Place(DEFAULT_WORKSPACE, "dream", OWNER)


async def opened(flight: InFlight, *, exclusive: bool = False) -> Tracker | None:
    return await flight.open(DEFAULT_WORKSPACE, "dream", OWNER, exclusive=exclusive)


async def recorded(api: Api) -> int:
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        count: int = await connection.raw.fetchval("SELECT count(*) FROM in_flight")
    return count


async def dies_over(api: Api, worker: str, *ids: UUID, deaths: int = 0, deadline_s: float = 60) -> None:
    """What a worker leaves behind that is killed in a step."""
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.run(
            "record_in_flight", **asdict(PLACE), worker=worker, step="read", subject_ids=ids, deaths=deaths,
            deadline_s=deadline_s,
        )  # fmt: skip


async def test_a_step_is_recorded_while_it_lasts_whatever_ends_it(api: Api) -> None:
    tracker = await opened(InFlight(api.runtime))
    assert tracker is not None
    async with tracker.step("read", [uuid4()]):
        assert await recorded(api) == 1
    assert await recorded(api) == 0
    with pytest.raises(ValueError, match="wrong"):
        async with tracker.step("read", [uuid4()]):
            raise ValueError("wrong")
    assert await recorded(api) == 0

    async def stopped() -> None:
        async with tracker.step("read", [uuid4()]):
            await asyncio.Event().wait()

    task = asyncio.create_task(stopped())
    await until(lambda: recorded(api))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await recorded(api) == 0


async def test_a_step_past_its_deadline_ends_the_process(api: Api) -> None:
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    tracker = await opened(InFlight(api.runtime, deadline_s=0.05, end=ended.set_result))
    assert tracker is not None
    async with tracker.step("read", [uuid4()]):
        assert await ended == 70


async def test_who_may_be_alive_is_left_alone(api: Api) -> None:
    one = uuid4()
    await dies_over(api, "other", one)
    assert await opened(InFlight(api.runtime)) is None
    assert await recorded(api) == 1
    tracker = await opened(InFlight(api.runtime), exclusive=True)
    assert tracker is not None
    assert tracker.crashes == {one: 1}
    await dies_over(api, "other", one, deadline_s=0)
    tracker = await opened(InFlight(api.runtime))
    assert tracker is not None
    assert tracker.crashes == {one: 1}


async def test_a_workers_own_record_is_no_death(api: Api) -> None:
    await dies_over(api, "me", uuid4())
    tracker = await opened(InFlight(api.runtime, "me"))
    assert tracker is not None
    assert tracker.crashes == {}


@pytest.mark.first_tier
async def test_two_deaths_over_a_text_alone_prove_it_and_one_over_a_batch_proves_nothing(api: Api) -> None:
    (message,) = await say(api, "hello")
    one, other = UUID(message["id"]), uuid4()
    await dies_over(api, "first", one, other)
    await dies_over(api, "second", one)
    tracker = await opened(InFlight(api.runtime), exclusive=True)
    assert tracker is not None
    assert tracker.crashes == {one: 1, other: 0}
    assert (await api.get("/v1/dead-letters"))["items"] == []
    await dies_over(api, "third", one, deaths=1)
    tracker = await opened(InFlight(api.runtime), exclusive=True)
    assert tracker is not None
    assert tracker.crashes == {}
    (letter,) = (await api.get("/v1/dead-letters"))["items"]
    assert (letter["subject_id"], letter["attempts"]) == (message["id"], 2)


async def test_a_text_that_is_gone_becomes_no_dead_letter(api: Api) -> None:
    await dies_over(api, "first", uuid4(), deaths=1)
    assert await opened(InFlight(api.runtime), exclusive=True) is not None
    assert (await api.get("/v1/dead-letters"))["items"] == []


def tracker_of(api: Api, *died: Died) -> Tracker:
    tracker = Tracker(InFlight(api.runtime), PLACE)
    tracker.suspect(died)
    return tracker


async def test_suspects_are_taken_one_at_a_time_in_order(api: Api) -> None:
    ids = [uuid4() for _ in range(8)]
    tracker = tracker_of(api, Died("read", ids[2:4], 0))
    items = [(id_, "x") for id_ in ids]
    batches = list(tracker.batches(items, lambda item: item, 3))
    assert [[ids.index(id_) for id_, _ in part] for _, part in batches] == [[0, 1], [2], [3], [4, 5, 6], [7]]
    assert [start for start, _ in batches] == [0, 2, 3, 4, 7]
    assert list(tracker.batches([], lambda item: item, 3)) == []


async def test_batches_are_bounded_by_their_text(api: Api) -> None:
    items = [(uuid4(), "x" * (CHARS_AT_ONCE // 2)) for _ in range(4)] + [(uuid4(), "x" * CHARS_AT_ONCE * 2)]
    assert [len(part) for _, part in tracker_of(api).batches(items, lambda item: item, 200)] == [2, 2, 1]


@pytest.mark.parametrize(
    ("batch", "deaths", "limit"), [(5_000, 0, None), (5_000, 1, 50), (50, 2, 1), (2, 1, 1), (1, 1, None)]
)
async def test_a_batch_that_workers_died_on_twice_is_cut(api: Api, batch: int, deaths: int, limit: int | None) -> None:
    ids = [uuid4() for _ in range(batch)]
    tracker = tracker_of(api, Died("compare", ids, deaths))
    assert tracker.batch_max == limit
    tracker.mark_processed(ids)
    assert (tracker.batch_max, tracker.crashes) == (None, {})


async def test_one_that_is_alone_waits_for_the_others_and_goes_before_those_to_come() -> None:
    gate, entered = AdmissionGate(), []

    async def enter(name: str, *, alone: bool, leave: asyncio.Event) -> None:
        async with gate.passed(alone=alone):
            entered.append(name)
            await leave.wait()

    leaves = {name: asyncio.Event() for name in ("one", "two", "alone", "late")}

    async def go(name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(enter(name, alone=name == "alone", leave=leaves[name]))
        for _ in range(5):
            await asyncio.sleep(0)
        return task

    tasks = [await go(name) for name in ("one", "two", "alone", "late")]
    assert entered == ["one", "two"]
    for name, inside in (("one", 2), ("two", 3), ("alone", 4)):
        leaves[name].set()
        for _ in range(10):
            await asyncio.sleep(0)
        assert entered == ["one", "two", "alone", "late"][:inside]
    leaves["late"].set()
    await asyncio.gather(*tasks)


async def test_one_that_gives_up_waiting_to_be_alone_lets_the_others_in() -> None:
    gate = AdmissionGate()
    async with gate.passed(alone=False):
        waiting = asyncio.create_task(gate.passed(alone=True).__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(60), gate.passed(alone=False):
            pass
    async with asyncio.timeout(60), gate.passed(alone=True):
        pass
