"""From a model's text to a validated value, and what to tell the model when it is not one."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

Value = TypeVar("Value", bound=BaseModel)

ERRORS_TOLD_MAX: Final = 10
_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED: Final = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def parse(text: str, schema: type[Value]) -> Value:
    """The value in ``text``, which may be wrapped in a Markdown fence, prose or thoughts.

    Raises pydantic's ValidationError, about the likeliest part.
    """
    answer = _THOUGHTS.sub("", text).strip()
    if not answer.startswith(("{", "[")):
        if fenced := _FENCED.search(answer):
            answer = fenced.group(1).strip()
        elif 0 <= answer.find("{") < answer.rfind("}"):
            answer = answer[answer.find("{") : answer.rfind("}") + 1]
    return schema.model_validate_json(answer)


def instruction(schema: type[BaseModel]) -> str:
    """Asks for JSON, for models that cannot be held to a schema."""
    return (
        "Answer with one JSON object and nothing else: no explanation, no Markdown. "
        f"It must be valid against this JSON schema:\n{json.dumps(schema.model_json_schema(), ensure_ascii=False)}"
    )


def with_instruction(messages: list[dict[str, Any]], schema: type[BaseModel]) -> list[dict[str, Any]]:
    """``messages`` with ``instruction`` at the end of a leading system message, or before all as one."""
    told = instruction(schema)
    if messages and messages[0]["role"] == "system" and isinstance(messages[0]["content"], str):
        return [{**messages[0], "content": f"{messages[0]['content']}\n\n{told}"}, *messages[1:]]
    return [{"role": "system", "content": told}, *messages]


def complaint(error: ValidationError, *, cut_off: bool) -> str:
    """What is wrong with an answer, for the model to put right."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"- {'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}" for each in found[:ERRORS_TOLD_MAX]]
    if cut_off:
        told.insert(0, "- it was too long and was cut off: answer more briefly")
    return "Your answer was not valid:\n" + "\n".join(told) + "\nAnswer again with the corrected JSON object only."
