"""The user whom an app is connected for: chosen by who consents, and no other than that of a bound key."""

from __future__ import annotations

from dataclasses import replace

from tests.live_api import ADMIN_KEY, Api
from tests.oauth_flow import Flow


async def test_what_an_app_gets_is_bound_to_the_user_chosen(own_api: Api, flow: Flow) -> None:
    await own_api.save("Boris bakes bread", agent="ada", user="boris")
    await own_api.save("Anna bakes bread", agent="ada", user="anna")
    tokens = await flow.connect(ADMIN_KEY, user="anna")
    for _ in range(2):
        app = replace(own_api, key=tokens["access_token"])
        assert (await app.get("/v1/whoami"))["user"] == "anna"
        assert [one["content"] for one in await app.search("bread", agent="ada")] == ["Anna bakes bread"]
        assert await app.status("GET", "/v1/memories", params={"user": "boris"}) == 403
        tokens = (await flow.refresh(tokens["refresh_token"])).json()


async def test_a_key_of_a_user_consents_for_that_user_alone(own_api: Api, flow: Flow) -> None:
    made = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "anna", "user": "anna"})
    page = await flow.sign_in(made["key"])
    assert '<input type="hidden" name="user" value="anna">' in page.text
    refused = await flow.submit(page, "approve", agent="ada", scope=["read"], user="boris")
    assert refused.status_code == 403
    tokens = await flow.connect(made["key"])
    assert (await replace(own_api, key=tokens["access_token"]).get("/v1/whoami"))["user"] == "anna"


async def test_without_a_user_an_app_is_bound_to_none(own_api: Api, flow: Flow) -> None:
    page = await flow.sign_in(ADMIN_KEY)
    wrong = await flow.submit(page, "approve", agent="ada", scope=["read"], user="x" * 201)
    assert wrong.status_code == 422
    tokens = await flow.connect(ADMIN_KEY)
    assert (await replace(own_api, key=tokens["access_token"]).get("/v1/whoami"))["user"] is None
