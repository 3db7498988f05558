"""The shapes of kept calls of language models."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.model_calls import Outcome
from service.domain.spending import Purpose


class ModelCall(BaseModel):
    """One attempt at a language model, kept by the setting `retention.model_calls_days`."""

    id: UUID = Field(description="Id of the call.")
    at: datetime = Field(description="Time at which the call began.")
    agent: str | None = Field(description="Name of the agent; null for calls of no agent.")
    dream_id: UUID | None = Field(description="Id of the dream; null outside of dreams.")
    key_id: UUID | None = Field(description="Id of the key of the request; null for calls of the worker.")
    purpose: Purpose = Field(
        description="Purpose of the call: extract, reconcile, decide, reflect, bulletin, summary, page, ask or rerank; "
        "never embed, proxy or probe."
    )
    model: str = Field(description="Name of the model.")
    outcome: Outcome = Field(
        description="Outcome: answered, invalid, timeout, unavailable, refused or cancelled; `invalid` is an answer "
        "that does not have the form asked for."
    )
    error: str | None = Field(description="Reason of any outcome but `answered`.")
    attempt: int = Field(description="Number of the attempt within its request, from 1.")
    failover: bool = Field(description="True for an alternative of the model that is called first.")
    ms: int = Field(description="Duration in milliseconds.")
    prompt_tokens: int = Field(description="Tokens of the input, as reported by the provider or estimated.")
    completion_tokens: int = Field(description="Tokens of the output, as reported by the provider.")
    cost_usd: float = Field(description="Cost in US dollars; 0 where the price is not known.")
    input: str = Field(
        description="Masked input, each message after a line with its role; in a list its first 200 characters."
    )
    output: str = Field(description="Masked output; in a list its first 200 characters.")
    input_chars: int = Field(
        description="Length of the masked input in characters; of one over 32,000 the middle is left out."
    )
    output_chars: int = Field(
        description="Length of the masked output in characters; of one over 32,000 the middle is left out."
    )
