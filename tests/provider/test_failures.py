"""What is said of a model that failed: its name, where it is, and why; never a secret, never names of classes."""

from __future__ import annotations

from typing import Any

import pytest

from service.embedding.embedder import EmbeddingFailed
from service.embedding.sources import RemoteEmbedder
from service.llm import LLM, LLMUnavailable
from service.provider import describe, host_of
from tests.fakes.openai_server import FakeOpenAI

ASK: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("base", ["http://127.0.0.1:1/v1", "http://127.0.0.1:1"])
async def test_a_server_that_is_not_there(base: str) -> None:
    with pytest.raises(LLMUnavailable) as failed:
        await LLM("openai/gpt-4o", api_base=base, api_key="sk-secret", backoff_first_s=0.001).complete(
            ASK, tokens_max=5
        )
    assert failed.value.message.startswith("openai/gpt-4o at 127.0.0.1:1 failed: Connection error: ")
    assert "Connect call failed" in failed.value.message
    assert "Exception" not in failed.value.message
    assert "sk-secret" not in failed.value.message
    with pytest.raises(EmbeddingFailed, match=r"openai/e at 127\.0\.0\.1:1 failed: Connection error: "):
        await RemoteEmbedder("openai/e", 4, api_base=base, api_key="k", backoff_first_s=0.001).embed(["a"])


async def test_credentials_in_the_address_are_not_told() -> None:
    with FakeOpenAI() as server:
        server.fail(status=500, times=None)
        base = server.base_url.replace("http://", "http://user:secret@")
        with pytest.raises(LLMUnavailable) as failed:
            await LLM("openai/gpt-4o", api_base=base, api_key="k", backoff_first_s=0.001).complete(ASK, tokens_max=5)
    assert "secret" not in failed.value.message
    assert host_of(server.base_url) in failed.value.message


async def test_the_status_is_told() -> None:
    with FakeOpenAI() as server:
        server.fail(status=429, times=None)
        llm = LLM("openai/gpt-4o", api_base=server.base_url, api_key="k", backoff_first_s=0.001)
        with pytest.raises(LLMUnavailable, match=r"failed: HTTP 429: made to fail by the test$"):
            await llm.complete(ASK, tokens_max=5)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("litellm.APIError: APIError: OpenAIException - no such model", "no such model"),
        ("litellm.RateLimitError: RateLimitError: Together_aiException - slow down", "slow down"),
        ("An Error: occurred", "An Error: occurred"),
        ("", "ValueError"),
        ("x" * 100_000, "x" * 500),
        ("a." * 50_000, ("a." * 50_000)[:500]),
        ("ErrorError: " * 10_000, "ValueError"),
    ],
)
def test_names_of_classes_are_left_out(raised: str, told: str) -> None:
    assert describe(ValueError(raised), "m", None) == f"m failed: {told}"


@pytest.mark.parametrize(
    ("base", "host"),
    [
        ("https://u:p@api.example.com:8443/v1?key=s", "api.example.com:8443"),
        ("http://[::1]:1/v1", "[::1]:1"),
        ("http://[::1/v1", ""),
        ("not a url", ""),
        (None, ""),
    ],
)
def test_a_host_is_told_without_credentials_and_path(base: str | None, host: str) -> None:
    assert host_of(base) == host
