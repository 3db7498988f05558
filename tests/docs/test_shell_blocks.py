"""Every shell block of the documents runs, in order and in one shell for each page, against a real server.

What cannot run here is parsed only: ``NOT_RUN`` says what, and why.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.settings import Settings
from tests.fenced_blocks import BLOCKS, SHELL, name_of, placed
from tests.live_api import ADMIN_KEY
from tests.processes import ROOT, ServerProcess

pytestmark = pytest.mark.exhaustive

NOT_RUN = {
    "pip npm": "installs packages",
    "docker kubectl helm": "needs a daemon or a cluster",
    "claude code codex": "is a program of others; test_mcp_clients does what its line says",
    "psql pg_dump pg_restore createdb": "changes a server of Postgres",
    "openssl": "is no part of what the page is about",
}
"""Programs that are not started, with the reason; the shell still parses their lines."""
ONLY_PARSED = {
    "up worker": "goes on until it is stopped",
    "eval": "reads data sets that are not part of the project",
    "restore": "needs an empty database",
}
"""Commands of ``reverie`` whose arguments are parsed only."""
FILES = {
    "settings.json": '{"dream": {"propose_below": 0.7}}',
    "mem0.json": '[{"id": "1", "memory": "Likes tea", "user_id": "sam"}]',
    "turns.csv": "id,user_id,session_id,role,message,timestamp\n1,sam,monday,user,I like tea,2026-01-01 10:00:00\n",
}
"""Files that pages speak of, of the reader's own."""
REPLACED = {"…": "secret", "ollama/nomic-embed-text": "static"}
"""What a reader replaces, or has another server for."""
VARIABLES = {str(field.validation_alias or field.alias) for field in Settings.model_fields.values()}
SETS_VARIABLES = re.compile(rf"^(?:{'|'.join(VARIABLES)})=", re.MULTILINE)
READ_VARIABLES = "python -c 'from service.oidc import Settings, oidc_settings; oidc_settings(Settings())'\n"
"""What the service does first with the variables that a page sets."""
PAGES = [page for page, blocks in BLOCKS.items() if any(block.language in SHELL for block in blocks)]
[API] = re.findall(r"^api\(\) .*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
"""The function that the README defines, which pages use."""


def prelude() -> str:
    """Return what a page's script begins with: programs in place of those that are not run as they are."""
    return f"""
set -aEeuo pipefail
shopt -s inherit_errexit
trap 'lines=($LINENO ${{BASH_LINENO[@]}}); echo "at line ${{lines[-2]}} of the page" >&2' ERR
curl() {{  # an error status is a failure; a stream ends with what has happened so far
    case " $* " in *" -N "*) set -- "$@" --get --data wait=false;; esac
    command curl --silent --show-error --fail-with-body "$@"
}}
make() {{ command make --dry-run --directory {ROOT} "$@" > /dev/null; }}
reverie() {{
    case $1 in {"|".join(" ".join(ONLY_PARSED).split())}) set -- "$@" --help;; esac
    command reverie "$@"
}}
{API}
""" + "".join(f"{name}() {{ :; }}\n" for name in " ".join(NOT_RUN).split())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
async def test_every_line_runs(page: Path, server: ServerProcess, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{server.port}"
    (await server.call("POST", "/v1/workspaces", json={"name": "acme"})).raise_for_status()
    key = await server.call("POST", "/v1/keys", json={"role": "agent", "agent": "ada", "name": "a"})
    (await server.call("PUT", "/v1/agents/ada", json={})).raise_for_status()
    folder = tmp_path / "folder"
    (folder / ".reverie").mkdir(parents=True)
    for name, text in FILES.items() | {(".reverie/admin-key", ADMIN_KEY)}:
        (folder / name).write_text(text, encoding="utf-8")
    script = placed([block for block in BLOCKS[page] if block.language in SHELL])
    if "jq " in script and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    for word, other in ({"localhost:8000": f"127.0.0.1:{server.port}"} | REPLACED).items():
        script = script.replace(word, other)
    script += READ_VARIABLES if SETS_VARIABLES.search(script) else ""
    (tmp_path / "page.sh").write_text(script, encoding="utf-8")
    (tmp_path / "prelude.sh").write_text(prelude(), encoding="utf-8")
    given = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "DATABASE_URL": server.database_url, "REVERIE_DATA_DIR": str(tmp_path), "EMBEDDING_MODEL": "none",
        "REVERIE_URL": url, "REVERIE_API_KEY": ADMIN_KEY,
        "KEY": ADMIN_KEY, "ADMIN": ADMIN_KEY, "DB_URL": "", "KEY_ID": key.json()["id"],
    }  # fmt: skip
    done = await asyncio.to_thread(
        subprocess.run, ["bash", "-c", ". ../prelude.sh; . ../page.sh"], cwd=folder, env=os.environ | given,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{name_of(page)}: {done.stderr}\n{done.stdout[-2000:]}"
