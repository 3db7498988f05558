"""Answers from documents: the parts that bear on a question, for a prompt or as they are."""

from reverie import Reverie

HANDBOOK = """# Travel

Trains are booked by yourself. A night in a hotel costs 150 euros at most.

# Leave

There are 28 days of leave a year. Ask two weeks before.
"""


def main(reverie: Reverie) -> None:
    """Save a handbook, and ask it."""
    reverie.create_document("Handbook", HANDBOOK, agent="clerk")
    question = "What may a hotel cost?"
    [found, *_] = reverie.search_memories(question, agent="clerk", include=["documents"]).results
    print(found.document.title if found.document else None)
    context = reverie.build_context(question, agent="clerk")
    print("150 euros" in context.messages[0]["content"])


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
