"""Finds where the code uses private names of its dependencies: what an upgrade may take away without a word."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}
OWN = frozenset({"service", "worker", "reverie", "reverie_client", "tests", "alembic_versions"})


@dataclass(frozen=True, slots=True, order=True)
class PrivateName:
    """A private module or name of a dependency, by its dotted path."""

    name: str
    file: str
    line: int


def is_private(name: str) -> bool:
    """Whether a name begins with one underscore; ``__dunder__`` names are a protocol."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def private_names(sources: Mapping[str, str]) -> set[PrivateName]:
    """What files (their sources by name) use of dependencies that is private: imported modules and names, attributes of
    what is imported, and attributes of anything that nothing in these files defines."""
    trees = {file: ast.parse(source) for file, source in sources.items()}
    own = {name for tree in trees.values() for node in ast.walk(tree) for name in _defined(node)} | NAMED_TUPLE
    return {found for file, tree in trees.items() for found in _used(tree, file, own)}


def private_names_under(root: Path, folders: tuple[str, ...]) -> set[PrivateName]:
    """All of them in the Python files of some folders."""
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    return private_names({str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in files})


def _used(tree: ast.AST, file: str, own: set[str]) -> Iterator[PrivateName]:
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        for local, path in _imports(node):
            imported[local] = path
            if _is_dependency(path) and any(map(is_private, path.split("."))):
                yield PrivateName(path, file, getattr(node, "lineno", 0))
    for node in ast.walk(tree):
        owner, name = _accessed(node)
        if owner is None or not is_private(name):
            continue
        path = _dotted(owner, imported)
        if path is None and name not in own:
            yield PrivateName(name, file, owner.lineno)
        elif path is not None and _is_dependency(path):
            yield PrivateName(f"{path}.{name}", file, owner.lineno)


def _accessed(node: ast.AST) -> tuple[ast.expr | None, str]:
    """The object and the name of an attribute, also of one read by ``getattr``."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr"):
        owner, name = node.args[:2]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return owner, name.value
    return None, ""


def _defined(node: ast.AST) -> Iterator[str]:
    """The names that a node defines: functions, classes, variables, and attributes of ``self`` and ``cls``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
        yield node.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The local names that a statement binds, and the dotted path of each."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
            if not alias.asname and any(map(is_private, alias.name.split("."))):
                yield alias.name, alias.name
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _is_dependency(path: str) -> bool:
    top = path.partition(".")[0]
    return top not in OWN and top not in sys.stdlib_module_names


def _dotted(node: ast.expr, imported: Mapping[str, str]) -> str | None:
    """The path of an expression that begins at something imported: ``module.Class(…).attribute`` is in the class."""
    if isinstance(node, ast.Name):
        return imported.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, imported)
        return owner and f"{owner}.{node.attr}"
    if isinstance(node, ast.Call):
        return _dotted(node.func, imported)
    return None
