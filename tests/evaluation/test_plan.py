"""The name of a run: what a bulletin says of its agent must not change what fits into a context."""

from __future__ import annotations

from pathlib import Path

from reverie.evaluation.plan import Folder, Plan
from service.embedding.tokens import count_tokens

RUNS = 50


def names(folder: Path, *, shared: bool) -> list[str]:
    plan = Plan("locomo", ("reverie-dreamed",))
    return [Folder.opened(folder / str(number), plan, [], shared=shared).run for number in range(RUNS)]


def test_runs_with_a_service_of_their_own_have_agents_of_the_same_names(tmp_path: Path) -> None:
    assert len(set(names(tmp_path, shared=False))) == 1


def test_runs_on_a_shared_service_have_names_of_the_same_tokens(tmp_path: Path) -> None:
    runs = names(tmp_path, shared=True)
    assert len(set(runs)) == RUNS
    assert len({count_tokens(f"What {run}-dreamed-locomo-conv-30 knows now.") for run in runs}) == 1


def test_a_run_keeps_its_name_when_it_goes_on(tmp_path: Path) -> None:
    assert names(tmp_path, shared=True) == names(tmp_path, shared=True)
