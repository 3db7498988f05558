"""Answers of the routes for export and import."""

from __future__ import annotations

from pydantic import BaseModel, Field


class ImportCounts(BaseModel):
    """Counts of imported records."""

    created: int = Field(description="Number of created records.")
    unchanged: int = Field(description="Number of records identical to the stored ones.")
    updated: int = Field(description="Number of updated records.")
    skipped: int = Field(description="Number of skipped records.")


class ImportResponse(ImportCounts):
    """Result of an import."""

    complete: bool | None = Field(
        description="Completeness of the export read: false for a truncated export, null for formats without an end "
        "marker."
    )
    records: dict[str, ImportCounts] = Field(description="Counts by record type.")
