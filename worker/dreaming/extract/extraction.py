"""What either extractor hands on."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from worker.dreaming.candidates import Candidate


@dataclass(slots=True)
class Extraction:
    """Candidates of the first ``covered`` turns of a batch.

    ``skipped``: messages nothing could be made of, with the reason. ``rejected``: proposals that did not hold to the
    rules, and were left out. ``stopped``: why the rest of the batch was not read, None when all of it was.
    ``steps``: the checkpoints that went into it.
    """

    covered: int
    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[UUID, str]] = field(default_factory=list)
    rejected: int = 0
    stopped: str | None = None
    steps: list[str] = field(default_factory=list)
