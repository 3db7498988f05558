"""Who pays for a call to a model, for what, and how much it used.

Every call is reserved in a ledger before it is made and settled when it has ended. Who pays is a context variable, set
where a request is authenticated and where a worker takes up an agent: it reaches the client of the provider through
caches and batches that know nothing of workspaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, replace
from typing import Final, Literal, Protocol
from uuid import UUID

from service.domain.model_calls import Exchange

Purpose = Literal[
    "extract", "reconcile", "decide", "reflect", "bulletin", "summary", "page", "ask", "rerank", "embed", "proxy",
    "probe",
]  # fmt: skip
DREAM_PURPOSES: Final[frozenset[Purpose]] = frozenset({"extract", "reconcile", "decide", "reflect", "bulletin"})
"""What counts against the limits of dreams as well."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Attempts made (``failed_calls`` among ``calls``), tokens, and their price in US dollars."""

    calls: int = 0
    failed_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Usage) -> Usage:
        return Usage(*(mine - theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


FAILED: Final = Usage(calls=1, failed_calls=1)
"""An attempt that the provider refused or never received: not billed."""


@dataclass(frozen=True, slots=True)
class Payer:
    """The workspace that pays, the API key whose request caused the call, and the acting agent, where known."""

    workspace_id: UUID
    key_id: UUID | None = None
    agent: str | None = None
    purpose: Purpose | None = None
    """Set where every call is for the same purpose, whatever makes it."""
    dream_id: UUID | None = None
    owners: tuple[str, ...] = ()
    """The users whose texts the calls are made of."""


INSTALLATION: Final = Payer(UUID(int=0))
"""What no workspace asked for, such as embedding everything with another model: recorded, never limited."""
PROBE: Final = replace(INSTALLATION, purpose="probe")

_payer: ContextVar[Payer] = ContextVar("reverie_payer", default=INSTALLATION)


def payer() -> Payer:
    """Return who pays for what this task does."""
    return _payer.get()


def set_payer(who: Payer) -> None:
    """Charge this task, and what it starts, to ``who`` from now on."""
    _payer.set(who)


@contextmanager
def paid_by(who: Payer) -> Iterator[None]:
    """Charge the block to ``who``."""
    token = _payer.set(who)
    try:
        yield
    finally:
        _payer.reset(token)


class Charge(Protocol):
    """One call, reserved."""

    def settle(self, actual: Usage, exchange: Callable[[], Exchange] | None = None) -> None:
        """Replace the reservation of an ended call by what it used. ``exchange``: what was said, asked for where the
        workspace keeps it."""


class Ledger(Protocol):
    """Where calls are reserved and recorded."""

    async def reserve(self, purpose: Purpose, model: str, worst: Usage) -> Charge:
        """Set ``worst`` aside for a call about to be made; raises BudgetReached, and reserves nothing, otherwise."""


class _Unrecorded:
    async def reserve(self, purpose: Purpose, model: str, worst: Usage) -> Charge:
        return self

    def settle(self, actual: Usage, exchange: Callable[[], Exchange] | None = None) -> None:
        """Recorded nowhere."""


UNRECORDED: Final[Ledger] = _Unrecorded()
"""For models used outside of a running service."""
