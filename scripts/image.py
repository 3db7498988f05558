"""The image, built by buildah where there is no container engine, and proved.

``python -m scripts.image FOLDER``, as root and in the project's virtual environment, with buildah and mmdebstrap
installed: makes a base of Debian's own Python (kept in FOLDER for the next time) that stands for the image that the
Dockerfile begins FROM, builds the Dockerfile, says how many MB it has and which packages are the largest, and proves
that it works (``image_proof``). Nothing leaves FOLDER, but the kernel must allow chroot and mounts.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.image_proof import prove

ROOT = Path(__file__).resolve().parents[1]
BASE, IMAGE = "docker.io/library/python:3.12-slim", "localhost/reverie"
SUITE = "bookworm"
PACKAGES = "ca-certificates,python3,python3-pip,python3-venv"
NOT_IN_SLIM_IMAGES = "usr/share/doc usr/share/info usr/share/locale usr/share/man var/lib/apt/lists/* var/cache/apt"
BASE_FILE = f"""
FROM scratch
ADD base.tar /
RUN ln -s python3 /usr/bin/python && cd / && rm -rf {NOT_IN_SLIM_IMAGES}
ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8
"""
POLICY = '{"default": [{"type": "insecureAcceptAnything"}]}'
"""Nothing is pulled, so there are no signatures to check."""
OF_THE_HOST = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
"""How this machine reaches the package index."""
ISOLATION = ("--isolation", "chroot")


class Buildah:
    """Containers and images under one folder."""

    def __init__(self, folder: Path) -> None:
        self._start = ["buildah", "--root", str(folder / "storage"), "--runroot", str(folder / "run")]
        self._policy = folder / "policy.json"
        self._policy.write_text(POLICY, encoding="utf-8")

    def command(self, *words: str) -> list[str]:
        """A command line."""
        return [*self._start, *words]

    def run(self, *words: str) -> str:
        """What a command prints."""
        return subprocess.run(self.command(*words), check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def build(self, context: Path, name: str, *options: str) -> None:
        """Build a folder's Dockerfile, showing what it does."""
        signed = ("--signature-policy", str(self._policy))
        words = ["build", *ISOLATION, *signed, "--pull-never", "--format", "docker", *options, "--tag", name]
        subprocess.run(self.command(*words, str(context)), check=True)

    def container(self, image: str) -> str:
        """A new container of an image; its name."""
        return self.run("from", "--pull-never", "--signature-policy", str(self._policy), image)


def main(folder: Path) -> None:
    """Make the image in ``folder``, and prove it."""
    folder.mkdir(parents=True, exist_ok=True)
    buildah = Buildah(folder)
    if not buildah.run("images", "--quiet", "--filter", f"reference={BASE}"):
        make_base(folder / "base", buildah)
    there = [file for file in OF_THE_HOST if Path(file).exists()]
    buildah.build(ROOT, IMAGE, *(f"--volume={file}:{file}:ro" for file in there))
    containers = [buildah.container(image) for image in (BASE, IMAGE)]
    try:
        base, image = [Path(buildah.run("mount", one)) for one in containers]
        print(f"{megabytes(image)} MB, of them {megabytes(base)} the base", flush=True)
        packages = sorted(image.glob("opt/*/lib/python3*/site-packages/*"), key=megabytes, reverse=True)
        print(", ".join(f"{path.name} {megabytes(path)}" for path in packages[:12]), flush=True)

        def inside(line: str, environment: Mapping[str, str]) -> list[str]:
            variables = [f"--env={name}={value}" for name, value in environment.items()]
            return buildah.command("run", *ISOLATION, *variables, containers[1], "--", "sh", "-ec", line)

        prove(inside)
    finally:
        buildah.run("rm", *containers)


def make_base(folder: Path, buildah: Buildah) -> None:
    """Debian with Python, without what slim images do without."""
    folder.mkdir(exist_ok=True)
    made = ["mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(folder / "base.tar")]
    subprocess.run(made, check=True)
    (folder / "Dockerfile").write_text(BASE_FILE, encoding="utf-8")
    buildah.build(folder, BASE)
    (folder / "base.tar").unlink()


def megabytes(root: Path) -> int:
    """What du says."""
    said = subprocess.run(["du", "-smx", str(root)], capture_output=True, text=True, check=True).stdout
    return int(said.split()[0])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
