"""Cross-origin requests: pages of the origins that REVERIE_CORS_ORIGINS lists may call the API from a browser.

A page brings its key in a header. Cookies and other credentials of the browser are never allowed, and the Studio, whose
sessions are cookies, is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_AGE_S = 600


def cors_middleware(app: ASGIApp, origins: Sequence[str], excluded: Collection[str]) -> ASGIApp:
    """Answers preflights, and tells browsers which pages may read an answer; not under ``excluded``."""
    cors = CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=METHODS,
        allow_headers=["*"],
        expose_headers=["*"],
        max_age=MAX_AGE_S,
    )

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_excluded = any(path == one or path.startswith(f"{one}/") for one in excluded)
        await (app if is_excluded else cors)(scope, receive, send)

    return handle
