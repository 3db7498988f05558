"""Which requests the proxy takes: for an allowed model, and none but that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

import orjson

from service.domain.json import dumps
from service.errors import Forbidden, InvalidInput
from service.proxy.fields import PASSED_ON
from service.proxy.wire_format import Payload, WireFormat, objects

NAME_MAX: Final = 200
OTHER_MODELS: Final = ("models", "fallbacks", "context_window_fallbacks", "fallback_models")
"""Fields by which gateways (OpenRouter, LiteLLM) take models to fall back to: those would be called unseen."""
_MODEL: Final = b'"model"'
_ESCAPED_LETTER: Final = b"\\u006"
"""How an escaped letter of that name begins."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request for an allowed ``model``: what it says, and the bytes that say it."""

    model: str
    payload: Payload
    content: bytes


def admit(content: bytes, allowed: Sequence[str], own_model: str | None, wire: WireFormat) -> Admitted:
    """The request, if it may be made; ``allowed`` are patterns as in file names, and without any ``own_model`` is.

    Fields that are not of the format are dropped; a request without any is the client's to the byte.
    Raises InvalidInput for what is no JSON object that names a model, and Forbidden for another model.
    """
    try:
        payload = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(("body",), "must be JSON") from error
    if not isinstance(payload, dict):
        raise InvalidInput(("body",), "must be a JSON object")
    model = payload.get("model")
    names = [name.casefold() for name in payload]
    if names.count("model") > 1:  # parsers that ignore case would take the last
        raise InvalidInput(("body", "model"), "must be given once")
    if not isinstance(model, str) or not model or len(model) > NAME_MAX:
        raise InvalidInput(("body", "model"), f"must name a model, in at most {NAME_MAX} characters")
    if not is_allowed(model, allowed, own_model):
        raise Forbidden(f"The model {model!r} may not be called through the proxy (setting proxy.models).")
    tools = (tool.get("model") for tool in objects(payload.get("tools")))
    for called in (named for named in tools if named is not None):
        if not isinstance(called, str) or not is_allowed(called, allowed, own_model):
            raise Forbidden(f"The model {called!r} of a tool may not be called through the proxy.")
    if named := next((field for field in OTHER_MODELS if field in names), None):
        raise Forbidden(f"The field {named!r} names other models, which the proxy does not call.")
    passed_on = {name: value for name, value in payload.items() if name in PASSED_ON[wire]}
    changed = len(passed_on) < len(payload) or _is_ambiguous(content)
    return Admitted(model, passed_on, dumps(passed_on) if changed else content)


def is_allowed(model: str, allowed: Sequence[str], own_model: str | None) -> bool:
    """By its name, or by that with or without the provider of the configured model."""
    provider, slash, _ = (own_model or "").partition("/")
    prefix = provider + slash if slash else ""
    patterns = allowed or ([own_model] if own_model else [])
    return any(fnmatchcase(model.removeprefix(prefix), pattern.removeprefix(prefix)) for pattern in patterns)


def _is_ambiguous(content: bytes) -> bool:
    """Whether another parser could read another model out of these bytes: by a key that is there twice, or escaped."""
    return content.count(_MODEL) != 1 or _ESCAPED_LETTER in content
