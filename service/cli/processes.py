"""Commands that run processes: everything, the API alone, migrations, keys, MCP."""

from __future__ import annotations

import asyncio
import platform
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from rich.markup import escape

from service import __version__
from service.cli.api import Key, Url, given_key
from service.cli.output import AsJson, emit, err
from service.concurrency.garbage_collection import paused_for_imports
from service.domain.validation import reason_of
from service.errors import InvalidInput, Unavailable
from service.settings import Settings
from service.subprocesses import end_with_parent

Parent = Annotated[int | None, typer.Option(hidden=True, help="end at once when this process ends")]


def up(as_json: AsJson = False) -> None:
    """Database, migrations, API and worker in one terminal; Ctrl-C stops them all."""
    if find_spec("fcntl") is None:
        raise Unavailable("`reverie up` needs Unix: with DATABASE_URL set, run `reverie serve` and `reverie worker`.")
    from service.supervisor import supervise

    raise SystemExit(supervise(Settings(), as_json or None))


def serve(
    listen_fd: Annotated[list[int] | None, typer.Option(hidden=True, help="inherited listening sockets")] = None,
    parent: Parent = None,
    as_json: AsJson = False,
) -> None:
    """The API alone, on DATABASE_URL."""
    if parent is not None:
        end_with_parent(parent)
    settings = Settings()
    with paused_for_imports():
        from service import server
        from service.startup import configure_logging

    configure_logging(settings.log_level, "json" if as_json else settings.log_format)
    asyncio.run(_check_database(settings))
    server.serve(settings, listen_fd or ())


def migrate(as_json: AsJson = False) -> None:
    """Bring the database to the newest schema and make sure there is a workspace with an admin key."""
    from service.database import settings_with_database
    from service.db.migrate import migrate as run_migrations
    from service.db.schema_version import code_revision
    from service.first_start import first_start

    with settings_with_database() as settings:
        assert settings.database_url is not None
        run_migrations(settings.database_url)
        started = asyncio.run(first_start(settings))
    lines = []
    if started.made:
        lines.append(f"First admin key: {started.made}")
    if started.made or settings.admin_key:
        lines.append(escape(started.where))
    data = {"revision": code_revision(), "admin_key": started.made}
    emit(as_json, data, *lines, f"The database is at {code_revision()}.")


def keys(
    role: Annotated[str, typer.Argument(help="admin, agent or reader")],
    name: str = "made by hand",
    agent: Annotated[str | None, typer.Option(help="the one agent of an agent key")] = None,
    workspace: Annotated[str | None, typer.Option(help="made when there is none of that name")] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="read, write, dream or export; repeatable. All its role allows by default")
    ] = None,
    expires_at: Annotated[str | None, typer.Option(help="RFC 3339 time from which on it is refused")] = None,
    as_json: AsJson = False,
) -> None:
    """Make an API key; it is shown this once."""
    from service.database import settings_with_database
    from service.domain.principal import KEY_SCOPES, KeyGrant
    from service.first_start import key_in_workspace
    from service.memory.access.keys import check_grant

    if role not in ("admin", "agent", "reader") or (role == "agent") != (agent is not None and role != "reader"):
        raise InvalidInput(("role",), "role is admin, agent (with --agent) or reader")
    if scope and not set(scope) <= set(KEY_SCOPES):
        raise InvalidInput(("scope",), f"scope is one of {', '.join(KEY_SCOPES)}")
    kind: Any = role
    scopes: Any = frozenset(scope) if scope else None
    grant = KeyGrant(kind, name, agent, scopes, _moment(expires_at) if expires_at else None)
    check_grant(grant, datetime.now(UTC))
    with settings_with_database() as settings:
        key = asyncio.run(key_in_workspace(settings, grant, workspace))
    data = {"key": key, "role": role, "name": name, "agent": agent, "scopes": scope or None}
    emit(as_json, data | {"expires_at": grant.expires_at and grant.expires_at.isoformat()}, key)


def mcp(
    url: Url = None,
    key: Key = None,
    agent: Annotated[str | None, typer.Option(envvar="REVERIE_AGENT", help="who acts with an admin key")] = None,
    user: Annotated[
        str | None, typer.Option(envvar="REVERIE_USER", help="whom it is for, with a key of no user")
    ] = None,
    tools: Annotated[str | None, typer.Option(help="tools to list: all, or names; unset: the usual nine")] = None,
) -> None:
    """MCP over standard input and output, for a Reverie that runs."""
    from reverie_client import AsyncReverie
    from service.mcp.server import build_server
    from service.startup import configure_logging

    settings = Settings()
    configure_logging(settings.log_level, settings.log_format)
    secret = given_key(settings, key)

    async def serve() -> None:
        async with AsyncReverie(url or settings.local_url, secret, agent=agent, user=user, for_prompt=True) as client:
            await build_server(lambda _: client, tools=tools).run_stdio_async()

    asyncio.run(serve())


def version(as_json: AsJson = False) -> None:
    """Which release this is, and on what it runs."""
    python = sys.version.split()[0]
    data = {"version": __version__, "python": python, "platform": platform.platform()}
    emit(as_json, data, f"Reverie {__version__} (Python {python}, {platform.system()} {platform.machine()})")


async def _check_database(settings: Settings) -> None:
    """Wait while Postgres starts up. Raises Unavailable for a database that cannot be used, before there is a server to
    fail."""
    from service.db.connectivity import wait_for
    from service.db.pool import Database

    if settings.database_url is None:
        raise Unavailable("DATABASE_URL is not set; `reverie up` starts an embedded Postgres.")
    await wait_for(settings.database_url, lambda text: err.print(escape(text)))
    await (await Database.open(settings.database_url, size=1, application="reverie-check")).close()


def _moment(text: str) -> datetime:
    """Raises InvalidInput for what is no RFC 3339 time."""
    from pydantic import TypeAdapter, ValidationError

    from service.domain.field_types import Timestamp

    try:
        moment: datetime = TypeAdapter(Timestamp).validate_python(text)
        return moment
    except ValidationError as error:
        raise InvalidInput(("expires_at",), f"expires-at: {reason_of(error.errors()[0])}") from None
