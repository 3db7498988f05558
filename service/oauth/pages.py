"""The pages of a consent: plain HTML without scripts, whatever a client calls itself."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from service.domain.redirect_uris import csp_source, shown_destination

_templates = Environment(
    loader=PackageLoader("service.oauth"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_STYLE = _templates.get_template("style.css").render()
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def page(name: str, status: int = 200, *, redirect_uri: str | None = None, **values: Any) -> Response:
    """The page of a template. Its form may end at ``redirect_uri``, and else only at this server."""
    html = _templates.get_template(f"{name}.html").render(style=_STYLE, **values)
    ends_at = f"'self' {csp_source(redirect_uri)}" if redirect_uri else "'self'"
    headers = {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action {ends_at}; base-uri 'none'; "
            "frame-ancestors 'none'"
        ),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    return HTMLResponse(html, status, headers)


def message(status: int, title: str, text: str, *, link: str | None = None) -> Response:
    """A page that only says something. ``link``: an address of the app, where the user may go on."""
    destination = shown_destination(link) if link else ""
    return page("message", status, title=title, text=text, link=link, destination=destination)
