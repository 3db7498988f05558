"""One signed POST to a webhook: the worker's deliveries and the API's tests go out the same way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

import httpx

from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.events import signature
from service.provider.guarded_transport import Resolver, addresses_of, resolve
from service.provider.trust import trust

GONE = 410
USER_AGENT = "Reverie-Webhooks"


class DeliveryError(Exception):
    """Why an event did not arrive: ``status`` is the receiver's answer, None without one; ``gone``: it never will."""

    def __init__(self, why: str, status: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.status = status
        self.gone = status == GONE


@dataclass(frozen=True, slots=True)
class WebhookSender:
    """Sends within ``timeout_s``. ``private`` allows addresses inside a network, of those that ``resolver`` finds."""

    timeout_s: float = 10.0
    private: bool = False
    resolver: Resolver = resolve

    def client(self) -> httpx.AsyncClient:
        """A client for several deliveries: redirects are not followed, proxies of the environment not used."""
        return httpx.AsyncClient(verify=trust(), timeout=self.timeout_s, follow_redirects=False, trust_env=False)

    async def send(
        self, http: httpx.AsyncClient, *, url: str, secret: str, event_id: str, at: datetime, body: bytes
    ) -> int:
        """The status of the answer to one POST. Raises DeliveryError for anything but a 2xx in time."""
        assert_outside_transaction()
        timestamp = int(at.timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            "webhook-id": event_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, event_id, timestamp, body),
        }
        try:
            async with asyncio.timeout(self.timeout_s):
                answer = await self._post(http, httpx.URL(url), body, headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError, UnicodeError) as error:
            raise DeliveryError(f"no answer: {type(error).__name__}") from None
        if not answer.is_success:
            raise DeliveryError(f"answered {answer.status_code}", answer.status_code)
        return answer.status_code

    async def _post(
        self, http: httpx.AsyncClient, url: httpx.URL, body: bytes, headers: dict[str, str]
    ) -> httpx.Response:
        """The answer of the first of the name's addresses that can be reached."""
        name = url.raw_host.decode("ascii")
        *others, last = await self._addresses(name, url.port)
        for address in (*others, last):
            request = http.build_request(
                "POST", url.copy_with(host=address), content=body,
                headers=headers | {"host": url.netloc.decode("ascii")}, extensions={"sni_hostname": name},
            )  # fmt: skip
            try:
                answer = await http.send(request, stream=True)
            except httpx.ConnectError:
                if address == last:
                    raise
            else:
                await answer.aclose()
                break
        return answer

    async def _addresses(self, name: str, port: int | None) -> list[str]:
        """The IP addresses of a name. Raises DeliveryError where all are inside a network."""
        addresses = await addresses_of(name, port, private=self.private, resolver=self.resolver)
        if not addresses:
            raise DeliveryError("the address is inside a network (REVERIE_WEBHOOKS_ALLOW_PRIVATE allows it)")
        return addresses
