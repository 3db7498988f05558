"""The settings of sign-in by OpenID Connect, checked at start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from service.errors import InvalidInput
from service.oidc.grants import Grant
from service.settings import LOCAL, Settings

_GRANTS = TypeAdapter(dict[str, Grant])


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """``claim`` names the groups of a user, ``grants`` what each gets, the first that fits first. ``secret`` None: a
    public client. ``name`` is what the Studio calls the provider."""

    issuer: str
    client_id: str
    secret: str | None
    scopes: str
    claim: str
    grants: Mapping[str, Grant]
    name: str


def oidc_settings(settings: Settings) -> OidcSettings | None:
    """What is set; None without an issuer. Raises InvalidInput, which names the variable."""
    if settings.oidc_issuer is None:
        return None
    if not is_web_address(settings.oidc_issuer):
        raise InvalidInput(("REVERIE_OIDC_ISSUER",), "REVERIE_OIDC_ISSUER must be an address with https")
    if settings.oidc_client_id is None:
        raise InvalidInput(("REVERIE_OIDC_CLIENT_ID",), "REVERIE_OIDC_ISSUER is set: set REVERIE_OIDC_CLIENT_ID too")
    if "openid" not in settings.oidc_scopes.split():
        raise InvalidInput(("REVERIE_OIDC_SCOPES",), "REVERIE_OIDC_SCOPES must name openid")
    try:
        grants = _GRANTS.validate_json(settings.oidc_grants or "{}")
    except ValidationError as error:
        (first, *_) = error.errors()
        where = ".".join(("REVERIE_OIDC_GRANTS", *map(str, first["loc"])))
        raise InvalidInput(("REVERIE_OIDC_GRANTS",), f"{where}: {first['msg']}") from None
    if not grants:
        raise InvalidInput(("REVERIE_OIDC_GRANTS",), "REVERIE_OIDC_GRANTS must say what members of a group may do")
    return OidcSettings(
        settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.oidc_scopes,
        settings.oidc_claim, grants, settings.oidc_name,
    )  # fmt: skip


def is_web_address(text: str) -> bool:
    """Whether it is an address with https, or with http on this machine."""
    parts = urlsplit(text)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)
