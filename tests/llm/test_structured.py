"""Finding the value in what models write around it."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field, RootModel, ValidationError

from service.llm import parse, repair_prompt, with_instruction


class Fact(BaseModel):
    text: str
    sure: float = Field(ge=0, le=1)


VALUE = Fact(text="likes {Go} ```code``` <think>", sure=0.5)
JSON = VALUE.model_dump_json()


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"\n  {JSON}\n",
        f"```json\n{JSON.replace('`', '')}\n```",
        f"Here it is:\n```\n{JSON.replace('`', '')}\n```\nAnything else?",
        f"Sure! {JSON} Hope it helps.",
        f"<think>maybe {{}}? or ```json\n[]```</think>\n{JSON}",
    ],
)
def test_finds_the_value(text: str) -> None:
    assert parse(text, Fact).sure == 0.5


def test_leaves_the_value_as_it_is() -> None:
    assert parse(JSON, Fact) == VALUE
    assert parse(f"[{JSON}]", RootModel[list[Fact]]).root == [VALUE]


@pytest.mark.parametrize(
    "text", ["", "no", "} {", "{", "```json\n```", '{"text": "a"}', '{"text": "a", "sure": 2}', "[]"]
)
def test_anything_else_is_a_validation_error(text: str) -> None:
    with pytest.raises(ValidationError):
        parse(text, Fact)


def test_the_complaint_names_the_fields_and_not_the_input() -> None:
    with pytest.raises(ValidationError) as caught:
        parse('{"text": {"secret": 1}, "sure": 7}', Fact)
    told = repair_prompt(caught.value, cut_off=True)
    assert "- text: " in told
    assert "- sure: " in told
    assert "cut off" in told
    assert "secret" not in told


def test_the_instruction_joins_a_system_message_and_leaves_the_callers_alone() -> None:
    given = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    sent = with_instruction(given, Fact)
    assert [message["role"] for message in sent] == ["system", "user"]
    assert sent[0]["content"].startswith("Be brief.\n\nAnswer with one JSON object")
    assert given[0]["content"] == "Be brief."
    assert [message["role"] for message in with_instruction(given[1:], Fact)] == ["system", "user"]
