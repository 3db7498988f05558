"""Writes security/advisories.json: the versions of packages that published advisories call vulnerable, by ecosystem.

    python scripts/advisories.py FOLDER_OR_ZIP --ecosystem PyPI --as-of 2026-11-25   # records in the format of OSV
    python scripts/advisories.py --fetch                                             # OSV's export, where a network is

Records are read from JSON or YAML files (OSV schema, https://ossf.github.io/osv-schema). Kept are the package, the id,
and what is affected: ranges of versions (introduced, fixed, last_affected) where there are some, else the versions. The
checks against the lock files are in tests/supply_chain.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import urllib.request
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

LIST = Path(__file__).parent.parent / "security" / "advisories.json"
ECOSYSTEMS = ("PyPI", "npm")
EXPORT = "https://osv-vulnerabilities.storage.googleapis.com/{ecosystem}/all.zip"
SUFFIXES = (".json", ".yaml", ".yml")

Json = dict[str, Any]


def read(source: Path | bytes) -> Iterator[Json]:
    """The records in a folder or in an archive."""
    if isinstance(source, Path) and source.is_dir():
        for path in sorted(source.rglob("*")):
            if path.suffix in SUFFIXES:
                yield yaml.safe_load(path.read_bytes())
        return
    with zipfile.ZipFile(source if isinstance(source, Path) else io.BytesIO(source)) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                yield json.loads(archive.read(name))


def listed(records: Iterator[Json], ecosystem: str) -> dict[str, list[Json]]:
    """The advisories by package; those that were withdrawn are left out."""
    found: dict[str, list[Json]] = defaultdict(list)
    for record in records:
        if record.get("withdrawn"):
            continue
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") != ecosystem:
                continue
            ranges = [one["events"] for one in affected.get("ranges", ()) if one["type"] in ("ECOSYSTEM", "SEMVER")]
            versions = [] if ranges else affected.get("versions", [])
            if ranges or versions:
                entry = {"id": record["id"], "ranges": ranges, "versions": versions}
                found[package["name"].lower().replace("_", "-")].append(entry)
    return {name: sorted(found[name], key=lambda one: one["id"]) for name in sorted(found)}


def written(lists: dict[str, Json]) -> str:
    """The file: a line for each package, so that a change of the list can be read."""
    parts = []
    for ecosystem, one in lists.items():
        packages = ",\n".join(
            f"   {json.dumps(name)}: {json.dumps(entries, default=str, separators=(',', ':'))}"
            for name, entries in one["packages"].items()
        )
        head = json.dumps({"as_of": one["as_of"], "source": one["source"]}).removesuffix("}")
        parts.append(f'{json.dumps(ecosystem)}: {head}, "packages": {{\n{packages}\n}}}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    """Renew the list of one ecosystem, or fetch all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path)
    parser.add_argument("--ecosystem", choices=ECOSYSTEMS, default="PyPI")
    parser.add_argument("--as-of", type=date.fromisoformat)
    parser.add_argument("--named", help="where the records come from")
    parser.add_argument("--fetch", action="store_true")
    given = parser.parse_args()
    lists: dict[str, Json] = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    if given.fetch:
        for ecosystem in ECOSYSTEMS:
            url = EXPORT.format(ecosystem=ecosystem)
            with urllib.request.urlopen(url, timeout=600) as answer:
                packages = listed(read(answer.read()), ecosystem)
            lists[ecosystem] = {"as_of": datetime.now(UTC).date().isoformat(), "source": url, "packages": packages}
    elif given.source and given.as_of:
        packages = listed(read(given.source), given.ecosystem)
        named = given.named or given.source.name
        lists[given.ecosystem] = {"as_of": given.as_of.isoformat(), "source": named, "packages": packages}
    else:
        parser.error("name a folder or archive with its date, or --fetch")
    LIST.parent.mkdir(exist_ok=True)
    LIST.write_text(written(lists), encoding="utf-8")
    sys.stdout.write("".join(f"{name}: {len(one['packages'])} packages\n" for name, one in lists.items()))


if __name__ == "__main__":
    main()
