"""`reverie eval pairs`: labelled pairs, precision and recall from each probability on, and thresholds that merge no
contradiction."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Command
from tests.fakes.openai_server import FakeOpenAI

Json = dict[str, Any]

OUTCOMES = ("duplicate", "update", "contradiction", "different")
PAIRS = [
    ("The kitchen has a very good coffee machine", "The kitchen has a really nice coffee maker", "duplicate", 0.98),
    ("Maya enjoys hiking in the hills", "Maya loves walking in the hills", "duplicate", 0.92),
    ("The team meets in the blue room", "The team gathers in the green hall", "contradiction", 0.9),
    ("The garden has tall roses", "The garden is behind the house", "different", 0.8),
]


def write_pairs(file: Path) -> None:
    lines = [json.dumps({"a": a, "b": b, "label": label}) for a, b, label, _ in PAIRS]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def decides(text: str, question: Json) -> Json:
    """Takes the contradiction for a duplicate, with 0.9; is right about the others."""
    number = int(question["name"].removeprefix("pair-"))
    pair = json.loads(text.splitlines()[number - 1])
    _, _, label, sure = next(one for one in PAIRS if one[0] == pair["older"])
    said = "duplicate" if label == "contradiction" else label
    return {one: sure if one == said else (1 - sure) / 3 for one in OUTCOMES}


def at(found: Json, setting: str, threshold: float) -> Json:
    (row,) = (row for row in found["rows"] if (row["setting"], row["threshold"]) == (setting, threshold))
    return {name: row[name] for name in ("said", "precision", "recall", "contradictions")}


def test_the_recommended_thresholds_merge_no_contradiction_and_are_written(
    command: Command, database_url: str, tmp_path: Path
) -> None:
    write_pairs(tmp_path / "pairs.jsonl")
    with FakeOpenAI() as server:
        server.decides = decides
        steps = json.dumps({"decide": {"model": "hosted_vllm/decider", "api_base": server.base_url}})
        options = ("eval", "pairs", "--data", "pairs.jsonl", "--write", "--json")
        done = command(*options, DATABASE_URL=database_url, LLM_STEPS=steps)
        assert done.returncode == 0, done.stderr
        assert server.calls["systemone"] == 1
    found = json.loads(done.stdout)
    assert (found["pairs"], found["unusable"]) == (4, 0)
    assert at(found, "merge_at", 0.9) == {"said": 3, "precision": 2 / 3, "recall": 1.0, "contradictions": 1}
    assert at(found, "merge_at", 0.95) == {"said": 1, "precision": 1.0, "recall": 0.5, "contradictions": 0}
    assert found["recommended"] == {"merge_at": 0.95, "distinct_at": 0.5}


def test_without_a_model_similarity_stands_in_and_nothing_is_written(
    command: Command, database_url: str, tmp_path: Path
) -> None:
    write_pairs(tmp_path / "pairs.jsonl")
    options = ("eval", "pairs", "--data", "pairs.jsonl")
    done = command(*options, DATABASE_URL=database_url, EMBEDDING_MODEL="static")
    assert done.returncode == 0, done.stderr
    assert "merge_at" in done.stdout
    assert "replace_at" not in done.stdout
    refused = command(*options, "--write", DATABASE_URL=database_url, EMBEDDING_MODEL="static")
    assert (refused.returncode, "LLM_STEPS.decide" in refused.stderr) == (2, True)


def test_a_line_that_is_no_pair_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"a": "x", "b": "y", "label": "different"}\n{"a": "x", "label": "same"}\n')
    done = command("eval", "pairs", "--data", "pairs.jsonl")
    assert done.returncode == 2
    assert "line 2: b" in done.stderr


def test_behind_the_guards_no_contradiction_of_the_given_pairs_is_merged(
    command: Command, database_url: str, tmp_path: Path, shared: Path
) -> None:
    labels = {"ENTAILMENT": "duplicate", "CONTRADICTION": "contradiction", "NEUTRAL": "different"}
    with gzip.open(shared / "bench" / "pairs_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        given = [json.loads(line) for line in lines]
    pairs = [{"a": one["a"], "b": one["b"], "label": labels[one["rel"]]} for one in given if one.get("rel")]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
    options = ("eval", "pairs", "--data", "pairs.jsonl", "--json")
    done = command(*options, DATABASE_URL=database_url, EMBEDDING_MODEL="static")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["pairs"] == len(pairs)
    assert found["recommended"] == {}
    assert at(found, "merge_at", 0.5)["said"] > 100
    assert [row["contradictions"] for row in found["rows"]] == [0] * len(found["rows"])
