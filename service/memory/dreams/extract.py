"""What turns state, under the settings of their agent: by a language model or by rules, with personal data masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from service.domain.dream_filter import DreamFilter
from service.domain.workspace import WorkspaceSettings
from service.extraction.candidates import Candidate, Extraction, evidence_of, proposed_in
from service.extraction.trust import held_back, of_roles
from service.memory.dreams.extract_by_llm import ModelCalls, extract_by_llm
from service.memory.dreams.extract_by_rules import extract_by_rules
from service.memory.dreams.in_flight import Steps
from service.memory.dreams.personal_data import BATCH, Masked, allowed_candidates
from service.memory.engine import Engine


async def extract(
    engine: Engine,
    settings: WorkspaceSettings,
    masked: Masked,
    calls: ModelCalls | None,
    done: Callable[[int, Sequence[Candidate]], None],
    steps: Steps,
) -> Extraction:
    """The candidates that may be kept of these turns, those of a model where ``calls`` are given. ``done`` is given
    the number of turns of each few read, and the candidates in them as they were found (``only_allowed``).

    Raises LLMUnavailable and LLMInvalidOutput.
    """
    roles = frozenset(settings.dream.extract_from)
    turns = of_roles(masked.turns, roles)
    if calls is None:
        found = await extract_by_rules(turns, done, steps)
    else:
        found = await extract_by_llm(turns, settings, calls, done, steps)
    return await only_allowed(engine, settings, masked, found, steps)


async def only_allowed(
    engine: Engine, settings: WorkspaceSettings, masked: Masked, found: Extraction, steps: Steps
) -> Extraction:
    """``found``, without what may not be kept of it, with personal data masked."""
    roles = frozenset(settings.dream.extract_from)
    turns = of_roles(masked.turns, roles)
    silent = {turn.id for turn in turns if turn.role not in roles}
    cited = [one for one in found.candidates if silent.isdisjoint(one.evidence)]
    found.rejected += len(found.candidates) - len(cited)
    found.candidates = cited
    found.candidates = await allowed_candidates(engine, settings.masking, found.candidates, masked.stored, steps)
    held: list[Candidate] = []
    for _, part in steps.batches(found.candidates, proposed_in, BATCH):
        async with steps.step("quarantine", evidence_of(part)):
            held += await steps.run(partial(held_back, part, turns, secrets=settings.secrets.mode == "quarantine"))
    found.candidates = held
    found.keep(DreamFilter.of(settings.dream))
    return found
