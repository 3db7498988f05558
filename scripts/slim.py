"""Makes an image smaller: out with what nobody loads there, debugging symbols off, bytecode of what is loaded in.

``python scripts/slim.py``, in the virtual environment that the image is to have, once everything is installed. Every
rule names files of packages and why they can go; a rule that finds nothing ends the build, because the package has
changed and somebody should look. In the end everything that the service loads is imported, so a rule that took too
much ends it too.
"""

from __future__ import annotations

import importlib
import pkgutil
import py_compile
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SITE = Path(sysconfig.get_path("purelib"))
PROJECT = ("service", "worker", "reverie_client")


@dataclass(frozen=True, slots=True)
class Rule:
    """``patterns`` below the installed packages go, except the ``kept``; each must match."""

    why: str
    patterns: tuple[str, ...]
    kept: tuple[str, ...] = ()


UNUSED_ELEMENTS = (
    "aggrid", "codemirror", "joystick", "json_editor", "leaflet", "mermaid", "plotly", "scene", "xterm",
)  # fmt: skip
RULES = (
    Rule("tests of packages", ("**/tests",)),
    Rule("sources of what is compiled", ("**/*.c", "**/*.cpp", "**/*.h", "**/*.hpp", "**/*.pyx", "**/*.pxd")),
    Rule(
        "where numbers are, whose and in which zone; only whether they are valid is asked",
        ("phonenumbers/geodata", "phonenumbers/carrierdata", "phonenumbers/tzdata"),
    ),
    Rule(
        "Amazon's services other than those with models, and how to sign in",
        ("botocore/data/*/",),
        ("bedrock*", "sagemaker-runtime", "sso", "sso-oidc", "sts"),
    ),
    Rule("pages of litellm's own server", ("litellm/proxy/_experimental/out", "litellm/proxy/swagger")),
    Rule("what litellm's own server says of itself", ("litellm/proxy/_lazy_openapi_snapshot.json",)),
    Rule("litellm's second implementation, for calls that nobody makes here", ("litellm/rust_bridge/_native.abi3.so",)),
    Rule("elements that the Studio does not use", tuple(f"nicegui/elements/{name}/dist" for name in UNUSED_ELEMENTS)),
    Rule("readable editions of scripts", ("nicegui/static/quasar.umd.js", "nicegui/static/vue.esm-browser.js")),
    Rule("a compiler for styles that the Studio has ready-made", ("nicegui/static/sass.dart.js",)),
)
STRIPPED_ELSEWHERE = ".libs"
"""Folders of libraries that auditwheel has rearranged; strip would spoil their layout."""
WITH_EXTRAS = {"reverie_client.langgraph", "reverie_client.langgraph_items", "service.clients.langgraph"}
"""Modules that need what the image does not have."""
LITELLM = ("acompletion", "arerank", "token_counter", "get_llm_provider", "model_cost")
"""What litellm imports only when it is asked for it."""


def main() -> None:
    """Do it, and say how many MB each part was."""
    for rule in RULES:
        say(rule.why, sum(remove(path) for path in matching(rule)))
    say("debugging symbols", strip())
    say("bytecode", -compile_loaded())


def matching(rule: Rule) -> Iterator[Path]:
    """What the rule is about. Ends the build when a pattern matches nothing, or nothing is kept as it says."""
    for pattern in rule.patterns:
        found = [path for path in SITE.glob(pattern) if not path.is_symlink()]
        going = [path for path in found if not any(path.match(name) for name in rule.kept)]
        if not going:
            sys.exit(f"{pattern} ({rule.why}) is not there any more")
        yield from (path for path in going if path.exists())
    for name in rule.kept:
        if not any(path.match(name) for pattern in rule.patterns for path in SITE.glob(pattern)):
            sys.exit(f"{name} should have been kept ({rule.why}), but is not there")


def remove(path: Path) -> int:
    """Remove a file or a folder; its bytes."""
    bytes_were = size(path)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    return bytes_were


def strip() -> int:
    """Take the symbols out of native libraries; the bytes of them."""
    libraries = [path for path in SITE.rglob("*.so") if not path.parent.name.endswith(STRIPPED_ELSEWHERE)]
    before = sum(map(size, libraries))
    subprocess.run(["strip", "--strip-unneeded", *map(str, libraries)], check=True)
    return before - sum(map(size, libraries))


def compile_loaded() -> int:
    """Import all that the service can load, and keep it as bytecode; the bytes of that.

    That of the rest would be several times as much. It is not checked against the sources' times, which may change on
    the way into an image.
    """
    for name in PROJECT:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if module.name not in WITH_EXTRAS:
                importlib.import_module(module.name)
    litellm = importlib.import_module("service.llm.transport").import_litellm()
    for name in LITELLM:
        getattr(litellm, name)
    importlib.import_module("service.privacy.recognizers").PatternFinder()
    own = [Path(path) for name in PROJECT for path in sys.modules[name].__path__]
    bytecode = 0
    for module in list(sys.modules.values()):
        source = Path(getattr(module, "__file__", None) or "")
        if source.suffix == ".py" and any(source.is_relative_to(folder) for folder in (SITE, *own)):
            made = py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
            bytecode += size(Path(made or source))
    return bytecode


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())


def say(what: str, freed: int) -> None:
    """One line of the report."""
    print(f"{freed / 1_000_000:8.1f} MB  {what}")


if __name__ == "__main__":
    main()
