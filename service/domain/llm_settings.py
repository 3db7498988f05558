"""Which language model does which step of the work: the settings of a workspace."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self, TypeVar, get_args

from pydantic import Field, StringConstraints

from service.domain.field_types import Text
from service.domain.setting import setting
from service.domain.strict import FrozenModel

Step = Literal["extract", "reconcile", "decide", "reflect", "bulletin", "summary", "ask"]
STEPS: Final[tuple[Step, ...]] = get_args(Step)

OFF: Final = "off"
PROVIDER: Final = "openai/"
FAILOVER_MAX: Final = 4
LAST_SHOWN: Final = 4
SHOWN: Final = "…"
"""How a stored key is shown: this, and its last characters."""
SEALED: Final = "sealed:"
"""How a stored key begins; then come the characters that are shown, a colon, and the key encrypted."""

StepModelName = Annotated[Text, StringConstraints(max_length=500, pattern=rf"^(?:{OFF}|{PROVIDER}[^\s\x00-\x1f]+)$")]
ModelName = Annotated[Text, StringConstraints(max_length=500, pattern=rf"^{PROVIDER}[^\s\x00-\x1f]+$")]
BaseUrl = Annotated[Text, StringConstraints(min_length=1, max_length=2_000)]
ApiKey = Annotated[Text, StringConstraints(min_length=1, max_length=4_000)]

BASE = Field(
    None,
    description="Base URL of an OpenAI-compatible server, such as `https://api.example.com/v1`; inside a network only "
    "with REVERIE_ALLOW_PRIVATE. Null: OpenAI's. Default null.",
)
KEY = Field(
    None,
    description="API key of the server. Stored encrypted and shown as `…` and its last four characters; as shown: the "
    "stored key of the same server. Null: none. Default null.",
)
TIMEOUT = Field(
    None,
    gt=0,
    le=600,
    allow_inf_nan=False,
    description="Time limit of one attempt in seconds. Null: REVERIE_TUNING.llm_timeout_s. Default null.",
)


class ModelAccess(FrozenModel):
    """Model of an OpenAI-compatible server, and how it is reached."""

    model: ModelName = Field(description="Model as `openai/<name at the server>`.")
    api_base: BaseUrl | None = BASE
    api_key: ApiKey | None = KEY
    timeout_s: float | None = TIMEOUT


class StepModel(FrozenModel):
    """Model of one step, and alternatives."""

    model: StepModelName | None = Field(
        None,
        description="Model of the step as `openai/<name at the server>`; `off`: no call. Null: the installation's "
        "model. Default null.",
    )
    api_base: BaseUrl | None = BASE
    api_key: ApiKey | None = KEY
    timeout_s: float | None = TIMEOUT
    failover: Annotated[tuple[ModelAccess, ...], Field(max_length=FAILOVER_MAX)] = Field(
        (),
        description="Alternatives, each called where those before it are unavailable, over their rate limit or late; "
        "never after a refusal. Default empty.",
    )

    def alternatives(self) -> tuple[ModelAccess, ...]:
        """Return all of its models, in the order in which they are called; none where the step has none of its own."""
        if self.model is None or self.model == OFF:
            return ()
        first = ModelAccess(model=self.model, api_base=self.api_base, api_key=self.api_key, timeout_s=self.timeout_s)
        return (first, *self.failover)

    def shown(self) -> Self:
        """Return the settings with keys as they are shown."""
        return self.model_copy(
            update={
                "api_key": shown_key(self.api_key),
                "failover": tuple(one.model_copy(update={"api_key": shown_key(one.api_key)}) for one in self.failover),
            }
        )


class ExtractModel(StepModel):
    """Model of the extraction, and what reads messages that it cannot."""

    rules_stand_in: bool = Field(
        False,
        description="Reading by the rules of messages about which no model gives an answer of use. False: a message "
        "that breaks the model is left out, and where the model fails on everything, messages stay due. Default false.",
    )


Chosen = TypeVar("Chosen", bound=StepModel)


def _step(sentence: str, default: Chosen) -> Chosen:
    return setting(
        default,
        sentence,
        section="models",
        change="Where this step deserves a better, cheaper or nearer model than LLM_MODEL, or none.",
        shown="the installation's model",
        advanced=True,
    )


class LLMSettings(FrozenModel):
    """Language models of the workspace's own, by step. A step without one uses the installation's."""

    extract: ExtractModel = _step("Extraction of memories from messages, in dreams.", ExtractModel())
    reconcile: StepModel = _step("Comparison of statements that rules cannot tell apart.", StepModel())
    decide: StepModel = _step("Decision model that answers with probabilities, in dreams.", StepModel())
    reflect: StepModel = _step("Conclusions from several memories, and fields of profiles, in dreams.", StepModel())
    bulletin: StepModel = _step("Writing of bulletins.", StepModel())
    summary: StepModel = _step("Summaries of session windows and of old memories.", StepModel())
    ask: StepModel = _step("Answers to questions, further wordings of queries, and pages.", StepModel())

    def of(self, step: Step) -> StepModel:
        """Return the model of a step."""
        chosen: StepModel = getattr(self, step)
        return chosen

    def shown(self) -> LLMSettings:
        """Return the settings with keys as they are shown; what is unset stays so."""
        return self.model_copy(update={step: self.of(step).shown() for step in STEPS if step in self.model_fields_set})


def shown_key(stored: str | None) -> str | None:
    """Return a stored key as it is shown."""
    return None if stored is None else SHOWN + stored.removeprefix(SEALED).rpartition(":")[0]
