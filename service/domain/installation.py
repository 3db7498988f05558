"""Settings of the whole installation: the models that all workspaces share. The environment of a process wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, StringConstraints

from service.domain.field_types import Text
from service.domain.json import JsonObject
from service.domain.setting import setting
from service.domain.strict import FrozenModel

ModelName = Annotated[Text, StringConstraints(min_length=1, max_length=500)]
"""What EMBEDDING_MODEL or RERANK_MODEL may be."""

Environment = Mapping[str, Mapping[str, tuple[str, object]]]
"""By section and field: the environment variable that is set, and its value."""

LOCKED_BY = "Environment variables that are set and win, by field. Read only: ignored in a change. Default empty."


class EmbeddingSettings(FrozenModel):
    """Embedding model of the installation. Addresses and keys come from the environment alone."""

    model: ModelName = setting(
        "auto",
        "Embedding model: `auto`, `none`, `static`, `local:<name or folder>` or a litellm name. A change embeds "
        "everything anew in the background.",
        section="models",
        change="For searches that find more by meaning than the model on disk does.",
    )
    dim: int | None = setting(
        None,
        "Dimensions of a remote model. Null: those of the model.",
        section="models",
        change="For a model that can be asked for fewer dimensions, which take less room.",
        advanced=True,
        ge=1,
        le=16_000,
    )
    locked_by: dict[str, str] = Field({}, description=LOCKED_BY)


class RerankSettings(FrozenModel):
    """Reranking model of the installation. Its address and key come from the environment alone."""

    model: ModelName | None = setting(
        None,
        "Reranking model by its litellm name. Null: no reranking.",
        section="models",
        change="Where the first results matter more than the time and cost of one call for each search.",
    )
    locked_by: dict[str, str] = Field({}, description=LOCKED_BY)


class InstallationSettings(FrozenModel):
    """Models of the installation, as stored or as in effect."""

    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()

    def over(self, changes: Mapping[str, Mapping[str, object]]) -> InstallationSettings:
        """Return these settings with ``changes``, sections of fields, laid over them."""
        present = self.stored()
        return InstallationSettings.model_validate(
            {name: present.get(name, {}) | dict(changes.get(name, {})) for name in {*present, *changes}}
        )

    def stored(self) -> dict[str, JsonObject]:
        """Return what differs from the defaults, by section."""
        return self.model_dump(
            exclude_defaults=True, exclude={name: {"locked_by"} for name in InstallationSettings.model_fields}
        )

    def in_effect(self, environment: Environment) -> InstallationSettings:
        """Return these settings under the variables of an environment, and which of those win."""
        settings = self.over({name: {f: value for f, (_, value) in fs.items()} for name, fs in environment.items()})
        locks = {name: {field: variable for field, (variable, _) in fs.items()} for name, fs in environment.items()}
        return settings.model_copy(
            update={
                name: getattr(settings, name).model_copy(update={"locked_by": locks.get(name, {})})
                for name in InstallationSettings.model_fields
            }
        )
