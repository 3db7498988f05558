"""Make the clients of the OpenAPI document and of clients/names.toml: answers, options, calls and methods.

With ``--check`` nothing is written: where a file is not what would be written, that is said, and the exit status is 1.
"""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.clients.document import ROOT, document
from scripts.clients.python import answers, api, calls, options
from scripts.clients.typescript import described, typescript

PYTHON = "clients/python/reverie_client"
TYPESCRIPT = "clients/typescript/src"
NO_NODE = 77


def run(*command: str, **kept: Any) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, **kept).stdout


def python_files() -> dict[str, str]:
    """Return the files of the Python client by path, as ruff formats them."""
    made = {"models/answers.py": answers(), "options.py": options(), "calls/generated.py": calls(), "api.py": api()}
    ruff, found = str(Path(sys.executable).with_name("ruff")), {}
    for name, text in made.items():
        path = f"{PYTHON}/{name}"
        tidied = run(ruff, "check", "--quiet", "--fix", "--select", "F401,I", "--stdin-filename", path, "-", input=text)
        found[path] = run(ruff, "format", "--quiet", "--stdin-filename", path, "-", input=tidied)
    return found


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


def main() -> int:
    """Write the files, or compare them; the exit status."""
    differs = 0
    for path, text in (python_files() | typescript_files()).items():
        present = (ROOT / path).read_text("utf-8") if (ROOT / path).exists() else ""
        if "--check" not in sys.argv:
            (ROOT / path).write_text(text, encoding="utf-8")
        elif present != text:
            differs = 1
            print(f"{path} is not what the API says now: run make clients")
            print(
                *difflib.unified_diff(present.splitlines(), text.splitlines(), "there", "made", lineterm="", n=1),
                sep="\n",
            )
    return differs


if __name__ == "__main__":
    sys.exit(main())
