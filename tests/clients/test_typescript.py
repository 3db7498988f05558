"""The TypeScript client: linted, tested against a live server, and used from outside as a package.

Skipped, saying so, where there is no Node.js, or where the packages it is built with are not here and cannot be had.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tarfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import Route

from reverie_client.api import Api
from service import __version__
from tests.clients.contract import CONTRACTS
from tests.clients.npm import FOLDER, SKIPPED, npm, packed, run
from tests.fenced_blocks import BLOCKS
from tests.live_api import SharedServer
from tests.processes import ROOT
from tests.studio.browser import browser, chromium

pytestmark = pytest.mark.xdist_group("typescript")

PACKED_BYTES_MAX = 200_000
IMPORTED = re.compile(r"""(?:\bfrom |\brequire\(|\bimport\()["']([^"']+)["']""")
BLOCKS_OF_ITS_README = BLOCKS[FOLDER / "README.md"]
EXAMPLES = [
    (program.text, output.text)
    for program, output in pairwise(BLOCKS_OF_ITS_README)
    if (program.language, output.language) == ("typescript", "text")
]
[EXCERPT] = [one.text for one in BLOCKS_OF_ITS_README if one.language == "typescript" and "import " not in one.text]

FROM_COMMONJS = """
import { NotFound, Reverie, type SearchAnswer } from "@reverie/client";

async function main(): Promise<void> {
  const reverie = new Reverie({ agent: "eve" });
  const { memory } = await reverie.saveMemory("fact", "Cleo drinks mate");
  const found: SearchAnswer = await reverie.searchMemories("what does Cleo drink?", { limit: 1 });
  console.log(found.results.map((result) => result.memory?.content).join());
  await reverie.deleteMemory(memory?.id ?? "");
  const error: unknown = await reverie.getMemory(memory?.id ?? "").catch((one: unknown) => one);
  console.log(error instanceof NotFound && error.status);
}
main();
"""
IN_A_BROWSER = """async ({ url, apiKey }) => {
  const { Reverie } = await import(`${url}/the-client/index.js`);
  const reverie = new Reverie({ url, apiKey, agent: "ada" });
  await reverie.saveMemory("fact", "Ana drinks green tea");
  for await (const event of reverie.streamEvents({ after: 0 })) if (event.type) break;
  const { results } = await reverie.searchMemories("tea", { limit: 1 });
  const error = await reverie.searchMemories("tea", { limit: 1000 }).catch((one) => one);
  return [results[0].memory.content, error.name, error.fields];
}"""
MISTAKES = """
import { Memory, Reverie } from "@reverie/client";
const reverie = new Reverie();
reverie.saveMemory("fact", 3);
reverie.searchMemories("tea", { limt: 3 });
new Memory().add("tea", { user: "alice" });
reverie.getMemory("x").then((memory) => memory.no_such_field);
reverie.listMemories({ limit: "many" });
(async () => { for await (const memory of reverie.listMemories()) console.log(memory.no_such_field); })();
""".lstrip()
MISTAKEN_LINES = {3, 4, 5, 6, 7, 8}
SCRIPTS = {f"example{number}.mts": code for number, (code, _) in enumerate(EXAMPLES)}
[OF_THE_README] = [one.text for one in BLOCKS[ROOT / "README.md"] if one.language == "typescript"]
GIVEN = "const apiKey: string = (globalThis as any).process.env.REVERIE_API_KEY;\n"
SCRIPTS["excerpt.mts"] = 'import { Reverie } from "@reverie/client";\nconst reverie = new Reverie();\n' + EXCERPT
SCRIPTS |= {"readme.mts": GIVEN + OF_THE_README, "used.cts": FROM_COMMONJS, "mistakes.mts": MISTAKES}


def test_the_lock_has_every_package_by_its_hash_and_names_no_registry() -> None:
    project = json.loads((FOLDER / "package.json").read_text("utf-8"))
    packages = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))["packages"]
    own = packages.pop("")
    assert "dependencies" not in project
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in project["devDependencies"].values())
    assert own["devDependencies"] == project["devDependencies"]
    assert own["version"] == project["version"] == __version__
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert not any("resolved" in one for one in packages.values())


def test_without_node_it_says_loudly_that_nothing_is_checked(tmp_path: Path) -> None:
    for program in ("sh", "dirname"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    done = run(ROOT, str(ROOT / "scripts" / "typescript.sh"), "run", "lint", PATH=str(tmp_path), VENV=str(tmp_path))
    assert done.returncode == SKIPPED
    assert "THE TYPESCRIPT CLIENT IS NOT CHECKED" in done.stderr


def test_its_methods_have_the_names_of_the_python_client() -> None:
    """A call written by hand for one language needs its twin in the other, of the same name in camel case."""
    camel = {re.sub("_(.)", lambda letter: letter[1].upper(), name) for name in vars(Api) if not name.startswith("_")}
    sources = [path.read_text("utf-8") for path in (FOLDER / "src" / "calls").glob("*.ts")]
    assert {name for text in sources for name in re.findall(r"^export function (\w+)", text, re.MULTILINE)} == camel


def test_the_lint_finds_nothing() -> None:
    npm("run", "--silent", "lint")


@pytest.mark.first_tier
async def test_its_own_tests_pass_against_a_live_server(served: SharedServer) -> None:
    keys = {}
    for name in ("live", *CONTRACTS):
        async with served.tenant() as tenant:
            keys[name] = tenant.key
    given = {"REVERIE_TEST_URL": served.base_url, "REVERIE_TEST_KEYS": json.dumps(keys), "NO_COLOR": "1"}
    said = await asyncio.to_thread(npm, "test", **given)
    assert re.search(r"Tests +\d+ passed \(\d+\)", said), said


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project into which the package is installed from its archive, without a network."""
    folder = tmp_path_factory.mktemp("outside")
    archive = packed(folder)
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    done = run(folder, "npm", "install", "--offline", "--no-audit", "--no-fund", archive.name)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def complaints(outside: Path) -> dict[str, set[int]]:
    """The lines of each script that ``tsc --strict``, which compiles them there, complains of."""
    for name, code in SCRIPTS.items():
        (outside / name).write_text(code, encoding="utf-8")
    tsc = str(FOLDER / "node_modules" / ".bin" / "tsc")
    strict = ["--strict", "--target", "ES2022", "--lib", "ES2022,DOM", "--module", "NodeNext"]
    said = run(outside, tsc, *strict, *SCRIPTS).stdout
    found: dict[str, set[int]] = defaultdict(set)
    for line in said.splitlines():
        place = re.match(r"([\w.]+)\((\d+),\d+\): error TS|\s", line)
        assert place, said
        if place[1]:
            found[place[1]].add(int(place[2]))
    return found


def test_the_package_holds_what_was_built_and_needs_nothing(outside: Path) -> None:
    [path] = outside.glob("*.tgz")
    assert path.stat().st_size < PACKED_BYTES_MAX
    with tarfile.open(path) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert {name.split("/")[0] for name in names} == {"README.md", "LICENSE", "package.json", "dist"}
    installed = outside / "node_modules" / "@reverie" / "client"
    code = "".join(path.read_text("utf-8") for path in installed.rglob("*.js"))
    imported = {name for name in IMPORTED.findall(code) if not name.startswith(("./", "../"))}
    peers = json.loads((FOLDER / "package.json").read_text("utf-8"))["peerDependencies"]
    assert imported
    assert all(any(name == peer or name.startswith(f"{peer}/") for peer in peers) for name in imported)
    others = [path for path in installed.rglob("*.js") if path.parent.name != "integrations"]
    assert all(name.startswith(("./", "../")) for path in others for name in IMPORTED.findall(path.read_text("utf-8")))
    assert [one.name for one in (outside / "node_modules").iterdir() if not one.name.startswith(".")] == ["@reverie"]


async def output(compiled: Path, served: SharedServer, *command: str) -> str:
    """What a script prints, with a workspace of its own."""
    async with served.tenant() as tenant:
        given = {"REVERIE_URL": served.base_url, "REVERIE_API_KEY": tenant.key}
        done = await asyncio.to_thread(run, compiled.parent, *(command or ("node",)), compiled.name, **given)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
async def test_the_examples_of_the_readme_run_as_modules(
    outside: Path, complaints: dict[str, set[int]], served: SharedServer, number: int
) -> None:
    assert complaints[f"example{number}.mts"] == set()
    assert await output(outside / f"example{number}.mjs", served) == EXAMPLES[number][1]


def test_what_the_readme_shows_besides_compiles(complaints: dict[str, set[int]]) -> None:
    assert complaints["excerpt.mts"] == set()


async def test_the_example_of_the_projects_readme_runs(
    outside: Path, complaints: dict[str, set[int]], served: SharedServer
) -> None:
    assert complaints["readme.mts"] == set()
    compiled = outside / "readme.mjs"
    compiled.write_text(compiled.read_text("utf-8").replace("http://localhost:8000", served.base_url), encoding="utf-8")
    assert await output(compiled, served) == "We agreed to use tiered pricing with a free starter plan\n"


@pytest.mark.parametrize(
    "command", [("bun", "run"), ("deno", "run", "--allow-net", "--allow-env")], ids=["bun", "deno"]
)
async def test_other_runtimes_run_the_same_module(
    outside: Path, complaints: dict[str, set[int]], served: SharedServer, command: tuple[str, ...]
) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    assert await output(outside / "example0.mjs", served, *command) == EXAMPLES[0][1]


async def test_a_browser_runs_it_in_a_page_of_the_same_origin(outside: Path, served: SharedServer) -> None:
    if chromium() is None:
        pytest.skip("there is no Chromium here")
    modules = outside / "node_modules" / "@reverie" / "client" / "dist" / "esm"

    async def module(route: Route) -> None:
        path = modules / route.request.url.partition("/the-client/")[2]
        await route.fulfill(path=path, content_type="text/javascript")

    async with served.tenant() as tenant, browser() as opened, opened.page() as page:
        await page.route("**/the-client/**", module)
        await page.goto(f"{served.base_url}/healthz")
        assert await page.evaluate(IN_A_BROWSER, {"url": served.base_url, "apiKey": tenant.key}) == [
            "Ana drinks green tea",
            "InvalidRequest",
            ["limit"],
        ]


async def test_commonjs_has_it_too(outside: Path, complaints: dict[str, set[int]], served: SharedServer) -> None:
    assert complaints["used.cts"] == set()
    assert "require(" in (outside / "used.cjs").read_text("utf-8")
    assert await output(outside / "used.cjs", served) == "Cleo drinks mate\n404\n"


def test_the_types_find_mistakes(complaints: dict[str, set[int]]) -> None:
    assert complaints["mistakes.mts"] == MISTAKEN_LINES
