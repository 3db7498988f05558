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
    rules, and were left out. ``ignored``: candidates that the agent's settings leave out, with the reason.
    ``stopped``: why the rest of the batch was not read, None when all of it was. ``steps``: the checkpoints that went
    into it.
    """

    covered: int
    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[UUID, str]] = field(default_factory=list)
    rejected: int = 0
    ignored: list[tuple[Candidate, str]] = field(default_factory=list)
    stopped: str | None = None
    steps: list[str] = field(default_factory=list)

    def keep(self, kept: DreamFilter) -> None:
        """Leave out the candidates that a filter does not keep."""
        judged = [(one, kept.objection(one.type, one.content, names_in(one))) for one in self.candidates]
        self.ignored = [(one, reason) for one, reason in judged if reason is not None]
        self.candidates = [one for one, reason in judged if reason is None]
