"""What is made of the OpenAPI document is what would be made of it now."""

from __future__ import annotations

import pytest

from scripts.clients.files import is_there, python_files, typescript_files


def test_the_python_client_is_that_of_the_api() -> None:
    assert [path for path, text in python_files().items() if not is_there(path, text)] == [], "run make clients"


@pytest.mark.xdist_group("typescript")
def test_the_typescript_client_is_that_of_the_api() -> None:
    made = typescript_files()
    if not made:
        pytest.skip("there is no Node.js here")
    assert [path for path, text in made.items() if not is_there(path, text)] == [], "run make clients"
