"""What Prometheus scrapes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from service.domain.principal import KeyGrant
from service.errors import Unavailable
from service.first_start import key_in_workspace
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.worker.dreaming import dream, model, say


async def scraped(api: Api) -> dict[str, float]:
    answer = await api.call("GET", "/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    return {name: float(value) for name, value in re.findall(r"^(reverie_\S+) (\S+)$", answer.text, re.MULTILINE)}


async def test_requests_searches_dreams_and_queues_are_measured(api: Api) -> None:
    await api.save("The ferry leaves at nine", user="u1")
    await api.search("ferry")
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    await api.post("/v1/agents/a/dream", {})
    found = await scraped(api)
    assert found['reverie_http_request_duration_seconds_count{method="POST",route="/v1/memories",status="201"}'] == 1
    assert found['reverie_search_duration_seconds_count{degraded="yes",strategy="hybrid"}'] == 1
    assert found['reverie_dreams_total{outcome="succeeded"}'] == 1
    assert found['reverie_dependency_up{component="database"}'] == 1
    assert found['reverie_dependency_up{component="workers"}'] == 0
    assert found["reverie_dream_queue_length"] == 1
    assert found['reverie_pool_connections{state="max"}'] >= 1


async def test_it_needs_a_key_and_goes_on_with_it_while_the_database_is_away(api: Api) -> None:
    assert (await api.http.get("/metrics")).status_code == 401
    assert await replace(api, key="no key of anybody").status("GET", "/metrics") == 401
    other = await api.as_role("admin")
    await scraped(api)

    def gone() -> Any:
        raise Unavailable

    api.runtime.db.unscoped = gone  # type: ignore[method-assign]
    assert (await scraped(api))['reverie_dependency_up{component="database"}'] == 0
    assert await other.status("GET", "/metrics") == 503


async def test_the_numbers_of_all_workspaces_are_for_admins_of_the_default_one(api: Api, settings: Settings) -> None:
    tenant = replace(api, key=await key_in_workspace(settings, KeyGrant("admin", "tenant"), "tenant"))
    callers = [
        await api.as_role("agent", "a"), await api.as_role("reader"), tenant, await tenant.as_role("agent", "a"),
        await tenant.as_role("reader"),
    ]  # fmt: skip
    for caller in callers * 2:
        answer = await caller.call("GET", "/metrics")
        assert answer.status_code == 403
        assert "reverie_" not in answer.text
    assert (await scraped(await api.as_role("admin")))['reverie_dependency_up{component="database"}'] == 1

    def gone() -> Any:
        raise Unavailable

    api.runtime.db.unscoped = gone  # type: ignore[method-assign]
    assert {await caller.status("GET", "/metrics") for caller in callers} == {503}


async def test_no_label_names_anybody(api: Api) -> None:
    await api.save("Something", agent="agent-of-somebody", user="somebody")
    await api.call("GET", "/v1/agents/agent-of-somebody")
    await api.call("GET", "/no/such/somebody")
    await api.call("BREW", "/v1/memories")
    text = (await api.call("GET", "/metrics")).text
    assert "somebody" not in text
    assert "BREW" not in text


async def test_counters_and_nothing_else_are_named_total(api: Api) -> None:
    with FakeOpenAI() as server:
        api.runtime.llm = model(server)
        text = (await api.call("GET", "/metrics")).text
    kinds = dict(re.findall(r"^# TYPE (reverie_\S+) (\S+)$", text, re.MULTILINE))
    assert {"reverie_dreams_total", "reverie_dead_letters_total", "reverie_llm_tokens_total"} < set(kinds)
    counters = {name for name, kind in kinds.items() if kind == "counter"}
    assert {name for name in kinds if name.endswith("_total")} == counters
    assert len(kinds) == text.count("# TYPE reverie_")
