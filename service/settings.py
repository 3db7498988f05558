"""Process settings, from the environment or ``.env``. Workspace settings are ``service.domain.workspace``'s."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "REVERIE_"
CLIENT_NAMES = ("REVERIE_URL", "REVERIE_API_KEY", "REVERIE_AGENT")
"""Read by the command line and the clients."""
FORMER = {
    "EMBEDDING_CACHE_SIZE": "the cache holds 1,000 vectors: remove it",
    "EMBEDDING_CACHE_TTL_S": "the cache keeps a vector for 300 seconds: remove it",
}
"""Variables of former releases, and what to write instead."""
MISSPELT_RATIO = 0.85
"""From there on, a name in ``.env`` counts as a misspelt one of ours."""
LOCAL = ("localhost", "127.0.0.1", "::1")
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class EnvironmentModel(BaseModel):
    """A model that the environment names for a step, by litellm's name; what is unset is as for LLM_MODEL."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1)
    api_base: str | None = None
    api_key: str | None = Field(None, repr=False)
    timeout_s: float | None = Field(None, gt=0)


def _models(given: object) -> object:
    """From ``off``, a name, or what JSON has been decoded to: an object of ``EnvironmentModel``, or a list of them."""
    if isinstance(given, dict):
        return [given]
    if not isinstance(given, str):
        return given
    text = given.strip()
    if text.startswith(("{", "[")):
        raise ValueError("must be `off`, the name of a model, or JSON")
    return [] if text == "off" else [{"model": text}] if text else None


EnvironmentModels = Annotated[tuple[EnvironmentModel, ...], BeforeValidator(_models), Field(max_length=5)]
"""The model of a step and its alternatives, in the order in which they are called; empty: no call."""


def _is_origin(text: str) -> bool:
    """Return whether a browser may send this as the origin of a page: scheme and host in lower case, and no more."""
    parts = urlsplit(text)
    return (
        bool(parts.scheme and parts.hostname)
        and f"{parts.scheme}://{parts.netloc}" == text.lower() == text
        and not set("@* ") & set(text)
    )


def _origins(given: object) -> object:
    """From a list with commas; ``*`` alone stands for every origin. Raises ValueError for what no browser sends."""
    if not isinstance(given, str):
        return given
    origins = tuple(origin for part in given.split(",") if (origin := part.strip()))
    if origins != ("*",) and not all(map(_is_origin, origins)):
        raise ValueError("must be origins with commas between, each as https://app.example:8080, or `*` alone")
    return origins


def _public_url(given: str) -> str:
    """Return an origin with HTTPS, or one of the loopback. Raises ValueError for anything else (RFC 8414, section
    2)."""
    url = given.strip().removesuffix("/")
    parts = urlsplit(url)
    if not _is_origin(url) or (parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL)):
        raise ValueError("must be an origin with https, as https://memory.example, or http://localhost:8000")
    return url


def _crontab(given: str) -> str:
    from apscheduler.triggers.cron import CronTrigger

    try:
        CronTrigger.from_crontab(given)
    except ValueError as error:
        raise ValueError(f"{given!r} is no crontab of five fields: {error}") from None
    return given


Crontab = Annotated[str, AfterValidator(_crontab)]
PublicUrl = Annotated[str, AfterValidator(_public_url)]


def _headers(given: object) -> object:
    """From a list with commas. Raises ValueError for what names no header."""
    if not isinstance(given, str):
        return given
    names = tuple(name for part in given.split(",") if (name := part.strip().lower()))
    if not all(re.fullmatch(r"[a-z0-9-]{1,100}", name) for name in names):
        raise ValueError("must be names of headers with commas between")
    return names


Headers = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_headers)]
Origins = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins)]
STEP = "as for LLM_MODEL; `off`, or JSON with base URL, key, timeout and alternatives"


class Settings(BaseSettings):
    """Everything a process needs to start. Each field is read from the environment variable of its alias, without one
    from that of its name after ``REVERIE_``: ``pool_size`` from ``REVERIE_POOL_SIZE``.

    Of two names the second is the former one, still read in this release: the first wins.
    """

    model_config = SettingsConfigDict(
        env_file=".env",
        extra="ignore",
        populate_by_name=True,
        frozen=True,
        hide_input_in_errors=True,
        alias_generator=AliasGenerator(validation_alias=lambda name: f"{PREFIX}{name.upper()}"),
    )

    database_url: str | None = Field(None, alias="DATABASE_URL", description="unset: the embedded Postgres")
    database_replica_url: str | None = Field(
        None, alias="DATABASE_REPLICA_URL", description="a streaming standby that searches go to"
    )
    replica_lag_max_s: float = Field(
        5.0,
        validation_alias=AliasChoices("REVERIE_REPLICA_LAG_MAX_S", "REVERIE_REPLICA_LAG_S"),
        gt=0,
        description="further behind, searches go to the primary",
    )
    pool_size: int = Field(8, ge=1, le=200)
    pool_wait_s: float = Field(5.0, gt=0, description="then 503 with Retry-After")
    statement_timeout_s: float = Field(15.0, gt=0)
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    studio: bool = Field(True, description="pages to look at memories with, at /studio")
    oidc_issuer: str | None = Field(None, description="signs people in to the Studio")
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = Field(None, description="unset: PKCE alone")
    oidc_scopes: str = "openid profile email"
    oidc_claim: str = Field("groups", description="claim that names the groups of a user")
    oidc_grants: str | None = Field(
        None, description='JSON, by group: `{"memory-team": {"role": "admin"}}`; `*` is everybody'
    )
    oidc_name: str = Field("single sign-on", description="what the Studio calls it")
    public_url: PublicUrl | None = Field(
        None,
        description="where clients of OAuth reach the API, as https://memory.example; unset: on the loopback alone",
    )
    oauth: bool = Field(True, description="clients of /mcp may register and ask for consent")
    data_dir: Path = Field(Path(".reverie"), description="embedded Postgres and admin key")
    admin_key: str | None = Field(None, min_length=16, max_length=1_000, description="unset: one is made")
    log_level: str = Field("info", pattern="^(?i:debug|info|warning|error)$")
    log_format: Literal["auto", "text", "json"] = Field("auto", description="auto: text on a terminal, else JSON lines")
    cors_origins: Origins = Field((), description="whose pages may call the API from a browser; unset: none")
    no_memory_headers: Headers = Field(
        ("x-omniroute-no-memory",), description="headers that opt out of memory, beside X-Reverie-No-Memory"
    )
    body_timeout_s: float = Field(30.0, gt=0, description="for a body to come; then 408")
    body_bytes_max: int = Field(1_048_576, ge=1024)

    streams_per_key: int = Field(50, ge=1, description="then 429 with Retry-After")
    streams_per_workspace: int = Field(200, ge=1)
    streams_max: int = Field(500, ge=1, description="of one process; then 503")

    embedding_model: str | None = Field(None, alias="EMBEDDING_MODEL", description="unset: as the settings say")
    embedding_dim: int | None = Field(None, alias="EMBEDDING_DIM", ge=1, le=16_000)
    embedding_storage: Literal["halfvec", "float32", "binary"] | None = Field(
        None, alias="EMBEDDING_STORAGE", description="how vectors are kept; a change is one of the model"
    )
    embedding_change: Literal["ask", "allow"] = Field(
        "ask", alias="EMBEDDING_CHANGE", description="ask: what is stored keeps its model until `reverie reindex`"
    )
    embedding_api_base: str | None = Field(None, alias="EMBEDDING_API_BASE")
    embedding_api_key: str | None = Field(None, alias="EMBEDDING_API_KEY")
    embedding_timeout_s: float = Field(
        5.0, validation_alias=AliasChoices("EMBEDDING_TIMEOUT_S", "EMBEDDING_DEADLINE_S"), gt=0
    )

    llm_model: str | None = Field(None, alias="LLM_MODEL", description="litellm's name; unset: built-in rules")
    llm_api_base: str | None = Field(None, alias="LLM_API_BASE")
    llm_api_key: str | None = Field(None, alias="LLM_API_KEY")
    llm_timeout_s: float = Field(60.0, alias="LLM_TIMEOUT_S", gt=0, description="of one attempt")
    llm_extract: EnvironmentModels | None = Field(None, alias="LLM_EXTRACT", description=STEP)
    llm_reconcile: EnvironmentModels | None = Field(None, alias="LLM_RECONCILE", description=STEP)
    llm_decide: EnvironmentModels | None = Field(None, alias="LLM_DECIDE", description=STEP)
    llm_reflect: EnvironmentModels | None = Field(None, alias="LLM_REFLECT", description=STEP)
    llm_bulletin: EnvironmentModels | None = Field(None, alias="LLM_BULLETIN", description=STEP)
    llm_summary: EnvironmentModels | None = Field(None, alias="LLM_SUMMARY", description=STEP)
    llm_ask: EnvironmentModels | None = Field(None, alias="LLM_ASK", description=STEP)
    llm_allow_private: bool = Field(
        False, description="models that workspaces name may be at addresses inside the network"
    )
    encryption_key: str | None = Field(
        None,
        min_length=16,
        max_length=1_000,
        description="encrypts the keys of workspaces' own models; unset: `encryption-key` in the data folder",
    )
    proxy_timeout_s: float = Field(600.0, gt=0, description="between two bytes")
    proxy_body_bytes_max: int = Field(33_554_432, ge=1024)
    proxy_answer_bytes_max: int = Field(33_554_432, ge=1024, description="of a model's answer; then 502")
    proxy_anthropic_api_base: str | None = Field(None, description="of the models claude*; unset: Anthropic's own")
    proxy_anthropic_api_key: str | None = None
    rerank_model: str | None = Field(None, alias="RERANK_MODEL", description="litellm's name; unset: no reranking")
    rerank_api_base: str | None = Field(None, alias="RERANK_API_BASE")
    rerank_api_key: str | None = Field(None, alias="RERANK_API_KEY")

    health_probe_interval_s: float = Field(
        1.5,
        validation_alias=AliasChoices("REVERIE_HEALTH_PROBE_INTERVAL_S", "REVERIE_PROBE_S"),
        ge=0,
        description="interval between health probes of the models; 0: no background probes",
    )
    dream_cron: Crontab = "0 */6 * * *"
    bulletin_cron: Crontab = "30 3 * * *"
    pages_cron: Crontab = "* * * * *"
    searches_cron: Crontab = "13 4 * * *"
    embed_pending_cron: Crontab = Field(
        "* * * * *", validation_alias=AliasChoices("REVERIE_EMBED_PENDING_CRON", "REVERIE_UPKEEP_CRON")
    )
    statistics_cron: Crontab = "17 * * * *"
    retention_cron: Crontab = Field(
        "43 * * * *", validation_alias=AliasChoices("REVERIE_RETENTION_CRON", "REVERIE_COLLECT_CRON")
    )
    dream_lease_s: float = Field(60.0, gt=0)
    dream_retry_s: float = Field(300.0, gt=0, description="after a failed dream; doubles, up to 6 h")
    dream_concurrency: int = Field(
        2,
        validation_alias=AliasChoices("REVERIE_DREAM_CONCURRENCY", "REVERIE_DREAMS_AT_ONCE"),
        ge=1,
        le=64,
        description="of one worker, and as many again for workspaces that nobody dreams for",
    )
    step_deadline_s: float = Field(120.0, gt=0, description="of a worker's step over texts; then the worker ends")
    poll_s: float = Field(2.0, gt=0, description="between looks for work, when not woken")

    webhook_timeout_s: float = Field(10.0, gt=0)
    webhook_failures_max: int = Field(48, ge=1, description="in a row; then it is given up")
    webhooks_allow_private: bool = Field(
        False,
        validation_alias=AliasChoices("REVERIE_WEBHOOKS_ALLOW_PRIVATE", "REVERIE_WEBHOOKS_PRIVATE"),
        description="webhooks may be sent to addresses inside the network",
    )

    @property
    def local_url(self) -> str:
        """Return where this machine reaches the API."""
        return url_at(self.host, self.port)

    @model_validator(mode="before")
    @classmethod
    def _has_no_former_names(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Raises ValueError for a variable of a former release, which would have no effect, unless it is empty."""
        for name in {name.upper() for name, value in {**os.environ, **given}.items() if value} & FORMER.keys():
            raise ValueError(f"{name} is no longer a variable; {FORMER[name]}")
        return given

    @model_validator(mode="before")
    @classmethod
    def _knows_every_name(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Raises ValueError for a misspelt name in ``.env``, of which pydantic-settings passes on what it does not know
        in lower case. The environment itself holds other programs' variables too."""
        known = {*CLIENT_NAMES, *(name for field in cls.model_fields.values() for name in names_of(field))}
        for name in (name.upper() for name in given if name not in cls.model_fields):
            if name in known:
                continue
            close = get_close_matches(name, known, 1, MISSPELT_RATIO)
            if close or name.startswith(PREFIX):
                meant = close or get_close_matches(name, known, 1)
                raise ValueError(f".env: {name} is no setting" + (f"; is {meant[0]} meant?" if meant else ""))
        return given

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object, info: ValidationInfo) -> object:
        """As compose files pass a variable on that nobody has set, where none is needed. An empty DATABASE_URL stays an
        error."""
        name = info.field_name or ""
        optional = name != "database_url" and cls.model_fields[name].default is None
        return None if value == "" and optional else value

    @field_validator("admin_key")
    @classmethod
    def _fits_a_header(cls, value: str | None) -> str | None:
        """Callers send the key in ``Authorization``, which carries visible ASCII characters."""
        if value is not None and not all("!" <= character <= "~" for character in value):
            raise ValueError("must have visible ASCII characters only, no spaces and no line breaks")
        return value


def names_of(field: FieldInfo) -> Iterator[str]:
    """Yield the environment variables that a field is read from."""
    if isinstance(field.validation_alias, AliasChoices):
        yield from (str(name) for name in field.validation_alias.choices)
    else:
        yield str(field.validation_alias or field.alias)


def url_at(host: str, port: int) -> str:
    """Return where this machine reaches what listens there."""
    host = LOOPBACK.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
