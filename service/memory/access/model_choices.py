"""The language models that an admin chooses for the steps of a workspace, as they may be stored."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from service.domain.llm_settings import OFF, SEALED, SHOWN, STEPS, LLMSettings, ModelAccess, StepModel, shown_key
from service.domain.principal import Principal
from service.domain.webhook_url import find_url_problem
from service.errors import InvalidInput
from service.memory.access.model_keys import ModelKeys
from service.memory.access.redaction import refuse_personal_data
from service.memory.engine import Engine

ALLOWED_BY: Final = "REVERIE_LLM_ALLOW_PRIVATE"
Loc = tuple[str | int, ...]


async def check_models(engine: Engine, principal: Principal, changes: LLMSettings) -> None:
    """Raise InvalidInput for an address that no model is called at, and for personal data in an address or a name."""
    private = engine.model_factory.settings.llm_allow_private
    for step in STEPS:
        chosen, loc = changes.of(step), ("body", "llm", step)
        places: list[tuple[Loc, StepModel | ModelAccess]] = [(loc, chosen)]
        places += [((*loc, "failover", n), one) for n, one in enumerate(chosen.failover)]
        for at, one in places:
            if one.api_base is not None:
                if (flaw := find_url_problem(one.api_base, private=private, allowed_by=ALLOWED_BY)) is not None:
                    raise InvalidInput((*at, "api_base"), flaw)
                await refuse_personal_data(engine, principal, (*at, "api_base"), one.api_base, besides=("IP_ADDRESS",))
            if one.model is not None:
                await refuse_personal_data(engine, principal, (*at, "model"), one.model)


def sealed_models(keys: ModelKeys, workspace: UUID, present: LLMSettings, changes: LLMSettings) -> LLMSettings:
    """The changes with every key as it is stored. Raises InvalidInput for a key as shown that is not stored for that
    server, so that a stored key never reaches another one."""
    return changes.model_copy(
        update={
            step: _sealed_step(keys, workspace, present.of(step), changes.of(step), ("body", "llm", step))
            for step in STEPS
            if step in changes.model_fields_set
        }
    )


def _sealed_step(keys: ModelKeys, workspace: UUID, present: StepModel, change: StepModel, loc: Loc) -> StepModel:
    """The whole of a step: what the change leaves unset stays; ``off`` and null forget the rest."""
    chosen = StepModel.model_validate(present.model_dump() | change.model_dump(exclude_unset=True))
    if chosen.model is None or chosen.model == OFF:
        if (change.model_fields_set - {"model"}) and "model" not in change.model_fields_set:
            raise InvalidInput((*loc, "model"), "must name a model that the other fields are for")
        return StepModel.model_validate({**StepModel().model_dump(), "model": chosen.model})
    known = present.alternatives()
    given = change.api_key if "api_key" in change.model_fields_set else shown_key(present.api_key)
    key = _sealed(keys, workspace, chosen.api_base, given, known, (*loc, "api_key"))
    failover = chosen.failover
    if "failover" in change.model_fields_set:
        places = [(*loc, "failover", n, "api_key") for n in range(len(failover))]
        sealed = [
            _sealed(keys, workspace, one.api_base, one.api_key, known, at)
            for one, at in zip(failover, places, strict=True)
        ]
        failover = tuple(one.model_copy(update={"api_key": of}) for one, of in zip(failover, sealed, strict=True))
    return chosen.model_copy(update={"api_key": key, "failover": failover})


def _sealed(
    keys: ModelKeys, workspace: UUID, base: str | None, given: str | None, known: tuple[ModelAccess, ...], loc: Loc
) -> str | None:
    if given is None:
        return None
    if given.startswith(SHOWN):
        stored = [one.api_key for one in known if one.api_base == base and shown_key(one.api_key) == given]
        if not stored:
            raise InvalidInput(loc, "is not stored for this server: give the whole key")
        return stored[0]
    if given.startswith(SEALED) or not all("!" <= character <= "~" for character in given):
        raise InvalidInput(loc, "must be a key of visible ASCII characters")
    return keys.seal(workspace, base, given)
