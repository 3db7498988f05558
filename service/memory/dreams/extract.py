"""What turns state, under the settings of their agent: by a language model or by rules, with personal data masked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from service.domain.dream_filter import DreamFilter
from service.domain.workspace import WorkspaceSettings
from service.extraction.extraction import Extraction
from service.memory.dreams.extract_by_llm import ModelCalls, extract_by_llm
from service.memory.dreams.extract_by_rules import extract_by_rules
from service.memory.dreams.in_flight import Steps
from service.memory.dreams.personal_data import Masked, allowed_candidates
from service.memory.engine import Engine


async def extract(
    engine: Engine,
    settings: WorkspaceSettings,
    masked: Masked,
    calls: ModelCalls | None,
    done: Callable[[int], Awaitable[None]],
    steps: Steps,
) -> Extraction:
    """The candidates that may be kept of these turns, those of a model where ``calls`` are given. ``done`` is told of
    each few read.

    Raises LLMUnavailable and LLMInvalidOutput.
    """
    if calls is None:
        found = await extract_by_rules(masked.turns, done, steps)
    else:
        found = await extract_by_llm(masked.turns, settings, calls, done, steps)
    found.candidates = await allowed_candidates(engine, settings.pii, found.candidates, masked.stored, steps)
    found.keep(DreamFilter.of(settings.dream))
    return found
