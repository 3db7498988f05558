"""The OpenAPI document of the code at hand, made once for all tests that are collected by it."""

from __future__ import annotations

from typing import Any

from service.app import create_app
from service.settings import Settings

DOCUMENT: dict[str, Any] = create_app(Settings(DATABASE_URL="postgresql://nowhere", _env_file=None)).openapi()
