"""The files that are made of the OpenAPI document, as the formatters of their languages write them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.clients.document import ROOT, document
from scripts.clients.python import answers, api, calls, options
from scripts.clients.reference import reference
from scripts.clients.typescript import described, typescript

PYTHON = "clients/python/reverie_client"
TYPESCRIPT = "clients/typescript/src"
NO_NODE = 77


def run(*command: str, **kept: Any) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, **kept).stdout


def python_files() -> dict[str, str]:
    """Return the files of the Python client by path, as ruff formats them, and the page of its methods."""
    made = {"models/answers.py": answers(), "options.py": options(), "calls/generated.py": calls(), "api.py": api()}
    ruff, found = str(Path(sys.executable).with_name("ruff")), {}
    for name, text in made.items():
        path = f"{PYTHON}/{name}"
        tidied = run(ruff, "check", "--quiet", "--fix", "--select", "F401,I", "--stdin-filename", path, "-", input=text)
        found[path] = run(ruff, "format", "--quiet", "--stdin-filename", path, "-", input=tidied)
    return found | {"docs/python-methods.md": reference()}


def typescript_files() -> dict[str, str]:
    """Return the files of the TypeScript client by path, as biome formats them; none where there is no Node.js."""
    npm = str(ROOT / "scripts" / "typescript.sh")
    if (there := subprocess.run([npm, "--version"], capture_output=True, text=True, check=False)).returncode == NO_NODE:
        print(there.stderr, file=sys.stderr)
        return {}
    with tempfile.TemporaryDirectory() as folder:
        description, types = Path(folder) / "openapi.json", Path(folder) / "openapi.ts"
        description.write_text(json.dumps(described(document())), encoding="utf-8")
        run(npm, "run", "--silent", "types", "--", str(description), "-o", str(types))
        formatted = run(
            npm, "exec", "--", "biome", "format", "--stdin-file-path=src/calls/generated.ts", input=typescript()
        )
        return {
            f"{TYPESCRIPT}/openapi.ts": types.read_text("utf-8"),
            f"{TYPESCRIPT}/calls/generated.ts": formatted,
        }


def is_there(path: str, text: str) -> bool:
    """Return whether a file has that text already."""
    return (ROOT / path).exists() and (ROOT / path).read_text("utf-8") == text
