"""Tests of a group share a process, with its servers and its browser."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("groups")
def test_a_group_goes_to_one_process(request: pytest.FixtureRequest) -> None:
    """pytest-xdist distributes by what follows the @ in the name of a test."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("this run has one process, or does not distribute by group")
    assert request.node.nodeid.endswith("@groups")
