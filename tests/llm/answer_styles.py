"""Styles in which models write structured answers, each as a text made of the answer that was asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def _entries(answer: Json) -> tuple[str, list[Any]]:
    (name,) = answer
    return name, answer[name]


def _single_quotes(answer: Json) -> str:
    return repr(answer).replace("None", "null").replace("True", "true").replace("False", "false")


def _renamed(answer: Json, names: Callable[[str], str]) -> Any:
    if isinstance(answer, list):
        return [_renamed(one, names) for one in answer]
    return {names(name): _renamed(one, names) for name, one in answer.items()} if isinstance(answer, dict) else answer


def _trailing_commas(answer: Json) -> str:
    return json.dumps(answer, indent=1).replace('"\n', '",\n').replace("}\n", "},\n").replace("]\n", "],\n").strip(",")


ANY: dict[str, Callable[[Json], str]] = {
    "plain": json.dumps,
    "indented": lambda answer: json.dumps(answer, indent=4),
    "fence": lambda answer: f"```json\n{json.dumps(answer)}\n```",
    "fence without a language": lambda answer: f"```\n{json.dumps(answer)}\n```",
    "fence not closed": lambda answer: f"```json\n{json.dumps(answer)}",
    "chatter before": lambda answer: f"Sure! Here's what I found, [as asked]:\n{json.dumps(answer)}",
    "chatter after": lambda answer: f"{json.dumps(answer)}\n\nLet me know if that's right {{or not}}!",
    "chatter and fence": lambda answer: f"Of course.\n```json\n{json.dumps(answer, indent=2)}\n```\nAnything else?",
    "thoughts": lambda answer: f'<think>Maybe {{"a": [1]}}? No.</think>\n{json.dumps(answer)}',
    "thoughts without their beginning": lambda answer: f"So {{this}} it is.</think>\n{json.dumps(answer)}",
    "thoughts in other tags": lambda answer: f"<reasoning>\nHm, [1]\n</reasoning>\n```json\n{json.dumps(answer)}\n```",
    "byte order mark": lambda answer: f"\ufeff{json.dumps(answer)}",
    "single quotes": _single_quotes,
    "Python's words": repr,
    "trailing commas": _trailing_commas,
    "comments": lambda answer: json.dumps(answer, indent=1).replace("{\n", "{ // what was found\n", 1),
    "block comment": lambda answer: f"{{ /* found: */ {json.dumps(answer)[1:]}",
    "raw line breaks": lambda answer: json.dumps(answer, indent=1).replace("\\n", "\n"),
    "in an envelope": lambda answer: json.dumps({"result": answer}),
    "in a list": lambda answer: json.dumps([answer]),
    "capital names": lambda answer: json.dumps(_renamed(answer, str.capitalize)),
    "names with spaces": lambda answer: json.dumps(_renamed(answer, lambda name: f" {name.replace('_', ' ')} ")),
    "more fields": lambda answer: json.dumps(answer | {"reasoning_effort": "low"}),
    "escaped as HTML says": lambda answer: json.dumps(answer, ensure_ascii=True),
    "NUL and lone surrogates": lambda answer: json.dumps(answer | {"note": "\x00 \ud800"}),
    "tabs": lambda answer: json.dumps(answer, indent="\t").replace("\t", " \t"),
    "carriage returns": lambda answer: json.dumps(answer, indent=1).replace("\n", "\r\n"),
    "an example before": lambda answer: f"The form is {{}}, so:\n{json.dumps(answer)}",
}
"""Styles of any answer. Each holds all of it."""

ENTRIES: dict[str, Callable[[Json], str]] = {
    "bare list": lambda answer: json.dumps(_entries(answer)[1]),
    "list of lists": lambda answer: json.dumps([[one] for one in _entries(answer)[1]]),
    "another name": lambda answer: json.dumps({"items_found": _entries(answer)[1]}),
    "other name in an envelope": lambda answer: json.dumps({"output": {"data": _entries(answer)[1]}}),
    "numbered": lambda answer: json.dumps(
        {_entries(answer)[0]: {str(n): one for n, one in enumerate(_entries(answer)[1], start=1)}}
    ),
    "an object a line": lambda answer: "\n".join(map(json.dumps, _entries(answer)[1])),
    "two objects": lambda answer: "\n".join(
        json.dumps({_entries(answer)[0]: part}) for part in (_entries(answer)[1][:1], _entries(answer)[1][1:])
    ),
    "two fences": lambda answer: "\nand\n".join(
        f"```json\n{json.dumps({_entries(answer)[0]: part})}\n```"
        for part in (_entries(answer)[1][:1], _entries(answer)[1][1:])
    ),
    "one more that is broken": lambda answer: json.dumps({_entries(answer)[0]: [*_entries(answer)[1], {"x": 1}, 7]}),
    "cut off before its last bracket": lambda answer: json.dumps(answer)[:-1],
    "cut off in one more": lambda answer: json.dumps({_entries(answer)[0]: [*_entries(answer)[1], {"y": "z" * 9}]})[
        :-9
    ],
    "cut off in one more of a bare list": lambda answer: json.dumps([*_entries(answer)[1], {"y": "z" * 9}])[:-8],
    "cut off between two": lambda answer: json.dumps(answer)[:-2] + ", ",
    "230 of them": lambda answer: json.dumps({_entries(answer)[0]: _entries(answer)[1] * 115}),
}
"""Styles of an answer that is a list of two entries. Each holds both."""

NO_ANSWERS = {
    "nothing": "",
    "a refusal": "I'm sorry, but I can't help with that.",
    "a refusal in JSON": '{"error": {"message": "I cannot help with that."}}',
    "only thoughts": "<think>Well, {this} is hard",
    "a table": "| type | content |\n| fact | Ann lives in Oslo |",
    "a number": "42",
    "deep nesting": "[" * 3_000,
    "open objects": '{"a":' * 3_000,
    "quotes": '"' * 9_000,
}
"""Texts without an answer."""
