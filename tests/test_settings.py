"""What the environment says, and what an empty variable means."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from service.settings import Settings

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


@pytest.mark.parametrize(
    ("former", "field", "value"),
    [
        ("REVERIE_PROBE_S", "health_probe_interval_s", 7.5),
        ("REVERIE_UPKEEP_CRON", "embed_pending_cron", "1 * * * *"),
        ("REVERIE_COLLECT_CRON", "retention_cron", "2 * * * *"),
        ("REVERIE_DREAMS_AT_ONCE", "dream_concurrency", 7),
        ("REVERIE_WEBHOOKS_PRIVATE", "webhooks_allow_private", True),
        ("REVERIE_REPLICA_LAG_S", "replica_lag_max_s", 7.5),
        ("EMBEDDING_DEADLINE_S", "embedding_timeout_s", 7.5),
    ],
)
def test_a_former_name_is_still_read(
    monkeypatch: pytest.MonkeyPatch, former: str, field: str, value: float | str
) -> None:
    monkeypatch.setenv(former, str(value))
    assert getattr(Settings(_env_file=None), field) == value


def test_the_name_of_now_wins_over_the_former(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_PROBE_S", "7")
    monkeypatch.setenv("REVERIE_HEALTH_PROBE_INTERVAL_S", "8")
    assert Settings(_env_file=None).health_probe_interval_s == 8


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


@pytest.mark.parametrize("crontab", ["", "* * * *", "61 * * * *", "at noon", "0 0 * * * *", "* * * * 9"])
def test_a_bad_crontab_is_refused(monkeypatch: pytest.MonkeyPatch, crontab: str) -> None:
    for name in (
        "REVERIE_DREAM_CRON",
        "REVERIE_BULLETIN_CRON",
        "REVERIE_PAGES_CRON",
        "REVERIE_SEARCHES_CRON",
        "REVERIE_UPKEEP_CRON",
        "REVERIE_RETENTION_CRON",
    ):
        monkeypatch.setenv(name, crontab)
        with pytest.raises(ValidationError, match="crontab"):
            Settings(_env_file=None)
        monkeypatch.delenv(name)


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
        "REVERIE_PROBE_S=7\nREVERIE_PORT=9\nREVERIE_URL=x\nHTTP_PROXY=x\nAWS_REGION=x\nDATABASE_PASSWORD=x\n"
    )
    settings = Settings(_env_file=file)
    assert (settings.port, settings.health_probe_interval_s) == (9, 7)


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
        ("off", ()),
        ("openai/m", ("openai/m",)),
        ('{"model": "openai/m", "timeout_s": 3}', ("openai/m",)),
        ('[{"model": "openai/m"}, {"model": "openai/n"}]', ("openai/m", "openai/n")),
        ("", None),
    ],
)
def test_the_models_of_a_step(monkeypatch: pytest.MonkeyPatch, given: str, models: tuple[str, ...] | None) -> None:
    monkeypatch.setenv("LLM_EXTRACT", given)
    found = Settings(_env_file=None).llm_extract
    assert (None if found is None else tuple(one.model for one in found)) == models


@pytest.mark.parametrize(
    "given", ["{", "[1]", '{"model": ""}', '{"api_key": "sk-x"}', '[{"model": "m", "key": "sk-x"}]']
)
def test_what_names_no_model_of_a_step_is_refused_without_repeating_it(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("LLM_ASK", given)
    with pytest.raises(ValidationError, match="LLM_ASK") as caught:
        Settings(_env_file=None)
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
