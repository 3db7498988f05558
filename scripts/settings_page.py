"""Write docs/settings.md and docs/environment.md of the settings and variables as the service defines them.

With ``--check`` nothing is written: the exit status is 1 where a page is not what would be written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from service.domain.installation import InstallationSettings
from service.domain.setting import SECTIONS, Definition, definitions
from service.domain.workspace import AgentSettings, WorkspaceSettings
from service.settings import CLIENT_NAMES, FORMER, Oidc, Settings, Tuning, variables

DOCS: Final = Path(__file__).parent.parent / "docs"
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
ENVIRONMENT: Final = """\
# Environment variables

Processes read these variables, or a file `.env` in the folder in which they start. None is needed. An empty variable is
an unset one. A misspelt name of ours in `.env`, a variable of a former release, and a mistake in a value stop the start
with one sentence, which names the variable and, in one that holds JSON, the field. What an admin may change while
everything runs is a [setting](settings.md) instead. Models that litellm calls also read the variables of their
providers, such as `OPENAI_API_KEY`, and traces go to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`.

`make settings` writes this page of the definitions in the code (`service/settings.py`);
[why so few](decisions/0188-settings.md).

| variable | default | what it is |
| --- | --- | --- |"""
JSON_VARIABLES: Final[tuple[tuple[str, type[BaseModel], str], ...]] = (
    ("Tuning", Tuning, """`REVERIE_TUNING='{"pool_size": 16, "llm_timeout_s": 120}'` changes two of these."""),
    ("Sign-in", Oidc, "`REVERIE_OIDC` holds these; [an example](studio.md#signing-in-at-a-provider)."),
)
FIELD_HEAD: Final = "| field | default | what it is |\n| --- | --- | --- |"
FORMER_HEAD: Final = """\
## Former variables

Where one of these is set, nothing starts.

| former variable | now |
| --- | --- |"""


def environment_page() -> str:
    """Return the page of the variables, their fields, and those of former releases."""
    fields = dict(zip(variables(), Settings.model_fields.values(), strict=True))
    clients = [f"| `{name}` | unset | {said} |" for name, said in CLIENT_NAMES.items()]
    lines = [ENVIRONMENT, *(_variable(name, field) for name, field in fields.items()), *clients, ""]
    for title, model, sentence in JSON_VARIABLES:
        rows = [_variable(name, field) for name, field in model.model_fields.items()]
        lines += [f"## {title}\n", f"{sentence}\n", FIELD_HEAD, *rows, ""]
    former = [f"| `{name}` | {said} |" for name, said in FORMER.items()]
    return "\n".join([*lines, FORMER_HEAD, *former, ""])


def _variable(name: str, field: FieldInfo) -> str:
    default: Any = field.default
    if field.is_required():
        said = "needed"
    elif default is None or default == () or isinstance(default, BaseModel):
        said = "unset"
    else:
        said = f"`{f'{default:g}' if isinstance(default, float) else str(default).lower()}`"
    return f"| `{name}` | {said} | {field.description} |"


def page() -> str:
    """Return the page: what most look at, by section, then what is advanced."""
    found = list(definitions(WorkspaceSettings, InstallationSettings))
    agents = {one.name for one in definitions(AgentSettings)}
    lines = [INTRODUCTION, *_sections((one for one in found if not one.advanced), agents, "##")]
    lines += ["## Advanced\n", f"{ADVANCED}\n", *_sections((one for one in found if one.advanced), agents, "###")]
    return "\n".join(lines)


def _sections(found: Iterable[Definition], agents: set[str], mark: str) -> Iterator[str]:
    settings = list(found)
    for section, title in SECTIONS.items():
        rows = [_row(one, one.name in agents) for one in settings if one.section == section]
        if rows:
            yield "\n".join([f"{mark} {title}\n", HEAD, *rows, ""])


def _row(one: Definition, of_agents: bool) -> str:
    sentence, _, default = one.description.removesuffix(".").rpartition(" Default ")
    return f"| `{one.name}`{' (agent)' if of_agents else ''} | {default} | {sentence} | {one.change} |"


def main() -> int:
    """Write or check the pages; the exit status."""
    status = 0
    for name, text in {"settings.md": page(), "environment.md": environment_page()}.items():
        file = DOCS / name
        if "--check" not in sys.argv:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"docs/{name} is not what the code says now: run make settings")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
