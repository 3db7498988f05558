"""What the environment says, and what an empty variable means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from service.domain.validation import explain
from service.settings import CLIENT_NAMES, FORMER, RerankModel, Settings, variables
from tests.processes import ROOT

pytestmark = pytest.mark.first_tier


def test_a_variable_passed_on_empty_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REVERIE_ADMIN_KEY", "LLM_MODEL", "RERANK_MODEL", "EMBEDDING_DIM", "EMBEDDING_MODEL"):
        monkeypatch.setenv(name, "")
    settings = Settings(_env_file=None)
    assert (settings.admin_key, settings.llm_model, settings.rerank_model, settings.embedding_dim) == (None,) * 4
    assert settings.embedding_model is None


def test_a_short_admin_key_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_ADMIN_KEY", "too short")
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=None)
    assert "REVERIE_ADMIN_KEY" in str(refused.value)
    assert "too short" not in str(refused.value)


UNFIT = (
    "sixteen letters and spaces", "a-key-of-many-letters\n", "a-key-of\r\nX-Injected: 1", "schlüssel-mit-umlaut",
    "key\tkey\tkey\tkey\tkey", "key-with-a-delete-\x7f", " leading-and-trailing ", "k" * 1_001,
)  # fmt: skip


@pytest.mark.parametrize("key", UNFIT)
def test_an_admin_key_that_no_header_carries_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(REVERIE_ADMIN_KEY=key, _env_file=None)
    assert "REVERIE_ADMIN_KEY" in str(refused.value)
    assert key not in str(refused.value)


@pytest.mark.parametrize("key", ["0123456789abcdef", "~!@#$%^&*()_+{}|:<>?", "k" * 1_000])
def test_an_admin_key_of_visible_characters_is_taken(key: str) -> None:
    assert Settings(REVERIE_ADMIN_KEY=key, _env_file=None).admin_key == key


def test_there_are_thirty_variables_at_most_and_the_page_lists_them() -> None:
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    table, _, rest = page.partition("\n## ")
    listed = re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE)
    assert sorted(listed) == sorted({*variables(), *CLIENT_NAMES})
    assert len(listed) <= 30
    assert {*re.findall(r"^\| `([A-Z_]+)` \|", rest, re.MULTILINE)} == FORMER.keys()
    assert not FORMER.keys() & {*listed}


def test_a_variable_of_a_former_release_stops_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = "EMBEDDING_CACHE_SIZE is no longer a variable; the cache holds 1,000 vectors: remove it"
    file = tmp_path / ".env"
    file.write_text("EMBEDDING_CACHE_SIZE=5\n")
    with pytest.raises(ValidationError, match=told):
        Settings(_env_file=file)
    monkeypatch.setenv("EMBEDDING_CACHE_SIZE", "5")
    with pytest.raises(ValidationError, match=told):
        Settings(_env_file=None)
    monkeypatch.setenv("EMBEDDING_CACHE_SIZE", "")
    Settings(_env_file=None)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("REVERIE_POOL_SIZE", """write `REVERIE_TUNING='{"pool_size": …}'`"""),
        ("REVERIE_PROBE_S", """write `REVERIE_TUNING='{"health_probe_interval_s": …}'`"""),
        ("LLM_EXTRACT", """write `LLM_STEPS='{"extract": …}'`"""),
        ("REVERIE_OIDC_CLIENT_ID", """write `REVERIE_OIDC='{"client_id": …}'`"""),
        ("REVERIE_WEBHOOKS_ALLOW_PRIVATE", "write `REVERIE_ALLOW_PRIVATE`"),
    ],
)
def test_what_to_write_instead_is_said(tmp_path: Path, name: str, told: str) -> None:
    file = tmp_path / ".env"
    file.write_text(f"{name}=7\n")
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=file)
    assert explain(refused.value) == f"{name} is no longer a variable; {told}"


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("REVERIE_TUNING", "{", "REVERIE_TUNING: must be a JSON object: "),
        ("REVERIE_TUNING", "[]", "REVERIE_TUNING: must be a JSON object"),
        ("REVERIE_TUNING", '{"pool_size": "many"}', "REVERIE_TUNING.pool_size: must be an integer"),
        ("REVERIE_TUNING", '{"pool_size": 0}', "REVERIE_TUNING.pool_size: must be at least 1"),
        ("REVERIE_TUNING", '{"poolsize": 1}', "REVERIE_TUNING.poolsize: is not known here; is pool_size meant?"),
        ("REVERIE_TUNING", '{"embedding_change": 1}', "REVERIE_TUNING.embedding_change: must be 'ask' or 'allow'"),
        ("RERANK_MODEL", '{"model": 1}', "RERANK_MODEL.model: must be a string"),
        (
            "REVERIE_PROXY_ANTHROPIC",
            '{"key": "k"}',
            "REVERIE_PROXY_ANTHROPIC.key: is not known here; is api_key meant?",
        ),
        ("REVERIE_STUDIO", "maybe", "REVERIE_STUDIO: must be true or false"),
        ("REVERIE_LOG_LEVEL", "loud", "REVERIE_LOG_LEVEL: must be `debug`, `info`, `warning` or `error`"),
    ],
)
def test_a_mistake_is_named_by_variable_and_field(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str, told: str
) -> None:
    monkeypatch.setenv(name, given)
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=None)
    assert explain(refused.value).startswith(told)


def test_a_reranker_is_a_name_or_has_a_server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RERANK_MODEL", "cohere/rerank-v3.5")
    assert Settings(_env_file=None).rerank_model == RerankModel(model="cohere/rerank-v3.5")
    monkeypatch.setenv("RERANK_MODEL", '{"api_base": "http://x", "api_key": "k"}')
    assert Settings(_env_file=None).rerank_model == RerankModel(api_base="http://x", api_key="k")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("REVERIE_POTR=9", "REVERIE_PORT"),
        ("reverie_adminkey=x", "REVERIE_ADMIN_KEY"),
        ("EMBEDING_MODEL=none", "EMBEDDING_MODEL"),
        ("LLM_API_BASES=http://x", "LLM_API_BASE"),
        ("DATABASE_URl=x\nDATABASEURL=x", "DATABASE_URL"),
    ],
)
def test_a_misspelt_name_in_the_env_file_is_refused(tmp_path: Path, line: str, meant: str) -> None:
    file = tmp_path / ".env"
    file.write_text(line)
    with pytest.raises(ValidationError, match=rf"is no setting; is {meant} meant\?"):
        Settings(_env_file=file)


def test_every_name_that_is_one_is_taken_from_the_env_file(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(
        'REVERIE_TUNING={"poll_s": 7}\nREVERIE_PORT=9\nREVERIE_URL=x\nHTTP_PROXY=x\nAWS_REGION=x\nDATABASE_PASSWORD=x\n'
    )
    settings = Settings(_env_file=file)
    assert (settings.port, settings.tuning.poll_s) == (9, 7)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:9"),
        ("::", "http://[::1]:9"),
        ("::1", "http://[::1]:9"),
        ("h.example", "http://h.example:9"),
    ],
)
def test_where_this_machine_reaches_the_api(host: str, url: str) -> None:
    assert Settings(REVERIE_HOST=host, REVERIE_PORT=9, _env_file=None).local_url == url


@pytest.mark.parametrize(
    ("given", "models"),
    [
        ('{"extract": "off"}', ()),
        ('{"extract": "openai/m"}', ("openai/m",)),
        ('{"extract": {"model": "openai/m", "timeout_s": 3}}', ("openai/m",)),
        ('{"extract": [{"model": "openai/m"}, {"model": "openai/n"}]}', ("openai/m", "openai/n")),
        ('{"ask": "openai/m"}', None),
        ("", None),
    ],
)
def test_the_models_of_a_step(monkeypatch: pytest.MonkeyPatch, given: str, models: tuple[str, ...] | None) -> None:
    monkeypatch.setenv("LLM_STEPS", given)
    found = Settings(_env_file=None).llm_steps.extract
    assert (None if found is None else tuple(one.model for one in found)) == models


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", "must be a JSON object"),
        ("1", "must be `off`, the name of a model, an object or a list of objects"),
        ("[1]", ".0: must be an object"),
        ('{"model": ""}', ".0.model: must not be empty"),
        ('{"api_key": "sk-x"}', ".0.model: is required"),
        ('[{"model": "m", "key": "sk-x"}]', ".0.key: is not known here"),
    ],
)
def test_what_names_no_model_of_a_step_is_refused_without_repeating_it(
    monkeypatch: pytest.MonkeyPatch, given: str, told: str
) -> None:
    monkeypatch.setenv("LLM_STEPS", f'{{"ask": {given}}}')
    with pytest.raises(ValidationError, match="LLM_STEPS") as caught:
        Settings(_env_file=None)
    assert told in explain(caught.value)
    assert "sk-x" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "origins"),
    [
        ("", ()),
        ("*", ("*",)),
        ("https://app.example", ("https://app.example",)),
        (" https://app.example , http://localhost:5173,", ("https://app.example", "http://localhost:5173")),
        ("capacitor://localhost", ("capacitor://localhost",)),
    ],
)
def test_origins_are_a_list_with_commas(monkeypatch: pytest.MonkeyPatch, given: str, origins: tuple[str, ...]) -> None:
    monkeypatch.setenv("REVERIE_CORS_ORIGINS", given)
    assert Settings(_env_file=None).cors_origins == origins


@pytest.mark.parametrize(
    "given",
    ["app.example", "https://app.example/", "https://app.example/page", "https://*", "https://App.example", "null",
     "https://a.example, *", "https://me@app.example", "https://[::1", "https://a.example https://b.example"],
)  # fmt: skip
def test_what_no_browser_sends_as_origin_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("REVERIE_CORS_ORIGINS", given)
    with pytest.raises(ValidationError, match="REVERIE_CORS_ORIGINS"):
        Settings(_env_file=None)
