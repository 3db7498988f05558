"""What belongs to the installation as a whole: its settings and secrets."""

from __future__ import annotations

import secrets

from service.db.pool import Connection
from service.domain.installation import InstallationSettings
from service.domain.workspace import without_former

SECRET_BYTES = 32


async def shared_secret(connection: Connection, name: str) -> bytes:
    """Return the secret of this name, 32 random bytes, the same for every process; made at the first call."""
    return await connection.value("shared_secret", name=name, made=secrets.token_bytes(SECRET_BYTES))


async def installation_settings(connection: Connection) -> InstallationSettings:
    """Return the settings of the installation as stored; defaults where none were set."""
    rows = await connection.fetch("installation_settings")
    return InstallationSettings.model_validate(without_former({row["section"]: row["value"] for row in rows})[0])


async def put_installation_settings(connection: Connection, settings: InstallationSettings) -> None:
    """Store what differs from the defaults."""
    stored = settings.stored()
    for section in InstallationSettings.model_fields:
        await connection.run("put_installation_settings", section=section, value=stored.get(section, {}))
