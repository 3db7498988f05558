"""The command ``reverie eval``."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from service.cli.output import AsJson, emit, err
from service.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from reverie.evaluation.plan import Answering, Plan
    from reverie.evaluation.run import Models

PUBLISHED_SETS = ("locomo", "longmemeval", "beam", "convomem", "realtalk")
GENERATED_SETS = ("conflict", "generated")
PAIRS = "pairs"
SETS = (*PUBLISHED_SETS, *GENERATED_SETS, PAIRS)
K_MAX = 50
BUDGET_MAX = 16_000


def evaluate(
    set_: Annotated[str, typer.Argument(metavar="SET", help=", ".join(SETS))],
    out: Annotated[Path | None, typer.Option(help="folder of this run; given again, a killed run goes on")] = None,
    data: Annotated[
        Path | None, typer.Option(help="the set as published: file, folder or archive; of pairs, JSON lines: a, b, "
        "label (duplicate, update, contradiction, different)")
    ] = None,
    against: Annotated[
        str, typer.Option(help="systems, with commas between: reverie, reverie-messages, reverie-dreamed, bm25, "
        "vectors, full-context, mem0, langgraph, hindsight")
    ] = "reverie,bm25,vectors,full-context",
    k: Annotated[str, typer.Option(help="results that count, with commas between")] = "5,10",
    tokens: Annotated[str, typer.Option(help="budgets of contexts, with commas between")] = "500,1000,2000,4000",
    only: Annotated[str | None, typer.Option(help="pattern of the names of files to read, as chats/100K/*")] = None,
    conversations: Annotated[int | None, typer.Option(min=1, help="the first so many")] = None,
    cases: Annotated[int, typer.Option(min=1, help="of conflict and generated")] = 1_000,
    seed: Annotated[int, typer.Option(help="of what is generated and drawn")] = 1,
    embedding_model: Annotated[str, typer.Option(help="as EMBEDDING_MODEL")] = "static",
    without_wrong_keys: Annotated[bool, typer.Option(help="LoCoMo: without questions whose key is wrong")] = False,
    qa: Annotated[bool, typer.Option("--qa", help="have a model answer and another judge")] = False,
    answer_model: Annotated[str | None, typer.Option(help="with --qa")] = None,
    answer_url: Annotated[str, typer.Option(help="OpenAI-compatible address")] = "https://api.openai.com/v1",
    judge_model: Annotated[str | None, typer.Option(help="with --qa")] = None,
    judge_url: Annotated[str | None, typer.Option(help="default: the answerer's")] = None,
    answer_tokens: Annotated[int, typer.Option(min=1, max=BUDGET_MAX, help="of the context of an answer")] = 2_000,
    probes: Annotated[int, typer.Option(min=0, help="deliberately wrong answers for the judge")] = 50,
    url: Annotated[str | None, typer.Option(help="a Reverie that runs; default: one of the run's own")] = None,
    key: Annotated[str | None, typer.Option(envvar="REVERIE_API_KEY", help="admin key of --url")] = None,
    agent: Annotated[str | None, typer.Option(help="pairs: what people decided on its dreams and proposals")] = None,
    stood_days: Annotated[
        float, typer.Option(min=0, max=3_650, help="with --agent: age from which a change counts as right")
    ] = 7,
    write: Annotated[bool, typer.Option("--write", help="pairs: store the recommended thresholds")] = False,
    workspace: Annotated[str, typer.Option(help="of pairs, by name")] = "default",
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Measure Reverie and others on a published or generated set: what is found, shown, and answered. With `pairs`,
    measure the decision model: how often it is right from each probability on, and which thresholds that recommends.

    Keys of models are ANSWER_API_KEY and JUDGE_API_KEY in the environment, else OPENAI_API_KEY."""
    from reverie.evaluation.plan import SYSTEMS, Plan
    from reverie.evaluation.systems.base import SystemUnavailable

    if set_ not in SETS:
        raise InvalidInput(("set",), f"{set_} is none of {', '.join(SETS)}")
    if set_ == PAIRS:
        _measure_pairs(data, agent, workspace, stood_days=stood_days, write=write, as_json=as_json)
        return
    if out is None:
        raise InvalidInput(("out",), "give the folder of this run with --out")
    if set_ in PUBLISHED_SETS and data is None:
        raise InvalidInput(("data",), f"{set_} is read from what its authors publish: give it with --data")
    plan = Plan(
        set_,
        tuple(_chosen("against", against, SYSTEMS)),
        tuple(_numbers("k", k, K_MAX)),
        tuple(_numbers("tokens", tokens, BUDGET_MAX)),
        embedding_model,
        _answering(answer_model, answer_url, judge_model, judge_url, answer_tokens, probes) if qa else None,
        conversations,
        without_wrong_keys,
        only,
        seed,
        cases,
    )
    run = _run if set_ in PUBLISHED_SETS else _run_generated
    try:
        written, summary = run(plan, out, data, url, key)
    except SystemUnavailable as error:
        raise Unavailable(str(error)) from None
    emit(as_json, {"report": str(written)}, escape(summary), f"[bold]{escape(str(written))}[/]")


def _measure_pairs(
    data: Path | None, agent: str | None, workspace: str, *, stood_days: float, write: bool, as_json: bool
) -> None:
    """Run straight on the database, as the operator."""
    from reverie.evaluation import pairs
    from service.database import settings_with_database
    from service.settings import Settings
    from service.startup import configure_logging

    if (data is None) == (agent is None):
        raise InvalidInput(("data",), "give labelled pairs with --data, or --agent for what people decided")
    configure_logging("warning", Settings().log_format)
    labelled = pairs.read(data) if data is not None else []
    with settings_with_database() as settings:
        measured = pairs.measure(settings, workspace, labelled, agent, stood_days=stood_days, write=write)
        found = asyncio.run(measured)
    counted = ", ".join(f"{number:,} {kind}" for kind, number in found.kinds.items())
    decided = [] if agent is None else [f"Decided by people: {counted or 'nothing yet'}."]
    emit(as_json, asdict(found), *decided, *pairs.described(found))


def _answering(
    answerer: str | None, answer_url: str, judge: str | None, judge_url: str | None, tokens: int, probes: int
) -> Answering:
    from reverie.evaluation.plan import Answering, ModelChoice

    if not answerer or not judge:
        missing = "answer_model" if not answerer else "judge_model"
        raise InvalidInput((missing,), f"--qa needs --{missing.replace('_', '-')}")
    return Answering(ModelChoice(answerer, answer_url), ModelChoice(judge, judge_url or answer_url), tokens, probes)


def _chosen(field: str, given: str, known: tuple[str, ...]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise InvalidInput((field,), f"{name} is none of {', '.join(known)}")
    if not names:
        raise InvalidInput((field,), f"name at least one of {', '.join(known)}")
    return names


def _numbers(field: str, given: str, most: int) -> list[int]:
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() and 1 <= int(part) <= most for part in parts):
        raise InvalidInput((field,), f"{given!r} is to be numbers from 1 to {most:,}, with commas between")
    return sorted({int(part) for part in parts})


def _run(plan: Plan, out: Path, data: Path | None, url: str | None, key: str | None) -> tuple[Path, str]:
    from reverie.evaluation import sets
    from reverie.evaluation.plan import Folder
    from reverie.evaluation.report import report
    from reverie.evaluation.run import chosen, evaluate
    from reverie.evaluation.systems.opened import Place
    from reverie.evaluation.systems.service_process import Running
    from service.cli.api import given_key
    from service.settings import Settings

    assert data is not None
    with err.status("reading") as status:
        material = sets.read(plan.set, data, plan.only)
        folder = Folder.opened(out, plan, material.files, shared=url is not None)
        conversations = chosen(plan, material)
        service = Running(url, given_key(Settings(), key)) if url else None
        models = _models(plan, out)
        with Place(folder.path, folder.run, plan.embedding_model, service) as place:
            outcome = evaluate(plan, folder, conversations, place, models, lambda text: status.update(escape(text)))
    text = report(plan, material, sum(len(one.questions) for one in conversations), outcome)
    written = folder.path / "report.md"
    written.write_text(text, encoding="utf-8")
    return written, text


def _run_generated(plan: Plan, out: Path, data: Path | None, url: str | None, key: str | None) -> tuple[Path, str]:
    from reverie.evaluation import conflict, conflict_run, lives_run
    from reverie.evaluation.lives.generator import lives
    from reverie.evaluation.plan import Folder
    from reverie.evaluation.records import Lines
    from reverie.evaluation.systems.opened import TIMEOUT_S, Place
    from reverie.evaluation.systems.service_process import Running
    from reverie_client import Reverie
    from service.cli.api import given_key
    from service.settings import Settings

    if data is not None:
        raise InvalidInput(("data",), f"{plan.set} is generated: it takes no --data")
    folder = Folder.opened(out, plan, [], shared=url is not None)
    service = Running(url, given_key(Settings(), key)) if url else None
    with err.status("starting") as status, Place(folder.path, folder.run, plan.embedding_model, service) as place:
        at = place.service()

        def progress(said: str) -> None:
            status.update(escape(said))

        with Reverie(at.url, at.key, timeout_s=TIMEOUT_S) as client:
            described = f"Reverie {client.get_engine()['version']}, embedding model `{plan.embedding_model}`"
            first, second = (Lines(folder.path / name) for name in ("asked.jsonl", "ingested.jsonl"))
            if plan.set == "conflict":
                cases = conflict.cases(plan.cases, plan.seed)
                records = conflict_run.measure(client, folder.run, cases, first, second, progress)
                text = conflict_run.report(records, described)
            else:
                people = lives(plan.cases, 1 + (plan.cases - 1) // lives_run.PEOPLE, plan.seed)
                score = lives_run.measure(client, folder.run, people, first, second, progress)
                text = lives_run.report(score, len(people), described)
    written = folder.path / "report.md"
    written.write_text(text, encoding="utf-8")
    return written, text


def _models(plan: Plan, out: Path) -> Models | None:
    from reverie.evaluation.answers import PaidModel
    from reverie.evaluation.records import Lines
    from reverie.evaluation.run import Models

    if plan.answering is None:
        return None
    calls = Lines(out / "calls.jsonl")
    common = os.environ.get("OPENAI_API_KEY", "")
    return Models(
        PaidModel(plan.answering.answerer, os.environ.get("ANSWER_API_KEY", common), calls),
        PaidModel(plan.answering.judge, os.environ.get("JUDGE_API_KEY", common), calls),
    )
