"""Personal data stops before anything is stored, embedded, logged or sent."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import spacy

from service.domain.workspace import ALL_PII
from service.privacy.redactor import DEFAULT_ENTITIES, NAME_ENTITIES, PiiPolicy, Redactor, RedactorUnavailable
from tests.live_api import Api, Tenant
from tests.tables import table

EMAIL = "ada.q7@secret-host.example"
PHONE = "+4915112345678"
CARD = "4111 1111 1111 1111"
SSN = "123-45-6789"
IBAN = "DE89370400440532013000"
IP = "203.0.113.77"
RAW = (EMAIL, PHONE, CARD, SSN, IBAN, IP)
ORDER = "1234 5678 9012 3456"
MEMORY: dict[str, Any] = {"agent": "a", "type": "fact", "content": "plain"}


def test_the_settings_know_every_kind_of_the_redactor() -> None:
    assert (*DEFAULT_ENTITIES, *NAME_ENTITIES) == ALL_PII


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.fixture
async def redacting(api: Tenant) -> Tenant:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    return api


@pytest.fixture
async def rejecting(api: Tenant) -> Tenant:
    await api.put("/v1/settings", {"pii": {"mode": "reject"}})
    return api


async def test_off_by_default(api: Tenant) -> None:
    assert (await api.save(f"Write to {EMAIL}"))["content"] == f"Write to {EMAIL}"


async def test_every_text_of_a_memory_is_masked(redacting: Tenant) -> None:
    saved = await redacting.save(
        f"Write to {EMAIL}, order {ORDER}",
        summary=f"call {PHONE}",
        key=f"card {CARD}",
        tags=[f"ssn {SSN}", "plain"],
        metadata={"bank": {IBAN: [IBAN]}},
        source={"from": EMAIL},
        links=[{"relation": "about", "entity": {"name": f"host {IP}"}}],
    )
    assert saved["content"] == f"Write to <EMAIL_ADDRESS>, order {ORDER}"
    text = json.dumps([saved, await redacting.get("/v1/entities", agent="a")])
    assert not [value for value in RAW if value in text]
    assert re.fullmatch(r"card <CREDIT_CARD:[0-9a-f]{24}>", saved["key"])
    assert re.fullmatch(r"ssn <US_SSN:[0-9a-f]{24}>", saved["tags"][0])
    assert (await redacting.get("/v1/memories", agent="a", tag=f"ssn {SSN}"))["items"][0]["id"] == saved["id"]
    assert (await redacting.get("/v1/memories", agent="a", q=EMAIL))["items"][0]["id"] == saved["id"]
    changed = await redacting.patch(f"/v1/memories/{saved['id']}", {"version": 1, "content": IP, "reason": EMAIL})
    assert changed["content"] == "<IP_ADDRESS>"
    history = await redacting.get(f"/v1/memories/{saved['id']}/history")
    assert not [value for value in RAW if value in json.dumps(history)]


async def test_messages_are_masked_in_text_and_json(redacting: Tenant) -> None:
    parts = [{"type": "text", "text": f"I am at {EMAIL}"}, {"phone": PHONE}]
    body = {"agent": "a", "messages": [{"role": "user", "content": EMAIL}, {"role": "user", "content": parts}]}
    stored = await redacting.post("/v1/sessions/s/messages", body)
    assert stored["messages"][0]["content"] == "<EMAIL_ADDRESS>"
    assert stored["messages"][1]["content"][0]["text"] == "I am at <EMAIL_ADDRESS>"
    assert not [value for value in RAW if value in json.dumps(stored)]


async def test_a_refusal_names_the_field_and_nothing_is_written(rejecting: Tenant) -> None:
    with table() as row:
        for field, value in [
            ("content", EMAIL),
            ("summary", EMAIL),
            ("key", EMAIL),
            ("tags", ["x", EMAIL]),
            ("metadata", {"x": EMAIL}),
            ("source", {"x": [EMAIL]}),
        ]:
            with row(field, value):
                single = await rejecting.call("POST", "/v1/memories", json={**MEMORY, field: value})
                batch = await rejecting.call(
                    "POST", "/v1/memories/batch", json={"items": [MEMORY, {**MEMORY, field: value}]}
                )
                for answer, loc in ((single, ["body", field]), (batch, ["body", "items", 1, field])):
                    assert answer.status_code == 422
                    assert answer.json()["errors"][0]["loc"] == loc
                    assert EMAIL not in answer.text
                    assert "EMAIL_ADDRESS" in answer.text
                assert (await rejecting.get("/v1/memories"))["items"] == []


async def test_a_refused_message_is_named_by_its_place(rejecting: Tenant) -> None:
    body = {"agent": "a", "messages": [{"role": "user", "content": "fine"}, {"role": "user", "content": EMAIL}]}
    answer = await rejecting.call("POST", "/v1/sessions/s/messages", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["body", "messages", 1, "content"]
    assert (await rejecting.get("/v1/sessions"))["items"] == []


async def test_a_search_is_masked_but_never_refused(rejecting: Tenant) -> None:
    await rejecting.save("The address is not known")
    assert await rejecting.search(f"address {EMAIL}")


async def test_only_the_kinds_asked_for(api: Tenant) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact", "entities": ["EMAIL_ADDRESS"]}})
    assert (await api.save(f"{EMAIL} {IP}"))["content"] == f"<EMAIL_ADDRESS> {IP}"
    assert await api.status("PUT", "/v1/settings", json={"pii": {"entities": ["SHOE_SIZE"]}}) == 422


async def test_a_change_of_the_setting_is_in_effect_on_the_next_call(api: Tenant) -> None:
    for mode, kept in (("redact", "<EMAIL_ADDRESS> 1"), ("off", f"{EMAIL} 2")):
        await api.put("/v1/settings", {"pii": {"mode": mode}})
        assert (await api.save(f"{EMAIL} {kept[-1]}"))["content"] == kept


async def test_a_mask_that_bursts_a_bound_is_refused(redacting: Tenant) -> None:
    answer = await redacting.call("POST", "/v1/memories", json={**MEMORY, "content": "a@b.co " * 1_100})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["body", "content"]


async def test_without_a_working_redactor_nothing_is_written(own_api: Api) -> None:
    redacting = own_api
    await redacting.put("/v1/settings", {"pii": {"mode": "redact"}})
    missing = f"/models/{EMAIL}"  # spaCy names it in its error
    redacting.runtime.redactor = Redactor(missing)
    body = {"agent": "a", "messages": [{"role": "user", "content": "hello"}]}
    for path, sent in (("/v1/memories", MEMORY), ("/v1/sessions/s/messages", body)):
        answer = await redacting.call("POST", path, json=sent)
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert EMAIL not in answer.text
    assert (await redacting.get("/v1/sessions"))["items"] == []
    assert (await redacting.get("/v1/memories"))["items"] == []
    with pytest.raises(RedactorUnavailable):
        await redacting.runtime.redactor.redact(["x"], PiiPolicy("redact", ALL_PII))
    with pytest.raises(OSError, match=EMAIL):
        spacy.load(missing)
