"""Make the clients of the OpenAPI document and of clients/names.toml: answers, options, calls and methods.

With ``--check`` nothing is written: a file that is not what would be written is named, and the exit status is 1.
"""

from __future__ import annotations

import sys

from scripts.clients.document import ROOT
from scripts.clients.files import is_there, python_files, typescript_files


def main() -> int:
    """Write or check the files; the exit status."""
    others = {path: text for path, text in (python_files() | typescript_files()).items() if not is_there(path, text)}
    for path, text in others.items():
        if "--check" in sys.argv:
            print(f"{path} is not what the API says now: run make clients")
        else:
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"Wrote {path}")
    return int("--check" in sys.argv and bool(others))


if __name__ == "__main__":
    sys.exit(main())
