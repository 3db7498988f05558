"""The README's tour, as it is pasted."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.processes import ROOT


def run_tour(
    folder: Path, environment: Mapping[str, str], port: str, other_words: Mapping[str, str], as_user: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Its shell lines, pasted into one shell in that folder; the JSON answers they print.

    ``other_words`` are put in the place of its words; ``as_user`` goes before the command.
    """
    tour = (ROOT / "README.md").read_text(encoding="utf-8").split("## A tour in five minutes")[1].split("\n## ")[0]
    script = "\n".join(re.findall(r"```sh\n(.*?)```", tour, re.DOTALL))
    for word, other in ({"localhost:8000": f"127.0.0.1:{port}"} | other_words).items():
        assert word in script
        script = script.replace(word, other)
    done = subprocess.run(
        [*as_user, "bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert answers[0]["created"] is True
    assert answers[1]["results"][0]["memory"]["type"] == "decision"
    assert [message["seq"] for message in answers[2]["messages"]] == [1, 2]
    assert any("Bergen" in memory["content"] for memory in answers[3]["items"])
    assert "Go" in answers[4]["content"]
    assert any(result["memory"]["content"] == "Sam loves Go." for result in answers[5]["results"])
    assert ["blue" in result["memory"]["content"] for result in answers[7]["results"]] == [True, False]
    assert answers[8]["results"] == []
    assert [memory["content"] for memory in answers[10]["items"]] == ["Maria does not like tea"]
    return answers
