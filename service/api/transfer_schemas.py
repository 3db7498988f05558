"""Answers of the routes for export and import."""

from __future__ import annotations

from pydantic import BaseModel


class ImportCounts(BaseModel):
    """What became of the lines of one record."""

    created: int
    unchanged: int
    updated: int
    skipped: int


class ImportResponse(ImportCounts):
    """What an import did. ``complete`` is false when the export it read had been cut off before its end."""

    complete: bool | None
    records: dict[str, ImportCounts]
