"""What either extractor hands on."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from service.domain.dream_filter import DreamFilter
from service.extraction.candidates import Candidate, names_in


@dataclass(slots=True)
class Extraction:
    """Candidates of the first ``covered`` turns of a batch.

    ``skipped``: messages nothing could be made of, with the reason. ``rejected``: proposals that did not hold to the
    rules, and were left out. ``ignored``: candidates that the agent's settings leave out. ``stopped``: why the rest of
    the batch was not read, None when all of it was. ``steps``: the checkpoints that went into it.
    """

    covered: int
    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[UUID, str]] = field(default_factory=list)
    rejected: int = 0
    ignored: int = 0
    stopped: str | None = None
    steps: list[str] = field(default_factory=list)

    def keep(self, kept: DreamFilter) -> None:
        """Leave out the candidates that a filter does not keep, and count them."""
        left = [one for one in self.candidates if kept.keeps(one.type, one.content, names_in(one))]
        self.ignored, self.candidates = len(self.candidates) - len(left), left
