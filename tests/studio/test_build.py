"""How the Studio is built: the size of the first load, the lock file, and a machine without Node.js."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.resources import resource
from tests.clients.npm import SKIPPED, run
from tests.processes import ROOT

FIRST_LOAD_BYTES_MAX = 250_000
SCRIPT = ROOT / "scripts" / "studio.sh"
LATIN = re.compile(r"inter-latin-wght-normal-.*\.woff2$")

pytestmark = pytest.mark.xdist_group("studio")


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder of the built files."""
    done = run(ROOT, str(SCRIPT))
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return resource("studio")


def test_the_first_load_is_small(built: Path) -> None:
    """The page, what it names, the font of Latin text, and the largest of the pages' own chunks."""
    page = (built / "index.html").read_text("utf-8")
    named = [built / path for path in re.findall(r'(?:src|href)="/studio/([^"]+)"', page)]
    assert any(path.suffix == ".js" for path in named)
    fonts = [path for path in (built / "assets").iterdir() if LATIN.search(path.name)]
    lazy = set((built / "assets").glob("[pP]age-*.js"))
    largest = max(lazy, key=lambda path: path.stat().st_size)
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in [built / "index.html", *named, largest]}
    sizes |= {path.name: path.stat().st_size for path in fonts}
    assert sum(sizes.values()) <= FIRST_LOAD_BYTES_MAX, sizes


def test_nothing_of_a_page_is_inline(built: Path) -> None:
    page = (built / "index.html").read_text("utf-8")
    assert not re.search(r"<style|style=|<script>|\son\w+=", page)


def test_versions_are_exact_and_name_no_registry() -> None:
    project = json.loads((ROOT / "studio" / "package.json").read_text("utf-8"))
    lock = json.loads((ROOT / "studio" / "package-lock.json").read_text("utf-8"))
    own = lock["packages"].pop("")
    for kind in ("dependencies", "devDependencies"):
        assert own[kind] == project[kind]
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in project[kind].values())
    assert all(one["integrity"].startswith("sha512-") for one in lock["packages"].values())
    assert not any("resolved" in one for one in lock["packages"].values())


def test_a_second_build_does_nothing(built: Path) -> None:
    page = built / "index.html"
    before = page.stat().st_mtime_ns
    assert run(ROOT, str(SCRIPT)).returncode == 0
    assert page.stat().st_mtime_ns == before


def test_without_node_it_says_loudly_that_nothing_is_built(tmp_path: Path) -> None:
    for program in ("sh", "dirname", "find", "sort", "xargs", "cat", "cksum"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    done: subprocess.CompletedProcess[str] = run(ROOT, str(SCRIPT), "--version", PATH=str(tmp_path), VENV=str(tmp_path))
    assert done.returncode == SKIPPED
    assert "THE STUDIO IS NOT BUILT" in done.stderr
