"""mem0, ``infer=False``: each turn is a memory of the agent as mem0's user."""

from __future__ import annotations

import logging
import sys

from mem0_memory import open_memory
from requests_by_line import serve

logging.disable(logging.WARNING)


def main() -> None:
    memory = open_memory(sys.argv[1], sys.argv[2], 1)

    def take_in(agent: str, turns: list[list[str]]) -> None:
        memory.delete_all(user_id=agent)  # what a killed run left of it
        for id_, text in turns:
            memory.add(text, user_id=agent, metadata={"turn": id_}, infer=False)

    def search(agent: str, query: str, limit: int) -> list[str]:
        found = memory.search(query, filters={"user_id": agent}, top_k=limit)["results"]
        return [one["metadata"]["turn"] for one in found]

    serve(take_in, search)


if __name__ == "__main__":
    main()
