"""SSRF protection: what a workspace has the service call, webhooks and models, is never inside the operator's own
network, unless the operator allows it."""

from __future__ import annotations

import socket
import unicodedata
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

SCHEMES = ("http", "https")
NAT64 = IPv6Network("64:ff9b::/96")
"""IPv4 addresses as IPv6 translators spell them (RFC 6052)."""
GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All that is assigned to the public Internet (RFC 4291). Outside it are the other ways to spell an IPv4 address:
compatible (``::127.0.0.1``), translated (``::ffff:0:127.0.0.1``), and translated locally (``64:ff9b:1::/48``)."""


def find_url_problem(url: str, *, private: bool) -> str | None:
    """Return what is wrong with a URL; None when nothing is. ``private``: addresses inside a network will do, as
    REVERIE_ALLOW_PRIVATE says.

    A name is not looked up here: what it stands for is looked at whenever something is sent there.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "cannot be read as an address"
    if parts.scheme not in SCHEMES or not host or not url.isprintable() or " " in url:
        return "must be an http or https address"
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "must hold no user, password or fragment"
    if not private and not _may_be_public(host):
        return "must not be an address inside a network (REVERIE_ALLOW_PRIVATE allows it)"
    return None


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public Internet's, whichever way it is spelled."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in NAT64:
            inner = IPv4Address(int(found) & 0xFFFF_FFFF)
        if inner is None and found not in GLOBAL_UNICAST:
            return False
        found = inner or found
    return found.is_global and not found.is_multicast


def _may_be_public(host: str) -> bool:
    """False for localhost and for an address inside a network, in any form a resolver takes (``0x7f.1``)."""
    name = unicodedata.normalize("NFKC", host).replace("\u3002", ".").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return False
    try:
        return is_public(name)
    except ValueError:
        pass
    try:
        return is_public(socket.inet_ntoa(socket.inet_aton(name)))
    except (OSError, UnicodeError):
        return True
