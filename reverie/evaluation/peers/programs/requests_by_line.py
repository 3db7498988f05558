"""Requests as JSON lines on standard input, answers on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

ANSWER = "answer: "
"""Begins the lines that are answers; whatever else a peer prints is not."""


def serve(take_in: Callable[[str, list[list[str]]], Any], search: Callable[[str, str, int], list[str]]) -> None:
    """Answer until the input ends. ``take_in`` gets an agent and its turns (id, text); ``search`` an agent, a query and
    a limit, and returns ids of turns, best first."""
    _answer("ready")
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "ingest":
            take_in(request["agent"], request["turns"])
            _answer("done")
        else:
            _answer(search(request["agent"], request["query"], request["limit"]))


def _answer(value: Any) -> None:
    sys.stdout.write(f"\n{ANSWER}{json.dumps(value)}\n")
    sys.stdout.flush()
