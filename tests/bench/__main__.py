"""``python -m tests.bench [part …]``: run the benchmarks and print their tables. Without a part: all of them."""

from __future__ import annotations

import argparse
import importlib
import time

from service.startup import configure_logging
from tests.bench.environment import Skipped, open_place
from tests.bench.machine import describe
from tests.bench.report import console

PARTS = {
    "quality": "LoCoMo and LongMemEval: recall, nDCG, MRR, per embedder and fusion",
    "parts": "what each part of the ranking is worth: recall@10 of all sets by leaving one out",
    "storage": "ways to keep vectors: what each finds, costs and takes",
    "speed": "searches at 2,000 memories and in a database of 500,000",
    "writes": "single and batch writes, beside bare inserts",
    "peers": "the same work through mem0, LangGraph's store and Hindsight's server",
    "dream": "messages a second of a dream by rules, and what dreams are worth to search",
    "contexts": "how much of the evidence contexts of 400 to 4,000 tokens show, windows whole and folded",
    "proxy": "what memory adds to a chat completion",
    "middleware": "the TypeScript client: size by entry point, and what its AI SDK middleware adds to a call",
    "models": "the embedding model changed under load, the worker killed halfway",
    "tenants": "one workspace among 1,000",
    "users": "one agent with 1,000 users: searches for a user, about one and for everybody",
    "worst": "one tenant's worst requests, and another's searches beside them",
    "scale": "an agent of constant size among 100 to 1,000,000 memories",
    "trust": "secrets found and texts taken for one, by kind",
    "soak": "mixed load for ten minutes (SOAK_S seconds): memory and connections",
    "studio": "the Studio in a browser: first paint, route changes, frames of long lists and large graphs",
    "kills": "60 rounds (KILLS_ROUNDS) of kill -9 of each process of `make run` under writers: what is lost",
    "transfer": "100,000 memories exported and imported: time, and memory of the processes",
}


def main() -> None:
    """Run the parts named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", formatter_class=argparse.RawTextHelpFormatter)
    known = "\n".join(f"{name:10} {purpose}" for name, purpose in PARTS.items())
    parser.add_argument("parts", nargs="*", metavar="part", help=known)
    parser.add_argument("--prepare", action="store_true", help="only make what the parts keep between runs")
    given = parser.parse_args()
    chosen = given.parts or list(PARTS)
    if unknown := [part for part in chosen if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    configure_logging("error")
    with open_place() as place:
        console.print(describe(place), soft_wrap=True)
        for part in chosen:
            console.rule(f"[bold]{part}")
            started = time.monotonic()
            try:
                module = importlib.import_module(f"tests.bench.{part}")
                if not given.prepare:
                    module.run(place)
                elif hasattr(module, "prepare"):
                    module.prepare(place)
            except Skipped as reason:
                console.print(f"skipped: {reason}", soft_wrap=True)
            console.print(f"[dim]{part} took {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
