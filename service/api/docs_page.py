"""The page at /docs: Swagger UI over /openapi.json, with scripts and styles that the package fastapi-offline holds."""

from __future__ import annotations

from importlib.resources import files

from fastapi.openapi.docs import get_swagger_ui_html
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from service.errors import NotFound

PATH = "/docs"
ASSETS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon.png": "image/png",
}
CACHED = {"Cache-Control": "public, max-age=86400"}


async def page(request: Request) -> HTMLResponse:
    """The page; its addresses are below whatever path a proxy puts before ours."""
    root = request.scope.get("root_path", "").rstrip("/")
    return get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="Reverie: API reference",
        swagger_js_url=f"{root}{PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{root}{PATH}/swagger-ui.css",
        swagger_favicon_url=f"{root}{PATH}/favicon.png",
    )


async def asset(request: Request) -> Response:
    """A script, a style or a picture of it."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise NotFound
    content = (files("fastapi_offline") / "static" / name).read_bytes()
    return Response(content, media_type=ASSETS[name], headers=CACHED)


ROUTES: tuple[BaseRoute, ...] = (Route(PATH, page), Route(PATH + "/{name}", asset))
