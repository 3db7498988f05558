"""The limits that the pages name are those of the code."""

from __future__ import annotations

import re

import pytest

from service.memory.transfer.parse import IMPORT_BYTES_MAX, LINE_BYTES_MAX
from tests.processes import ROOT

GIB, MIB = 1024**3, 1024**2


@pytest.mark.parametrize("page", ["failures.md", "export-and-import.md"])
def test_the_size_of_an_import_and_its_lines(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (whole,) = re.findall(r"an import (\d+) GiB", text)
    (line,) = re.findall(r"(?:, (\d+) MiB a line|A line may have (\d+) MiB)", text)
    assert int(whole) * GIB == IMPORT_BYTES_MAX
    assert int("".join(line)) * MIB == LINE_BYTES_MAX
