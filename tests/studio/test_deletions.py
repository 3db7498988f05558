"""The page Deletions, and deleting a session and an agent where they are, counted first."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "shredder"


async def test_a_session_and_an_agent_are_counted_deleted_and_brought_back(
    visitor: AppPage, service: ServerProcess, opened: Chromium
) -> None:
    page = visitor.page
    turns = [{"role": "user", "content": f"Point {n} of the plan"} for n in range(3)]
    body = {"agent": AGENT, "messages": turns}
    assert (await service.call("POST", "/v1/sessions/draft/messages", json=body)).is_success
    await visitor.open("/sessions", agent=AGENT, session="draft")
    await visitor.press("Delete session", page.get_by_role("article", name="draft"))
    dialog = page.get_by_role("dialog", name="Delete draft?")
    await expect(dialog.get_by_role("region", name="What goes")).to_contain_text("3 messages")
    await service.call("POST", "/v1/sessions/draft/messages", json=body | {"messages": turns[:1]})
    await visitor.press("Delete", dialog)
    await expect(dialog.get_by_role("region", name="What goes")).to_contain_text("4 messages")
    await visitor.press("Delete", dialog)
    await expect(page.get_by_text("draft deleted")).to_be_visible()
    await expect(page.get_by_role("heading", name="No sessions yet")).to_be_visible()
    assert "session=" not in page.url

    await visitor.go("Deletions")
    rows = page.get_by_role("list", name="Deletions").get_by_role("listitem")
    session = rows.filter(has_text="draft")
    await expect(session).to_contain_text("4 messages")
    await expect(session).to_contain_text("can be undone until")
    await visitor.check_screens("deletions")
    await visitor.press("Undo", session)
    await expect(session.get_by_text("undone", exact=True)).to_be_visible()
    assert (await service.call("GET", "/v1/sessions/draft", params={"agent": AGENT})).json()["messages"] == 4

    await visitor.press(f"Delete agent {AGENT}")
    await visitor.press("Delete", page.get_by_role("dialog", name=f"Delete {AGENT}?"))
    agent = rows.filter(has_text=f"agent{AGENT}")
    await expect(agent).to_contain_text("4 messages")
    await expect(page.get_by_role("button", name="Agent: All agents")).to_be_visible()
    made = (await service.call("POST", "/v1/keys", json={"role": "reader", "name": "a looker-on"})).json()
    async with at_the_studio(opened, visitor.base) as reader:
        await reader.open("/deletions")
        await reader.sign_in(made["key"], "Deletions")
        await expect(reader.page.get_by_role("listitem").filter(has_text=f"agent{AGENT}")).to_be_visible()
        await expect(reader.page.get_by_role("main").get_by_role("button", name="Undo")).to_have_count(0)
    await visitor.press("Undo", agent)
    await expect(agent.get_by_text("undone", exact=True)).to_be_visible()
    await visitor.press("Delete team")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Team").fill("nobody at all")
    await visitor.press("What goes", dialog)
    await expect(dialog.get_by_role("alert")).to_contain_text("There is no team")
