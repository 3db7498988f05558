"""Who is calling, and whom they may act for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.json import JsonObject
from service.domain.limits import NO_LIMITS, Limits
from service.domain.spending import Payer
from service.domain.workspace import WorkspaceSettings
from service.errors import Forbidden, InvalidInput, NotFound

KeyRole = Literal["admin", "agent", "reader"]
KeyScope = Literal["read", "write", "dream", "export"]
KEY_SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)


@dataclass(frozen=True, slots=True)
class KeyGrant:
    """What a key is for. ``scopes`` None: all that its role allows; ``expires_at`` None: until it is revoked.

    The key of an OAuth client names the client and the key that consented (``granted_by``).
    """

    role: KeyRole
    name: str
    agent: str | None = None
    scopes: frozenset[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = NO_LIMITS
    client_id: UUID | None = None
    granted_by: UUID | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a key. ``agent`` is set for an agent key: it acts as that agent and no other.

    ``no_memory``: the call asks for no recall, no capture and no count of access.
    ``scopes`` are what the key is narrowed to; None is all that its role allows.
    ``limits`` are the key's own, ``workspace_limits`` those of all keys of the workspace together.
    ``settings`` are the workspace's at the time of the request; None when nobody has read them yet.
    """

    workspace_id: UUID
    key_id: UUID
    role: KeyRole
    agent: str | None
    no_memory: bool = False
    scopes: frozenset[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = NO_LIMITS
    workspace_limits: Limits = NO_LIMITS
    settings: WorkspaceSettings | None = field(default=None, compare=False, repr=False)

    @property
    def actor(self) -> str:
        """How this caller is named in histories: ``agent:<name>`` or ``<role>:<key id>``."""
        return f"agent:{self.agent}" if self.agent else f"{self.role}:{self.key_id}"

    def payer(self, agent: str | None = None) -> Payer:
        """Who pays for the models that this caller's requests use, for the key's own agent or else this one."""
        return Payer(self.workspace_id, self.key_id, self.agent or agent)

    def acting_agent(self, named: str | None) -> str:
        """The agent this call acts as: the key's own, else the one named. Raises InvalidInput when none is."""
        agent = self.agent or named
        if agent is None:
            raise InvalidInput(("body", "agent"), "name the acting agent (this key is not bound to one)")
        return agent

    def reader_agent(self, named: str | None) -> str | None:
        """The agent a listing reads as: the key's own agent, else the one named; None sees the whole workspace."""
        return self.agent or named

    def check_owns(self, agent: str) -> str:
        """The agent of a path. Raises NotFound when an agent key names another one."""
        if self.agent is not None and self.agent != agent:
            raise NotFound(f"There is no agent {agent!r} here.")
        return agent

    def require_scope(self, *needed: KeyScope) -> None:
        """Raise Forbidden for a key whose scopes leave out any of those needed."""
        missing = [] if self.scopes is None else [scope for scope in needed if scope not in self.scopes]
        if missing:
            raise Forbidden(f"This key's scopes do not include {missing[0]!r}.")

    def require_all_scopes(self) -> None:
        """Raise Forbidden for a key with scopes."""
        if self.scopes is not None:
            raise Forbidden("This needs a key without scopes.")

    def require_write(self) -> None:
        """Raise Forbidden for a reader key."""
        if self.role == "reader":
            raise Forbidden("A reader key may not change anything.")

    def require_admin(self) -> None:
        """Raise Forbidden for anything but an admin key."""
        if self.role != "admin":
            raise Forbidden("This needs an admin key.")

    def require_no_limits(self) -> None:
        """Raise Forbidden for a key with limits of its own, which could get around them."""
        if self.limits != NO_LIMITS:
            raise Forbidden("This needs a key without limits.")

    @property
    def is_installation_admin(self) -> bool:
        """Whether what concerns all workspaces may be told: to an admin key of the default workspace."""
        return self.role == "admin" and self.workspace_id == DEFAULT_WORKSPACE

    def require_installation_admin(self) -> None:
        """Raise Forbidden for anything but an admin key of the default workspace."""
        if not self.is_installation_admin:
            raise Forbidden("This needs an admin key of the default workspace.")


@dataclass(frozen=True, slots=True)
class CachedCredential:
    """A key as it was last seen: its ``hash``, whose it was, and the workspace's ``settings`` as stored.

    It may have been revoked since, so it is trusted by nothing but a statement that finds out whether it still holds,
    in the moment in which it saves or searches (StaleCredential where it does not).
    """

    principal: Principal
    hash: bytes
    settings: JsonObject | None

    def parameters(self) -> dict[str, object]:
        """As the statements that make sure of it name them."""
        return {
            "key_id": self.principal.key_id,
            "key_hash": self.hash,
            "key_settings": self.settings,
            "key_limits": self.principal.limits.set_only,
            "workspace_limits": self.principal.workspace_limits.set_only,
        }
