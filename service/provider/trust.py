"""The certificates that connections to providers are checked against."""

import ssl
from functools import cache

import httpx


@cache
def trust() -> ssl.SSLContext:
    """httpx's own TLS context, one for the process: reading the certificates takes some 80 ms."""
    return httpx.create_ssl_context()
