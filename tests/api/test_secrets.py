"""Secrets in whatever is written: masked by default, refused or held back where the workspace says so."""

from __future__ import annotations

import json
from random import Random
from uuid import uuid4

import pytest

from tests.live_api import Api
from tests.pg_dump import dump
from tests.privacy.secret_corpus import PASSWORDS, TOKENS

SEED = 29


def _token(kind: str = "github_token") -> str:
    return TOKENS[kind](Random(f"{SEED}{kind}"))


async def test_a_memory_keeps_no_secret_and_is_found_without_it(api: Api) -> None:
    token = _token()
    saved = await api.save(
        f"The deploy bot uses {token}", metadata={"env": {"DB_PASSWORD": "tr0ub4dor & 3"}, token: [1]},
        source={"call": json.dumps({"api_key": _token("stripe_key")})}, tags=["bot", token],
    )  # fmt: skip
    assert saved["content"] == "The deploy bot uses [SECRET:github_token]"
    assert saved["metadata"] == {"env": {"DB_PASSWORD": "[SECRET:password]"}, "[SECRET:github_token]": [1]}
    assert json.loads(saved["source"]["call"]) == {"api_key": "[SECRET:stripe_key]"}
    assert saved["tags"][1].startswith("[SECRET:github_token:")
    found = await api.search(f"which bot uses {token}", agent="a", min_relevance=0)
    assert [hit["id"] for hit in found] == [saved["id"]]
    by_tag = await api.get("/v1/memories", agent="a", tag=token)
    assert [one["id"] for one in by_tag["items"]] == [saved["id"]]


async def test_messages_of_every_form_keep_no_secret(api: Api, database_url: str) -> None:
    token, key, password = _token("openai_key"), _token("anthropic_key"), "Xk9!mmzQ4"
    call = {"name": "login", "arguments": json.dumps({"user": "ann", "password": password, "keys": [{key: token}]})}
    said = [
        {"role": "user", "content": f"hier mein schlüssel {token} danke"},
        {"role": "assistant", "content": [{"type": "text", "text": f"ok {key}"}, {"tool_calls": [{"function": call}]}]},
        {"role": "tool", "content": {"headers": {"Set-Cookie": "sid=9f86d081884c7d659a2feaa0c55a; Path=/"}, token: 1}},
        {"role": "user", "content": f"my passw0rd... i mean my password is {password}"},
    ]  # fmt: skip
    answer = await api.post("/v1/sessions/s/messages", {"agent": "a", "user": "ann", "messages": said})
    kept = (await api.get("/v1/sessions/s/messages", agent="a"))["items"]
    assert len(kept) == 4
    assert "[SECRET:" in str(answer) + str(kept)
    written = dump(database_url)
    assert [one for one in (token, key, password) if one in written] == []


async def test_documents_and_imports_keep_no_secret(api: Api, database_url: str) -> None:
    pem, url = _token("private_key"), PASSWORDS["mongodb_url"](Random(2))
    text = "The gate squeaks.\n\n" * 400 + f"{pem}\n\n" + "The gate squeaks.\n\n" * 400 + url
    await api.post("/v1/documents", {"agent": "a", "title": f"Notes on {_token('vault_token')}", "text": text})
    line = {
        "record": "memory", "agent": "a", "id": str(uuid4()), "type": "fact", "content": f"Bo signs with {pem}",
        "metadata": {"cookie": "session=9f86d081884c7d659a2feaa0c55ad015"},
    }  # fmt: skip
    answer = await api.call("POST", "/v1/import", content=json.dumps(line))
    assert answer.json()["created"] == 1
    written = dump(database_url)
    body = [part for part in pem.split("\n") if "-----" not in part]
    assert [one for one in (*body, url.split(":")[2].split("@")[0], "9f86d081884c7d659a2feaa0") if one in written] == []
    memory = await api.get(f"/v1/memories/{line['id']}")
    assert memory["content"] == "Bo signs with [SECRET:private_key]"


async def test_a_workspace_that_refuses_secrets_names_field_and_kind(api: Api, database_url: str) -> None:
    await api.put("/v1/settings", {"secrets": {"mode": "reject"}})
    token = _token("slack_token")
    wrong = [
        ("/v1/memories", {"agent": "a", "type": "fact", "content": f"it is {token}"}, ["body", "content"]),
        ("/v1/memories", {"agent": "a", "type": "fact", "content": "x", "tags": [token]}, ["body", "tags"]),
        ("/v1/memories", {"agent": "a", "type": "fact", "content": "x", "metadata": {"a": [{"b": token}]}},
         ["body", "metadata"]),
        ("/v1/sessions/s/messages", {"agent": "a", "messages": [{"role": "tool", "content": {token: 1}}]},
         ["body", "messages", 0, "content"]),
    ]  # fmt: skip
    for path, body, loc in wrong:
        answer = await api.call("POST", path, json=body)
        assert answer.status_code == 422, path
        assert answer.json()["errors"][0]["loc"] == loc
        assert "slack_token" in answer.text
        assert token not in answer.text
    assert token not in dump(database_url)
    assert await api.search(f"who has {token}") == []


async def test_a_workspace_may_keep_secrets(api: Api) -> None:
    await api.put("/v1/settings", {"secrets": {"mode": "off"}})
    token = _token()
    assert (await api.save(f"it is {token}"))["content"] == f"it is {token}"


async def test_neither_logs_nor_events_nor_the_audit_log_have_the_value(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    token = _token("groq_key")
    await api.put("/v1/settings", {"instructions": f"Call with {token}", "secrets": {"mode": "redact"}})
    memory = await api.save(f"the key is {token}", key=f"key of {token}", user=token)
    await api.patch(
        f"/v1/memories/{memory['id']}",
        {"content": f"no longer {token}", "reason": f"leaked {token}", "version": memory["version"]},
    )
    audit = await api.get("/v1/audit")
    history = await api.get(f"/v1/memories/{memory['id']}/history")
    settings = await api.get("/v1/settings")
    assert token not in str(audit) + str(history) + str(settings) + caplog.text
    assert "[SECRET:groq_key]" in str(history)
    assert settings["instructions"] == "Call with [SECRET:groq_key]"


async def test_found_secrets_are_counted_by_kind_and_mode(api: Api) -> None:
    await api.save(f"the bot has {_token('groq_key')}")
    await api.put("/v1/settings", {"secrets": {"mode": "reject"}})
    body = {"agent": "a", "type": "fact", "content": f"it is {_token('groq_key')}"}
    assert await api.status("POST", "/v1/memories", json=body) == 422
    lines = (await api.call("GET", "/metrics")).text.split("\n")
    found = {line.split(" ")[0] for line in lines if line.startswith("reverie_secrets_found_total{")}
    assert found == {
        'reverie_secrets_found_total{kind="groq_key",mode="redact"}',
        'reverie_secrets_found_total{kind="groq_key",mode="reject"}',
    }
