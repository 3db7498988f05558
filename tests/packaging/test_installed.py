"""The wheel beside the packages of its base alone, in an empty folder: `reverie up`, the tour, a stop, a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from service import __version__
from service.db import embedded
from tests.embedded_user import NOBODY, as_user
from tests.processes import free_port
from tests.tour import run_tour
from tests.waiting import WAIT_S, wait_until

pytestmark = pytest.mark.xdist_group("packaging")

OF_EXTRAS = ("fastembed", "onnxruntime", "langgraph", "langchain_core", "arro3")
"""Packages that a base installation does not have."""
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
USERS = [
    pytest.param(os.geteuid(), id="self"),
    pytest.param(NOBODY, id="nobody", marks=[ROOT_ONLY, pytest.mark.exhaustive]),
]
OURS = ("REVERIE_", "DATABASE_", "EMBEDDING_", "LLM_", "RERANK_", "PYTHON")


def install(wheel: Path, folder: Path) -> Path:
    """Make a virtual environment with the wheel in an empty folder; where its commands are."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    [site] = (folder / "venv" / "lib").glob("python*/site-packages")
    needed = [path for path in sys.path if Path(path).is_dir() and not (Path(path) / "pyproject.toml").exists()]
    hidden = f"import sys; sys.modules.update(dict.fromkeys({OF_EXTRAS!r}))"
    (site / "needed.pth").write_text("\n".join([*needed, hidden]))
    commands = folder / "venv" / "bin"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(commands / "python"), "install", "--quiet", "--no-deps",
         "--no-index", str(wheel)], check=True,
    )  # fmt: skip
    return commands


class Installed:
    """An empty folder of a user, in which the command of a virtual environment runs as that user."""

    def __init__(self, commands: Path, folder: Path, uid: int) -> None:
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        os.chown(self.home, uid, -1)
        self.as_user = as_user(uid, may_read=True)
        self.bin = commands
        self.port = str(free_port())
        self.log = folder / "up.log"
        self.process: subprocess.Popen[bytes] | None = None
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        self.environment = kept | {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.home), "REVERIE_PORT": self.port,
        }  # fmt: skip

    def run(self, *command: str) -> str:
        """What a command line prints."""
        return subprocess.run(
            [*self.as_user, *command], cwd=self.home, env=self.environment, capture_output=True, text=True, check=True,
            timeout=WAIT_S,
        ).stdout  # fmt: skip

    def up(self) -> None:
        """`reverie up`, until it says that it is ready."""
        before = self.said().count("Reverie is ready")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.as_user, str(self.bin / "reverie"), "up"], cwd=self.home, env=self.environment, stdout=log,
                stderr=log,
            )  # fmt: skip
        wait_until(lambda: self.said().count("Reverie is ready") > before or self.ended(), "it is not ready")
        assert not self.ended(), self.said()

    def ended(self) -> bool:
        """Whether it runs no more."""
        return self.process is None or self.process.poll() is not None

    def end(self, number: signal.Signals) -> int:
        """Signal it; its exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(WAIT_S)

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""

    def call(self, method: str, body: dict[str, str] | None = None) -> Any:
        """What the API answers of memories, called with the key that the folder keeps."""
        key = (self.home / ".reverie" / "admin-key").read_text(encoding="utf-8").strip()
        url, headers = f"http://127.0.0.1:{self.port}/v1/memories", {"Authorization": f"Bearer {key}"}
        return httpx.request(method, url, json=body, headers=headers, timeout=WAIT_S).raise_for_status().json()

    def contents(self) -> list[str]:
        """All memories."""
        return [memory["content"] for memory in self.call("GET")["items"]]


@contextmanager
def open_to_all() -> Iterator[Path]:
    """A temporary folder that every user reaches; pytest's are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with open_to_all() as folder:
        yield folder


@pytest.fixture(scope="module")
def commands(wheel: Path) -> Iterator[Path]:
    """Where the commands of one virtual environment are, which no test writes to."""
    with open_to_all() as folder:
        yield install(wheel, folder)


@pytest.fixture(params=USERS)
def installed(commands: Path, open_folder: Path, request: pytest.FixtureRequest) -> Iterator[Installed]:
    made = Installed(commands, open_folder, request.param)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.end(signal.SIGTERM)
    embedded.stop(made.home / ".reverie" / "postgres")


@pytest.mark.first_tier
def test_two_lines_and_the_tour(installed: Installed) -> None:
    where = installed.run(str(installed.bin / "python"), "-c", "import service, reverie; print(service.__file__)")
    assert where.startswith(str(installed.bin.parent))
    assert __version__ in installed.run("reverie", "version")
    installed.up()
    run_tour(installed.home, installed.environment, installed.port, {}, installed.as_user)
    assert installed.end(signal.SIGINT) == 0
    assert [path.name for path in installed.home.iterdir() if path.name != ".cache"] == [".reverie"]


def test_the_data_is_there_after_a_stop_and_a_crash(installed: Installed) -> None:
    installed.up()
    installed.call("POST", {"agent": "a", "type": "fact", "content": "Saved before a stop"})
    assert installed.end(signal.SIGINT) == 0
    installed.up()
    assert installed.contents() == ["Saved before a stop"]
    installed.call("POST", {"agent": "a", "type": "fact", "content": "Saved before a crash"})
    assert installed.end(signal.SIGKILL) == -signal.SIGKILL
    installed.up()
    assert installed.contents() == ["Saved before a crash", "Saved before a stop"]
    assert installed.end(signal.SIGINT) == 0


def test_an_extra_that_is_not_installed_is_named(installed: Installed) -> None:
    installed.environment["EMBEDDING_MODEL"] = "local:all-MiniLM-L6-v2"
    looked = subprocess.run(
        [*installed.as_user, "reverie", "doctor"], cwd=installed.home, env=installed.environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert looked.returncode == 1
    assert 'pip install "reverie-server[local]"' in " ".join(looked.stdout.split())


COMPLETION = """
eval "$(reverie --show-completion bash)"
COMP_WORDS=(reverie "") COMP_CWORD=1
_reverie_completion reverie
echo "${COMPREPLY[@]}"
"""


def test_bash_completes_its_commands(installed: Installed) -> None:
    offered = installed.run("bash", "-c", COMPLETION).split()
    assert {"up", "search", "ask", "import", "backup", "restore", "doctor", "worker"} <= set(offered)


def test_names_in_the_folder_do_not_get_in_the_way(installed: Installed) -> None:
    for name in ("service", "worker", "reverie_client", "alembic", "sql"):
        (installed.home / name).mkdir()
        (installed.home / name / "__init__.py").write_text("raise SystemExit('not this one')\n")
    assert "The database is at 0" in installed.run("reverie", "migrate")
