"""The page at /docs needs nothing from another machine."""

from __future__ import annotations

import re

import pytest

from service.api.docs_page import ESSENTIALS
from tests.api_document import DOCUMENT
from tests.live_api import Tenant
from tests.tables import table


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def test_what_the_page_names_is_served_here(api: Tenant) -> None:
    page = await api.http.get("/docs")
    assert page.status_code == 200
    named = re.findall(r"(?:src|href)=\"([^\"]+)\"", page.text) + re.findall(r"url = '([^']+)'", page.text)
    assert len(named) == 4
    assert "//" not in "".join(named), named
    for path in named:
        answer = await api.http.get(path)
        assert answer.status_code == 200, path
        assert len(answer.content) > 1_000


def test_it_opens_with_operations_that_are_there() -> None:
    ids = {one["operationId"] for item in DOCUMENT["paths"].values() for one in item.values()}
    assert len(ESSENTIALS) == 12
    assert set(ESSENTIALS) <= ids


async def test_nothing_else_is(api: Tenant) -> None:
    with table() as row:
        for name in ["redoc.standalone.js", "%2e%2e%2fcore.py", "core.py", "x%00", "%C0%AF"]:
            with row(name):
                assert (await api.http.get(f"/docs/{name}")).status_code == 404
