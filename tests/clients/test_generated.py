"""What is made of the OpenAPI document is what would be made of it now."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.clients.files import is_there, python_files, typescript_files
from scripts.clients.methods import method
from scripts.clients.python import call
from scripts.clients.typescript import typescript_call

UNKNOWN: dict[str, Any] = {
    "operationId": "list_things",
    "tags": ["things"],
    "summary": "List things",
    "description": "Newest first.",
    "parameters": [
        {"name": "limit", "in": "query", "required": False, "schema": {"type": "integer", "default": 50}},
        {"name": "kind", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"}},
        {"name": "shelf_id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}},
    ],
    "responses": {
        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Page_Session_"}}}},
    },
}
"""An operation that clients/names.toml does not know."""

IN_PYTHON = '''
def list_things(shelf_id: Id, kind: str, limit: int = 50) -> Call[Page[SessionRecord]]:
    """List things.

    Newest first.
    """
    return Call("GET", f"/v1/{part(shelf_id)}", Page[SessionRecord], query={"kind": kind, "limit": limit})
'''
IN_TYPESCRIPT = """
/**
 * List things.
 *
 * Newest first.
 */
export function listThings(shelfId: string, kind: string, query?: Pick<Query<"list_things">, "limit">) {
  return list<"list_things">(path`/v1/${shelfId}`, { kind, ...query });
}
"""


def test_a_new_endpoint_needs_no_line_of_names() -> None:
    made = method(UNKNOWN["operationId"], "GET", "/v1/{shelf_id}", UNKNOWN)
    assert call(made) == IN_PYTHON.strip()
    assert typescript_call(made) == IN_TYPESCRIPT.strip()


def test_the_python_client_is_that_of_the_api() -> None:
    assert [path for path, text in python_files().items() if not is_there(path, text)] == [], "run make clients"


@pytest.mark.xdist_group("typescript")
def test_the_typescript_client_is_that_of_the_api() -> None:
    made = typescript_files()
    if not made:
        pytest.skip("there is no Node.js here")
    assert [path for path, text in made.items() if not is_there(path, text)] == [], "run make clients"
