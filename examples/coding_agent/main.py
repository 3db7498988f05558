"""A coding agent keeps the decisions of a project, and why they were changed."""

from reverie import Reverie


def main(reverie: Reverie) -> None:
    """Decide, decide otherwise, and ask later."""
    about = {"agent": "coder", "key": "storage", "tags": ["architecture"]}
    saved = reverie.save_memory("decision", "We store sessions in Redis", **about)
    reverie.save_memory("decision", "We store sessions in Postgres, because Redis lost them in a restart", **about)
    for result in reverie.search_memories("where do we store sessions?", agent="coder").results:
        print(result.text)
    for one in reverie.list_memory_history(saved.memory.id).items:
        print(one.version, one.content)


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
