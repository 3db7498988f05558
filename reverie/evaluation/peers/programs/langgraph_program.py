"""LangGraph's PostgresStore: each turn is an item of the agent's namespace, found by its vector."""

from __future__ import annotations

import sys

from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore
from requests_by_line import serve
from static_embedder import DIM, Embedder

BATCH = 100


def main() -> None:
    index = {"dims": DIM, "embed": Embedder(), "fields": ["text"]}
    with PostgresStore.from_conn_string(sys.argv[1], index=index) as store:
        store.setup()

        def take_in(agent: str, turns: list[list[str]]) -> None:
            for first in range(0, len(turns), BATCH):
                store.batch([PutOp((agent,), id_, {"text": text}) for id_, text in turns[first : first + BATCH]])

        def search(agent: str, query: str, limit: int) -> list[str]:
            return [one.key for one in store.search((agent,), query=query, limit=limit)]

        serve(take_in, search)


if __name__ == "__main__":
    main()
