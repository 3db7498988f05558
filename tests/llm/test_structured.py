"""Structured output of models, whatever they write around it and break in it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from service.llm import ask_again, schema_of, with_instruction
from service.memory.prompts import (
    FilledProfile,
    Notes,
    Reflections,
    Reply,
    Verdicts,
    WrittenBulletin,
    WrittenPage,
    notes_form,
)
from service.memory.search.recall import Rephrased
from service.structured_output import NoValue, entries_of, read
from tests.llm.answer_styles import ANY, ENTRIES, NO_ANSWERS

Json = dict[str, Any]

SAID = 'Ann\'s dog said: "Rex, {not} [here]", // really, at C:\\temp\n<think> über 日本'
NOTES = {
    "memories": [
        {"type": "fact", "content": "Ann lives in Oslo.", "evidence": [1, 3], "slot": "ann/lives_in", "value": "oslo"},
        {"type": "preference", "content": SAID, "evidence": [2], "entities": [{"name": "Rex", "kind": "thing"}]},
    ]
}
ANSWERS: dict[type[BaseModel], Json] = {
    Notes: NOTES,
    Verdicts: {"verdicts": [{"pair": 1, "outcome": "update"}, {"pair": 2, "outcome": "different"}]},
    Reflections: {
        "insights": [
            {"kind": "habit", "content": "Ann runs on Mondays.", "memories": [1, 2, 3], "against": [4]},
            {"kind": "change", "content": SAID, "memories": [5, 6]},
        ]
    },
    FilledProfile: {
        "fields": [
            {"name": "home", "value": '"Oslo"', "memories": [1]},
            {"name": "likes", "value": '["tea"]', "memories": [2]},
        ]
    },
    WrittenBulletin: {
        "sections": [
            {"title": "People", "sentences": [{"text": "Ann lives in Oslo.", "memories": [1]}]},
            {"title": "Also known", "sentences": [{"text": SAID, "memories": [2, 3]}]},
        ]
    },
    WrittenPage: {"sentences": [{"text": SAID, "memories": [1]}, {"text": "Two.", "memories": [2]}]},
    Reply: {"known": True, "answer": SAID, "citations": [{"number": 1, "quote": "in Oslo"}]},
    Rephrased: {"queries": ["Where does Ann live?", "Ann's home"]},
}
OF_ENTRIES = [form for form in ANSWERS if entries_of(form)]
QUOTING = {"single quotes", "Python's words", "trailing commas", "comments", "block comment", "raw line breaks"}
"""Styles that break the syntax itself: a text full of quotes and brackets may be read otherwise there."""


@pytest.mark.parametrize("style", ANY)
@pytest.mark.parametrize("form", ANSWERS, ids=lambda form: form.__name__)
def test_an_answer_is_read_in_any_style(form: type[BaseModel], style: str) -> None:
    answer: Any = ANSWERS[form]
    if style in QUOTING:
        answer = json.loads(json.dumps(answer).replace(json.dumps(SAID), '"Ann likes tea, not coffee."'))
    assert read(ANY[style](answer), form).value == form.model_validate(answer)


@pytest.mark.parametrize("style", ENTRIES)
@pytest.mark.parametrize("form", OF_ENTRIES, ids=lambda form: form.__name__)
def test_every_entry_that_fits_is_taken(form: type[BaseModel], style: str) -> None:
    found = read(ENTRIES[style](ANSWERS[form]), form)
    of = entries_of(form)
    assert of is not None
    wanted = getattr(form.model_validate(ANSWERS[form]), of.name)
    assert getattr(found.value, of.name) == wanted * (115 if style.startswith("230") else 1)
    assert found.rejected.total() == (2 if "broken" in style else 0)
    assert found.cut_off == style.startswith("cut off")


@pytest.mark.parametrize("text", NO_ANSWERS.values(), ids=NO_ANSWERS)
@pytest.mark.parametrize("form", ANSWERS, ids=lambda form: form.__name__)
def test_what_is_no_answer_is_told(form: type[BaseModel], text: str) -> None:
    with pytest.raises(NoValue):
        read(text, form)


@pytest.mark.parametrize("text", ["{}", "[]", '{"memories": []}', '{"memories": null}', "```json\n[]\n```", "None: []"])
def test_nothing_worth_noting_is_an_answer(text: str) -> None:
    found = read(text, Notes)
    assert (found.value, found.is_whole) == (Notes(memories=[]), True)


@pytest.mark.parametrize(
    ("odd", "field", "meant"),
    [
        ({"type": "Preference"}, "type", "preference"),
        ({"type": "FACTS"}, "type", "fact"),
        ({"type": "To-Do"}, "type", "todo"),
        ({"type": "opinion"}, "type", "preference"),
        ({"type": "skill"}, "type", "observation"),
        ({"type": None}, "type", "observation"),
        ({"importance": 7}, "importance", 0.7),
        ({"importance": "80 %"}, "importance", 0.8),
        ({"importance": 95}, "importance", 0.95),
        ({"importance": "high"}, "importance", 0.5),
        ({"importance": float("nan")}, "importance", 0.5),
        ({"importance": -1}, "importance", 0.5),
        ({"importance": None}, "importance", 0.5),
        ({"confidence": 1e9}, "confidence", 0.8),
        ({"confidence": []}, "confidence", 0.8),
        ({"evidence": 2}, "evidence", [2]),
        ({"evidence": "2"}, "evidence", [2]),
        ({"evidence": "1, 2 and 3"}, "evidence", [1, 2, 3]),
        ({"evidence": ["turn 2", 3.0, None]}, "evidence", [2, 3]),
        ({"evidence": [[1], [2]]}, "evidence", [1, 2]),
        ({"evidence": list(range(1, 99))}, "evidence", list(range(1, 51))),
        ({"polarity": "Negative"}, "polarity", "negative"),
        ({"polarity": "neutral"}, "polarity", "positive"),
        ({"entities": None}, "entities", []),
        ({"entities": "Rex"}, "entities", [("Rex", "thing")]),
        ({"entities": ["Rex", "Oslo"]}, "entities", [("Rex", "thing"), ("Oslo", "thing")]),
        ({"entities": {"name": "Rex", "type": "PERSON"}}, "entities", [("Rex", "person")]),
        ({"entities": [{"name": "Acme", "kind": "Org"}, {"kind": "place"}]}, "entities", [("Acme", "company")]),
        ({"entities": [{"name": str(n)} for n in range(30)]}, "entities", [(str(n), "thing") for n in range(20)]),
        ({"subject": 7}, "subject", "7"),
        ({"subject": "x" * 300}, "subject", None),
        ({"slot": {"a": 1}}, "slot", None),
        ({"occurred_on": 2019}, "occurred_on", "2019"),
    ],
)  # fmt: skip
def test_an_odd_field_costs_no_statement(odd: Json, field: str, meant: Any) -> None:
    entry = {"type": "fact", "content": "Rex barks.", "evidence": [1]} | odd
    found = read(json.dumps([entry, entry]), Notes)
    assert found.is_whole
    for noted in found.value.memories:
        value = getattr(noted, field)
        assert ([(one.name, one.kind) for one in value] if field == "entities" else value) == meant


@pytest.mark.parametrize("own", [False, True])
def test_other_names_of_fields_are_known(own: bool) -> None:
    form = notes_form(("recipe",), ("ship",)) if own else Notes
    entry = {"category": "recipe" if own else "fact", "statement": "Rex barks.", "turn": 1}
    (noted,) = read(
        json.dumps({"facts": [entry | {"entities": [{"name": "Rex", "type": "ship"}]}]}), form
    ).value.memories
    assert (noted.type, noted.content, noted.evidence) == (entry["category"], "Rex barks.", [1])
    assert noted.entities[0].kind == ("ship" if own else "thing")


@pytest.mark.parametrize("lacking", ["content", "evidence"])
def test_a_statement_without_what_it_needs_is_counted(lacking: str) -> None:
    whole = {"type": "fact", "content": "Rex barks.", "evidence": [1]}
    for broken in ({}, {lacking: None}, {lacking: []}, {lacking: {}}, {lacking: ""}):
        entry = {name: value for name, value in whole.items() if name != lacking} | broken
        found = read(json.dumps({"memories": [entry, whole]}), Notes)
        assert len(found.value.memories) == 1
        ((reason, times),) = found.rejected.items()
        assert reason.startswith(lacking)
        assert times == 1
        assert found.faults[0].startswith("entry 1: ")


def test_half_a_statement_is_none() -> None:
    whole = json.dumps(NOTES["memories"][0])
    text = f'{{"memories": [{whole}, {json.dumps(NOTES["memories"][1])}'
    for end in range(text.index(whole) + len(whole), len(text) - 1):
        found = read(text[:end], Notes)
        assert [noted.content for noted in found.value.memories] == ["Ann lives in Oslo."]
        assert found.cut_off


def test_half_an_answer_is_none() -> None:
    text = json.dumps(ANSWERS[Reply])
    for end in range(1, len(text) - 2):
        with pytest.raises(NoValue):
            read(text[:end], Reply)


NAMES = st.sampled_from(["memories", "type", "content", "evidence", "entities", "importance", "x"])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner),
    max_leaves=30,
)


@given(ANY_JSON)
def test_no_json_breaks_the_reading(value: Any) -> None:
    for form in ANSWERS:
        with suppress(NoValue):
            found = read(json.dumps(value), form)
            assert form.model_validate(found.value.model_dump()) == found.value


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    for form in (Notes, Reply):
        for wrapped in (text, f"{{{text}", f'{{"memories": [{text}]}}'):
            with suppress(NoValue):
                assert isinstance(read(wrapped, form).value, form)


def test_the_question_for_what_was_lost_names_fields_and_not_the_input() -> None:
    found = read(json.dumps({"memories": [{"content": {"secret": 1}, "evidence": 1}, NOTES["memories"][0]]}), Notes)
    told = ask_again(found, found.faults, cut_off=False)
    assert "entry 1: " in told
    assert "content" in told
    assert "secret" not in told
    assert "cut off" in ask_again(None, ["it was cut off"], cut_off=True)


def test_the_instruction_joins_a_system_message_and_leaves_the_callers_alone() -> None:
    given = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    sent = with_instruction(given, Notes)
    assert [message["role"] for message in sent] == ["system", "user"]
    assert sent[0]["content"].startswith("Be brief.\n\nAnswer with one JSON object")
    assert given[0]["content"] == "Be brief."
    assert [message["role"] for message in with_instruction(given[1:], Notes)] == ["system", "user"]


def test_the_schema_in_words_keeps_fields_named_like_its_own_words() -> None:
    assert "title" in json.dumps(schema_of(WrittenBulletin))
    assert "Sections" not in json.dumps(schema_of(WrittenBulletin))
