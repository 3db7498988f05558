"""Servers that workspaces name: only public addresses, whatever a name stands for, with bounded answers."""

from __future__ import annotations

import pytest

from service.llm import LLM, LLMInvalidOutput, LLMUnavailable, WorkspaceEndpoint
from service.provider import addresses_of, limit_bytes
from tests.fakes.openai_server import FakeOpenAI

ASK = [{"role": "user", "content": "Hello?"}]


def call(server: FakeOpenAI, host: str, *, private: bool) -> LLM:
    base = server.base_url.replace("127.0.0.1", host)
    endpoint = WorkspaceEndpoint("openai/m", base, timeout_s=60, private=private, unseal=lambda: "the-key-of-this")
    return LLM("openai/unused", backoff_first_s=0.01).at([endpoint])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "2130706433"])
async def test_no_name_leads_inside(host: str) -> None:
    with FakeOpenAI() as server:
        with pytest.raises(LLMUnavailable, match="inside a network"):
            await call(server, host, private=False).complete(ASK, tokens_max=5)
        assert server.calls["chat"] == 0


async def test_the_operator_may_allow_it() -> None:
    with FakeOpenAI() as server:
        server.say("Hello.")
        answer = await call(server, "localhost", private=True).complete(ASK, tokens_max=5)
        assert (answer.text, server.authorizations) == ("Hello.", {"Bearer the-key-of-this"})


async def test_what_the_environment_says_of_openai_reaches_no_workspaces_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/of-the-installation")
    with FakeOpenAI() as server:
        base = server.base_url
        await LLM("openai/unused").at([WorkspaceEndpoint("openai/m", base, private=True)]).complete(ASK, tokens_max=5)
        assert server.authorizations == {"Bearer none"}
        assert not any("of-the-installation" in value for value in server.headers[-1].values())


async def test_a_redirect_is_not_followed() -> None:
    with FakeOpenAI() as inside, FakeOpenAI() as server:
        server.fail(status=307, location=inside.base_url + "/chat/completions", times=None)
        with pytest.raises(LLMUnavailable):
            await call(server, "127.0.0.1", private=True).complete(ASK, tokens_max=5)
        assert (server.calls["chat"] > 0, inside.calls["chat"]) == (True, 0)


async def test_an_answer_without_end_is_cut_off() -> None:
    with FakeOpenAI() as server:
        server.fail(endless=True)
        with pytest.raises(LLMInvalidOutput, match="more than"), limit_bytes(100_000):
            await call(server, "127.0.0.1", private=True).complete(ASK, tokens_max=5)


async def test_the_public_addresses_of_a_name() -> None:
    assert await addresses_of("127.0.0.1", 80, private=False) == []
    assert await addresses_of("127.0.0.1", 80, private=True) == ["127.0.0.1"]
    assert await addresses_of("1.1.1.1", 443, private=False) == ["1.1.1.1"]
