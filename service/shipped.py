"""Where the files are that the code reads and that are no Python: the SQL and the migrations."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal

PACKAGE = Path(str(files("service")))


def shipped(name: Literal["sql", "alembic", "alembic.ini"]) -> Path:
    """Inside the package where a wheel was installed, beside it in a checkout."""
    installed = PACKAGE / "_files" / name
    return installed if installed.exists() else PACKAGE.parent / name
