"""Every code block of the documents is of a language that something checks.

``test_pages`` runs the Python ones, ``test_shell_blocks`` those for a shell, ``tests/clients`` and
``tests/integrations`` those in TypeScript. What is data or a request is checked here.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jsonschema_rs
import pytest
import sqlglot
import yaml
from typer.main import get_command

from reverie.__main__ import cli
from service.api.docs_page import ESSENTIALS
from tests.api_document import DOCUMENT
from tests.fenced_blocks import BLOCKS, PAGES, SHELL, Block, name_of

REQUEST = re.compile(r"(GET|POST|PUT|PATCH|DELETE) +(/\S*)(?: (\{.*?\}))?(?: +#.*)?", re.DOTALL)
"""A request: method, path with its query, body, and a comment."""
CALL = re.compile(r"reverie api (GET|POST|PUT|PATCH|DELETE) ([/\w$]+)")
COMMAND = re.compile(r"(?:`|bin/)reverie ([a-z][^`\n]*)")
"""A command in a sentence or a line of cron."""
CRON = re.compile(r"(?:[\d*/,-]+ ){5} *\S")


def check_http(text: str) -> None:
    """Check that each request is to an operation that exists, with parameters and a body that it takes."""
    for line in re.split(r"\n(?=[A-Z])", text.strip()):
        request = REQUEST.fullmatch(line)
        assert request, line
        method, target, body = request.groups()
        url = urlsplit(target)
        operation = find_operation(method, url.path)
        declared = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        assert {name for name, _ in parse_qsl(url.query)} <= declared, line
        if body is not None:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            jsonschema_rs.validate(schema | {"components": DOCUMENT["components"]}, json.loads(body))


def find_operation(method: str, path: str) -> dict[str, Any]:
    """Return the operation at a path, which may name its parameters or fill them in."""
    for template, item in sorted(DOCUMENT["paths"].items()):
        if method.lower() in item and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            operation: dict[str, Any] = item[method.lower()]
            return operation
    raise AssertionError(f"no operation at {method} {path}")


def check_sql(text: str) -> None:
    """Check the grammar of all lines but psql's own."""
    sqlglot.parse(re.sub(r"^\\.*$", "", text, flags=re.MULTILINE), dialect="postgres")


def check_cron(text: str) -> None:
    assert all(CRON.match(line) for line in text.splitlines())


CHECKS: dict[str, Callable[[str], Any]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "sql": check_sql,
    "http": check_http,
    "cron": check_cron,
}
RUN = {"python", "typescript", *SHELL}
OUTPUT = "text"
FIGURES = {"ARCHITECTURE.md"}
"""Pages with a text that no program prints."""
ALL: list[Block] = [block for blocks in BLOCKS.values() for block in blocks]
DATA = [block for block in ALL if block.language in CHECKS]


def test_every_language_is_checked() -> None:
    of_others = [f"{one}: {one.language!r}" for one in ALL if one.language not in {*CHECKS, *RUN, OUTPUT}]
    assert of_others == []


def test_every_fence_is_one_of_a_block() -> None:
    """Such as one that is indented is not."""
    fences = {page: page.read_text("utf-8").count("```") for page in PAGES}
    assert {page: 2 * len(BLOCKS.get(page, ())) for page in PAGES} == fences


def test_text_is_what_a_program_prints() -> None:
    programs = {"python", "typescript"}
    pairs = [pair for blocks in BLOCKS.values() for pair in zip([None, *blocks], blocks, strict=False)]
    alone = [
        str(one)
        for before, one in pairs
        if one.language == OUTPUT and one.page.name not in FIGURES and not (before and before.language in programs)
    ]
    assert alone == []


@pytest.mark.parametrize("block", DATA, ids=str)
def test_data_and_requests_are_valid(block: Block) -> None:
    CHECKS[block.language](block.text)


def test_every_operation_that_the_api_reference_opens_with_has_an_example() -> None:
    """``test_shell_blocks`` runs it."""
    calls = [call for block in ALL if block.language in SHELL for call in CALL.findall(block.text)]
    assert set(ESSENTIALS) <= {find_operation(method, path)["operationId"] for method, path in calls}


def test_commands_in_sentences_exist() -> None:
    """In pages that say what is, so not in decisions and the changelog."""
    commands = get_command(cli).commands
    unknown = []
    for page in PAGES:
        if page.name == "CHANGELOG.md" or page.parent.name == "decisions":
            continue
        for line in COMMAND.findall(page.read_text("utf-8")):
            name, *words = line.split()
            declared = [option for one in commands[name].params for option in one.opts] if name in commands else []
            named = [word.strip("[],") for word in words if word.lstrip("[").startswith("-")]
            if name not in commands or not {one for one in named if one != "-"} <= {*declared, "--help"}:
                unknown.append(f"{name_of(page)}: reverie {line}")
    assert unknown == []


def test_typescript_is_where_it_runs() -> None:
    pages = {name_of(block.page) for block in ALL if block.language == "typescript"}
    elsewhere = {page for page in pages if not page.startswith("docs/integrations/typescript/")}
    assert elsewhere == {"README.md", "clients/typescript/README.md"}
