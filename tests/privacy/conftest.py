"""A redactor for each module of tests: presidio takes a while to load."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.privacy import Redactor


@pytest.fixture(scope="module")
def redactor() -> Iterator[Redactor]:
    redactor = Redactor()
    yield redactor
    redactor.close()
