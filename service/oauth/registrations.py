"""How many OAuth clients each address may register: anybody may, so one stranger must not use up what is for all."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict, deque
from datetime import datetime, timedelta

from service.errors import RateLimited

PER_ADDRESS_AND_MINUTE = 20
ADDRESSES_MAX = 10_000
"""Addresses remembered; the one that was heard of longest ago is forgotten."""
_MINUTE = timedelta(minutes=1)


class Registrations:
    """Those of the last minute, by address, in this process."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, deque[datetime]] = OrderedDict()

    def note(self, host: str | None, now: datetime) -> None:
        """Note one more of an address. Raises RateLimited, which is not noted."""
        address = _network(host)
        times = self._times.setdefault(address, deque())
        self._times.move_to_end(address)
        while len(self._times) > ADDRESSES_MAX:
            self._times.popitem(last=False)
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= PER_ADDRESS_AND_MINUTE:
            raise RateLimited(retry_after_s=60)
        times.append(now)


def _network(host: str | None) -> str:
    """An IPv4 address, or the /64 of an IPv6 one, which is what one subscriber has."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host or ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
