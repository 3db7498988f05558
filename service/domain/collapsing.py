"""Memories and the messages that they came from take one place among results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

Sources = Mapping[UUID, Sequence[UUID]]
"""The messages that each memory came from."""


def collapse(ranked: Sequence[UUID], sources: Sources) -> dict[UUID, list[UUID]]:
    """Return the ids that keep their places, best first, each with those that it stands for.

    A message gives way to a better memory that came from it; a memory gives way once all messages that it came from
    have better places. Of several memories from one message each says something of its own.
    """
    kept: dict[UUID, list[UUID]] = {}
    memories_of: dict[UUID, list[UUID]] = defaultdict(list)
    for id_ in ranked:
        came_from = sources.get(id_, ())
        if came_from and all(message in kept for message in came_from):
            kept[came_from[0]].append(id_)
        elif better := memories_of.get(id_):
            kept[better[0]].append(id_)
        else:
            kept[id_] = []
            for message in came_from:
                memories_of[message].append(id_)
    return kept
