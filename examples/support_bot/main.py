"""A support bot for many customers: each is known to it, and none hears of another."""

from openai import OpenAI

from reverie import Reverie
from reverie_client import remember


def ask(reverie: Reverie, customer: str, ticket: str, question: str) -> None:
    """Answer a customer in the conversation of a ticket."""
    client = remember(OpenAI(), "support", user=customer, session=ticket, reverie=reverie)
    answer = client.chat.completions.create(model="gpt-4o-mini", messages=[{"role": "user", "content": question}])
    print(f"{customer}: {question}\nbot: {answer.choices[0].message.content}")


def main(reverie: Reverie) -> None:
    """Ask on two days, for two customers."""
    ask(reverie, "ana", "ticket-1", "My order 4711 has not come. I live in Bergen.")
    reverie.dream("support")
    ask(reverie, "ana", "ticket-2", "Has my order been sent?")
    ask(reverie, "ben", "ticket-3", "Has my order been sent?")


if __name__ == "__main__":
    with Reverie.local("memory") as local:
        main(local)
