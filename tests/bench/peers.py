"""The same work through mem0 and LangGraph's store: same Postgres, same texts, same embedder, same run.

The peers live in a virtual environment of their own under the benchmark's folder, made at the first run; without a
package index they are skipped.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import venv
from pathlib import Path
from typing import Any

import uvloop

from service.runtime import open_runtime
from tests.bench import corpus, speed, writes
from tests.bench.measure import HttpClient, per_second
from tests.bench.place import Place, Skipped
from tests.bench.report import Cell, console, show

PACKAGES = (
    "mem0ai==2.2.1",
    "langgraph-checkpoint-postgres==3.2.0",
    "langgraph==1.2.22",
    "psycopg[binary,pool]",
    "wordllama",
)
PROGRAMS = Path(__file__).parent / "peer_programs"
STANDING = 2_000
CALLS = 200
CLIENTS = 8
SECONDS = 4.0


def prepare(place: Place) -> Path:
    """The peers' environment."""
    return environment(place)


def run(place: Place) -> None:
    """Print searches and writes of Reverie and of each peer. Raises Skipped when the peers cannot be installed."""
    python = prepare(place)
    texts = list(itertools.islice(corpus.texts("a", 10**9), 60_000))
    queries = corpus.queries("a", STANDING, CALLS + speed.WARM_UP)
    found: dict[str, dict[str, Any]] = {}
    with console.status("Reverie"):
        url = place.fresh("bench_peers")
        corpus.fill(place.settings(url, "static"), (corpus.Share("a", STANDING),))
        found |= uvloop.run(_reverie(place, url, queries))
    for name, program in (
        ("mem0, in-process", "mem0_program.py"),
        ("LangGraph store, in-process", "langgraph_program.py"),
    ):
        with console.status(name):
            found[name] = _peer(place, python, program, texts, queries)
    place.drop("bench_peers")
    versions = ", ".join(package for package in PACKAGES if "==" in package)
    rows: list[list[Cell]] = [
        [name, *(one[key] for key in ("kind", "p50", "p95", "searches", "write", "writes", "batch"))]
        for name, one in found.items()
    ]
    show(
        f"{STANDING:,} memories of one agent, top 10, static embedder everywhere ({versions})",
        [
            "system",
            "search",
            "p50 ms",
            "p95 ms",
            f"searches/s, {CLIENTS}",
            "writes/s, 1",
            f"writes/s, {CLIENTS}",
            "batch, memories/s",
        ],
        rows,
    )


def environment(place: Place) -> Path:
    """The Python of the peers' virtual environment. Raises Skipped when it cannot be made."""
    folder = place.folder / "peers"
    python = folder / "bin" / "python"
    marker = folder / "installed"
    if marker.exists() and marker.read_text() == "\n".join(PACKAGES):
        return python
    with console.status("installing the peers, once"):
        venv.create(folder, with_pip=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *PACKAGES], capture_output=True, text=True, check=False
        )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["pip failed"]
        raise Skipped(f"the peers cannot be installed: {reason[0]}")
    marker.write_text("\n".join(PACKAGES))
    return python


async def _reverie(place: Place, url: str, queries: list[str]) -> dict[str, dict[str, Any]]:
    contents = corpus.texts("writes", 10**9)
    found: dict[str, dict[str, Any]] = {}
    async with open_runtime(place.settings(url, "static"), "bench-peers") as engine:
        with place.serving(url) as port:
            clients = [await HttpClient(port).__aenter__() for _ in range(CLIENTS)]
            taken = await speed.side_by_side(engine, port, "a", queries)
            bodies = [{"agent": "a", "query": text} for text in queries]

            def searching(client: HttpClient) -> Any:
                return lambda number: client.post("/v1/memories/search", bodies[number % len(bodies)])

            saving = [writes.over_http(client, contents) for client in clients]
            # All searches first, as the peers do: every save makes the later ones search more.
            http = await per_second([searching(client) for client in clients], SECONDS)
            in_process = await per_second([speed.use_case(engine, "a", queries)] * CLIENTS, SECONDS)
            found["Reverie, over HTTP"] = {
                "kind": "hybrid",
                "p50": taken["HTTP"].p50,
                "p95": taken["HTTP"].p95,
                "searches": http,
                "write": await per_second(saving[:1], SECONDS),
                "writes": await per_second(saving, SECONDS),
                "batch": await writes.batches_per_second([writes.post_batch(clients[0])], contents, 100),
            }
            for client in clients:
                await client.__aexit__()
            found["Reverie, in-process"] = {
                "kind": "hybrid",
                "p50": taken["use case"].p50,
                "p95": taken["use case"].p95,
                "searches": in_process,
                "write": await per_second([writes.use_case(engine, contents)], SECONDS),
                "writes": await per_second([writes.use_case(engine, contents)] * CLIENTS, SECONDS),
                "batch": await writes.batches_per_second([writes.save_batch(engine)], contents, 100),
            }
    return found


def _peer(place: Place, python: Path, program: str, texts: list[str], queries: list[str]) -> dict[str, Any]:
    """Run one peer's program on an empty database of its own."""
    url = place.empty("bench_peer")
    folder = place.folder / "peer-work"
    folder.mkdir(exist_ok=True)
    for left_over in folder.iterdir():
        left_over.unlink()
    work = {
        "url": url,
        "folder": str(folder),
        "texts": texts,
        "queries": queries,
        "standing": STANDING,
        "calls": CALLS,
        "clients": CLIENTS,
        "seconds": SECONDS,
    }
    (folder / "work.json").write_text(json.dumps(work), encoding="utf-8")
    done = subprocess.run(
        [python, PROGRAMS / program, folder / "work.json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=os.environ | {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "LANGSMITH_TRACING": "false"},
    )
    place.drop("bench_peer")
    if done.returncode:
        raise Skipped(f"{program} failed: {done.stderr.strip().splitlines()[-1]}")
    figures: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures | {"kind": "vectors and words" if "mem0" in program else "vectors only"}
