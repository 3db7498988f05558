"""What an evaluation is to do, and the folder in which it is resumed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from service.errors import InvalidInput

SYSTEMS = (
    "reverie", "reverie-messages", "reverie-dreamed", "bm25", "vectors", "full-context", "mem0", "langgraph",
    "hindsight",
)  # fmt: skip
BUDGETS = (500, 1_000, 2_000, 4_000)
PROBES = 50
ANSWER_TOKENS = 2_000
OWN_RUN = "eval"
SHARED_DIGITS = 12
"""Of the name of a run on a shared service. Three digits are always one token, so the names of all runs are as long."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model behind an OpenAI-compatible address."""

    model: str
    url: str


@dataclass(frozen=True, slots=True)
class Answering:
    """How questions are answered and judged: within a context of ``tokens_max``; ``probes``: wrong answers that the
    judge is given to see how many it accepts."""

    answerer: ModelChoice
    judge: ModelChoice
    tokens_max: int = ANSWER_TOKENS
    probes: int = PROBES


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides the figures. Two runs of one plan differ in times alone."""

    set: str
    systems: tuple[str, ...]
    ks: tuple[int, ...] = (5, 10)
    budgets: tuple[int, ...] = BUDGETS
    embedding_model: str = "static"
    answering: Answering | None = None
    conversations_max: int | None = None
    without_wrong_keys: bool = False
    only: str | None = None
    seed: int = 1
    cases: int = 1_000


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of a run. ``run`` begins the names of its agents, which bulletins show: a constant where the service
    is the run's own, so that two runs have the same texts; on a shared service unlike every other."""

    path: Path
    run: str

    @classmethod
    def opened(cls, path: Path, plan: Plan, files: Sequence[Any], *, shared: bool) -> Folder:
        """Return a new folder, or that of a run of the same plan on the same files, which goes on. ``shared``: whether
        other runs may use the same service.

        Raises InvalidInput where it holds another run.
        """
        path = path.resolve()
        path.mkdir(parents=True, exist_ok=True)
        wanted = orjson.loads(orjson.dumps({"plan": asdict(plan), "files": [asdict(one) for one in files]}))
        manifest = path / "run.json"
        if not manifest.exists():
            if any(path.iterdir()):
                raise InvalidInput(("out",), f"{path} is not empty, and holds no evaluation")
            run = f"{secrets.randbelow(10**SHARED_DIGITS):0{SHARED_DIGITS}}" if shared else OWN_RUN
            making = path / "run.json.new"
            making.write_bytes(orjson.dumps({"run": run} | wanted, option=orjson.OPT_INDENT_2))
            making.rename(manifest)
            return cls(path, run)
        kept = orjson.loads(manifest.read_bytes())
        different = [name for part in ("plan", "files") for name in _differing(part, kept.get(part), wanted[part])]
        if different:
            raise InvalidInput(("out",), f"{path} holds another evaluation: {', '.join(different)} differ")
        return cls(path, kept["run"])


def _differing(part: str, kept: Any, wanted: Any) -> list[str]:
    if isinstance(kept, dict) and isinstance(wanted, dict):
        return [name for name in sorted(kept.keys() | wanted.keys()) if kept.get(name) != wanted.get(name)]
    return [] if kept == wanted else [part]
