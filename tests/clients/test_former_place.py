"""Imports of the clients from where they used to be."""

from __future__ import annotations

import reverie_client
import reverie_client.errors
import reverie_client.langgraph
import reverie_client.models
import reverie_client.options
import service.clients
import service.clients.errors
import service.clients.langgraph
import service.clients.models
import service.clients.options


def test_the_former_place_gives_the_same_classes() -> None:
    for name in service.clients.__all__:
        here = "ChatMemory" if name == "Memory" else name
        assert getattr(service.clients, name) is getattr(reverie_client, here)
    assert service.clients.langgraph.ReverieStore is reverie_client.langgraph.ReverieStore
    assert service.clients.models.MemoryRecord is reverie_client.models.MemoryRecord
    assert service.clients.options.SearchOptions is reverie_client.options.SearchOptions
    assert service.clients.errors.NotFound is reverie_client.errors.NotFound
