"""Moving from mem0: its export is read in, and its own methods go on from there."""

import json

from reverie import Reverie
from reverie_client import Memory

EXPORT = {"results": [{"id": "1", "memory": "Alice drinks green tea", "user_id": "alice"}]}


def main(reverie: Reverie) -> None:
    """Import, then search in mem0's words."""
    done = reverie.import_records([json.dumps(EXPORT).encode()], format="mem0", agent="alice")
    print(done.created, "created")
    memory = Memory(http=reverie.http)
    memory.add("Alice lives in Bergen", user_id="alice")
    for found in memory.get_all(user_id="alice")["results"]:
        print(found["memory"])


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
