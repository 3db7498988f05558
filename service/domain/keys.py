"""API keys as they are shown, never with what their secrets are found by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.domain.field_types import CreatedAt
from service.domain.limits import Limits
from service.domain.principal import KeyScope

KeyName = Annotated[str, Field(description="Display name of the key.")]
RoleName = Annotated[str, Field(description="Role of the key: `admin`, `reader` or `agent`.")]
KeyAgent = Annotated[str | None, Field(description="Agent of the key; null for other roles.")]
KeyUser = Annotated[
    str | None, Field(description="User the key is bound to, for whom all its requests are; null for an unbound key.")
]
KeyId = Annotated[UUID, Field(description="Id of the key.")]
KeyPrefix = Annotated[
    str | None, Field(description="First characters of the secret; null for keys made before schema 0048.")
]
Scopes = Annotated[
    list[KeyScope] | None,
    Field(description="Scopes that narrow the role (`read`, `write`, `dream`, `export`); null for all of it."),
]
KeyLimits = Annotated[Limits, Field(description="Limits of the key.")]
KeyExpiry = Annotated[datetime | None, Field(description="Time of expiry; null for a key that does not expire.")]
OAuthClient = Annotated[
    UUID | None,
    Field(description="OAuth client whose access token the key is; null for a key made by `POST /v1/keys`."),
]


@dataclass(frozen=True, slots=True)
class KeyLimitsChanged:
    """Limits of an API key after a change."""

    id: KeyId
    limits: KeyLimits


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """New API key with its secret."""

    id: KeyId
    key: Annotated[str, Field(description="Secret of the key, returned only here.")]
    role: RoleName
    agent: KeyAgent
    user: KeyUser
    name: KeyName
    prefix: KeyPrefix
    scopes: Scopes
    expires_at: KeyExpiry
    limits: KeyLimits


@dataclass(frozen=True, slots=True)
class Key:
    """API key without its secret."""

    id: KeyId
    name: KeyName
    role: RoleName
    agent: KeyAgent
    user: KeyUser
    prefix: KeyPrefix
    scopes: Scopes
    limits: KeyLimits
    created_at: CreatedAt
    expires_at: KeyExpiry
    revoked_at: Annotated[datetime | None, Field(description="Time of revocation; null for a valid key.")]
    last_used_at: Annotated[
        datetime | None,
        Field(description="Time of the last request, to the minute; null for a key that was never used."),
    ]
    client_id: OAuthClient
    granted_by: Annotated[
        UUID | None,
        Field(
            description="Key that made this one, or consented to its OAuth client; revoked, it takes this key with it. "
            "Null for a key made by a sign-in, by `reverie keys` or before schema 0059."
        ),
    ]


@dataclass(frozen=True, slots=True)
class Whoami:
    """Key of the request, with its workspace and role."""

    workspace: Annotated[str, Field(description="Name of the workspace.")]
    key_id: KeyId
    name: KeyName
    role: RoleName
    agent: KeyAgent
    user: KeyUser
    prefix: KeyPrefix
    scopes: Scopes
    expires_at: KeyExpiry
    limits: KeyLimits
    client_id: OAuthClient
