"""Why a call to a model failed, in words that tell a person where to look: the model, the server, the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from service.domain.field_types import replace_unstorable

REASON_CHARS_MAX: Final = 500
UNKNOWN_STATUS: Final = 500
"""litellm's for whatever has none, such as a server that is not there."""
KEY_CHARS_MIN: Final = 8
"""What is shorter, such as the ``none`` of servers that want no key, hides nothing."""
HIDDEN: Final = "(the key)"
# "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error." names three classes.
_CLASS_NAME: Final = re.compile(r"(?:[A-Za-z_]{1,40}\.){0,3}[A-Za-z_]{1,60}(?:Error|Exception)(?::| -)\s{0,3}")


def describe(error: BaseException, model: str, api_base: str | None, api_key: str | None = None) -> str:
    """``<model> at <host> failed: <reason>``, with the HTTP status where there is one; never a secret, and not the key
    that a server repeats."""
    status = getattr(error, "status_code", None)
    status_text = f"HTTP {status}: " if isinstance(status, int) and status != UNKNOWN_STATUS else ""
    return f"{located(model, api_base)} failed: {status_text}{_reason(error, api_key)}"


def located(model: str, api_base: str | None) -> str:
    """The model, and the host and port it is at where they are configured."""
    host = host_of(api_base)
    return f"{model} at {host}" if host else model


def host_of(api_base: str | None) -> str:
    """Host and port of a URL, without user name, password and path; empty where there is none."""
    try:
        return urlsplit(api_base or "").netloc.rpartition("@")[2]
    except ValueError:
        return ""


def _reason(error: BaseException, api_key: str | None) -> str:
    """The library's message without its class names, and the failure of the operating system behind it, if any."""
    text = " ".join(str(getattr(error, "message", None) or error).split())
    while match := _CLASS_NAME.match(text):
        text = text[match.end() :]
    # The innermost OSError: connection refused, unknown host, a certificate.
    system_error = next((one for one in reversed(list(chain_of(error))) if isinstance(one, OSError)), "")
    cause = " ".join(str(system_error).split())
    if cause and cause not in text:
        text = f"{text.rstrip('. ')}: {cause}" if text else cause
    if api_key and len(api_key) >= KEY_CHARS_MIN:
        text = text.replace(api_key, HIDDEN)
    return replace_unstorable(text[:REASON_CHARS_MAX]) or type(error).__name__


def chain_of(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it, the innermost last."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
