"""The Dockerfile's steps in a clean Debian root, for where there is no container engine.

``python -m scripts.image FOLDER``, as root and in the project's virtual environment: makes the base with debootstrap
(kept for the next time as FOLDER.base) and carries out each stage's RUN, COPY, WORKDIR, ENV and USER in a copy of it,
the last stage in FOLDER, others in FOLDER.NAME. Then proves as its user that it may write to its data alone and that
everything works (``image_proof``). Prints how many MB the image has, of them the base, and the largest packages.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.image_proof import prove

ROOT = Path(__file__).resolve().parents[1]
SUITE = "bookworm"
BASE = "ca-certificates,python3,python3-pip,python3-venv"
"""Stands for the image that the Dockerfile begins FROM."""
NOT_IN_BASES = (
    "usr/share/doc", "usr/share/info", "usr/share/locale", "usr/share/man", "var/cache/apt", "var/lib/apt/lists",
)  # fmt: skip
"""What Debian's slim images leave out."""
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "PIP_BREAK_SYSTEM_PACKAGES": "1", "LANG": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}  # fmt: skip
OF_THE_HOST = ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt", "etc/pip.conf")
"""How this machine reaches the package index."""


@dataclass
class Stage:
    """A root in the making. ``here`` is its WORKDIR, ``user`` its USER."""

    root: Path
    here: str = "/"
    user: str = "root"
    environment: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))

    def command(self, line: str, more: Mapping[str, str] | None = None) -> list[str]:
        """What runs a command line in it, as its user, with more variables."""
        variables = [f"{name}={value}" for name, value in (self.environment | dict(more or {})).items()]
        inside = f"cd {shlex.quote(self.here)} && {line}"
        return ["chroot", f"--userspec={self.user}", str(self.root), "env", "-i", *variables, "sh", "-ec", inside]

    def run(self, line: str) -> None:
        """Run a command line in it, or end."""
        run(*self.command(line))

    def inside(self, name: str) -> Path:
        """Where a path of it is here."""
        return self.root / self.here.lstrip("/") / name if not name.startswith("/") else self.root / name[1:]


def main(folder: Path) -> None:
    """Make the image in ``folder``, and prove it."""
    base = folder.with_name(f"{folder.name}.base")
    if not base.exists():
        make_base(base)
    stages: dict[str, Stage] = {}
    for instruction, rest in instructions():
        if instruction == "FROM":
            name = rest.partition(" AS ")[2]
            stage = stages[name] = Stage(folder.with_name(f"{folder.name}.{name}") if name else folder)
            begin(stage.root, base)
        elif instruction == "RUN":
            stage.run(rest)
        elif instruction == "COPY":
            copy(stages, stage, *rest.split())
        elif instruction == "WORKDIR":
            stage.here = rest
            stage.inside(rest).mkdir(parents=True, exist_ok=True)
        elif instruction == "ENV":
            name, _, value = rest.partition("=")
            stage.environment[name] = value.replace(f"${name}", stage.environment.get(name, ""))
        elif instruction == "USER":
            stage.user = rest
    assert stage.user != "root"
    stage.run('test "$(id -u)" != 0 && ! touch /app/x 2> /dev/null && touch /data/x && rm /data/x')
    for file in OF_THE_HOST[2:]:
        (stage.root / file).unlink(missing_ok=True)
    print(f"{megabytes(stage.root)} MB, of them {megabytes(base)} the base", flush=True)
    packages = sorted(stage.root.glob("opt/*/lib/python3*/site-packages/*"), key=megabytes, reverse=True)
    print(", ".join(f"{path.name} {megabytes(path)}" for path in packages[:12]), flush=True)
    prove(stage.root, stage.command)


def make_base(base: Path) -> None:
    """Debian with Python, without what slim images do without, and with a pip of today."""
    run("debootstrap", "--variant=minbase", f"--include={BASE}", SUITE, str(base))
    (base / "usr/bin/python").symlink_to("python3")
    (base / "dev/shm").chmod(0o1777)  # as every container's is
    begin(base, None)
    Stage(base).run("pip install --quiet --no-cache-dir --upgrade pip")
    for folder in NOT_IN_BASES:
        shutil.rmtree(base / folder)
    (base / "var/cache/apt/archives/partial").mkdir(parents=True)


def begin(root: Path, base: Path | None) -> None:
    """A copy of the base that reaches the network as this machine does."""
    if base:
        shutil.rmtree(root, ignore_errors=True)
        run("cp", "-a", str(base), str(root))
    for file in OF_THE_HOST:
        if (Path("/") / file).exists():
            shutil.copy(Path("/") / file, root / file)


def instructions() -> list[tuple[str, str]]:
    """Of the Dockerfile, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip().partition(" ") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest.strip()) for name, _, rest in lines]


def copy(stages: dict[str, Stage], stage: Stage, *words: str) -> None:
    """Copy from the project, or from another stage, as COPY does: folders by what is in them."""
    source, names = stages.get(words[0].removeprefix("--from=")), list(words)
    if words[0].startswith("--from="):
        assert source is not None
        del names[0]
    *sources, last = names
    target = stage.inside(last)
    for name in sources:
        path = source.inside(name) if source else ROOT / name
        if path.is_dir():
            ignored = None if source else shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, target, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        else:
            shutil.copy2(path, target)


def run(*command: str) -> None:
    """Run it, or end."""
    subprocess.run(command, check=True)


def megabytes(root: Path) -> int:
    """What du says."""
    said = subprocess.run(["du", "-smx", str(root)], capture_output=True, text=True, check=True).stdout
    return int(said.split()[0])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
