"""Secrets in what passes the proxy: the model gets them, the copy that is kept does not."""

from __future__ import annotations

import json
from random import Random

import pytest

from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, Json
from tests.pg_dump import dump
from tests.privacy.secret_corpus import TOKENS
from tests.proxy.wire_clients import CHAT, MESSAGES, RESPONSES, Wire

HEADERS = {"X-Reverie-Session": "s", "X-Reverie-Agent": "iris"}


def _conversation(wire: Wire, said: str, argument: str, result: str) -> Json:
    """A turn in which a tool was called, with JSON in its arguments and in its result."""
    arguments = {"body": json.dumps({"auth": {"key": [argument]}})}
    output = json.dumps({"stdout": json.dumps({"env": result})})
    if wire is CHAT:
        call = {"id": "c1", "type": "function", "function": {"name": "login", "arguments": json.dumps(arguments)}}
        messages = [
            {"role": "user", "content": f"log in with {said}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": output},
        ]
        return {"model": "m", "messages": messages}
    if wire is RESPONSES:
        items = [
            {"role": "user", "content": [{"type": "input_text", "text": f"log in with {said}"}]},
            {"type": "function_call", "call_id": "c1", "name": "login", "arguments": json.dumps(arguments)},
            {"type": "function_call_output", "call_id": "c1", "output": output},
        ]
        return {"model": "m", "input": items}
    use = {"type": "tool_use", "id": "c1", "name": "login", "input": arguments}
    messages = [
        {"role": "user", "content": f"log in with {said}"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": output}]},
    ]
    return {"model": "claude-x", "max_tokens": 100, "messages": messages}


@pytest.mark.parametrize("wire", [CHAT, RESPONSES, MESSAGES], ids=repr)
@pytest.mark.parametrize("mode", ["off", "redact", "quarantine", "reject"])
async def test_the_copy_that_is_kept_has_no_secret(
    wired: Api, models: FakeModels, database_url: str, wire: Wire, mode: str
) -> None:
    await wired.put("/v1/settings", {"secrets": {"mode": mode}})
    random = Random(f"{wire} {mode}")
    secrets = [TOKENS[kind](random) for kind in ("github_token", "stripe_key", "openai_key", "slack_token")]
    models.say({"name": "login", "arguments": {"key": secrets[1]}}, f"It worked with {secrets[3]}.")
    await wired.call("POST", wire.path, json=wire.ask(f"log in with {secrets[0]}"), headers=HEADERS)
    answer = await wired.call("POST", wire.path, json=_conversation(wire, *secrets[:3]), headers=HEADERS)
    assert answer.status_code == 200
    assert secrets[3] in answer.text
    assert secrets[0] in str(models.requests(wire.name)[1])
    assert answer.headers["x-reverie-memory"] == ("failed" if mode == "reject" else "degraded")
    if mode != "reject":
        assert (await wired.get("/v1/sessions/s/messages", agent="iris"))["items"] != []
    written = dump(database_url)
    kept = [secret for secret in secrets if secret in written]
    assert kept == ([] if mode != "off" else secrets)
