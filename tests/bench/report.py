"""Tables, as rich prints them and as docs/benchmarks.md keeps them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)

Cell = str | float | int | None


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], note: str = "") -> None:
    """Print one table; numbers to the right, None as a dash."""
    table = Table(title=title, title_justify="left", caption=note or None, caption_justify="left")
    for position, column in enumerate(columns):
        numeric = any(isinstance(row[position], int | float) for row in rows)
        table.add_column(column, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(_text(cell) for cell in row))
    console.print(table)


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        if abs(cell) >= 100:
            return f"{cell:,.0f}"
        return f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.3f}" if abs(cell) < 2 else f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
