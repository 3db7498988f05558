"""The two wire formats of decision models, as the fake server answers them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fastapi import Response

Body = dict[str, Any]
Decides = Callable[[str, Body], Any]
"""From the text and one question of a decision: the probability of each choice, None for a refusal."""


def openai_decision(body: Body, decides: Decides) -> Response:
    """OpenAI's format: a list of questions, and of answers."""
    answers = [
        {"type": "refusal", "name": question.get("name")}
        if (said := decides(body["input"], question)) is None
        else {
            "type": "choice", "name": question.get("name"), "confidence": 0.5, "choice": _likeliest(said),
            "probabilities": [{"value": value, "probability": one} for value, one in said.items()],
        }
        for question in body["questions"]
    ]  # fmt: skip
    words = len(body["input"].split())
    usage = {
        "input_tokens": words, "output_tokens": 1, "total_tokens": words + 1,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    return _any_json({"object": "decision", "model": body["model"], "answers": answers, "usage": usage})


def systemone_decision(body: Body, decides: Decides) -> Response:
    """The System One format: questions and answers by name."""
    answers = {
        name: {"type": "choice", "confidence": 0.5, "choice": _likeliest(said), "probabilities": said}
        for name, question in body["questions"].items()
        if (said := decides(str(body["state"]), question | {"name": name})) is not None
    }
    usage = {"input_tokens": len(str(body["state"]).split()), "output_tokens": 1}
    return _any_json({"model": body["model"], "answers": answers, "usage": usage})


def _likeliest(said: Body) -> str:
    return max(said, key=lambda value: str(said[value]))


def _any_json(value: Any) -> Response:
    """Also what JSON does not know, such as NaN."""
    return Response(json.dumps(value), media_type="application/json")
