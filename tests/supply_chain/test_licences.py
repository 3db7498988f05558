"""Licences of what the project is built from: listed, and none that is not allowed."""

from __future__ import annotations

import sys

import pytest

from scripts.licences import PAGE, is_allowed, licences, page


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info[:2] != (3, 11),
    reason="the page is of what is locked for Linux, Python 3.11",
)
def test_the_page_lists_every_package_with_its_licence() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make licences writes it"


def test_no_package_has_a_licence_that_is_not_allowed() -> None:
    found = licences()
    assert len(found["service"]) > 100
    refused = {(part, name): one for part, some in found.items() for name, one in some.items() if not is_allowed(one)}
    assert refused == {}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True), ("(MIT OR GPL-3.0-only)", True), ("Apache-2.0 AND MIT", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("GPL-3.0-only", False), ("AGPL-3.0-or-later", False), ("MIT AND GPL-2.0-only", False), ("SSPL-1.0", False),
        ("", False), ("UNLICENSED", False), ("SEE LICENSE IN LICENSE.md", False), ("mit", False),
    ],
)  # fmt: skip
def test_an_expression_is_read(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed
