"""What is extracted from messages on request, of which nothing is stored."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from service.domain.drafts import MessageDraft
from service.domain.dream_settings import DREAM_INSTRUCTIONS_MAX
from service.domain.field_types import ActingAgent, Name, Text
from service.domain.strict import StrictModel
from service.domain.turns import text_of

CHARACTERS_MAX = 100_000
MESSAGES_MAX = 200


class ExtractRequest(StrictModel):
    """Messages from which a dream would make memories."""

    agent: ActingAgent = None
    messages: Annotated[list[MessageDraft], Field(min_length=1, max_length=MESSAGES_MAX)] | None = Field(
        None,
        description="Messages in order, 1 to 200, of at most 100,000 characters together. Exactly one of `messages` "
        "and `text` is required.",
    )
    text: Annotated[Text, StringConstraints(min_length=1, max_length=CHARACTERS_MAX)] | None = Field(
        None, description="Text of a single message of the user, at most 100,000 characters."
    )
    user: Name | None = Field(None, description="User of the conversation. Default: none.")
    instructions: Annotated[Text, StringConstraints(max_length=DREAM_INSTRUCTIONS_MAX)] | None = Field(
        None,
        description="Instructions in place of the setting `dream.instructions`, at most 4,000 characters. Default: "
        "the setting.",
    )
    prompts: bool = Field(
        False,
        description="Prompts instead of candidates: those that a language model would be sent; no model is called. "
        "Default false.",
    )
    dry: Literal[True] = Field(True, description="Extraction without storage; nothing but true. Default true.")

    @model_validator(mode="after")
    def _one_source(self) -> ExtractRequest:
        if (self.messages is None) == (self.text is None):
            raise ValueError("give exactly one of messages and text")
        if sum(len(text_of(message.content)) for message in self.messages or ()) > CHARACTERS_MAX:
            raise ValueError(f"messages must have at most {CHARACTERS_MAX:,} characters together")
        return self

    def drafts(self) -> list[MessageDraft]:
        """Return the messages, also where a text was given."""
        return self.messages or [MessageDraft(role="user", content=self.text or "")]
