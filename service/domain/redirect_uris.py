"""Redirect URIs of OAuth clients: which may be registered, which are the same, and how they are shown.

Texts are URLs as pydantic writes them: scheme and host in lower case, hosts in ASCII.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from service.domain.word_lists import word_set

URI_CHARS_MAX = 1_000
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""RFC 8252, section 7.3, and the name that many programs use all the same."""
FORBIDDEN_SCHEMES = word_set("""
    about blob chrome content data file filesystem ftp intent jar javascript mailto resource sms tel vbscript
    view-source ws wss""")
"""What browsers give a meaning of their own: no private-use scheme of an app (RFC 8252, section 7.1)."""
_HOST = re.compile(r"[a-z0-9.-]+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


def check_redirect_uri(uri: str) -> None:
    """Raise ValueError for a redirect URI that no client may register: HTTPS, HTTP on the loopback, and the schemes of
    apps remain."""
    parts = urlsplit(uri)
    if len(uri) > URI_CHARS_MAX:
        raise ValueError(f"a redirect URI may have at most {URI_CHARS_MAX} characters")
    if not uri.isascii() or not uri.isprintable():
        raise ValueError("a redirect URI must have printable ASCII characters only")
    if parts.fragment or "#" in uri:
        raise ValueError("a redirect URI must not have a fragment")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a redirect URI must not hold a user or a password")
    if parts.scheme in FORBIDDEN_SCHEMES or parts.scheme.startswith("ms-") or not _SCHEME.fullmatch(parts.scheme):
        raise ValueError("a redirect URI must begin with https://, or with the scheme of an app")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK_HOSTS:
        raise ValueError("a redirect URI with http:// must be on the loopback: localhost, 127.0.0.1 or [::1]")
    if parts.scheme == "https" and not _HOST.fullmatch(parts.hostname or ""):
        raise ValueError("a redirect URI with https:// must name a host")


def is_same_redirect_uri(registered: str, asked: str) -> bool:
    """Return whether a client that registered one URI may be sent to the other: to exactly that, but for the port of a
    loopback address, which native apps choose when they start (RFC 8252, section 7.3). Never with a user."""
    if "@" in urlsplit(asked).netloc:
        return False
    one, other = _with_path(urlsplit(registered)), _with_path(urlsplit(asked))
    return one == other or (_is_loopback(one) and _is_loopback(other) and _without_port(one) == _without_port(other))


def _with_path(parts: SplitResult) -> SplitResult:
    return parts if parts.path else parts._replace(path="/")


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS


def _without_port(parts: SplitResult) -> SplitResult:
    return parts._replace(netloc=parts.hostname or "")


def shown_destination(uri: str) -> str:
    """Return where a redirect URI leads, in words."""
    parts = urlsplit(uri)
    if _is_loopback(parts):
        return f"a program on this computer ({parts.hostname})"
    return parts.hostname or "" if parts.scheme == "https" else f"the app that opens {parts.scheme}: links"


def csp_source(uri: str) -> str:
    """Return the source expression of Content-Security-Policy that allows a form to end at a redirect URI."""
    parts = urlsplit(uri)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")
