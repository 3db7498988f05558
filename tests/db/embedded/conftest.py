"""Users of embedded servers, each a process of its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.db import embedded
from tests.embedded_user import User


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter and write to, unlike pytest's own, which lies in one of mode 0700."""
    folder = Path(tempfile.mkdtemp(prefix="reverie-embedded-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def users(open_folder: Path) -> Iterator[Callable[..., User]]:
    """Makes processes that use a server; they are killed at the end, and their servers stopped."""
    made: list[User] = []
    folders: set[Path] = set()

    def make(data_dir: Path, uid: int | None = None, **environment: str) -> User:
        folders.add(data_dir)
        made.append(User(data_dir, uid, **environment))
        print(made[-1].url, made[-1].reason)
        return made[-1]

    yield make
    for one in made:
        one.kill()
    for folder in folders:
        embedded.stop(folder)
