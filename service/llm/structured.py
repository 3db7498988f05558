"""From a model's text to a validated value, and what to tell the model when it is not one."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from service.domain.field_types import replace_unstorable

Value = TypeVar("Value", bound=BaseModel)

ERRORS_SHOWN_MAX: Final = 10
_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED: Final = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)```", re.DOTALL)


def parse(text: str, schema: type[Value]) -> Value:
    """The value in ``text``, which may be wrapped in a Markdown fence, prose or thoughts.

    Its strings hold nothing that Postgres cannot store. Raises pydantic's ValidationError, about the likeliest part.
    """
    answer = _THOUGHTS.sub("", text).strip()
    if not answer.startswith(("{", "[")):
        if fenced := _FENCED.search(answer):
            answer = fenced.group(1).strip()
        elif 0 <= answer.find("{") < answer.rfind("}"):
            answer = answer[answer.find("{") : answer.rfind("}") + 1]
    return schema.model_validate_json(_without_unstorable(answer) if "\\u" in answer else answer)


def _without_unstorable(answer: str) -> str:
    """JSON without the escapes of NUL and of lone surrogates; what is not JSON, unchanged."""
    try:
        return json.dumps(_storable(json.loads(answer)))
    except (ValueError, RecursionError):
        return answer


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {replace_unstorable(name): _storable(one) for name, one in value.items()}
    return value


def with_instruction(messages: list[dict[str, Any]], schema: type[BaseModel]) -> list[dict[str, Any]]:
    """``messages``, asking for JSON at the end of a leading system message, or before all in one: for models that
    cannot be held to a schema."""
    addition = (
        "Answer with one JSON object and nothing else: no explanation, no Markdown. "
        f"It must be valid against this JSON schema:\n{json.dumps(schema.model_json_schema(), ensure_ascii=False)}"
    )
    if messages and messages[0]["role"] == "system" and isinstance(messages[0]["content"], str):
        return [{**messages[0], "content": f"{messages[0]['content']}\n\n{addition}"}, *messages[1:]]
    return [{"role": "system", "content": addition}, *messages]


def repair_prompt(error: ValidationError, *, cut_off: bool) -> str:
    """What is wrong with an answer, for the model to put right."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    problems = [
        f"- {'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}" for each in found[:ERRORS_SHOWN_MAX]
    ]
    if cut_off:
        problems.insert(0, "- it was too long and was cut off: answer more briefly")
    return "Your answer was not valid:\n" + "\n".join(problems) + "\nAnswer again with the corrected JSON object only."
