"""The lines of streams, as a client reads them."""

from __future__ import annotations

import json

import pytest

from reverie_client.errors import ServerFailed
from reverie_client.streams import AnswerStream


def test_an_answer_comes_after_its_memories() -> None:
    answer = {"answer": "Blue", "citations": [], "memories": []}
    lines = (
        "event: memories", 'data: {"memories": [{"id": 1}]}', "", ": answering", "",
        "event: answer", f"data: {json.dumps(answer)}", "",
    )  # fmt: skip
    stream = AnswerStream()
    found, answered = [event for line in lines if (event := stream.read(line))]
    assert (found.event, found.memories, found.answer) == ("memories", [{"id": 1}], None)
    assert answered.answer is not None
    assert (answered.event, answered.answer.answer) == ("answer", "Blue")


def test_a_failure_on_the_way_is_raised() -> None:
    stream = AnswerStream()
    assert stream.read("event: error") is None
    with pytest.raises(ServerFailed, match="no such model"):
        stream.read('data: {"detail": "no such model"}')
