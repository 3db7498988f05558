"""A team of agents: what they share, what stays their own, and what only their chief reads."""

from reverie import Reverie


def main(reverie: Reverie) -> None:
    """Save in three scopes, and let each agent say what it finds."""
    reverie.put_agent("researcher", teams=["report"])
    reverie.put_agent("writer", teams=["report"])
    reverie.put_agent("chief", prime=True)
    reverie.save_memory("fact", "The report is due on Friday", agent="researcher", scope="team", team="report")
    reverie.save_memory("observation", "The archive of the report is slow", agent="researcher")
    reverie.save_memory("observation", "The report is over its budget", agent="writer", scope="prime")
    for agent in ("researcher", "writer", "chief"):
        found = reverie.search_memories("the report", agent=agent).results
        print(f"{agent}: {sorted(result.text for result in found)}")


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
