"""Reranking over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.concurrency.transaction_guard import transaction_open
from service.llm import LLMInvalidOutput, LLMUnavailable, Reranker
from tests.fakes.openai_server import FakeOpenAI

DOCUMENTS = ["cats sleep", "tax law", "where cats sleep at night", "cats sleep"]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def reranker_of(server: FakeOpenAI, timeout_s: float = 60) -> Reranker:
    return Reranker("jina_ai/fake", api_base=server.base_url, api_key="key", timeout_s=timeout_s)


async def test_orders_every_document_by_relevance(server: FakeOpenAI) -> None:
    ranked = await reranker_of(server).rerank("where do cats sleep", DOCUMENTS)
    assert [each.index for each in ranked] == [2, 0, 3, 1]
    assert [each.score for each in ranked] == [0.75, 0.5, 0.5, 0.0]


async def test_nothing_to_rank_makes_no_call(server: FakeOpenAI) -> None:
    assert await reranker_of(server).rerank("cats", []) == []
    assert not server.calls


async def test_documents_left_out_come_last(server: FakeOpenAI) -> None:
    server.fail(body={"id": "x", "results": [{"index": 1, "relevance_score": 0.2}]})
    ranked = await reranker_of(server).rerank("cats", DOCUMENTS)
    assert [each.index for each in ranked] == [1, 0, 2, 3]


@pytest.mark.parametrize("broken", [{"status": 500}, {"status": 429}, {"hang_s": 60.0}, {"invalid_json": True}])
async def test_trouble_is_reported_after_one_attempt(server: FakeOpenAI, broken: dict[str, Any]) -> None:
    server.fail(**broken, times=None)
    with pytest.raises(LLMUnavailable):
        await reranker_of(server, timeout_s=5 if "hang_s" in broken else 60).rerank("cats", DOCUMENTS)
    assert server.calls["rerank"] == 1


@pytest.mark.parametrize("results", [[], [{"index": 9, "relevance_score": 1.0}]])
async def test_an_answer_about_nothing_is_invalid(server: FakeOpenAI, results: list[Any]) -> None:
    server.fail(body={"id": "x", "results": results})
    with pytest.raises((LLMInvalidOutput, LLMUnavailable)):
        await reranker_of(server).rerank("cats", DOCUMENTS)


async def test_refuses_to_run_inside_a_transaction(server: FakeOpenAI) -> None:
    with transaction_open(), pytest.raises(RuntimeError):
        await reranker_of(server).rerank("cats", DOCUMENTS)
