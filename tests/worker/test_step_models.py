"""Which model does which step: of the installation and of a workspace, with the workspace's keys kept from everyone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.llm_settings import LLMSettings
from service.models import KeyUnreadable
from service.provider import load_litellm
from service.settings import EnvironmentModel, LLMSteps, Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.pg_dump import dump
from tests.tables import table
from tests.worker.dreaming import asked_for, contents, dream, note_everything, say

Json = dict[str, Any]

MODEL = "openai/gpt-4o-mini"
KEY = "sk-workspace-secret-0123456789wxyz"


@pytest.fixture
async def servers() -> AsyncIterator[dict[str, FakeOpenAI]]:
    await load_litellm()
    with ExitStack() as stack:
        opened = {name: stack.enter_context(FakeOpenAI()) for name in ("general", "own", "spare")}
        for server in opened.values():
            server.default_reply = note_everything
        yield opened


@pytest.fixture
async def api(settings: Settings, servers: dict[str, FakeOpenAI]) -> AsyncIterator[Api]:
    """An API whose LLM_MODEL is at the server ``general``; models of workspaces may be inside the network."""
    chosen: Json = {
        "embedding_model": "static",
        "llm_model": MODEL, "llm_api_base": servers["general"].base_url, "llm_api_key": "key-of-the-installation",
        "allow_private": True,
    }  # fmt: skip
    async with serving(settings.model_copy(update=chosen)) as opened:
        yield opened


def forms(server: FakeOpenAI) -> set[str]:
    return {asked_for(body) for body in server.requests("chat")}


async def test_each_step_goes_to_the_model_that_the_environment_names(
    settings: Settings, servers: dict[str, FakeOpenAI]
) -> None:
    own = EnvironmentModel(model=MODEL, api_base=servers["own"].base_url, api_key="key-of-extraction")
    chosen = {
        "llm_model": MODEL, "llm_api_base": servers["general"].base_url, "llm_api_key": "key-of-the-installation",
        "llm_steps": LLMSteps(extract=(own,), bulletin=()),
    }  # fmt: skip
    async with serving(settings.model_copy(update=chosen)) as api:
        await api.put("/v1/settings", {"users": "shared"})
        await say(api, "I live in Oslo.")
        done = await dream(api.runtime)
        await api.post("/v1/ask", {"agent": "a", "question": "Where does u1 live?"})
        assert await contents(api) == {"u1 said: I live in Oslo."}
        assert "Things were said" not in (await api.get("/v1/agents/a/bulletin"))["content"]
    assert forms(servers["own"]) == {"Notes"}
    assert forms(servers["general"]) == {"Reply"}
    assert servers["own"].authorizations == {"Bearer key-of-extraction"}
    assert servers["general"].authorizations == {"Bearer key-of-the-installation"}
    assert done["report"]["llm"]["models"] == {MODEL: 1}


async def test_a_step_alone_needs_no_general_model(settings: Settings, servers: dict[str, FakeOpenAI]) -> None:
    own = EnvironmentModel(model=MODEL, api_base=servers["own"].base_url)
    async with serving(
        settings.model_copy(update={"llm_steps": LLMSteps(extract=(own,)), "embedding_model": "static"})
    ) as api:
        await say(api, "I live in Oslo.")
        done = await dream(api.runtime)
        assert await contents(api) == {"u1 said: I live in Oslo."}
        answer = await api.post("/v1/ask", {"agent": "a", "question": "Where?"})
    assert (done["report"]["extractor"], done["report"]["llm"]["calls"]) == (MODEL, 1)
    assert "llm.ask" in answer["degraded"]["reason"]
    assert servers["own"].authorizations == {"Bearer none"}


async def test_a_workspaces_key_reaches_its_server_alone(api: Api, servers: dict[str, FakeOpenAI]) -> None:
    own = {"model": MODEL, "api_base": servers["own"].base_url, "api_key": KEY}
    await api.put("/v1/settings", {"llm": {"extract": own}})
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    assert (forms(servers["own"]), forms(servers["general"])) == ({"Notes"}, {"WrittenBulletin"})
    assert servers["own"].authorizations == {f"Bearer {KEY}"}
    assert servers["general"].authorizations == {"Bearer key-of-the-installation"}
    today = (await api.get("/v1/usage"))["today"]
    assert today["tokens"] == today["dream_tokens"] > 0


async def test_off_is_off(api: Api, servers: dict[str, FakeOpenAI]) -> None:
    steps = ("extract", "reconcile", "bulletin", "summary", "ask")
    await api.put("/v1/settings", {"llm": {step: {"model": "off"} for step in steps}})
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    await api.post("/v1/agents/a/bulletin")
    answer = await api.post("/v1/ask", {"agent": "a", "question": "Where does u1 live?"})
    found = await api.post("/v1/memories/search", {"agent": "a", "query": "home", "expand": True})
    await api.post("/v1/sessions/s/compact?agent=a")
    assert await contents(api) == {"u1 lives in Oslo."}
    assert answer["answer"] is None
    assert "llm.ask" in answer["degraded"]["reason"]
    assert "llm.ask" in found["degraded"]["reason"]
    assert servers["general"].calls["chat"] == 0


async def test_a_server_that_fails_is_followed_by_the_spare_one(api: Api, servers: dict[str, FakeOpenAI]) -> None:
    servers["own"].fail(status=503, times=None)
    spare = {"model": "openai/gpt-4o", "api_base": servers["spare"].base_url, "api_key": "sk-spare-0123456789"}
    own = {"model": MODEL, "api_base": servers["own"].base_url, "api_key": KEY, "failover": [spare]}
    await api.put("/v1/settings", {"llm": {"extract": own, "bulletin": {"model": "off"}}})
    await say(api, "I live in Oslo.")
    report = (await dream(api.runtime))["report"]
    assert await contents(api) == {"u1 said: I live in Oslo."}
    assert (report["llm"]["calls"], report["llm"]["failed_calls"]) == (2, 1)
    assert report["llm"]["models"] == {"openai/gpt-4o": 1}
    assert servers["own"].authorizations == {f"Bearer {KEY}"}
    assert servers["spare"].authorizations == {"Bearer sk-spare-0123456789"}
    (row,) = (item for item in (await api.get("/v1/usage"))["items"] if item["purpose"] == "extract")
    assert (row["calls"], row["failed_calls"]) == (2, 1)


async def test_a_key_is_written_nowhere(
    api: Api, servers: dict[str, FakeOpenAI], settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    servers["own"].key = "another"
    own = {"model": MODEL, "api_base": servers["own"].base_url, "api_key": KEY}
    seen = [await api.put("/v1/settings", {"llm": {"extract": own}}), await api.get("/v1/settings")]
    assert [one["llm"]["extract"]["api_key"] for one in seen] == ["…wxyz", "…wxyz"]
    await say(api, "I live in Oslo.")
    failed = await dream(api.runtime)
    assert failed["status"] == "failed"
    assert "Incorrect API key" in failed["error"]
    exported = (await api.call("GET", "/v1/export")).text
    audit, dreams, engine = [await api.get(f"/v1/{path}") for path in ("audit", "dreams", "engine")]
    assert [line["details"] for line in audit["items"] if line["action"] == "settings.changed"] == [
        {"llm": {"extract": own | {"api_key": "…wxyz", "timeout_s": None, "failover": [], "rules_stand_in": False}}}
    ]
    assert settings.database_url is not None
    written = "".join(capfd.readouterr())
    for text in (str([*seen, failed, audit, dreams, engine]), exported, dump(settings.database_url), written):
        assert KEY not in text
        assert KEY[3:20] not in text
    assert "sealed:" not in json.dumps(seen) + exported
    made = settings.data_dir / "encryption-key"
    assert made.stat().st_mode & 0o777 == 0o600
    assert KEY not in made.read_text()


async def test_a_stored_key_is_never_sent_elsewhere(api: Api, servers: dict[str, FakeOpenAI]) -> None:
    own = {"model": MODEL, "api_base": servers["own"].base_url, "api_key": KEY}
    await api.put("/v1/settings", {"llm": {"extract": own}})
    elsewhere = {"api_base": servers["spare"].base_url}
    for change in (
        elsewhere,
        elsewhere | {"api_key": "…wxyz"},
        {"api_base": None},
        {"failover": [{"model": MODEL, "api_key": "…wxyz"} | elsewhere]},
    ):
        refused = await api.call("PUT", "/v1/settings", json={"llm": {"extract": change}})
        assert refused.status_code == 422
        assert "api_key" in refused.text
        assert "whole key" in refused.text
    kept = await api.put("/v1/settings", {"llm": {"extract": {"timeout_s": 30}}})
    assert kept["llm"]["extract"] == own | {
        "api_key": "…wxyz",
        "timeout_s": 30,
        "failover": [],
        "rules_stand_in": False,
    }
    again = await api.put("/v1/settings", {"llm": kept["llm"]})
    assert again == kept
    # Another step, and another workspace's, have no such key.
    refused = await api.call("PUT", "/v1/settings", json={"llm": {"ask": own | {"api_key": "…wxyz"}}})
    assert refused.status_code == 422
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    assert servers["own"].authorizations == {f"Bearer {KEY}"}
    assert servers["spare"].calls["chat"] == 0


async def test_what_is_stored_opens_for_its_workspace_and_its_server_alone(api: Api) -> None:
    keys = api.runtime.step_models.keys
    stored = keys.seal(DEFAULT_WORKSPACE, "https://a.example/v1", KEY)
    assert keys.unseal(DEFAULT_WORKSPACE, "https://a.example/v1", stored) == KEY
    for workspace, base in (
        (new_id(), "https://a.example/v1"),
        (DEFAULT_WORKSPACE, "https://b.example/v1"),
        (DEFAULT_WORKSPACE, None),
    ):
        with pytest.raises(KeyUnreadable):
            keys.unseal(workspace, base, stored)
    for broken in ("sealed:wxyz:", "sealed:wxyz:AAAA", "sealed:wxyz:!", stored[:-8]):
        with pytest.raises(KeyUnreadable):
            keys.unseal(DEFAULT_WORKSPACE, "https://a.example/v1", broken)


async def test_with_another_encryption_key_the_dream_says_what_to_do(
    api: Api, settings: Settings, servers: dict[str, FakeOpenAI]
) -> None:
    own = {"model": MODEL, "api_base": servers["own"].base_url, "api_key": KEY}
    await api.put("/v1/settings", {"llm": {"extract": own}})
    await say(api, "I live in Oslo.")
    changed = {"allow_private": True, "encryption_key": "another key of the installation"}
    async with serving(settings.model_copy(update=changed)) as later:
        failed = await dream(later.runtime)
        assert failed["status"] == "failed"
        assert "REVERIE_ENCRYPTION_KEY" in failed["error"]
        await later.put("/v1/settings", {"llm": {"extract": own}})
        assert (await dream(later.runtime))["status"] == "succeeded"
    assert servers["own"].authorizations == {f"Bearer {KEY}"}


NO_MODELS = [
    ({"model": "anthropic/claude"}, "model"),
    ({"model": "gpt-4o"}, "model"),
    ({"model": MODEL, "api_base": "http://127.0.0.1:1/v1"}, "api_base"),
    ({"model": MODEL, "api_base": "http://169.254.169.254/latest"}, "api_base"),
    ({"model": MODEL, "api_base": "http://[::ffff:10.0.0.1]/v1"}, "api_base"),
    ({"model": MODEL, "api_base": "file:///etc/passwd"}, "api_base"),
    ({"model": MODEL, "api_base": "https://user:pass@models.example/v1"}, "api_base"),
    ({"model": MODEL, "api_key": f"{KEY}\n"}, "api_key"),
    ({"model": MODEL, "api_key": f"sealed:wxyz:{KEY}"}, "api_key"),
    ({"model": MODEL, "timeout_s": 0}, "timeout_s"),
    ({"model": MODEL, "failover": [{"model": "off"}]}, "failover"),
    ({"model": MODEL, "failover": [{"model": MODEL}] * 5}, "failover"),
    ({"model": MODEL, "failover": [{"model": MODEL, "api_base": "http://10.0.0.1/v1"}]}, "failover"),
    ({"api_key": KEY}, "model"),
]


async def test_what_cannot_be_a_model_is_refused(own_api: Api) -> None:
    with table() as row:
        for step, field in NO_MODELS:
            with row(step, field):
                refused = await own_api.call("PUT", "/v1/settings", json={"llm": {"extract": step}})
                assert refused.status_code == 422
                assert f"llm.extract.{field}" in json.dumps(refused.json()) or field in refused.text
                assert KEY not in refused.text
                assert (await own_api.get("/v1/settings"))["llm"]["extract"]["model"] is None


async def test_null_takes_the_general_model_again(api: Api, servers: dict[str, FakeOpenAI]) -> None:
    own = {"model": MODEL, "api_base": servers["own"].base_url, "api_key": KEY}
    await api.put("/v1/settings", {"llm": {"extract": own}})
    back = await api.put("/v1/settings", {"llm": {"extract": {"model": None}}})
    assert back["llm"]["extract"] == {
        "model": None, "api_base": None, "api_key": None, "timeout_s": None, "failover": [], "rules_stand_in": False,
    }  # fmt: skip
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    assert (servers["own"].calls["chat"], servers["general"].calls["chat"]) == (0, 2)


async def test_models_are_set_by_admins_alone(api: Api) -> None:
    await api.save("Something.")
    for role in ("reader", "agent"):
        other = await api.as_role(role, "a" if role == "agent" else None)
        assert await other.status("PUT", "/v1/settings", json={"llm": {"ask": {"model": "off"}}}) == 403


async def test_models_are_not_imported(api: Api) -> None:
    exported = (await api.call("GET", "/v1/export")).text
    head = exported.splitlines()[0]
    line = json.dumps({"record": "settings", "settings": {"llm": {"ask": {"model": MODEL, "api_key": KEY}}}})
    refused = await api.call("POST", "/v1/import", content=f"{head}\n{line}\n".encode())
    assert refused.status_code == 422
    assert KEY not in refused.text
    assert "cannot be imported" in refused.text


async def test_llm_model_decides_nothing_with_probabilities(api: Api) -> None:
    chosen = LLMSettings()
    assert api.runtime.model("decide", DEFAULT_WORKSPACE, chosen) is None
    assert api.runtime.model("reflect", DEFAULT_WORKSPACE, chosen) is not None
