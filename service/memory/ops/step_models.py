"""Which language model does a step: the workspace's own, else the environment's for the step, else LLM_MODEL."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final
from uuid import UUID

from service.concurrency.lru import LRUCache
from service.domain.llm_settings import OFF, STEPS, LLMSettings, Step, StepModel
from service.llm import LLM, Endpoint, WorkspaceEndpoint
from service.memory.access.model_keys import ModelKeys
from service.settings import EnvironmentModel, Settings

NOT_GENERAL: Final[frozenset[Step]] = frozenset({"decide"})
"""What LLM_MODEL does not do, as few models can."""
WORKSPACE_STEPS_MAX = 500
"""Steps of workspaces whose models stay open: their connections, and what is known of their state."""


class StepModels:
    """The models of the steps, for one process. ``client`` meters and records calls where there is no LLM_MODEL."""

    def __init__(self, settings: Settings, client: LLM) -> None:
        self.keys = ModelKeys(settings)
        self.client = client
        self._timeout_s = settings.llm_timeout_s
        self._private = settings.llm_allow_private
        self._of_installation = {step: _named(settings, step) for step in STEPS}
        self._of_workspaces: LRUCache[tuple[UUID, StepModel], list[Endpoint]] = LRUCache(WORKSPACE_STEPS_MAX)

    def of(self, step: Step, workspace: UUID, chosen: LLMSettings, general: LLM | None) -> LLM | None:
        """The model of a step, ``general`` where it has none of its own; None where it is off or nothing names one."""
        own = chosen.of(step)
        if own.model == OFF:
            return None
        endpoints = self._own(workspace, own) if own.model else self._of_installation[step]
        if endpoints is None:
            return general.to(step) if general is not None and step not in NOT_GENERAL else None
        return (general or self.client).at(endpoints).to(step) if endpoints else None

    def _own(self, workspace: UUID, own: StepModel) -> list[Endpoint]:
        endpoints = self._of_workspaces.get((workspace, own))
        if endpoints is None:
            endpoints = [
                WorkspaceEndpoint(
                    one.model,
                    one.api_base,
                    timeout_s=one.timeout_s or self._timeout_s,
                    private=self._private,
                    unseal=partial(self.keys.unseal, workspace, one.api_base, one.api_key) if one.api_key else None,
                )
                for one in own.alternatives()
            ]
            self._of_workspaces.put((workspace, own), endpoints)
        return endpoints


def _named(settings: Settings, step: Step) -> list[Endpoint] | None:
    """The models that the environment names for a step; none for ``off``."""
    named: Sequence[EnvironmentModel] | None = getattr(settings, f"llm_{step}")
    if named is None:
        return None
    return [
        Endpoint(
            one.model,
            settings.llm_api_base if (general := _of_general_server(settings, one)) else one.api_base,
            one.api_key or (settings.llm_api_key if general else None),
            one.timeout_s or settings.llm_timeout_s,
        )
        for one in named
    ]


def _of_general_server(settings: Settings, one: EnvironmentModel) -> bool:
    """Whether a model is one of LLM_MODEL's server: of its provider, and without an address of its own."""
    provider = (settings.llm_model or "").partition("/")[0]
    return one.api_base is None and one.model.partition("/")[0] == provider
