"""The command that finds thresholds for a decision model on labelled pairs, those of a file or those of an agent."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape

from service.cli.api import Agent, Key, Url, connected
from service.cli.output import AsJson, emit
from service.errors import InvalidInput
from service.settings import Settings

if TYPE_CHECKING:
    from reverie_client.models import Calibration, CalibrationRow
    from service.domain import calibration as domain
    from service.memory.dreams.calibration import Fit, LabelledPair

PAIRS_MAX = 20_000


def calibrate(
    pairs: Annotated[
        Path | None, typer.Option(help="JSON lines: a, b, label (duplicate, update, contradiction, different)")
    ] = None,
    agent: Agent = None,
    stood_days: Annotated[float, typer.Option(help="with --agent: age from which a change counts as right")] = 7,
    write: Annotated[bool, typer.Option("--write", help="store the recommended thresholds in the settings")] = False,
    workspace: Annotated[str, typer.Option(help="with --pairs: by name")] = "default",
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show how often the decision model is right from each probability on, and which thresholds that recommends: on
    the pairs of a file, or with --agent on what people decided on its dreams and proposals."""
    if pairs is not None:
        _calibrate_on_file(pairs, workspace, write=write, as_json=as_json)
    elif agent is not None:
        with connected(url, key, agent) as client:
            found = client.calibrate(agent, stood_days=stood_days, write=write)
        counted = ", ".join(f"{number:,} {kind}" for kind, number in found.kinds.items())
        decided = f"Decided by people: {counted or 'nothing yet'}."
        emit(as_json, found.model_dump(), decided, *_described(found, write=found.written))
    else:
        raise InvalidInput(("pairs",), "give labelled pairs with --pairs, or --agent for what people decided")


def _calibrate_on_file(pairs: Path, workspace: str, *, write: bool, as_json: bool) -> None:
    from service.database import settings_with_database
    from service.runtime import configure_logging

    configure_logging("warning", Settings().log_format)
    labelled = _read(pairs)
    with settings_with_database() as settings:
        found = asyncio.run(_calibrate(settings, workspace, labelled, write=write))
    emit(as_json, asdict(found) | {"written": write}, *_described(found, write=write))


async def _calibrate(settings: Settings, workspace: str, pairs: list[LabelledPair], *, write: bool) -> Fit:
    from service.domain.workspace import WorkspaceSettings
    from service.export_import import open_workspace
    from service.memory.access.workspace import get_settings, put_settings
    from service.memory.dreams.calibration import calibrate_for

    async with open_workspace(settings, workspace) as (engine, principal):
        choices = (await get_settings(engine, principal)).llm
        found = await calibrate_for(engine, principal, pairs, choices=choices, write=write)
        if write and found.recommended:
            await put_settings(engine, principal, WorkspaceSettings.model_validate({"dream": found.recommended}))
        return found


def _read(file: Path) -> list[LabelledPair]:
    from service.memory.dreams.calibration import LabelledPair

    found: list[LabelledPair] = []
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found.append(LabelledPair.model_validate_json(line))
            except ValidationError as error:
                wrong = error.errors(include_input=False, include_url=False)[0]
                field = ".".join(map(str, wrong["loc"])) or "the line"
                raise InvalidInput(("pairs",), f"line {number}: {field}: {wrong['msg']}") from None
            if len(found) > PAIRS_MAX:
                raise InvalidInput(("pairs",), f"has more than {PAIRS_MAX:,} pairs")
    if not found:
        raise InvalidInput(("pairs",), f"{file} has no pairs")
    return found


def _described(found: Fit | Calibration, *, write: bool) -> list[str]:
    lines = [
        f"{found.pairs:,} pairs: {found.by_guards:,} are settled by rules, the others judged by {escape(found.by)}"
        + (f", {found.unusable:,} without a usable verdict." if found.unusable else "."),
        "setting      from   verdicts  precision  recall  contradictions merged",
        *map(_line, found.rows),
    ]
    if found.recommended:
        listed = ", ".join(f"dream.{name} {at:g}" for name, at in found.recommended.items())
        lines.append(f"{'Written' if write else 'Recommended'}: {listed}")
    else:
        lines.append("No threshold is recommended: none has verdicts that are right often enough.")
    if found.too_few:
        few = ", ".join(f"dream.{name}" for name in found.too_few)
        lines.append(f"[yellow]Too few labelled pairs to recommend anything for {few}.[/]")
    return lines


def _line(row: domain.CalibrationRow | CalibrationRow) -> str:
    precision, recall = (f"{value:.3f}" if value is not None else "-" for value in (row.precision, row.recall))
    merged = f"{row.contradictions:>8}" if row.setting == "merge_at" else ""
    return f"{row.setting:<12} {row.threshold:<6g} {row.said:>7}  {precision:>9}  {recall:>6}  {merged}"
