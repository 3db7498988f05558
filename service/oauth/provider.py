"""What the SDK's handlers of OAuth ask for, out of the use cases of ``service.memory.access.oauth``."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import InvalidRedirectUriError, OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl, BaseModel

from service.domain.principal import KEY_SCOPES
from service.domain.redirect_uris import check_redirect_uri, is_same_redirect_uri
from service.errors import Unauthenticated
from service.memory.access import oauth
from service.memory.access.oauth import Client, shown_name
from service.memory.engine import Engine
from service.sealing import Seal

SCOPES: tuple[str, ...] = KEY_SCOPES
PUBLIC = "none"
"""Method of the token endpoint: none, as anybody may register. PKCE binds a code to its client."""
REDIRECT_URIS_MAX = 10
STATE_CHARS_MAX = 2_000
CONSENT_PATH = "/oauth/consent"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""SHA-256 in base64url (RFC 7636, section 4.2)."""


class ClientInformation(OAuthClientInformationFull):
    """A registered client, with our rules for what it may ask for."""

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """The scopes asked for that there are. Others are left out: what is given is said with the token."""
        return [scope for scope in SCOPES if scope in (requested_scope or "").split()]

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Exactly one of those registered, but for the port of a loopback address."""
        registered = self.redirect_uris or []
        if redirect_uri is None and len(registered) == 1:
            return registered[0]
        if redirect_uri is None or not any(is_same_redirect_uri(str(one), str(redirect_uri)) for one in registered):
            raise InvalidRedirectUriError("redirect_uri is not registered for this client")
        return redirect_uri

    def client(self) -> Client:
        """The client as the use cases know it."""
        return Client(UUID(self.client_id), self.client_name or "", tuple(map(str, self.redirect_uris or ())))


class ConsentRequest(BaseModel):
    """A checked request of a client, on its way to the consent page. ``base``: the server as the client reached it."""

    client_id: UUID
    base: str
    params: AuthorizationParams


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Clients, codes and tokens of a server that its clients reach at ``base``. ``note_registration`` raises
    RateLimited."""

    def __init__(self, engine: Engine, seal: Seal, base: str, note_registration: Callable[[], None]) -> None:
        self._engine = engine
        self._seal = seal
        self._base = base
        self._note_registration = note_registration

    async def get_client(self, client_id: str) -> ClientInformation | None:
        """A registered client; None for any other text."""
        try:
            found = await oauth.find_client(self._engine, UUID(client_id))
        except ValueError:
            return None
        if found is None:
            return None
        return ClientInformation(
            client_id=str(found.id),
            client_name=found.name,
            redirect_uris=[AnyUrl(uri) for uri in found.redirect_uris],
            token_endpoint_auth_method=PUBLIC,
            scope=" ".join(SCOPES),
        )

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Take in a client, and change what it asked for to what it is given (RFC 7591, section 3.2.1): it is public,
        and nothing of it is kept but its name, without secrets, and its redirect URIs. Raises RegistrationError,
        RateLimited."""
        uris = list(map(str, client_info.redirect_uris or ()))
        if not 1 <= len(uris) <= REDIRECT_URIS_MAX:
            raise RegistrationError("invalid_redirect_uri", f"redirect_uris must be 1 to {REDIRECT_URIS_MAX} URIs")
        try:
            for uri in uris:
                check_redirect_uri(uri)
        except ValueError as error:
            raise RegistrationError("invalid_redirect_uri", str(error)) from None
        self._note_registration()
        name = await shown_name(self._engine, client_info.client_name)
        await oauth.register_client(self._engine, Client(UUID(client_info.client_id), name, tuple(uris)))
        given = OAuthClientInformationFull(
            client_id=client_info.client_id,
            client_id_issued_at=client_info.client_id_issued_at,
            client_name=name,
            redirect_uris=client_info.redirect_uris,
            token_endpoint_auth_method=PUBLIC,
            scope=" ".join(SCOPES),
        )
        for field in OAuthClientInformationFull.model_fields:
            setattr(client_info, field, getattr(given, field))

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """The address of the consent page for a request. Raises AuthorizeError."""
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge must be a SHA-256 hash in base64url")
        if params.state is not None and len(params.state) > STATE_CHARS_MAX:
            raise AuthorizeError("invalid_request", f"state may have at most {STATE_CHARS_MAX} characters")
        sealed = self._seal.close(ConsentRequest(client_id=UUID(client.client_id), base=self._base, params=params))
        return f"{self._base}{CONSENT_PATH}?request={sealed}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """A code of the client that has not been used."""
        row = await oauth.find_code(self._engine, _client(client), authorization_code)
        if row is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=row["scopes"],
            expires_at=row["expires_at"].timestamp(),
            client_id=client.client_id,
            code_challenge=row["challenge"],
            redirect_uri=AnyUrl(row["redirect_uri"]),
            redirect_uri_provided_explicitly=row["redirect_uri_given"],
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Tokens for a code, once. Raises TokenError."""
        return await _granted(oauth.redeem_code(self._engine, _client(client), authorization_code.code))

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """A refresh token of the client that has not been used."""
        row = await oauth.find_refresh_token(self._engine, _client(client), refresh_token)
        if row is None:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=client.client_id,
            scopes=row["scopes"],
            expires_at=int(row["expires_at"].timestamp()),
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: Sequence[str]
    ) -> OAuthToken:
        """The next tokens, once. Raises TokenError."""
        return await _granted(oauth.refresh(self._engine, _client(client), refresh_token.token, scopes))

    async def load_access_token(self, token: str) -> AccessToken | None:
        """The live access token of a client."""
        row = await oauth.find_client_key(self._engine, token)
        return AccessToken(token=token, client_id=str(row["client_id"]), scopes=row["scopes"]) if row else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Revoke the access token and the refresh tokens of one consent, whichever of them is given."""
        await oauth.revoke_token(self._engine, token.token)


def _client(client: OAuthClientInformationFull) -> Client:
    assert isinstance(client, ClientInformation)
    return client.client()


async def _granted(exchange: Awaitable[oauth.Tokens]) -> OAuthToken:
    try:
        tokens = await exchange
    except Unauthenticated as error:
        raise TokenError("invalid_grant", error.message) from None
    return OAuthToken(
        access_token=tokens.access,
        expires_in=tokens.expires_in_s,
        scope=" ".join(tokens.scopes),
        refresh_token=tokens.refresh,
    )
