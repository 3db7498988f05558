"""Answers without end are cut off while they are read, whatever is asked; over real HTTP."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from service.embedding.embedder import EmbeddingFailed
from service.embedding.sources import ANSWER_BYTES_MIN, NUMBER_BYTES, RemoteEmbedder
from service.errors import AnswerTooLarge
from service.llm import LLM, LLMInvalidOutput, Reranker
from service.provider import RESPONSE_BYTES_MAX, limited
from tests.fakes.openai_server import ENDLESS_BYTES, FakeOpenAI

ASK: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
DIM = 64
IN_FLIGHT = 33_554_432
"""The most that buffers of the kernel and of both sides hold besides what is read; a fraction of what would come."""
assert IN_FLIGHT < ENDLESS_BYTES / 4


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=DIM) as running:
        running.fail(endless=True, times=None)
        yield running


@pytest.mark.parametrize("model", ["openai/gpt-4o", "hosted_vllm/m", "together_ai/m"])
async def test_a_chat_answer_without_end(server: FakeOpenAI, model: str) -> None:
    llm = LLM(model, api_base=server.base_url, api_key="k", backoff_first_s=0.01)
    with pytest.raises(LLMInvalidOutput, match=f"more than {RESPONSE_BYTES_MAX:,} bytes"):
        await llm.complete(ASK, tokens_max=5)
    assert server.calls["chat"] == 1
    assert server.sent < RESPONSE_BYTES_MAX + IN_FLIGHT
    assert llm.condition.state == "failing"


async def test_a_reranking_without_end(server: FakeOpenAI) -> None:
    reranker = Reranker("jina_ai/fake", api_base=server.base_url, api_key="k", timeout_s=30)
    with pytest.raises(LLMInvalidOutput, match="bytes"):
        await reranker.rerank("cats", ["a cat", "a dog"])
    assert server.calls["rerank"] == 1
    assert server.sent < RESPONSE_BYTES_MAX + IN_FLIGHT


async def test_embeddings_without_end(server: FakeOpenAI) -> None:
    embedder = RemoteEmbedder("openai/fake", DIM, api_base=server.base_url, api_key="k", backoff_first_s=0.01)
    with pytest.raises(EmbeddingFailed, match="bytes"):
        await embedder.embed(["a cat"])
    assert server.calls["embeddings"] == 1
    assert server.sent < ANSWER_BYTES_MIN + DIM * NUMBER_BYTES + IN_FLIGHT


async def test_a_full_batch_of_long_vectors_is_within_its_bound() -> None:
    with FakeOpenAI(dim=2_000) as server:
        embedder = RemoteEmbedder("openai/fake", 2_000, api_base=server.base_url, api_key="k")
        assert (await embedder.embed([f"text {n}" for n in range(128)])).shape == (128, 2_000)


@pytest.fixture
async def compressing() -> AsyncIterator[str]:
    """The address of a server that answers everything with a few kilobytes that stand for 64 MiB."""
    body = gzip.compress(b" " * 67_108_864)
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {len(body)}"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head.encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"


@pytest.mark.parametrize("model", ["openai/gpt-4o", "together_ai/m"])
async def test_a_compressed_answer_is_refused_unread(compressing: str, model: str) -> None:
    llm = LLM(model, api_base=compressing, api_key="k", backoff_first_s=0.01)
    with pytest.raises(LLMInvalidOutput, match="compressed"):
        await llm.complete(ASK, tokens_max=5)


async def test_a_body_of_just_the_bound_is_whole() -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(4):
            yield b"1234"

    assert b"".join([part async for part in limited(body(), 16, "h")]) == b"1234" * 4
    with pytest.raises(AnswerTooLarge, match="15 bytes"):
        [part async for part in limited(body(), 15, "h")]
