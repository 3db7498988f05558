"""With redaction on, no field of any request is stored as it was given; no secret ever is, without any setting.

The fields are taken from the OpenAPI document and from the lines of an import, one by one, so that a new one is tried
without anybody thinking of it: each gets an address of its own, and none of these is in a dump of the database.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest

from service.api.routes import chat
from service.domain.export_lines import LINES
from service.domain.ids import DEFAULT_WORKSPACE
from tests.live_api import Api, Json
from tests.pg_dump import dump
from tests.privacy.secret_corpus import TOKENS
from tests.promises.tenants import waiting

Path = tuple[str | int, ...]

WRITING = ("post", "put", "patch")
BESIDES = {"/v1/import", *chat.PATHS}
"""Bodies that OpenAPI says nothing of: tried below, and with the proxy's tests."""
REFUSED = {
    ("/v1/webhooks", ("url",)), ("/v1/webhooks/{webhook_id}", ("url",)),
    ("/v1/ask", ("response_schema", "anything")), ("/v1/ask", ("response_schema", "{}")),
    ("/v1/settings", ("embedding", "model")), ("/v1/settings", ("rerank", "model")),
    ("/v1/settings/reset", ("names", 0)),
    ("/v1/settings", ("profile_schema", "anything")), ("/v1/settings", ("profile_schema", "{}")),
    ("/v1/searches", ("agent",)),
}  # fmt: skip
"""Masked, these would be of no use; no model has such a name, no schema such a keyword, and no such agent may read
what a saved search expects."""
WHERE = "where"
"""A filter refuses what is no path of its grammar; tests/promises/test_where.py has how it is masked."""
PROFILE_SCHEMA = "profile_schema"
"""A schema refuses what is no keyword of it."""
MODELS = "llm"
"""The models of a workspace: names, addresses and keys of a given form; not imported."""
NOT_FREE = {
    "timezone", "time_zone", "quiet_hours", "format", "language", "cursor", "resume_from", "after", "fingerprint",
    "where", "occurred_at", "occurred_until",
}  # fmt: skip
"""Strings of a given form, which refuse any other."""
TYPES = {"type", "types", "ignore_types"}
"""Names of memory types, which refuse any that is not there."""


def address(*of: object) -> str:
    """An e-mail address that names the field it was given in."""
    return f"x.{re.sub('[^a-z0-9]+', '-', ' '.join(map(str, of)))}.{uuid4().hex[:6]}@secret.example"


def token(*_: object) -> str:
    """A token of GitHub's form, with the checksum that GitHub's have."""
    return TOKENS["github_token"](Random(uuid4().int))


@dataclass(frozen=True)
class Data:
    """What must not be stored: values of it, the settings that say so, and what is stored in place of a name."""

    value: Callable[..., str]
    settings: Json
    mask: str


DATA = [
    Data(address, {"pii": {"mode": "redact"}}, "<EMAIL_ADDRESS:"),
    Data(token, {}, "[SECRET:github_token:"),
]
each_kind = pytest.mark.parametrize("data", DATA, ids=["personal", "secret"])
KEPT = {("/v1/webhooks", ("url",)), ("/v1/webhooks/{webhook_id}", ("url",))}
"""The address of a webhook is called, so that a token in it is stored; personal data in it is refused."""


def string_paths(schema: Json, components: Json, path: Path = ()) -> Iterator[Path]:
    """Where a body of this schema has strings that its caller writes."""
    if "$ref" in schema:
        schema = components[schema["$ref"].rsplit("/", 1)[1]]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from string_paths(one, components, path)
    if schema.get("type") == "string" and not {"enum", "const", "format"} & schema.keys():
        yield path
    if schema.get("type") == "array":
        yield from string_paths(schema.get("items", {}), components, (*path, 0))
    for name, one in schema.get("properties", {}).items():
        yield from string_paths(one, components, (*path, name))
    free = schema.get("additionalProperties")
    if schema.get("type") == "object" and (free is True or (free is None and "properties" not in schema)):
        yield (*path, "anything")
        yield (*path, "{}")
    if not schema.keys() - {"title", "description", "default"} and path:
        yield (*path, "anything")  # any JSON


def with_value(body: Json, path: Path, value: str) -> Json:
    """A copy of the body with the value at this path; ``{}`` stands for a key."""
    body = copy.deepcopy(body)
    at: Any = body
    for part, following in pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(part, int):
            if len(at) <= part:
                at.append(empty)
        elif not isinstance(at.get(part), type(empty)):
            at[part] = empty
        at = at[part]
    last = value if path[-1] == "{}" else path[-1]
    if isinstance(last, int):
        at[last:] = [value]
    else:
        at[last] = "x" if path[-1] == "{}" else value
    return body


class Rows:
    """What the requests of the test are about, made anew where a request uses it up."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._webhook: str | None = None
        self._page: str | None = None
        self._search: str | None = None

    async def ids(self) -> dict[str, str]:
        memory = await self._api.save(
            f"A memory {uuid4()}", links=[{"relation": "about", "entity": {"name": f"Thing {uuid4()}"}}]
        )
        newest = (await self._api.get("/v1/entities", agent="a", limit=1))["items"][0]
        if self._webhook is None:
            self._webhook = (await self._api.post("/v1/webhooks", {"url": "https://hooks.invalid/x"}))["id"]
        if self._page is None:
            self._page = (await self._api.post("/v1/pages", {"agent": "a", "question": "Which tea?"}))["id"]
        if self._search is None:
            body = {"agent": "a", "name": "Tea", "expected": [memory["id"]]}
            self._search = (await self._api.post("/v1/searches", body))["id"]
        proposal = await waiting(self._api.runtime, f"{uuid4()}", DEFAULT_WORKSPACE, "a", uuid4(), None, [])
        return {
            "memory_id": memory["id"], "entity_id": newest["id"], "webhook_id": self._webhook, "page_id": self._page,
            "proposal_id": str(proposal), "search_id": self._search,
        }  # fmt: skip

    async def body(self, path: str, method: str, ids: dict[str, str], at: Path) -> Json:
        """The least body of an operation, to which one field is added."""
        link = {"relation": "about", "entity": {"name": "Tea"}}
        fact = {"agent": "a", "type": "fact", "content": f"{uuid4()}", "links": [link]}
        said = {"role": "user", "content": "hello"}
        return {
            "/v1/memories": fact,
            "/v1/memories/batch": {"items": [fact]},
            "/v1/memories/search": {"agent": "a"},
            "/v1/memories/search/preview": {"agent": "a"},
            "/v1/memories/bulk": {"action": "add_tags", "tags": ["t"]}
            | ({} if at[0] == "filter" else {"ids": [ids["memory_id"]]}),
            "/v1/memories/delete": {"filter": {"agent": "a"}, "dry_run": True},
            "/v1/memories/{memory_id}": {"version": 1},
            "/v1/memories/{memory_id}/feedback": {"useful": True},
            "/v1/sessions": {"agent": "a"},
            "/v1/sessions/{session}/messages": {"agent": "a", "messages": [said]},
            "/v1/context": {"agent": "a", "message": "hello"},
            "/v1/ask": {"agent": "a", "question": "what?"},
            "/v1/extract": {"agent": "a"} | ({"messages": [said]} if at[0] == "messages" else {"text": "hello"}),
            "/v1/summarize": {"agent": "a", "older_than_days": 1},
            "/v1/entities/{entity_id}/split": {"memory_ids": [ids["memory_id"]], "name": f"Other {uuid4()}"},
            "/v1/edges": {"agent": "a", "relation": "about", "source": {"entity": {"name": "Cup"}},
                          "target": {"entity": {"name": "Tea"}}},
            "/v1/inbox": {"ids": [ids["proposal_id"]], "action": "edit"},
            "/v1/inbox/{proposal_id}": {"action": "edit"},
            "/v1/keys": {"role": "agent", "agent": "a", "name": "k"},
            "/v1/documents": {"agent": "a", "title": "T", "text": "A text"},
            "/v1/webhooks": {"url": "https://hooks.example/x"},
            "/v1/pages": {"agent": "a", "question": "Which tea?"},
            "/v1/pages/{page_id}": {"question": "Which tea?"} if method == "put" else {},
            "/v1/searches": {"agent": "a", "name": "Tea", "expected": [ids["memory_id"]]},
            "/v1/searches/{search_id}": {"name": "Tea", "expected": [ids["memory_id"]]},
        }.get(path, {})  # fmt: skip


@each_kind
async def test_no_field_of_the_api(api: Api, database_url: str, data: Data) -> None:
    await api.put("/v1/settings", data.settings)
    document = (await api.http.get("/openapi.json")).json()
    workspace = (await api.post("/v1/workspaces", {"name": "tenant"}))["id"]
    rows, given, failed = Rows(api), [], []
    for path, operations in document["paths"].items():
        for method in set(WRITING) & operations.keys() - ({"post"} if path in BESIDES else set()):
            schema = (
                operations[method]
                .get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema", {})
            )
            for at in dict.fromkeys(string_paths(schema, document["components"]["schemas"])):
                secret_kept = data.value is token and ((path, at) in KEPT or at[0] == MODELS)
                if at[-1] in NOT_FREE or TYPES & set(at[-2:]) or secret_kept:
                    continue
                value = data.value(method, *path.split("/")[2:3], *at[-2:])
                ids = await rows.ids()
                sent = f"https://hooks.example/?to={value}" if at == ("url",) else f"{uuid4().hex[:6]} {value}"
                body = with_value(await rows.body(path, method, ids, at), at, sent)
                where = path.format(**ids, session="s", agent="a", user="u", task="t", workspace=workspace)
                answer = await api.call(method.upper(), where, json=body)
                expected = {422} if (path, at) in REFUSED or at[0] == MODELS or WHERE in at else {200, 201, 202}
                unknown = answer.status_code == 404 or "is not a member of a team" in answer.text
                unknown = unknown and data.mask in answer.text
                if answer.status_code not in expected and not unknown:
                    failed.append((method, path, at, answer.text))
                given.append((method, path, at, value))
    assert failed == []
    assert len(given) > 60
    await no_parameter(api, document, given, data)
    written = dump(database_url)
    assert data.mask in written
    assert [one for one in given if one[-1] in written] == []


async def no_parameter(api: Api, document: Json, given: list[Any], data: Data) -> None:
    """Names in paths and queries, of reading operations too: the audit log notes who read what."""
    reader = await api.as_role("reader")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for one in operation.get("parameters", ()):
                schema = next(
                    (each for each in one["schema"].get("anyOf", ()) if each.get("type") != "null"), one["schema"]
                )
                free = schema.get("type") == "string" and not {"enum", "const", "format"} & schema.keys()
                if one["in"] == "header" or not free or one["name"] in NOT_FREE:
                    continue
                value = data.value(method, path, one["name"])
                names = {"session": "s", "agent": "a", "entity": "Tea", "user": "u", "task": "t", "workspace": "w"}
                names["team"] = "m"
                if one["in"] == "path":
                    names[one["name"]] = quote(value, safe="")
                where = path.format(**dict.fromkeys(re.findall(r"{(\w+)}", path), UUID(int=0)) | names)
                query: dict[str, Any] = {"agent": "a", "wait": "false"}
                if one["in"] == "query":
                    query[one["name"]] = value
                body = {
                    "/v1/sessions/{session}/messages": {"agent": "a", "messages": [{"role": "user", "content": "x"}]},
                    "/v1/import": None,
                }.get(path, {})
                for who in (api, reader):
                    answer = await who.call(method.upper(), where, params=query, json=body)
                    assert answer.status_code < 500, (method, path, one["name"], answer.text)
                given.append((method, path, one["name"], value))


IDS = {
    name: str(uuid4())
    for name in (
        "session",
        "message",
        "memory",
        "entity",
        "other",
        "merge",
        "edge",
        "document",
        "page",
        "search",
        "result",
    )
}
AT = "2024-05-08T10:00:00Z"
LEAST: dict[str, Json] = {
    "settings": {"settings": {}},
    "agent": {"agent": "a"},
    "task": {"task": "t", "members": ["a"]},
    "session": {"agent": "a", "id": IDS["session"], "session": "s", "last_message_at": AT},
    "message": {"agent": "a", "id": IDS["message"], "session": "s", "role": "user", "content": "hello"},
    "memory": {"agent": "a", "id": IDS["memory"], "type": "fact", "content": "likes tea"},
    "history": {"memory_id": IDS["memory"], "version": 1, "actor": "admin:x", "reason": "changed", "at": AT,
                "memory": {"type": "fact", "content": "liked tea", "agent": "a"}},
    "window": {"agent": "a", "session": "s", "from_seq": 1, "to_seq": 1, "memory_id": IDS["memory"]},
    "entity": {"agent": "a", "id": IDS["entity"], "name": "Tea", "kind": "thing", "audience": {"agent": "a"}},
    "merge": {"id": IDS["merge"], "entity_id": IDS["other"], "into_id": IDS["entity"], "actor": "admin:x",
              "created_at": AT, "aliases": [{"alias": "te", "kind": "thing"}], "twice": []},
    "edge": {"id": IDS["edge"], "audience": {"agent": "a"}, "relation": "about", "source_kind": "memory",
             "source_id": IDS["memory"], "target_kind": "entity", "target_id": IDS["entity"], "created_by": "admin:x"},
    "document": {"agent": "a", "id": IDS["document"], "title": "T", "text": "A text"},
    "bulletin": {"agent": "a", "version": 1, "content": "All", "inputs_hash": "0",
                 "parts": [{"title": "T", "lines": [{"text": "x", "memories": []}]}]},
    "page": {"agent": "a", "id": IDS["page"], "question": "Which tea?",
             "versions": [{"version": 1, "writer": "rules", "dropped": 0, "inputs_hash": "0", "dream_id": None,
                           "created_at": AT, "sentences": [
                               {"text": "Green", "memories": [{"id": IDS["memory"], "digest": "0" * 32}]}]}]},
    "search": {"agent": "a", "id": IDS["search"], "name": "Tea", "query": "tea", "expected": [IDS["memory"]],
               "results": [{"id": IDS["result"], "revision": 1, "cause": "request", "k": 10, "recall": 1,
                            "outcomes": [{"memory_id": IDS["memory"], "state": "current", "counted_as": IDS["memory"],
                                          "rank": 1, "lost_at": None}],
                            "overrides": {}, "settings": {}, "strategy": "hybrid", "embedder": None, "degraded": False,
                            "created_at": AT}]},
    "proposal": {"agent": "a", "id": IDS["edge"], "fingerprint": "0" * 64, "type": "fact", "content": "likes tea",
                 "confidence": 0.4, "said_at": AT},
}  # fmt: skip
LEAST["merge"]["twice"] = [LEAST["edge"]]
FIRST = {"history": ["memory"], "window": ["session", "memory"], "edge": ["memory", "entity"], "message": ["session"]}
NOT_WRITTEN = {"inputs_hash", "links"}
"""Made by Reverie, and of a given form; refused."""


@pytest.mark.parametrize("record", LINES)
async def test_no_field_of_an_import(api: Api, database_url: str, record: str) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    schema = LINES[record].model_json_schema()
    given = []
    for at in dict.fromkeys(string_paths(schema, schema.get("$defs", {}))):
        if {at[0], at[-1]} & (NOT_FREE | NOT_WRITTEN) or TYPES & set(at[-2:]) or at[1:2] == (MODELS,):
            continue
        value = address(record, *at)
        line = with_value(LEAST[record], at, value)
        lines = [{"record": before} | LEAST[before] for before in FIRST.get(record, ())]
        fresh = json.dumps([*lines, {"record": record} | line])
        for id_ in IDS.values():
            fresh = fresh.replace(id_, str(uuid4()))
        content = "\n".join(json.dumps(each) for each in json.loads(fresh))
        answer = await api.call("POST", "/v1/import", content=content)
        refused = WHERE in at or PROFILE_SCHEMA in at
        assert answer.status_code == (422 if refused else 200), (at, answer.text)
        given.append((at, value))
    assert given
    written = dump(database_url)
    assert [one for one in given if one[-1] in written] == []


async def test_no_name_in_a_former_version(api: Api, database_url: str) -> None:
    """What a version of a memory was is JSON of no given form, with names in it."""
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    names = ("agent", "team", "task", "session", "user", "key")
    former = {"type": "fact", "content": address("content"), "tags": [address("tag")], "metadata": {"x": address("x")}}
    former |= {name: address(name) for name in names}
    lines = [{"record": "memory"} | LEAST["memory"], {"record": "history"} | LEAST["history"] | {"memory": former}]
    answer = await api.call("POST", "/v1/import", content="\n".join(map(json.dumps, lines)))
    assert answer.json()["created"] == 2
    written = dump(database_url)
    assert "@secret.example" not in written
    history = (await api.get(f"/v1/memories/{IDS['memory']}/history"))["items"]
    assert len({history[0][name] for name in names}) == len(names)


@pytest.mark.parametrize("form", ["mem0", "arkos"])
async def test_no_field_of_another_system(api: Api, database_url: str, form: str) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    mem0 = {"results": [{"id": str(uuid4()), "memory": address("memory"), "user_id": address("user"),
                         "agent_id": address("agent"), "run_id": address("run"), "metadata": {"x": address("metadata")},
                         "categories": [address("category")], "created_at": AT}]}  # fmt: skip
    arkos = {"id": str(uuid4()), "user_id": address("user"), "session_id": address("session"), "role": "user",
             "message": address("message"), "content": address("content"), "created_at": AT,
             "metadata": {"x": address("metadata")}}  # fmt: skip
    content = json.dumps(mem0 if form == "mem0" else arkos)
    answer = await api.call("POST", "/v1/import", params={"format": form, "agent": address("agent")}, content=content)
    assert answer.status_code == 200, answer.text
    assert answer.json()["created"] > 0
    assert "@secret.example" not in dump(database_url)
