"""Writes docs/licences.md: the licence of every locked package, as the package itself declares it.

A licence is an SPDX expression: the package's own, else what its classifiers or its field say, else one looked up by a
person (LOOKED_UP).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "licences.md"
PYTHON: Final = {"service": "requirements.lock", "development": "requirements-dev.lock"}
NPM: Final = {"TypeScript client": "clients/typescript/package-lock.json", "Studio": "studio/package-lock.json"}
ALLOWED: Final = frozenset(
    (
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "CNRI-Python", "HPND", "ISC",
        "LicenseRef-Public-Domain", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "OFL-1.1", "PSF-2.0", "Python-2.0",
        "Unlicense", "Zlib",
    )
)  # fmt: skip
"""What the project may be distributed with. MPL-2.0 binds the files that have it alone."""
DECLARED: Final = {
    "MIT License": "MIT", "Apache Software License": "Apache-2.0", "BSD License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause", "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0", "ISC License (ISCL)": "ISC", "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0", "Apache License, Version 2.0": "Apache-2.0", "Apache": "Apache-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
}  # fmt: skip
"""SPDX ids of classifiers, and of what older packages have in the field."""
LOOKED_UP: Final = {
    "py-rust-stemmers": "MIT",
}
"""Of packages that declare none."""


INTRODUCTION: Final = (
    "Reverie is under [Apache-2.0](../LICENSE). What it is built from, as the packages themselves declare it in SPDX;",
    "`make licences` writes this page, and `make check` fails for a licence that is not allowed (`ALLOWED` in",
    "`scripts/licences.py`). The service and the Studio are distributed with their packages; tools of development and",
    "of the TypeScript client are not.",
)


def python_packages(lock: str) -> Iterator[str]:
    """The packages of a lock file that are installed on this platform."""
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if re.match(r"[a-z0-9]", line):
            wanted = Requirement(line.removesuffix("\\").strip())
            if wanted.marker is None or wanted.marker.evaluate():
                yield canonicalize_name(wanted.name)


def licence_of(package: str) -> str:
    """The licence of an installed package. Raises KeyError, naming it, where it declares none that is known."""
    if package in LOOKED_UP:
        return LOOKED_UP[package]
    said = metadata.metadata(package)
    expression = said.get("License-Expression")
    if expression:
        return str(expression)
    classifiers = [one.rpartition(" :: ")[2] for one in said.get_all("Classifier", []) if one.startswith("License ::")]
    declared = [one for one in classifiers if one != "OSI Approved"] or (said.get("License") or "").splitlines()[:1]
    if len(declared) == 1 and is_allowed(declared[0]):
        return declared[0]
    if not declared or any(one not in DECLARED for one in declared):
        raise KeyError(f"{package} declares {declared}")
    return " OR ".join(sorted({DECLARED[one] for one in declared}))


def npm_packages(lock: str) -> Iterator[tuple[str, str]]:
    """The packages of a lock of npm, and the licence of each."""
    for path, one in json.loads((ROOT / lock).read_text(encoding="utf-8"))["packages"].items():
        if path and not one.get("link"):
            yield path.rpartition("node_modules/")[2], str(one.get("license", ""))


def is_allowed(expression: str) -> bool:
    """Whether a licence may be: of each part, one of its alternatives."""
    parts = re.sub(r"[()]", "", expression).split(" AND ")
    return all(any(one in ALLOWED for one in part.split(" OR ")) for part in parts)


def licences() -> dict[str, dict[str, str]]:
    """The licence of each package, by what it is a part of; tools of development without what the service needs."""
    found = {part: {name: licence_of(name) for name in python_packages(lock)} for part, lock in PYTHON.items()}
    found["development"] = {one: found["development"][one] for one in found["development"].keys() - found["service"]}
    return found | {part: dict(npm_packages(lock)) for part, lock in NPM.items() if (ROOT / lock).exists()}


def page() -> str:
    """The page: of each part, the packages of each licence."""
    lines = ["# Licences", "", *INTRODUCTION]
    for part, packages in licences().items():
        by_licence: dict[str, list[str]] = defaultdict(list)
        for name, licence in packages.items():
            by_licence[licence].append(name)
        lines += ["", f"## {part[0].upper()}{part[1:]}", "", "| licence | packages |", "| --- | --- |"]
        lines += [f"| {licence} | {', '.join(sorted(by_licence[licence]))} |" for licence in sorted(by_licence)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
