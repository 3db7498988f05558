"""The page at /docs: Swagger UI over /openapi.json, with scripts and styles that the package fastapi-offline holds.

It opens with the operations that do the job; the others are folded, by group.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from service.errors import NotFound

PATH: Final = "/docs"
ASSETS: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon.png": "image/png",
}
CACHED: Final = {"Cache-Control": "public, max-age=86400"}

ESSENTIALS: Final = (
    "append_messages", "build_context", "save_memory", "search_memories", "ask_memory", "list_memories",
    "update_memory", "delete_memory", "request_dream", "undo_dream", "purge_user", "create_key",
)  # fmt: skip
"""The operations that the page opens with: what an agent does on each turn, and what its operator does now and then."""

_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="{assets}/swagger-ui.css">
<link rel="icon" href="{assets}/favicon.png">
<title>Reverie: API reference</title>
</head>
<body>
<div id="swagger-ui"></div>
<script src="{assets}/swagger-ui-bundle.js"></script>
<script>
const url = '{document}';
const essentials = {essentials};
const group = 'essentials';
fetch(url).then(answer => answer.json()).then(spec => {{
  for (const operation of Object.values(spec.paths).flatMap(Object.values))
    if (essentials.includes(operation.operationId)) operation.tags = [group];
  spec.tags = [{{name: group, description: 'what most programs need; the groups below have the rest'}}];
  const ui = SwaggerUIBundle({{
    spec, dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'none',
    onComplete: () => ui.layoutActions.show(['operations-tag', group], true),
  }});
}});
</script>
</body>
</html>
"""


async def docs_page(request: Request) -> HTMLResponse:
    """Return the page; its addresses are below whatever path a proxy puts before ours."""
    root = escape(request.scope.get("root_path", "").rstrip("/"))
    page = _PAGE.format(
        assets=f"{root}{PATH}", document=f"{root}/openapi.json", essentials=json.dumps(ESSENTIALS)
    )  # fmt: skip
    return HTMLResponse(page)


async def docs_asset(request: Request) -> Response:
    """Return a script, a style or a picture of the page. Raises NotFound for any other name."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise NotFound
    content = (files("fastapi_offline") / "static" / name).read_bytes()
    return Response(content, media_type=ASSETS[name], headers=CACHED)


ROUTES: Final[tuple[BaseRoute, ...]] = (Route(PATH, docs_page), Route(PATH + "/{name}", docs_asset))
