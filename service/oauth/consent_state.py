"""What the consent page hands to the browser and takes back, sealed."""

from __future__ import annotations

import secrets
from uuid import UUID

from mcp.server.auth.provider import AuthorizationParams
from pydantic import BaseModel, Field


class ConsentRequest(BaseModel):
    """A checked request of a client, on its way to the consent page. ``base``: the server as the client reached it."""

    client_id: UUID
    base: str
    params: AuthorizationParams


class Visit(BaseModel):
    """A browser at the consent page: the token against CSRF, and the key that the user signed in with."""

    csrf: str = Field(default_factory=lambda: secrets.token_urlsafe(32))
    key: str | None = None
