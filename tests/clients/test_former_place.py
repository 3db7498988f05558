"""ARKOS' import of the clients."""

from __future__ import annotations

import reverie_client
import service.clients


def test_the_former_place_gives_the_same_classes() -> None:
    for name in {*service.clients.__all__} - {"Memory"}:
        assert getattr(service.clients, name) is getattr(reverie_client, name)
    assert issubclass(service.clients.Memory, reverie_client.ChatMemory)
