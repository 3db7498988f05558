"""What the proxy adds to a chat completion: the model alone, through the proxy without memory, and with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvloop

from tests.bench import corpus
from tests.bench.environment import ADMIN_KEY, Place, free_port
from tests.bench.measure import HttpClient, Latencies, Way, in_turn
from tests.bench.report import console, show

CALLS = 300
WARM_UP = 50
MEMORIES = 2_000
CHAT = "/v1/chat/completions"


def run(place: Place) -> None:
    """Print the latency of a completion by a model that answers at once, and what each way adds to it."""
    url = place.fresh("bench_proxy")
    with console.status(f"{MEMORIES:,} memories"):
        corpus.fill(place.settings(url, "static"), (corpus.Share("a", MEMORIES),))
    with _model(place) as model, place.serving(url, LLM_API_BASE=f"http://127.0.0.1:{model}/v1") as port:
        _prepare(port)
        taken = uvloop.run(_measure(model, port))
    alone = taken["the model alone"].p50
    show(
        f"A chat completion by a model that answers at once; the agent has {MEMORIES:,} memories, static embedder",
        ["way", "p50 ms", "p95 ms", "added to p50, ms"],
        [[name, one.p50, one.p95, one.p50 - alone] for name, one in taken.items()],
    )
    place.drop("bench_proxy")


@contextmanager
def _model(place: Place) -> Iterator[int]:
    port = free_port()
    with place.process(
        port, "-m", "uvicorn", "tests.bench.instant_llm:app", "--log-level", "error", "--port", str(port)
    ):
        yield port


def _prepare(port: int) -> None:
    """Turn the proxy on, and give the agent what a context has: who it is, a user's preferences, a bulletin."""
    with httpx.Client(
        base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {ADMIN_KEY}"}, timeout=60
    ) as api:
        memories = [
            {"agent": "a", "type": "identity", "content": "The assistant is called Iris and answers briefly."},
            *(
                {"agent": "a", "type": "preference", "user": "u1", "content": f"Likes {what}."}
                for what in ("tea", "trains", "rain")
            ),
        ]
        calls: list[tuple[str, str, Any]] = [
            ("PUT", "/v1/settings", {"proxy": {"enabled": True, "models": ["*"]}}),
            ("POST", "/v1/memories/batch", {"items": memories}),
            ("POST", "/v1/agents/a/bulletin", {}),
        ]
        for method, path, body in calls:
            api.request(method, path, json=body).raise_for_status()


async def _measure(model: int, port: int) -> dict[str, Latencies]:
    asked = corpus.queries("a", MEMORIES, CALLS + WARM_UP)

    def body(number: int) -> dict[str, Any]:
        return {"model": "m", "messages": [{"role": "user", "content": asked[number]}]}

    async with HttpClient(model) as upstream, HttpClient(port) as plain, HttpClient(port) as remembering:

        def way(client: HttpClient, **headers: str) -> Way:
            return lambda number: client.post(CHAT, body(number), headers)

        on = {"X-Reverie-Agent": "a", "X-Reverie-User": "u1"}
        off = on | {"X-Reverie-No-Memory": "1"}
        return await in_turn(
            {
                "the model alone": way(upstream),
                "through the proxy, without memory": way(plain, **off),
                "with memory, a new conversation": way(remembering, **on),
                "with memory, one conversation": way(remembering, **on, **{"X-Reverie-Session": "s"}),
            },
            CALLS,
            warm_up=WARM_UP,
        )
