"""Who is calling, and whom they may act for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, get_args
from uuid import UUID

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.json import JsonObject
from service.domain.limits import NO_LIMITS, Limits
from service.domain.owners import Owners, ShownViewer, UsersMode, Viewer, viewer_of
from service.domain.spending import Payer
from service.domain.workspace import WorkspaceSettings
from service.errors import Forbidden, InvalidInput, NotFound

KeyRole = Literal["admin", "agent", "reader"]
KeyScope = Literal["read", "write", "dream", "export"]
KEY_SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)


@dataclass(frozen=True, slots=True)
class KeyGrant:
    """What a key is for. ``scopes`` None: all that its role allows; ``expires_at`` None: until it is revoked.

    ``makers`` are the keys that it comes from, each made by the one before it and this one by the last: it counts
    against their limits, and is revoked with any of them. The key of an OAuth client comes from the key that consented.
    ``subject`` tells whose sign-in at a provider it is, or comes from. A key of a ``user`` reads and writes for that
    user alone.
    """

    role: KeyRole
    name: str
    agent: str | None = None
    scopes: frozenset[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = NO_LIMITS
    client_id: UUID | None = None
    makers: tuple[UUID, ...] = ()
    subject: str | None = None
    user: str | None = None

    @property
    def granted_by(self) -> UUID | None:
        """Return the key that made this one, or consented to it."""
        return self.makers[-1] if self.makers else None

    @property
    def is_sign_in(self) -> bool:
        """Return whether it is the key of a sign-in at a provider itself."""
        return self.subject is not None and not self.makers

    def as_maker(self, days_max: int, now: datetime) -> KeyGrant:
        """Return this key as the bound of what it makes, which outlives the key of a sign-in: it is bound to its
        subject."""
        return replace(self, expires_at=now + timedelta(days=days_max)) if self.is_sign_in else self

    def check_within(self, most: KeyGrant) -> None:
        """Raise Forbidden, which names the field, where this key may do, cost or hold more than ``most``, or lives
        longer: the one rule for whatever a key makes, changes, rotates or consents to."""
        exceeded = self._exceeded(most)
        if exceeded is not None:
            field, own = exceeded
            raise Forbidden(f"This key may give no more than it has, and that is {field}: {own}.")

    def is_within(self, most: KeyGrant) -> bool:
        """Return whether ``check_within`` lets this key be."""
        return self._exceeded(most) is None

    def _exceeded(self, most: KeyGrant) -> tuple[str, object] | None:
        if most.role not in ("admin", self.role):
            return "role", most.role
        if most.agent not in (None, self.agent):
            return "agent", most.agent
        if most.user not in (None, self.user):
            return "user", most.user
        if most.scopes is not None and (self.scopes is None or not self.scopes <= most.scopes):
            return "scopes", ", ".join(sorted(most.scopes))
        passed = self.limits.passes(most.limits)
        if passed is not None:
            return f"limits.{passed}", getattr(most.limits, passed)
        if most.expires_at is not None and (self.expires_at is None or self.expires_at > most.expires_at):
            return "expires_at", most.expires_at.isoformat()
        return None

    def made_by(self, key_id: UUID, maker: KeyGrant) -> KeyGrant:
        """Return this key as that one makes it: of limits, expiry and user, what it does not name is its maker's.
        Raises Forbidden for what exceeds the maker."""
        made = replace(
            self, limits=maker.limits.changed_by(self.limits), expires_at=self.expires_at or maker.expires_at,
            makers=(*maker.makers, key_id), subject=maker.subject, user=self.user or maker.user,
        )  # fmt: skip
        made.check_within(maker)
        return made


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a key. ``agent`` is set for an agent key: it acts as that agent and no other; ``user`` for a key
    that is bound to one, for whom all its requests are.

    ``named_user`` is the user whom the request names beside its body. ``for_prompt``: what it reads goes to a model.
    ``no_memory``: the call asks for no recall, no capture and no count of access.
    ``scopes`` are what the key is narrowed to; None is all that its role allows.
    ``limits`` are the key's own, ``maker_limits`` those of the keys that it comes from, which it counts against too,
    and ``workspace_limits`` those of all keys of the workspace together.
    ``settings`` are the workspace's at the time of the request; None when nobody has read them yet. ``agent_users`` is
    the setting ``users`` of the agent whose key it is, or that the request names, where that agent has one of its own.
    """

    workspace_id: UUID
    key_id: UUID
    role: KeyRole
    agent: str | None
    no_memory: bool = False
    scopes: frozenset[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = NO_LIMITS
    maker_limits: tuple[tuple[UUID, Limits], ...] = ()
    workspace_limits: Limits = NO_LIMITS
    user: str | None = None
    named_user: str | None = None
    for_prompt: bool = False
    agent_users: UsersMode | None = None
    settings: WorkspaceSettings | None = field(default=None, compare=False, repr=False)

    @property
    def actor(self) -> str:
        """Return how this caller is named in histories: ``agent:<name>`` or ``<role>:<key id>``."""
        return f"agent:{self.agent}" if self.agent else f"{self.role}:{self.key_id}"

    @property
    def viewer(self) -> Viewer:
        """Return whom this call reads for, where it names no session."""
        of_workspace = self.settings.users if self.settings is not None else "separate"
        return viewer_of(self.acting_user(None), None, self.agent_users or of_workspace, prompt=self.for_prompt)

    @property
    def own(self) -> list[str]:
        """Return the owners of what belongs to this call's user alone, or to nobody without one."""
        user = self.acting_user(None)
        return [] if user is None else [user]

    @property
    def writes_as(self) -> Viewer:
        """Return whom a write of this call reads for: the user of a bound key; others may name any owners."""
        return "everybody" if self.user is None else (self.user,)

    @property
    def key_limits(self) -> tuple[tuple[UUID, Limits], ...]:
        """Return the limits of keys that this caller counts against, its own first."""
        return ((self.key_id, self.limits), *self.maker_limits)

    def payer(self, agent: str | None = None, viewer: ShownViewer | Viewer | None = None) -> Payer:
        """Return who pays for the models that this caller's requests use, for the key's own agent or else this one, and
        for the users who are the ``viewer``, by default the caller's."""
        owners = self.own if viewer is None else () if isinstance(viewer, str) else viewer
        return Payer(self.workspace_id, self.key_id, self.agent or agent, owners=tuple(owners))

    def acting_agent(self, named: str | None) -> str:
        """Return the agent this call acts as: the key's own, else the one named. Raises InvalidInput when none is."""
        agent = self.agent or named
        if agent is None:
            raise InvalidInput(("body", "agent"), "name the acting agent (this key is not bound to one)")
        return agent

    def acting_user(self, named: str | None) -> str | None:
        """Return the user this call is for: the one the key is bound to, else the one named.

        Raises Forbidden where another one than the key's is named.
        """
        named = named or self.named_user
        if self.user is not None and named not in (None, self.user):
            raise Forbidden("This key is bound to another user.")
        return self.user or named

    def check_is_for(self, forms: Collection[str]) -> None:
        """Raise Forbidden where the request is made for another user than the one of these forms of a name, whom it is
        about."""
        if self.acting_user(None) not in (None, *forms):
            raise Forbidden("This request is made for another user.")

    def saves_for(self, about: str | None) -> str | None:
        """Return the user for whom this call saves: the one the key is bound to, else the one named beside the body,
        else whom the save is ``about``."""
        return self.user or self.named_user or about

    def owners_of(self, owners: Owners | None, about: str | None, mode: UsersMode) -> list[str] | None:
        """Return the owners of what this call saves: those named, else nobody where a team shares all, else the user
        for whom it saves; None where the session tells. Raises Forbidden where a bound key names any other than its
        user."""
        if owners is None and mode == "shared":
            return []
        if owners is None:
            user = self.saves_for(about)
            return None if user is None else [user]
        if self.user is not None and list(owners) != [self.user]:
            raise Forbidden("What a key of a user saves belongs to that user.")
        return list(owners)

    def may_change(self, agent: str, owners: Owners) -> bool:
        """Return whether this caller may change what an agent keeps for these owners."""
        return self.agent in (None, agent) and (self.user is None or list(owners) == [self.user])

    def check_changes(self, owners: Owners) -> None:
        """Raise Forbidden where a key of a user would change what does not belong to exactly that user: others see
        it."""
        if self.user is not None and list(owners) != [self.user]:
            raise Forbidden("A key of a user changes what belongs to that user alone.")

    def reader_agent(self, named: str | None) -> str | None:
        """Return the agent a listing reads as: the key's own agent, else the one named; None sees the whole
        workspace."""
        return self.agent or named

    def check_owns(self, agent: str) -> str:
        """Return the agent of a path. Raises NotFound when an agent key names another one."""
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

    def require_scopes(self, needed: tuple[KeyScope, ...] | None) -> None:
        """Raise Forbidden for a key whose scopes leave out any of those needed; None needs a key without scopes."""
        if needed is None:
            self.require_all_scopes()
        else:
            self.require_scope(*needed)

    def require_write(self) -> None:
        """Raise Forbidden for a reader key."""
        if self.role == "reader":
            raise Forbidden("A reader key may not change anything.")

    def require_admin(self) -> None:
        """Raise Forbidden for anything but an admin key."""
        if self.role != "admin":
            raise Forbidden("This needs an admin key.")

    def require_no_limits(self) -> None:
        """Raise Forbidden for a key that counts against limits of keys, which could get around them."""
        if any(limits != NO_LIMITS for _, limits in self.key_limits):
            raise Forbidden("This needs a key without limits.")

    @property
    def is_installation_admin(self) -> bool:
        """Return whether what concerns all workspaces may be told: to an admin key of the default workspace."""
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
            "maker_limits": {str(id_): limits.set_only for id_, limits in self.principal.maker_limits} or None,
            "workspace_limits": self.principal.workspace_limits.set_only,
        }
