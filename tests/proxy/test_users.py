"""Users through the proxy, in each of its formats: nothing of one reaches the prompts of another."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, Json
from tests.proxy.wire_clients import CHAT, MESSAGES, RESPONSES, Wire
from tests.three_users import AGENT, QUERY, SESSION, USERS, heard, prepare, visible

pytestmark = pytest.mark.parametrize("wire", [CHAT, RESPONSES, MESSAGES], ids=repr)
every_reply = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


async def asked(api: Api, wire: Wire, models: FakeModels, **said: Any) -> tuple[str, Any]:
    """What the model was sent, and for whom the answer says that was recalled."""
    body, headers = wire.ask(QUERY) | said.pop("body", {}), {"X-Reverie-Agent": AGENT} | said
    answer = await api.call("POST", wire.path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-reverie-memory"] == "degraded", "on, but without an embedder"
    return json.dumps(models.requests(wire.name)[-1]), json.loads(answer.headers["x-reverie-memory-viewer"])


@every_reply
async def test_what_is_recalled(wired: Api, models: FakeModels, wire: Wire, stream: bool) -> None:
    await prepare(wired)
    stated: Json = {"stream": True} if stream else {}
    for user in USERS:
        made = await wired.post("/v1/keys", {"role": "agent", "agent": AGENT, "name": user, "user": user})
        bound = replace(wired, key=made["key"])
        named = {"X-Reverie-User": user}
        other = _user_of(wire, "somebody")
        for caller, headers, body in (
            (wired, named, {}),
            (wired, {}, _user_of(wire, user)),
            (wired, named, other),
            (bound, {}, {}),
            (bound, {"X-Reverie-User": "somebody"}, other),
        ):
            prompt, viewer = await asked(caller, wire, models, body=stated | body, **headers)
            assert viewer == [user]
            assert visible({user}) <= heard(prompt) <= visible({user}, said=True)
    prompt, viewer = await asked(wired, wire, models, body=stated, **{"X-Reverie-Session": SESSION})
    assert viewer == sorted(USERS)
    assert visible(set(USERS)) <= heard(prompt) <= visible(set(USERS), said=True)
    prompt, viewer = await asked(wired, wire, models, body=stated)
    assert viewer == "nobody"
    assert heard(prompt) == visible(set())


@every_reply
async def test_turns_belong_to_those_in_the_session(wired: Api, models: FakeModels, wire: Wire, stream: bool) -> None:
    await prepare(wired)
    body = {"stream": True} if stream else {}
    in_session = {"X-Reverie-Session": SESSION}
    await asked(wired, wire, models, body=body, **in_session, **{"X-Reverie-User": "anna"})
    await asked(wired, wire, models, body=body, **in_session)
    await asked(wired, wire, models, body=body, **{"X-Reverie-User": "anna", "X-Reverie-Session": "own"})
    for session, owners in ((SESSION, sorted(USERS)), ("own", ["anna"])):
        turns = (await wired.get(f"/v1/sessions/{session}/messages", agent=AGENT, order="desc", limit=2))["items"]
        assert [turn["owners"] for turn in turns] == [owners, owners]


def _user_of(wire: Wire, user: str) -> Json:
    return {"metadata": {"user_id": user}} if wire is MESSAGES else {"user": user}
