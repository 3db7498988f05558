"""A channel with several speakers: what each says is that speaker's own."""

from reverie import Reverie

SAID = [
    ("Ana", "I live in Bergen."),
    ("Ben", "I love green tea."),
    ("Ana", "I love black tea."),
]


def main(reverie: Reverie) -> None:
    """Append the turns of the channel, dream, and list what was learned."""
    for speaker, text in SAID:
        turn = {"role": "user", "name": speaker, "content": text}
        reverie.append_messages("#kitchen", [turn], user=speaker.lower(), agent="helper")
    reverie.dream("helper")
    for memory in sorted(reverie.list_memories(agent="helper"), key=lambda one: one.content):
        print(memory.content)


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
