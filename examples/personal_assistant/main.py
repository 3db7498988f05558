"""A personal assistant: a profile out of what was said, which a correction changes."""

from reverie import Reverie


def tell(reverie: Reverie, day: str, *said: str) -> None:
    """Say something in the conversation of a day, and let the assistant dream about it."""
    turns = [{"role": "user", "content": one} for one in said]
    reverie.append_messages(day, turns, user="sam", agent="assistant")
    reverie.dream("assistant")


def main(reverie: Reverie) -> None:
    """Tell, move, and look what is known."""
    tell(reverie, "monday", "My name is Sam. I live in Oslo. I like green tea.")
    tell(reverie, "friday", "I moved to Bergen. I don't like coffee.")
    for field in reverie.get_profile("sam", agent="assistant").fields:
        print(f"{field.name}: {field.value}")
    print(reverie.get_bulletin("assistant", user="sam").content)


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
