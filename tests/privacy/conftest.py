"""A redactor for each module of tests: presidio takes a while to load."""

from __future__ import annotations

import pytest

from service.privacy.redactor import Redactor


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor()
