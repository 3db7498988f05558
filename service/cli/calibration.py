"""The command that finds thresholds for a decision model on labelled pairs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape

from service.cli.output import AsJson, emit
from service.errors import InvalidInput
from service.settings import Settings

if TYPE_CHECKING:
    from service.memory.dreams.calibration import Calibration, LabelledPair, Row

PAIRS_MAX = 20_000


def calibrate(
    pairs: Annotated[Path, typer.Option(help="JSON lines: a, b, label (duplicate, update, contradiction, different)")],
    write: Annotated[bool, typer.Option("--write", help="store the recommended thresholds in the settings")] = False,
    workspace: Annotated[str, typer.Option(help="by name")] = "default",
    as_json: AsJson = False,
) -> None:
    """Show how often the decision model is right from each probability on, and which thresholds that recommends."""
    from service.database import open_database
    from service.runtime import configure_logging

    settings = Settings()
    configure_logging("warning", settings.log_format)
    labelled = _read(pairs)
    with open_database(settings) as url:
        settings = settings.model_copy(update={"database_url": url})
        found = asyncio.run(_calibrate(settings, workspace, labelled, write=write))
    emit(as_json, found.as_dict() | {"written": write}, *_described(found, write=write))


async def _calibrate(settings: Settings, workspace: str, pairs: list[LabelledPair], *, write: bool) -> Calibration:
    from service.domain.spending import paid_by
    from service.domain.workspace import WorkspaceSettings
    from service.export_import import open_workspace
    from service.memory.access.workspace import get_settings, put_settings
    from service.memory.dreams.calibration import calibrate as judge

    async with open_workspace(settings, workspace) as (engine, principal):
        chosen = (await get_settings(engine, principal)).llm
        llm = engine.model("decide", principal.workspace_id, chosen)
        if llm is None and engine.embedder is None:
            raise InvalidInput(("LLM_DECIDE",), "there is neither a decision model (LLM_DECIDE) nor an embedder")
        if llm is None and write:
            raise InvalidInput(("write",), "similarities are no probabilities: thresholds need a model (LLM_DECIDE)")
        with paid_by(principal.payer()):
            found = await judge(llm, engine.embedder, pairs)
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


def _described(found: Calibration, *, write: bool) -> list[str]:
    lines = [
        f"{found.pairs:,} pairs: {found.by_guards:,} are settled by rules, the others judged by {escape(found.by)}"
        + (f", {found.unusable:,} without a usable verdict." if found.unusable else "."),
        "setting      from   verdicts  precision  recall  contradictions merged",
        *map(_line, found.rows),
    ]
    if found.recommended:
        lines.append(f"{'Written' if write else 'Recommended'}: " + _listed(found.recommended))
    else:
        lines.append("No threshold is recommended: none has verdicts that are right often enough.")
    return lines


def _listed(recommended: dict[str, float]) -> str:
    return ", ".join(f"dream.{name} {at:g}" for name, at in recommended.items())


def _line(row: Row) -> str:
    precision, recall = (f"{value:.3f}" if value is not None else "-" for value in (row.precision, row.recall))
    merged = f"{row.contradictions:>8}" if row.setting == "merge_at" else ""
    return f"{row.setting:<12} {row.threshold:<6g} {row.said:>7}  {precision:>9}  {recall:>6}  {merged}"
