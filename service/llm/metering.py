"""What the calls of one process or one dream used, and the budget of a dream."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from service.domain.spending import Usage
from service.errors import BudgetReached


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many tokens and dollars; None is no bound."""

    tokens_max: int | None = None
    cost_max_usd: float | None = None


class Meter:
    """Adds up usage, for itself and its parents, and says no when a budget of any of them would be exceeded.

    A call's meter within a dream's within the process's: one call counts in all three. What is reserved by calls under
    way counts as spent, so parallel calls cannot exceed a budget together. ``failures`` are the reasons of the attempts
    that failed, with how often each occurred; ``answered`` counts the answers of each model. The limits of a day are
    not here but in the ledger of the workspace.
    """

    def __init__(
        self, budget: Budget | None = None, *, spent: Usage | None = None, parent: Meter | None = None
    ) -> None:
        """``spent``: usage from before, such as a dream's until it was interrupted; it counts against ``budget``."""
        self.budget = budget or Budget()
        self.usage = spent or Usage()
        self.failures: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self._reserved = Usage()
        self._parent = parent

    def reserve(self, worst: Usage) -> None:
        """Set ``worst`` aside for a call about to be made; raises BudgetReached and reserves nothing otherwise."""
        would_be = self.usage + self._reserved + worst
        tokens_max, cost_max_usd = self.budget.tokens_max, self.budget.cost_max_usd
        if tokens_max is not None and would_be.tokens > tokens_max:
            raise BudgetReached(f"The next call may bring {would_be.tokens} tokens, over the budget of {tokens_max}.")
        if cost_max_usd is not None and would_be.cost_usd > cost_max_usd:
            raise BudgetReached(
                f"The next call may bring ${would_be.cost_usd:.4f}, over the budget of ${cost_max_usd:g}."
            )
        if self._parent is not None:
            self._parent.reserve(worst)
        self._reserved += worst

    def reconcile(self, worst: Usage, actual: Usage) -> None:
        """Replace what ``reserve`` set aside by what the call really used."""
        self._reserved += Usage(0, 0, -worst.prompt_tokens, -worst.completion_tokens, -worst.cost_usd)
        self.usage += actual
        if self._parent is not None:
            self._parent.reconcile(worst, actual)

    def note_failure(self, message: str) -> None:
        """Note that an attempt failed, or gave no valid answer, and why."""
        self.failures[message] += 1
        if self._parent is not None:
            self._parent.note_failure(message)

    def note_answer(self, model: str) -> None:
        """Note that a model answered."""
        self.answered[model] += 1
        if self._parent is not None:
            self._parent.note_answer(model)
