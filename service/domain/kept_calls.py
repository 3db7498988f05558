"""Calls of language models that a workspace keeps, as they are stored and shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.domain.model_calls import Outcome
from service.domain.spending import Purpose


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One attempt at a language model, kept by the setting `retention.model_calls_days`."""

    id: Annotated[UUID, Field(description="Id of the call.")]
    at: Annotated[datetime, Field(description="Time at which the call began.")]
    agent: Annotated[str | None, Field(description="Name of the agent; null for calls of no agent.")]
    owners: Annotated[list[str], Field(description="Users whose texts the call was made of. Empty: nobody's.")]
    dream_id: Annotated[UUID | None, Field(description="Id of the dream; null outside of dreams.")]
    key_id: Annotated[UUID | None, Field(description="Id of the key of the request; null for calls of the worker.")]
    purpose: Annotated[
        Purpose,
        Field(
            description="Purpose of the call: extract, reconcile, decide, reflect, bulletin, summary, page, ask or "
            "rerank; never embed, proxy or probe."
        ),
    ]
    model: Annotated[str, Field(description="Name of the model.")]
    outcome: Annotated[
        Outcome,
        Field(
            description="Outcome: answered, invalid, timeout, unavailable, refused or cancelled; `invalid` is an "
            "answer that does not have the form asked for."
        ),
    ]
    error: Annotated[str | None, Field(description="Reason of any outcome but `answered`.")]
    attempt: Annotated[int, Field(description="Number of the attempt within its request, from 1.")]
    failover: Annotated[bool, Field(description="True for an alternative of the model that is called first.")]
    ms: Annotated[int, Field(description="Duration in milliseconds.")]
    prompt_tokens: Annotated[int, Field(description="Tokens of the input, as reported by the provider or estimated.")]
    completion_tokens: Annotated[int, Field(description="Tokens of the output, as reported by the provider.")]
    cost_usd: Annotated[float, Field(description="Cost in US dollars; 0 where the price is not known.")]
    input: Annotated[
        str,
        Field(description="Masked input, each message after a line with its role; in a list its first 200 characters."),
    ]
    output: Annotated[str, Field(description="Masked output; in a list its first 200 characters.")]
    input_chars: Annotated[
        int, Field(description="Length of the masked input in characters; of one over 32,000 the middle is left out.")
    ]
    output_chars: Annotated[
        int, Field(description="Length of the masked output in characters; of one over 32,000 the middle is left out.")
    ]
