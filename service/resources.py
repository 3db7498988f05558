"""Where the files are that the code reads and that are no Python: the SQL, the migrations and the built Studio."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal

PACKAGE = Path(str(files("service")))


_BESIDE = {"studio": "studio/dist"}


def resource(name: Literal["sql", "alembic", "alembic.ini", "studio"]) -> Path:
    """Return the path of a resource: inside the package where a wheel was installed, beside it in a checkout."""
    installed = PACKAGE / "_files" / name
    return installed if installed.exists() else PACKAGE.parent / _BESIDE.get(name, name)
