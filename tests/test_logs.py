"""How a line of the log is shown: text on a terminal, JSON elsewhere; never what an exception of a library says."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

CODE = """
import structlog
from service.startup import configure_logging
configure_logging("info", "{form}")
log = structlog.get_logger("t")
log.info("serving", url="http://127.0.0.1:8000", embedder=None, request_id="r")
try:
    raise ValueError("somebody's words")
except ValueError:
    log.exception("dream_failed", agent="ada")
"""


def lines(form: str, *, terminal: bool) -> list[str]:
    screen, writer = pty.openpty() if terminal else os.pipe()
    subprocess.run([sys.executable, "-c", CODE.format(form=form)], stderr=writer, check=True, timeout=600)
    os.close(writer)
    seen = b""
    try:
        while chunk := os.read(screen, 65_536):
            seen += chunk
    except OSError:  # the end of what was written to a terminal that is closed
        pass
    os.close(screen)
    return seen.decode().splitlines()


@pytest.mark.parametrize(("form", "terminal"), [("auto", True), ("text", False)])
def test_a_person_reads_short_lines(form: str, terminal: bool) -> None:
    first, second = lines(form, terminal=terminal)
    assert first[8:] == " serving url=http://127.0.0.1:8000"
    assert second[8:] == " ERROR dream failed agent=ada: builtins.ValueError"


@pytest.mark.parametrize(("form", "terminal"), [("auto", False), ("json", True)])
def test_a_program_reads_json(form: str, terminal: bool) -> None:
    first, second = map(json.loads, lines(form, terminal=terminal))
    assert (first["event"], first["url"], first["request_id"]) == ("serving", "http://127.0.0.1:8000", "r")
    assert second["exception"].endswith("builtins.ValueError")
    assert "somebody" not in second["exception"]
