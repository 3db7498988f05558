"""The wire formats as clients speak them: what each sends, and where it looks in what it is answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.live_api import Json

Said = str | list[Json]


@dataclass(frozen=True, slots=True)
class Wire:
    """One format. ``ask`` makes a request of what a user says, ``system`` finds where its instructions are."""

    name: str
    path: str
    ask: Callable[[Said], Json]
    text: Callable[[Json], str]
    system: str
    text_event: str
    last_event: str
    usage: tuple[int, int]

    def __repr__(self) -> str:
        return self.name


def _response_text(answer: Json) -> str:
    return "".join(part["text"] for item in answer["output"] for part in item.get("content") or ())


def _message_text(answer: Json) -> str:
    return "".join(block["text"] for block in answer["content"] if block["type"] == "text")


CHAT = Wire(
    "chat",
    "/v1/chat/completions",
    lambda said: {"model": "m", "messages": [{"role": "user", "content": said}]},
    lambda answer: str(answer["choices"][0]["message"]["content"]),
    "messages",
    "",
    "",
    (1, 1),
)
RESPONSES = Wire(
    "responses",
    "/v1/responses",
    lambda said: {"model": "m", "input": said},
    _response_text,
    "instructions",
    "response.output_text.delta",
    "response.completed",
    (11, 5),
)
MESSAGES = Wire(
    "messages",
    "/v1/messages",
    lambda said: {"model": "claude-x", "max_tokens": 100, "messages": [{"role": "user", "content": said}]},
    _message_text,
    "system",
    "content_block_delta",
    "message_stop",
    (11, 5),
)
WIRES = (RESPONSES, MESSAGES)


def events(body: bytes) -> list[Json]:
    """The data of server-sent events, each of which is named as its data says."""
    found: list[Any] = []
    for one in body.decode().strip().split("\n\n"):
        name, _, data = one.partition("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found
