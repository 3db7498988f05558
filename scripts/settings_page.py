"""Write docs/settings.md of the settings as the service defines them.

With ``--check`` nothing is written: the exit status is 1 where the page is not what would be written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, get_args

from service.domain.installation import InstallationSettings
from service.domain.setting import Definition, Section, definitions
from service.domain.workspace import AgentSettings, WorkspaceSettings

PAGE: Final = Path(__file__).parent.parent / "docs" / "settings.md"
TITLES: Final[dict[Section, str]] = {
    "models": "Models",
    "users": "Users",
    "memory": "What is remembered",
    "dreams": "Dreams",
    "search": "Search",
    "context": "Context",
    "privacy": "Privacy",
    "limits": "Limits",
    "proxy": "Proxy",
}
INTRODUCTION: Final = """\
# Settings

What an admin may change while everything runs. `PUT /v1/settings` takes what is to change, as in
`{"dream": {"interval_h": 2}}`, which is in effect on the next call of every process; `POST /v1/settings/reset` goes
back to defaults, and the Studio has a form for both. What is marked "agent" an agent may have of its own
(`PUT /v1/agents/{agent} {"settings": …}`). `embedding` and `rerank` are those
[of the whole installation](operations.md#models-as-settings).

`make settings` writes this page of the definitions in the code (`service/domain/setting.py`), of which the OpenAPI
document and the Studio's form are made too.
"""
ADVANCED: Final = "What few installations change: `advanced` in the OpenAPI document, folded away in the Studio."
HEAD: Final = "| setting | default | what it is | when to change it |\n| --- | --- | --- | --- |"


def page() -> str:
    """Return the page: what most look at, by section, then what is advanced."""
    found = list(definitions(WorkspaceSettings, InstallationSettings))
    agents = {one.name for one in definitions(AgentSettings)}
    lines = [INTRODUCTION, *_sections((one for one in found if not one.advanced), agents, "##")]
    lines += ["## Advanced\n", f"{ADVANCED}\n", *_sections((one for one in found if one.advanced), agents, "###")]
    return "\n".join(lines)


def _sections(found: Iterable[Definition], agents: set[str], mark: str) -> Iterator[str]:
    settings = list(found)
    for section in get_args(Section):
        rows = [_row(one, one.name in agents) for one in settings if one.section == section]
        if rows:
            yield "\n".join([f"{mark} {TITLES[section]}\n", HEAD, *rows, ""])


def _row(one: Definition, of_agents: bool) -> str:
    sentence, _, default = one.description.removesuffix(".").rpartition(" Default ")
    return f"| `{one.name}`{' (agent)' if of_agents else ''} | {default} | {sentence} | {one.change} |"


def main() -> int:
    """Write or check the page; the exit status."""
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print("docs/settings.md is not what the settings say now: run make settings")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
