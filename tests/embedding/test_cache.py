"""The embedding cache: hits, eviction, expiry, and one flight per text."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from service.concurrency.transaction_guard import transaction_open
from service.embedding.embedder import CachedEmbedder, EmbeddingFailed, EmbeddingOverBudget, EmbeddingTimedOut, Vectors


class GatedEmbedder:
    """Counts texts; each call waits for ``gate`` and then fails with ``failure`` if one is set."""

    source, model, dim, signature = "static", "fake", 4, "static:fake:4"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.started: asyncio.Queue[None] = asyncio.Queue()
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Exception | None = None
        self.closed = False

    @property
    def counts(self) -> Counter[str]:
        return Counter(text for call in self.calls for text in call)

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        self.calls.append(list(texts))
        self.started.put_nowait(None)
        try:
            async with asyncio.timeout(deadline_s):
                await self.gate.wait()
        except TimeoutError as error:
            raise EmbeddingTimedOut from error
        if self.failure:
            raise self.failure
        return np.asarray([[len(text), 1, 2, 3] for text in texts], dtype=np.float32)

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture
async def inner() -> GatedEmbedder:
    return GatedEmbedder()


async def until_called(inner: GatedEmbedder, calls: int = 1) -> None:
    """Wait for that many more calls of the inner embedder."""
    async with asyncio.timeout(60):
        for _ in range(calls):
            await inner.started.get()


async def test_a_second_call_is_a_hit_and_the_order_is_the_callers(inner: GatedEmbedder) -> None:
    cached = CachedEmbedder(inner)
    await cached.embed(["bb", "a"])
    vectors = await cached.embed(["a", "ccc", "bb", "a"])
    assert vectors[:, 0].tolist() == [1, 3, 2, 1]
    assert inner.calls == [["bb", "a"], ["ccc"]]
    assert cached.signature == inner.signature
    assert (await cached.embed([])).shape == (0, 4)


async def test_the_result_is_a_copy(inner: GatedEmbedder) -> None:
    cached = CachedEmbedder(inner)
    (await cached.embed(["a"]))[:] = 99
    assert (await cached.embed(["a"]))[0, 0] == 1


async def test_a_text_twice_in_one_batch_is_embedded_once(inner: GatedEmbedder) -> None:
    vectors = await CachedEmbedder(inner).embed(["a", "bb", "a"])
    assert inner.calls == [["a", "bb"]]
    assert vectors[:, 0].tolist() == [1, 2, 1]


async def test_entries_expire_to_the_second(inner: GatedEmbedder) -> None:
    now = 1_000.0
    cached = CachedEmbedder(inner, ttl_s=300, clock=lambda: now)
    await cached.embed(["a"])
    now += 299.9
    await cached.embed(["a"])
    assert inner.counts["a"] == 1
    now += 0.1
    await cached.embed(["a"])
    assert inner.counts["a"] == 2


async def test_the_least_recently_used_goes_first(inner: GatedEmbedder) -> None:
    cached = CachedEmbedder(inner, size=2)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        await cached.embed([text])
    assert inner.counts == {"a": 1, "bb": 2, "ccc": 1}


async def test_a_batch_larger_than_the_cache_is_answered_whole(inner: GatedEmbedder) -> None:
    texts = ["x" * n for n in range(1, 30)]
    assert (await CachedEmbedder(inner, size=3).embed(texts))[:, 0].tolist() == list(range(1, 30))


async def test_identical_texts_in_flight_are_embedded_once(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    cached = CachedEmbedder(inner)
    waiting = [asyncio.create_task(cached.embed(["a", "x" * (n % 3 + 2)])) for n in range(20)]
    await until_called(inner, 3)
    inner.gate.set()
    results = await asyncio.gather(*waiting)
    assert inner.counts == {"a": 1, "xx": 1, "xxx": 1, "xxxx": 1}
    assert [int(result[1, 0]) for result in results] == [n % 3 + 2 for n in range(20)]


async def test_a_cancelled_first_caller_does_not_take_the_others_down(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    cached = CachedEmbedder(inner)
    first = asyncio.create_task(cached.embed(["a"]))
    await until_called(inner)
    second = asyncio.create_task(cached.embed(["a"]))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    inner.gate.set()
    assert (await second)[0, 0] == 1
    assert inner.counts["a"] == 1


async def test_a_failure_reaches_all_waiters_and_is_not_kept(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    inner.failure = EmbeddingFailed("broken")
    cached = CachedEmbedder(inner)
    waiting = [asyncio.create_task(cached.embed(["a"])) for _ in range(5)]
    await until_called(inner)
    inner.gate.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [EmbeddingFailed] * 5
    assert inner.counts["a"] == 1
    inner.failure = None
    assert (await cached.embed(["a"]))[0, 0] == 1


async def test_a_waiter_keeps_its_own_deadline(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    cached = CachedEmbedder(inner)
    patient = asyncio.create_task(cached.embed(["a"]))
    await until_called(inner)
    with pytest.raises(EmbeddingTimedOut):
        await cached.embed(["a"], deadline_s=0.01)
    inner.gate.set()
    assert (await patient)[0, 0] == 1


async def test_the_first_callers_deadline_does_not_fail_those_with_more_time(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    cached = CachedEmbedder(inner)
    hurried = asyncio.create_task(cached.embed(["a"], deadline_s=0.02))
    await until_called(inner)
    patient = [asyncio.create_task(cached.embed(["a"])) for _ in range(3)]
    with pytest.raises(EmbeddingTimedOut):
        await hurried
    called = asyncio.create_task(until_called(inner))
    # A patient caller that failed is told of at once, not after a minute of waiting for the call it did not make.
    await asyncio.wait([called, *patient], return_when=asyncio.FIRST_COMPLETED)
    inner.gate.set()
    assert [result[0, 0] for result in await asyncio.gather(*patient)] == [1, 1, 1]
    await called
    assert inner.counts["a"] == 2


async def test_the_first_callers_budget_does_not_fail_the_others(inner: GatedEmbedder) -> None:
    cache = CachedEmbedder(inner)
    inner.gate.clear()
    inner.failure = EmbeddingOverBudget()
    first = asyncio.create_task(cache.embed(["a"]))
    await until_called(inner)
    second = asyncio.create_task(cache.embed(["a"]))
    await asyncio.sleep(0)
    inner.gate.set()
    with pytest.raises(EmbeddingOverBudget):
        await first
    inner.failure = None
    assert (await second).shape == (1, 4)
    assert inner.counts["a"] == 2


async def test_a_timeout_of_the_embedder_itself_reaches_all_waiters(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    inner.failure = EmbeddingTimedOut("the provider hangs")
    cached = CachedEmbedder(inner)
    waiting = [asyncio.create_task(cached.embed(["a"], deadline_s=60)) for _ in range(5)]
    await until_called(inner)
    inner.gate.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [EmbeddingTimedOut] * 5
    assert inner.counts["a"] == 1


async def test_a_transaction_is_noticed_even_on_a_hit(inner: GatedEmbedder) -> None:
    cached = CachedEmbedder(inner)
    await cached.embed(["a"])
    with transaction_open(), pytest.raises(RuntimeError):
        await cached.embed(["a"])


async def test_closing_cancels_what_is_in_flight(inner: GatedEmbedder) -> None:
    inner.gate.clear()
    cached = CachedEmbedder(inner)
    waiting = asyncio.create_task(cached.embed(["a"]))
    await until_called(inner)
    await cached.aclose()
    with pytest.raises(EmbeddingFailed):
        await waiting
    assert inner.closed
