"""What an operator wants of an agent's dreams, in the prompts of a language model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from service.domain.dream_settings import AS_SAID, DreamChoices
from service.domain.json import JsonValue, dumps
from service.domain.prompt_fence import escape_tags, section
from service.domain.workspace import WorkspaceSettings
from service.memory.dreams.prompts import LANGUAGE, OWN_TYPES, STEERED

Messages = list[dict[str, str]]


def steered(messages: Sequence[dict[str, str]], choices: DreamChoices) -> Messages:
    """A prompt, system message first, with the operator's instructions as marked data before the data it is about, and
    the language to write in. The same prompt where neither is set."""
    if not is_steered(choices):
        return list(messages)
    system, *rest = messages
    content = system["content"]
    if choices.instructions:
        content += STEERED
        wishes = section("instructions", [escape_tags(choices.instructions)])
        rest = [{**rest[0], "content": f"{wishes}\n{rest[0]['content']}"}, *rest[1:]]
    if choices.language != AS_SAID:
        content += LANGUAGE.format(language=choices.language)
    return [{**system, "content": content}, *rest]


def with_own_types(messages: Messages, settings: WorkspaceSettings) -> Messages:
    """A prompt for extraction with the workspace's own types and kinds as marked data. The same where it has none."""
    types, kinds = settings.memory_types, settings.entity_kinds
    if not types and not kinds:
        return messages
    system, first, *rest = messages
    listed = [
        {"type": name, "means": own.description, "like": own.like, "schema": own.metadata_schema}
        for name, own in types.items()
    ]
    named = [{"kind": name, "means": kind.description, "schema": kind.metadata_schema} for name, kind in kinds.items()]
    own = section("types", map(_line, listed)), section("kinds", map(_line, named))
    content = "\n".join((*own, first["content"]))
    return [{**system, "content": system["content"] + OWN_TYPES}, {**first, "content": content}, *rest]


def _line(value: JsonValue) -> str:
    return escape_tags(dumps(value).decode())


def is_steered(choices: DreamChoices) -> bool:
    """Whether a prompt says more than without these settings."""
    return bool(choices.instructions) or choices.language != AS_SAID


def fingerprint(choices: DreamChoices) -> str:
    """16 hexadecimal digits that change with what prompts say of these settings; empty where they say nothing."""
    if not is_steered(choices):
        return ""
    return hashlib.sha256(dumps([choices.instructions, choices.language])).hexdigest()[:16]
