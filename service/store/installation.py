"""What belongs to the installation as a whole: runs of scheduled jobs, and secrets. Runs outside any workspace."""

from __future__ import annotations

import secrets

from service.db.pool import Connection

SECRET_BYTES = 32


async def claim_cron_run(connection: Connection, job: str, within_s: float) -> bool:
    """Whether this worker is to run the job now: no worker has claimed a run of it within the last ``within_s``
    seconds, by the database's clock."""
    return await connection.value("claim_cron_run", job=job, within_s=within_s) is not None


async def shared_secret(connection: Connection, name: str) -> bytes:
    """The secret of this name, 32 random bytes, the same for every process; made at the first call."""
    value: bytes = await connection.value("shared_secret", name=name, made=secrets.token_bytes(SECRET_BYTES))
    return value
