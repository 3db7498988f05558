"""Listening sockets, opened apart from the server that uses them, so that the supervisor need not import it."""

from __future__ import annotations

import errno
import socket
import time

from service.errors import Unavailable

BACKLOG = 2048
PORT_RETRY_S = 0.1


def listen(host: str, port: int, wait_s: float = 0.0) -> list[socket.socket]:
    """Listening sockets, one per address of ``host``, waiting for at most ``wait_s`` for a port in use.

    Port 0 takes any free one. Raises Unavailable when the port is in use or the address is none of this machine.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return _bound(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise Unavailable(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
        if time.monotonic() >= deadline:
            raise Unavailable(f"Port {port} of {host} is in use by another process; set REVERIE_PORT to a free one.")
        time.sleep(PORT_RETRY_S)


def _bound(host: str, port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    kinds = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    try:
        for family, address in dict.fromkeys((kind[0], kind[4]) for kind in kinds):
            at = (address[0], sockets[0].getsockname()[1]) if sockets else address[:2]
            try:
                sockets.append(socket.create_server(at, family=family, backlog=BACKLOG))
            except OSError as error:
                if error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL) or len(kinds) == 1:
                    raise
        if not sockets:
            raise OSError(errno.EADDRNOTAVAIL, "no address of that name can be used")
    except BaseException:
        for one in sockets:
            one.close()
        raise
    return sockets
