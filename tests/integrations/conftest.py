"""The server that integrations are tried on."""

from __future__ import annotations

from tests.clients.served import served

__all__ = ["served"]
