"""Servers that speak the client's protocol: bytes go through as they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

import httpx
import orjson

from service.concurrency.transaction_guard import assert_outside_transaction
from service.errors import AnswerTooLarge, Unavailable
from service.provider.failures import describe, host_of
from service.provider.response_limits import RESPONSE_BYTES_MAX, limited
from service.provider.trust import trust
from service.proxy.formats import MESSAGES
from service.proxy.upstream_calls import OK, Upstream, UpstreamRequest, UpstreamResponse
from service.proxy.wire_format import WireFormat

CONNECT_S: Final = 10.0
PASSED_ON: Final = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id")
PASSED_ON_PREFIXES: Final = ("openai-", "anthropic-", "x-ratelimit-")


class PassThrough(Upstream):
    """A server that speaks some formats itself; bytes pass through as they are."""

    def __init__(
        self, api_base: str, key: str | None, formats: Sequence[WireFormat], timeout_s: float, bytes_max: int
    ) -> None:
        """``timeout_s`` bounds the wait for the first and for every further byte, ``bytes_max`` an answer."""
        self.formats = formats
        self._bytes_max = bytes_max
        self._host = host_of(api_base)
        self._base = api_base.rstrip("/")
        fixed = {"accept-encoding": "identity", "content-type": "application/json"}
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_S)
        self._http = httpx.AsyncClient(headers=fixed | self._authorized(key), timeout=timeout, verify=trust())

    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        assert_outside_transaction()
        url = self._base + request.wire.path + request.operation
        headers = dict(request.headers) | self._authorized(request.key)
        sent = self._http.build_request("POST", url, content=request.content, headers=headers)
        try:
            response = await self._http.send(sent, stream=True)
        except httpx.HTTPError as error:
            raise Unavailable(f"{describe(error, 'The model', url)}.") from error
        passed_on = {
            name: value
            for name, value in response.headers.items()
            if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
        }
        return UpstreamResponse(response.status_code, passed_on, limited(_raw(response), self._bytes_max, self._host))

    async def models(self, headers: Mapping[str, str]) -> list[Any]:
        assert_outside_transaction()
        sent = self._http.build_request("GET", f"{self._base}/models", headers=dict(headers))
        try:
            response = await self._http.send(sent, stream=True)
            body = b"".join([part async for part in limited(_raw(response), RESPONSE_BYTES_MAX, self._host)])
            listed = orjson.loads(body)["data"] if response.status_code == OK else []
        except (httpx.HTTPError, ValueError, TypeError, KeyError, Unavailable, AnswerTooLarge):
            return []
        return listed if isinstance(listed, list) else []

    def _authorized(self, key: str | None) -> dict[str, str]:
        if not key:
            return {}
        return {"x-api-key": key} if MESSAGES in self.formats else {"authorization": f"Bearer {key}"}

    async def aclose(self) -> None:
        await self._http.aclose()


async def _raw(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for part in response.aiter_raw():
            yield part
    except httpx.HTTPError as error:
        raise Unavailable(f"The model's server broke off: {type(error).__name__}.") from error
    finally:
        await response.aclose()
