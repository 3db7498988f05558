"""Signing in to the Studio at a provider, in a browser: back to the page asked for; signing out ends the key."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from service.studio import PATH
from tests.fakes.oidc_provider import CLIENT, oidc_provider
from tests.studio.browser import Chromium
from tests.studio.conftest import Start

pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest.mark.parametrize("ends_sessions", [True, False])
async def test_somebody_signs_in_at_the_provider_and_signs_out(
    start: Start, opened: Chromium, ends_sessions: bool
) -> None:
    given = {"client_id": CLIENT, "name": "Example ID", "grants": {"admins": {"role": "admin"}}}
    async with (
        oidc_provider() as provider,
        start(REVERIE_OIDC=json.dumps(given | {"issuer": provider.issuer})) as server,
        opened.page() as page,
    ):
        if not ends_sessions:
            provider.end_session = None
        await page.goto(f"http://127.0.0.1:{server.port}{PATH}/engine?tab=keys")
        await page.get_by_role("link", name="Sign in with Example ID").click()
        await expect(page.get_by_role("heading", name="Engine", level=1)).to_be_visible()
        assert page.url.endswith(f"{PATH}/engine?tab=keys")
        await expect(page.get_by_role("rowheader", name="oidc: ann@example.org")).to_be_visible()
        other = await page.context.new_page()
        await other.goto(page.url)
        await expect(other.get_by_role("rowheader", name="oidc: ann@example.org")).to_be_visible()
        await page.get_by_role("button", name="Workspace and key").click()
        await page.get_by_role("menuitem", name="Sign out").click()
        await expect(page.get_by_role("link", name="Sign in with Example ID")).to_be_visible()
        await expect(other.get_by_role("link", name="Sign in with Example ID")).to_be_visible()
        if ends_sessions:
            await page.wait_for_url(f"http://127.0.0.1:{server.port}{PATH}/")
            back = f"http://127.0.0.1:{server.port}{PATH}/"
            assert provider.ended == [{"client_id": CLIENT, "post_logout_redirect_uri": back}]
            await expect(page.get_by_role("link", name="Sign in with Example ID")).to_be_visible()
        assert provider.ended or not ends_sessions
        keys = (await server.call("GET", "/v1/keys")).json()["items"]
        assert [key["revoked_at"] is not None for key in keys if key["name"].startswith("oidc: ")] == [True]
        provider.refusal = "You are <b>not</b> allowed."
        await page.get_by_role("link", name="Sign in with Example ID").click()
        await expect(page.get_by_text("You are <b>not</b> allowed.")).to_be_visible()
