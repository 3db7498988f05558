"""Process settings, from the environment or ``.env``. Workspace settings are ``service.domain.workspace``'s."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "REVERIE_"
CLIENT_NAMES: Final = {
    "REVERIE_URL": "Address of a running Reverie, for the commands and the clients.",
    "REVERIE_API_KEY": "Key that the commands and the clients call it with.",
    "REVERIE_AGENT": "Agent that they act as, with a key of no agent.",
    "REVERIE_USER": "User for whom `reverie mcp` is, with a key of no user.",
}
"""Read by the command line and the clients."""
MISSPELT_RATIO = 0.85
"""From there on, a name in ``.env`` counts as a misspelt one of ours."""
LOCAL = ("localhost", "127.0.0.1", "::1")
LOG_LEVELS = ("debug", "info", "warning", "error")
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def _object(given: object) -> object:
    """Return what text in JSON says, and an object as it is. Raises ValueError for anything else."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise ValueError(f"must be a JSON object: {error}") from None
    if not isinstance(given, Mapping | BaseModel | None):
        raise ValueError("must be a JSON object")
    return given


class _Fields(BaseModel):
    """The fields of a variable that holds a JSON object."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ModelAddress(_Fields):
    """Where a model is served."""

    api_base: str | None = None
    api_key: str | None = Field(None, repr=False)


class EnvironmentModel(ModelAddress):
    """A model that the environment names for a step, by litellm's name; what is unset is as for LLM_MODEL."""

    model: str = Field(min_length=1)
    timeout_s: float | None = Field(None, gt=0)


class RerankModel(ModelAddress):
    """The reranker. Without a model the settings of the installation name it."""

    model: str | None = Field(None, min_length=1)


def _models(given: object) -> object:
    """Return a list of ``EnvironmentModel``, from ``off``, a name, an object, or a list of objects."""
    if isinstance(given, dict):
        return [given]
    if isinstance(given, str):
        return [] if given == "off" else [{"model": given}]
    if given is not None and not isinstance(given, list | tuple):
        raise ValueError("must be `off`, the name of a model, an object or a list of objects")
    return given


def _rerank_model(given: object) -> object:
    if isinstance(given, str) and not given.lstrip().startswith("{"):
        return {"model": given}
    return _object(given)


EnvironmentModels = Annotated[tuple[EnvironmentModel, ...], BeforeValidator(_models), Field(max_length=5)]
"""The model of a step and its alternatives, in the order in which they are called; empty: no call."""


class LLMSteps(_Fields):
    """The models of the steps that have one of their own; None: as LLM_MODEL says."""

    extract: EnvironmentModels | None = None
    reconcile: EnvironmentModels | None = None
    decide: EnvironmentModels | None = None
    reflect: EnvironmentModels | None = None
    bulletin: EnvironmentModels | None = None
    summary: EnvironmentModels | None = None
    ask: EnvironmentModels | None = None


def is_web_address(text: str) -> bool:
    """Return whether it is an address with https, or with http on this machine."""
    parts = urlsplit(text)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)


def _issuer(given: str) -> str:
    if not is_web_address(given):
        raise ValueError("must be an address with https")
    return given


def _scopes(given: str) -> str:
    if "openid" not in given.split():
        raise ValueError("must name openid")
    return given


class Oidc(_Fields):
    """Sign-in to the Studio at an OpenID Connect provider. ``service.oidc`` reads the grants."""

    issuer: Annotated[str, AfterValidator(_issuer)] = Field(
        description="Address of the provider, as its discovery document names it."
    )
    client_id: str = Field(min_length=1, description="What the provider gave.")
    client_secret: str | None = Field(
        None, repr=False, description="What the provider gave; unset: PKCE alone protects the code."
    )
    grants: dict[str, Any] = Field(min_length=1, description="What the members of each group get.")
    claim: str = Field("groups", description="Claim of the ID token that names the groups, a string or a list.")
    scopes: Annotated[str, AfterValidator(_scopes)] = Field(
        "openid profile email", description="Scopes that are asked for; `openid` among them."
    )
    name: str = Field("single sign-on", description="What the link says: “Sign in with …”.")


class Tuning(_Fields):
    """What a benchmark of an installation may change. Nobody has to."""

    pool_size: int = Field(
        8, ge=1, le=200,
        description="Connections of a process to Postgres; half as many more only search, and two only save.",
    )  # fmt: skip
    pool_wait_s: float = Field(5.0, gt=0, description="Wait for a connection, in seconds; then 503 with `Retry-After`.")
    statement_timeout_s: float = Field(15.0, gt=0, description="Time limit of a statement, in seconds.")
    replica_lag_max_s: float = Field(
        5.0, gt=0, description="Lag of the standby, in seconds, beyond which searches go to the primary."
    )
    body_bytes_max: int = Field(1_048_576, ge=1024, description="Largest body of a request, in bytes; then 413.")
    body_timeout_s: float = Field(
        30.0, gt=0, description="Time for the head of a request, and for its body, to arrive, in seconds; then 408."
    )
    streams_per_key: int = Field(50, ge=1, description="Open event and MCP streams of a key in one process; then 429.")
    streams_per_workspace: int = Field(200, ge=1, description="Open streams of a workspace in one process; then 429.")
    streams_max: int = Field(500, ge=1, description="Open streams of one process; then 503.")
    embedding_timeout_s: float = Field(
        5.0, gt=0,
        description="Time limit of a call to the embedder, in seconds, and 0.05 more for each text of a batch; then a "
        "save stays pending and a search goes on by keywords.",
    )  # fmt: skip
    embedding_storage: Literal["halfvec", "float32", "binary"] = Field(
        "halfvec",
        description="Storage of the vectors: `binary` where millions take too much memory, `float32` to lose no digit. "
        "A change is one of the embedding model.",
    )
    embedding_change: Literal["ask", "allow"] = Field(
        "ask",
        description="`ask`: another embedding model than the stored one waits for `reverie reindex` or the Studio; "
        "`allow`: it is taken at the next start.",
    )
    llm_timeout_s: float = Field(60.0, gt=0, description="Time limit of one attempt of a language model, in seconds.")
    proxy_answer_bytes_max: int = Field(
        33_554_432, ge=1024, description="Largest answer of a model through the proxy, in bytes; then 502."
    )
    health_probe_interval_s: float = Field(
        1.5, ge=0, description="Interval between health probes of the models, in seconds; 0: no background probes."
    )
    scheduled_jobs: bool = Field(
        True,
        description="False: a worker does by the clock only what is pending; it dreams and keeps up nothing else by "
        "itself.",
    )
    dream_concurrency: int = Field(
        2, ge=1, le=64,
        description="Concurrent dreams of one worker, and as many more for workspaces that no worker dreams for.",
    )  # fmt: skip
    dream_lease_s: float = Field(60.0, gt=0, description="Time that a silent worker keeps an agent, in seconds.")
    dream_retry_s: float = Field(
        300.0, gt=0, description="Wait after a failed dream, in seconds; it doubles each time, up to six hours."
    )
    step_deadline_s: float = Field(
        120.0, gt=0,
        description="Longest step of a worker over texts, in seconds; then the worker ends, and the text counts as "
        "having killed it.",
    )  # fmt: skip
    poll_s: float = Field(
        2.0, gt=0, description="Interval at which a worker that nobody wakes looks for work, in seconds."
    )


def _is_origin(text: str) -> bool:
    """Return whether a browser may send this as the origin of a page: scheme and host in lower case, and no more."""
    parts = urlsplit(text)
    return (
        bool(parts.scheme and parts.hostname)
        and f"{parts.scheme}://{parts.netloc}" == text.lower() == text
        and not set("@* ") & set(text)
    )


def _origins(given: object) -> object:
    """Return the origins of a comma-separated list; ``*`` alone stands for every origin. Raises ValueError for what no
    browser sends.
    """
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


def _log_level(given: str) -> str:
    if given.lower() not in LOG_LEVELS:
        raise ValueError("must be `debug`, `info`, `warning` or `error`")
    return given


PublicUrl = Annotated[str, AfterValidator(_public_url)]
Origins = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins)]


class Settings(BaseSettings):
    """Everything a process needs to start. Each field is read from the environment variable of its alias, without one
    from that of its name after ``REVERIE_``: ``port`` from ``REVERIE_PORT``."""

    model_config = SettingsConfigDict(
        env_file=".env",
        extra="ignore",
        populate_by_name=True,
        frozen=True,
        hide_input_in_errors=True,
        alias_generator=AliasGenerator(validation_alias=lambda name: f"{PREFIX}{name.upper()}"),
    )

    database_url: str | None = Field(
        None, alias="DATABASE_URL",
        description="Postgres 16 or newer with pgvector 0.8 or newer; unset: the embedded one, as the start says.",
    )  # fmt: skip
    database_replica_url: str | None = Field(
        None, alias="DATABASE_REPLICA_URL", description="A streaming standby, which searches go to."
    )
    host: str = Field("127.0.0.1", description="Address that the API listens at.")
    port: int = Field(8000, ge=0, le=65535, description="Port that the API listens at.")
    data_dir: Path = Field(Path(".reverie"), description="Folder of the embedded Postgres and the first admin key.")
    admin_key: str | None = Field(
        None, min_length=16, max_length=1_000,
        description="An admin key of your own, of 16 to 1,000 visible ASCII characters, instead of a made one; "
        "[once rotated or revoked it stays so](operations.md#the-first-admin-key).",
    )  # fmt: skip
    encryption_key: str | None = Field(
        None, min_length=16, max_length=1_000,
        description="Encrypts [the keys of workspaces' own models](models.md#models-of-a-workspace): 16 characters or "
        "more, the same for all processes; unset: `encryption-key` in the data folder.",
    )  # fmt: skip
    public_url: PublicUrl | None = Field(
        None,
        description="Origin at which clients reach the API, such as `https://memory.example`, for "
        "[OAuth](mcp.md#oauth-connect-by-address-alone); unset: the loopback alone.",
    )
    cors_origins: Origins = Field(
        (),
        description="Origins, with commas between, whose pages [may call the API from a browser](security.md#browsers)"
        "; `*`: all; unset: none.",
    )
    studio: bool = Field(True, description="The pages at `/studio`.")
    oauth: bool = Field(True, description="Clients of `/mcp` may register and ask users for consent.")
    oidc: Annotated[Oidc | None, NoDecode, BeforeValidator(_object)] = Field(
        None,
        description="JSON: [sign-in to the Studio](studio.md#signing-in-at-a-provider) with an account of an OpenID "
        "Connect provider.",
    )
    allow_private: bool = Field(
        False,
        description="Webhooks, and models that workspaces name, may be at addresses inside the network.",
    )
    log_level: Annotated[str, AfterValidator(_log_level)] = Field(
        "info",
        description="Lowest level of what is logged on standard error: `debug`, `info`, `warning` or `error`.",
    )
    log_format: Literal["auto", "text", "json"] = Field(
        "auto", description="Form of the log: `text`, `json`, or `auto`: text on a terminal, else JSON."
    )
    tuning: Annotated[Tuning, NoDecode, BeforeValidator(_object)] = Field(
        Tuning(), description="JSON: [limits, timeouts and the like](#tuning), which nobody has to set."
    )

    embedding_model: str | None = Field(
        None, alias="EMBEDDING_MODEL",
        description="`auto` (local if its model is on disk, else static; never remote), `none`, `static`, `local:<name "
        "or folder>`, or a litellm name; unset: [a setting](operations.md#models-as-settings), `auto`.",
    )  # fmt: skip
    embedding_api_base: str | None = Field(
        None, alias="EMBEDDING_API_BASE", description="Base URL of an OpenAI-compatible server of the embedding model."
    )
    embedding_api_key: str | None = Field(
        None, alias="EMBEDDING_API_KEY", repr=False, description="Key of that server."
    )
    embedding_dim: int | None = Field(
        None, alias="EMBEDDING_DIM", ge=1, le=16_000,
        description="Dimensions of a remote embedding model; unset: a setting, those of the model.",
    )  # fmt: skip
    llm_model: str | None = Field(
        None, alias="LLM_MODEL",
        description="Language model by its litellm name, such as `openai/gpt-4o-mini`; unset: built-in rules.",
    )  # fmt: skip
    llm_api_base: str | None = Field(
        None, alias="LLM_API_BASE", description="Base URL of an OpenAI-compatible server of the language model."
    )
    llm_api_key: str | None = Field(None, alias="LLM_API_KEY", repr=False, description="Key of that server.")
    llm_steps: Annotated[LLMSteps, NoDecode, BeforeValidator(_object)] = Field(
        LLMSteps(), alias="LLM_STEPS", description="JSON: [the models of single steps](models.md)."
    )
    rerank_model: Annotated[RerankModel | None, NoDecode, BeforeValidator(_rerank_model)] = Field(
        None, alias="RERANK_MODEL",
        description="Reranker by its litellm name, or JSON with `model`, `api_base` and `api_key`; unset: "
        "[a setting](operations.md#models-as-settings), none.",
    )  # fmt: skip
    proxy_anthropic: Annotated[ModelAddress | None, NoDecode, BeforeValidator(_object)] = Field(
        None,
        description="JSON with `api_base` and `api_key`: server of the models `claude*` through [the proxy](proxy.md); "
        "with a key alone, Anthropic's own.",
    )

    @property
    def local_url(self) -> str:
        """Return where this machine reaches the API."""
        return url_at(self.host, self.port)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_name(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Raises ValueError for a variable of a former release, which would have no effect, unless it is empty, and for
        a misspelt name in ``.env``, of which pydantic-settings passes on what it does not know in lower case. The
        environment itself holds other programs' variables too."""
        for name in sorted({name.upper() for name, value in {**os.environ, **given}.items() if value} & FORMER.keys()):
            raise ValueError(f"{name} is no longer a variable; {FORMER[name]}")
        known = {*CLIENT_NAMES, *variables(), *FORMER}
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
        default = cls.model_fields[name].default
        optional = name != "database_url" and (default is None or isinstance(default, BaseModel))
        return default if value == "" and optional else value

    @field_validator("admin_key")
    @classmethod
    def _fits_a_header(cls, value: str | None) -> str | None:
        """Callers send the key in ``Authorization``, which carries visible ASCII characters."""
        if value is not None and not all("!" <= character <= "~" for character in value):
            raise ValueError("must have visible ASCII characters only, no spaces and no line breaks")
        return value


def variables() -> Iterator[str]:
    """Yield the environment variables that the fields are read from, in their order."""
    for field in Settings.model_fields.values():
        yield str(field.validation_alias or field.alias)


def url_at(host: str, port: int) -> str:
    """Return where this machine reaches what listens there."""
    host = LOOPBACK.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


_AS_FIELD: Final = {
    **{
        f"{PREFIX}{name.upper()}": f"REVERIE_TUNING.{name}"
        for name in Tuning.model_fields
        if not name.startswith(("embedding_", "llm_", "scheduled_"))
    },
    "REVERIE_PROBE_S": "REVERIE_TUNING.health_probe_interval_s",
    "REVERIE_DREAMS_AT_ONCE": "REVERIE_TUNING.dream_concurrency",
    "REVERIE_REPLICA_LAG_S": "REVERIE_TUNING.replica_lag_max_s",
    "EMBEDDING_TIMEOUT_S": "REVERIE_TUNING.embedding_timeout_s",
    "EMBEDDING_DEADLINE_S": "REVERIE_TUNING.embedding_timeout_s",
    "EMBEDDING_STORAGE": "REVERIE_TUNING.embedding_storage",
    "EMBEDDING_CHANGE": "REVERIE_TUNING.embedding_change",
    "LLM_TIMEOUT_S": "REVERIE_TUNING.llm_timeout_s",
    **{f"LLM_{step.upper()}": f"LLM_STEPS.{step}" for step in LLMSteps.model_fields},
    **{f"REVERIE_OIDC_{name.upper()}": f"REVERIE_OIDC.{name}" for name in Oidc.model_fields},
    "RERANK_API_BASE": "RERANK_MODEL.api_base",
    "RERANK_API_KEY": "RERANK_MODEL.api_key",
    "REVERIE_PROXY_ANTHROPIC_API_BASE": "REVERIE_PROXY_ANTHROPIC.api_base",
    "REVERIE_PROXY_ANTHROPIC_API_KEY": "REVERIE_PROXY_ANTHROPIC.api_key",
}
"""Variables of former releases that are fields of one that holds a JSON object."""


def _as_field(place: str) -> str:
    variable, _, field = place.partition(".")
    return f"""write `{variable}='{{"{field}": …}}'`"""


FORMER: Final = {
    **{name: _as_field(place) for name, place in _AS_FIELD.items()},
    "REVERIE_LLM_ALLOW_PRIVATE": "write `REVERIE_ALLOW_PRIVATE`",
    "REVERIE_WEBHOOKS_ALLOW_PRIVATE": "write `REVERIE_ALLOW_PRIVATE`",
    "REVERIE_WEBHOOKS_PRIVATE": "write `REVERIE_ALLOW_PRIVATE`",
    "REVERIE_DREAM_CRON": "new agents are put on schedule every six hours: remove it, and set `dream.interval_h`",
    "REVERIE_BULLETIN_CRON": "bulletins are looked over at 03:30 UTC: remove it",
    "REVERIE_PAGES_CRON": "pages are looked at each minute: remove it, and set the crontab of a page",
    "REVERIE_SEARCHES_CRON": "saved searches run at 04:13 UTC: remove it",
    "REVERIE_EMBED_PENDING_CRON": "pending embeddings are caught up with each minute: remove it",
    "REVERIE_UPKEEP_CRON": "pending embeddings are caught up with each minute: remove it",
    "REVERIE_RETENTION_CRON": "what has expired is removed each hour: remove it",
    "REVERIE_COLLECT_CRON": "what has expired is removed each hour: remove it",
    "REVERIE_STATISTICS_CRON": "large audiences are counted each hour: remove it",
    "REVERIE_NO_MEMORY_HEADERS": "X-Reverie-No-Memory and X-OmniRoute-No-Memory opt out: remove it",
    "REVERIE_PROXY_TIMEOUT_S": "the proxy waits 600 seconds between two bytes: remove it",
    "REVERIE_PROXY_BODY_BYTES_MAX": "the proxy takes requests of up to 32 MiB: remove it",
    "REVERIE_WEBHOOK_TIMEOUT_S": "a webhook has 10 seconds to answer: remove it",
    "REVERIE_WEBHOOK_FAILURES_MAX": "a webhook is given up after 48 failures in a row: remove it",
    "EMBEDDING_CACHE_SIZE": "the cache holds 1,000 vectors: remove it",
    "EMBEDDING_CACHE_TTL_S": "the cache keeps a vector for 300 seconds: remove it",
}
"""Variables of former releases, and what to write instead."""


OBJECTS: Final[dict[str, type[BaseModel]]] = {
    "LLM_STEPS": LLMSteps,
    "REVERIE_OIDC": Oidc,
    "REVERIE_PROXY_ANTHROPIC": ModelAddress,
    "REVERIE_TUNING": Tuning,
    "RERANK_MODEL": RerankModel,
}
"""Variables that hold a JSON object."""
