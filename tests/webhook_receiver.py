"""A receiver of webhooks, as tests use it."""

from __future__ import annotations

import asyncio


class Receiver:
    """An HTTP server that notes what it is sent, and answers what it is told to: ``statuses`` first, then ``always``.

    ``arrived`` is set by the first request; while ``held`` is not set, nothing is answered.
    """

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self.always = 200
        self.arrived = asyncio.Event()
        self.held = asyncio.Event()
        self.held.set()

    async def __aenter__(self) -> Receiver:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/hook"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:-2]
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head)}
                body = await reader.readexactly(int(headers["content-length"]))
                self.got.append((headers, body))
                self.arrived.set()
                await self.held.wait()
                status = self.statuses.pop(0) if self.statuses else self.always
                writer.write(f"HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
