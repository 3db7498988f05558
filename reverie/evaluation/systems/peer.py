"""A peer in this process's care: its program in the peers' environment, on a database of its own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from reverie.evaluation.conversations import Conversation, Question
from reverie.evaluation.peers.environment import PACKAGES, PROGRAMS, NotInstalled, environment
from reverie.evaluation.records import Lines
from reverie.evaluation.systems.base import Context, Found, SystemUnavailable, line_of, packed_found
from service.db import embedded

PEERS = ("mem0", "langgraph")
ANSWER = "answer: "
CONTEXT_RESULTS = 100
SHARED = "REVERIE_BENCH_DIR"
"""Names a folder whose environment of peers all runs share; unset: each run makes its own."""


class Peer:
    """One peer. ``notes`` keeps what it has taken in, over kills."""

    def __init__(self, name: str, process: subprocess.Popen[str], notes: Lines, log: Path) -> None:
        self._name = name
        self._process = process
        self._notes = notes
        self._log = log
        self._known = {line["agent"] for line in notes.read()}
        self._answer()

    def ingest(self, conversation: Conversation) -> None:
        """Hand over the turns, with their days in the text, as they come."""
        if conversation.agent not in self._known:
            turns = [[turn.id, line_of(turn)] for turn in conversation.turns]
            self._ask({"do": "ingest", "agent": conversation.agent, "turns": turns})
            self._notes.append({"agent": conversation.agent})
            self._known.add(conversation.agent)

    def search(self, conversation: Conversation, question: Question, limit: int) -> list[Found]:
        """Return what the peer's own search returns."""
        asked = {"do": "search", "agent": conversation.agent, "query": question.text, "limit": limit}
        return [Found((id_,), "") for id_ in self._ask(asked)]

    def context(self, conversation: Conversation, question: Question, tokens_max: int) -> Context:
        """Return the best turns that fit: it assembles no context."""
        return packed_found(conversation, self.search(conversation, question, CONTEXT_RESULTS), tokens_max)

    def described(self) -> dict[str, str]:
        """Return its packages."""
        return {self._name: ", ".join(one for one in PACKAGES if one.startswith(self._name))}

    def _ask(self, request: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(ANSWER):
                return json.loads(line.removeprefix(ANSWER))
        said = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["it ended"]
        raise SystemUnavailable(f"its program failed: {said[-1]}")


@contextmanager
def peer(name: str, folder: Path) -> Iterator[Peer]:
    """Yield a peer, until the block ends. Raises SystemUnavailable where it cannot be installed or does not start."""
    try:
        python = environment(Path(os.environ.get(SHARED, folder)) / "peers")
    except NotInstalled as error:
        raise SystemUnavailable(str(error)) from None
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    log = home / "stderr.log"
    quiet = {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(home), "LANGSMITH_TRACING": "false"}
    with embedded.use(folder / "service" / "postgres") as server, log.open("wb") as stderr:
        asyncio.run(_database(server.url, f"eval_{name}"))
        process = subprocess.Popen(
            [python, PROGRAMS / f"{name}_program.py", embedded.database_url(server.url, f"eval_{name}"), home],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, encoding="utf-8",
            env=os.environ | quiet,
        )  # fmt: skip
        try:
            yield Peer(name, process, Lines(home / "ingested.jsonl"), log)
        finally:
            process.kill()
            process.wait()


async def _database(server_url: str, name: str) -> None:
    connection = await asyncpg.connect(server_url)
    try:
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
            await connection.execute(f"CREATE DATABASE {name}")
    finally:
        await connection.close()
