"""What the TypeScript client weighs, by entry point, and what its middleware adds to a call of a model."""

from __future__ import annotations

import gzip
import json
import re
import statistics
import tempfile
from pathlib import Path

import pytest

from tests.bench import corpus
from tests.bench.environment import ADMIN_KEY, Place, Skipped
from tests.bench.report import show
from tests.clients.npm import packed
from tests.integrations.typescript.frameworks import Framework, node, project

MEMORIES = 2_000
AI_SDK = Framework("ai-sdk", "ai-sdk")
IMPORTED = re.compile(r'\bfrom "(\.{1,2}/[^"]+)"')


def run(place: Place) -> None:
    """Print both tables. Raises Skipped where Node.js or the packages of the AI SDK are not here."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            archive = packed(Path(folder))
            compiled = project(Path(folder) / "project", AI_SDK, archive, ("test/bench",))
        except pytest.skip.Exception as reason:
            raise Skipped(str(reason)) from reason
        _sizes(archive, compiled.parent / "node_modules" / "@reverie" / "client")
        _latency(place, compiled / "test" / "bench" / "ai-sdk.js")


def _sizes(archive: Path, client: Path) -> None:
    exports = json.loads((client / "package.json").read_text("utf-8"))["exports"]
    entries = {name: one["import"]["default"] for name, one in exports.items() if isinstance(one, dict)}
    core = _modules(client / entries["."])
    rows = []
    for name, path in entries.items():
        modules = _modules(client / path)
        rows.append([name, len(modules), _kilobytes(modules), _kilobytes(modules - core if name != "." else modules)])
    show(
        f"The entry points of @reverie/client; the archive has {archive.stat().st_size / 1000:.0f} kB",
        ["entry", "modules", "all gzipped, kB", "beside the core, kB"],
        rows,
        "ESM as built, neither bundled nor minified, without the frameworks",
    )


def _modules(entry: Path) -> set[Path]:
    """A module and all that it imports of the client."""
    found: set[Path] = set()
    open_ = [entry.resolve()]
    while open_:
        module = open_.pop()
        if module not in found:
            found.add(module)
            open_ += [(module.parent / name).resolve() for name in IMPORTED.findall(module.read_text("utf-8"))]
    return found


def _kilobytes(modules: set[Path]) -> float:
    return len(gzip.compress(b"".join(path.read_bytes() for path in sorted(modules)))) / 1000


def _latency(place: Place, program: Path) -> None:
    url = place.fresh("bench_middleware")
    corpus.fill(place.settings(url, "static"), (corpus.Share("a", MEMORIES),))
    with place.serving(url) as port:
        given = {"REVERIE_URL": f"http://127.0.0.1:{port}", "REVERIE_API_KEY": ADMIN_KEY}
        taken: dict[str, list[float]] = json.loads(node(program, **given).stdout)
    place.drop("bench_middleware")
    alone = statistics.median(next(iter(taken.values())))
    show(
        f"generateText of the AI SDK with a model that answers at once; the agent has {MEMORIES:,} memories",
        ["way", "p50 ms", "p95 ms", "added to p50, ms"],
        [
            [name, statistics.median(one), statistics.quantiles(one, n=20)[-1], statistics.median(one) - alone]
            for name, one in taken.items()
        ],
    )
