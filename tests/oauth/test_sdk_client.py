"""The SDK's own client of OAuth, which knows the address of ``/mcp`` alone, at a server process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.live_api import ADMIN_KEY
from tests.mcp_client import told
from tests.oauth_flow import CALLBACK, Flow, query_of, visitor, works
from tests.processes import ServerProcess


@dataclass
class App:
    """An MCP client with OAuth, and its user. Implements the SDK's TokenStorage."""

    url: str
    browser: httpx.AsyncClient
    key: str = ADMIN_KEY
    agent: str = "ada"
    scopes: tuple[str, ...] = ("read", "write")
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    answer: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    auth: OAuthClientProvider = field(init=False)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def open_browser(self, url: str) -> None:
        """The user follows the address, signs in and approves."""
        self.asked.append(url)
        flow = Flow(self.browser, query_of(url)["client_id"])
        asked = await self.browser.get(url)
        page = await flow.sign_in(self.key, await self.browser.get(asked.headers["location"]))
        done = await flow.submit(page, "approve", agent=self.agent, scope=list(self.scopes))
        assert done.headers["location"].startswith(f"{CALLBACK}?")
        self.answer = query_of(done.headers["location"])

    async def called_back(self) -> AuthorizationCodeResult:
        """What the user's browser brings back."""
        return AuthorizationCodeResult(code=self.answer["code"], state=self.answer["state"], iss=self.answer["iss"])

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Client]:
        """The client of MCP, once connected."""
        metadata = OAuthClientMetadata(
            redirect_uris=[AnyUrl(CALLBACK)],
            client_name="An MCP client",
            token_endpoint_auth_method="client_secret_post",
        )
        self.auth = OAuthClientProvider(self.url, metadata, self, self.open_browser, self.called_back)
        async with (
            httpx2.AsyncClient(auth=self.auth, timeout=600) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            yield client


async def test_from_the_address_alone_to_a_revoked_token(server: ServerProcess) -> None:
    base = f"http://127.0.0.1:{server.port}"
    async with visitor(base) as browser:
        app = App(f"{base}/mcp", browser)
        async with app.connected() as client:
            saved = await told(client, "memory_save", content="Ana prefers green tea", type="preference")
        assert app.client is not None
        assert app.client.token_endpoint_auth_method == "none"
        assert app.client.client_secret is None
        asked = query_of(app.asked[0])
        assert asked["code_challenge_method"] == "S256"
        assert asked["resource"] == f"{base}/mcp"
        memory = (await server.call("GET", f"/v1/memories/{saved['id']}")).json()
        assert memory["agent"] == "ada"

        async with app.connected() as client:
            first = app.tokens
            assert first is not None
            app.auth.context.token_expiry_time = 1.0
            found = await told(client, "memory_search", query="green tea")
        assert found["memories"][0]["id"] == saved["id"]
        assert len(app.asked) == 1, "a refresh asks the user nothing"
        assert app.tokens is not None
        assert app.tokens.access_token != first.access_token
        assert not await works(browser, first.access_token)

        [key] = [one for one in (await server.call("GET", "/v1/keys")).json()["items"] if one["client_id"]]
        assert key["name"] == "An MCP client"
        assert key["client_id"] == app.client.client_id
        assert (key["role"], key["agent"], key["scopes"]) == ("agent", "ada", ["read", "write"])
        assert app.tokens.access_token.startswith(key["prefix"])
        assert key["last_used_at"] is not None
        revoked = await browser.post(
            "/revoke", data={"client_id": app.client.client_id, "token": app.tokens.refresh_token}
        )
        assert revoked.status_code == 200
        assert not await works(browser, app.tokens.access_token)
        async with app.connected():
            assert len(app.asked) == 2, "after a revocation the user is asked again"


async def test_a_token_may_do_what_was_approved_and_no_more(server: ServerProcess) -> None:
    base = f"http://127.0.0.1:{server.port}"
    async with visitor(base) as browser:
        app = App(f"{base}/mcp", browser, scopes=("read",))
        async with app.connected() as client:
            refused = await client.call_tool("memory_save", {"content": "Ana prefers coffee", "type": "preference"})
            assert refused.is_error
            assert "'write'" in str(refused.content)
            assert await told(client, "memory_search", query="coffee") is not None
            assert (await client.call_tool("user_purge", {"user": "ana"})).is_error


async def test_tokens_survive_a_restart_and_reach_every_process(server: ServerProcess, tmp_path: Path) -> None:
    second = ServerProcess(server.database_url, tmp_path / "second.log")
    try:
        await second.start()
        async with visitor(f"http://127.0.0.1:{server.port}") as http:
            registered = await second.http.post("/register", json={"redirect_uris": [CALLBACK]})
            flow = Flow(http, registered.json()["client_id"])
            code = await flow.approve(ADMIN_KEY)
            flow.http = second.http
            tokens = (await flow.redeem(code)).json()
            await second.kill()
            await second.start()
            assert await works(second.http, tokens["access_token"])
            assert await works(server.http, tokens["access_token"])
            await server.call("DELETE", f"/v1/keys/{(await who(server, tokens['access_token']))['key_id']}")
            assert not await works(second.http, tokens["access_token"])
            assert (await flow.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    finally:
        await second.close()


async def who(server: ServerProcess, token: str) -> dict[str, str]:
    """What a token opens."""
    answer: dict[str, str] = (await server.http.get("/v1/whoami", headers={"Authorization": f"Bearer {token}"})).json()
    return answer
