"""Which statements report a todo as done: the matcher alone, and above all what is no report."""

from __future__ import annotations

import pytest

from service.extraction.english.completed_todos import deed_done, deed_due, does


def closes(todo: str, statement: str, owner: str | None = "Sam", subject: str | None = "Sam") -> bool:
    due, done = deed_due(todo, owner), deed_done(statement, subject)
    return due is not None and done is not None and does(done, due)


PING = "Sam has a todo: ping Ramesh about the Q3 numbers."


@pytest.mark.parametrize(
    ("todo", "statement"),
    [
        (PING, "Sam pinged Ramesh about the Q3 numbers."),
        (PING, "Sam has pinged Ramesh about the Q3 numbers."),
        (PING, "Sam finally pinged Ramesh about the Q3 numbers on 31 March 2026."),
        (PING, "Sam just now pinged Ramesh about the Q3 numbers by email"),
        (PING, "I've already pinged Ramesh about the Q3 numbers"),
        (PING, "Sam did ping Ramesh about the Q3 numbers."),
        (PING, "Sam managed to ping Ramesh about the Q3 numbers yesterday."),
        (PING, "sam pinged ramesh about Q3 numbers"),
        ("Sam needs to renew their passport by 5 June 2026.", "Sam renewed their passport."),
        ("Renew my passport by June 5", "I renewed my passport on Monday 1 June 2026."),
        ("Sam asked to be reminded to call mom on 2 April 2026.", "Sam called Mom."),
        ("Sam must not forget to send the invoice to Globex.", "Sam sent the invoice to Globex on 2 April 2026."),
        ("Sam still has to write the report", "Sam finished writing the report."),
        ("Sam and others still have to sign the lease.", "Sam and others signed the lease."),
        ("Sam needs to call hmrc on 2 April 2026 about their tax code.", "Sam called HMRC about their tax code."),
        ("TODO: put the bins out", "Sam put the bins out."),
        ("Reminder: submit the VAT return by Friday.", "Sam submitted the VAT return at 5pm."),
    ],
)
def test_a_report(todo: str, statement: str) -> None:
    assert closes(todo, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "Did Sam ping Ramesh about the Q3 numbers?",
        "Sam pinged Ramesh about the Q3 numbers, right?",
        "Sam hasn't pinged Ramesh about the Q3 numbers.",
        "Sam has not pinged Ramesh about the Q3 numbers.",
        "Sam has never pinged Ramesh about the Q3 numbers.",
        "Sam didn't ping Ramesh about the Q3 numbers.",
        "Sam did not ping Ramesh about the Q3 numbers.",
        "Sam will ping Ramesh about the Q3 numbers.",
        "Sam pings Ramesh about the Q3 numbers.",
        "Sam is pinging Ramesh about the Q3 numbers.",
        "Sam has to ping Ramesh about the Q3 numbers.",
        "Sam had to ping Ramesh about the Q3 numbers.",
        "Sam wanted to ping Ramesh about the Q3 numbers.",
        "Sam forgot to ping Ramesh about the Q3 numbers.",
        "Sam tried to ping Ramesh about the Q3 numbers.",
        "Sam almost pinged Ramesh about the Q3 numbers.",
        "Sam would have pinged Ramesh about the Q3 numbers.",
        "Sam should have pinged Ramesh about the Q3 numbers.",
        "Sam used to ping Ramesh about the Q3 numbers.",
        "Sam started pinging Ramesh about the Q3 numbers.",
        "If Sam pinged Ramesh about the Q3 numbers, he would answer.",
        "Sam says that Tom pinged Ramesh about the Q3 numbers.",
        "Sam pinged Ramesh about the Q4 numbers.",
        "Sam pinged Ramesh about the Q3 budget.",
        "Sam pinged Ramesh.",
        "Sam pinged Ramesh about half of the Q3 numbers.",
        "Sam pinged Ramona about the Q3 numbers.",
        "Sam called Ramesh about the Q3 numbers.",
        "Sam pinged Ramesh about the Q3 numbers but he never got it.",
        "Sam pinged Ramesh about the Q3 numbers and the wrong file went out.",
        "Ramesh pinged Sam about the Q3 numbers.",
        "Ramesh was pinged about the Q3 numbers.",
        "Tom pinged Ramesh about the Q3 numbers.",
        "Samantha pinged Ramesh about the Q3 numbers.",
        "Sam's boss pinged Ramesh about the Q3 numbers.",
        "Sam and Tom pinged Ramesh about the Q3 numbers.",
        "Sam has a todo: ping Ramesh about the Q3 numbers.",
        "",
        "pinged",
        "Sam",
    ],
)
def test_no_report(statement: str) -> None:
    assert not closes(PING, statement)


@pytest.mark.parametrize(
    ("todo", "statement"),
    [
        ("Sam needs to buy milk and eggs.", "Sam bought milk."),
        ("Sam needs to buy milk.", "Sam bought milk chocolate."),
        ("Sam has to call Ann's mother.", "Sam called their mother."),
        ("Sam has to call her mother.", "Sam called their mother."),
        ("Sam needs to book a table for Friday.", "Sam booked a table for Monday."),
        ("Sam needs to book a room at 12 Main Street.", "Sam booked a room at 14 Main Street."),
        ("Sam needs to pay invoice 4411.", "Sam paid invoice 4412."),
        ("Sam needs to renew example.org.", "Sam renewed example.com."),
        ("Sam needs to be careful.", "Sam was careful."),
        ("Tom needs to ping Ramesh about the Q3 numbers.", "Sam pinged Ramesh about the Q3 numbers."),
        ("Sam has a todo: Tom to draft the press release.", "Sam drafted the press release."),
        ("Put the bins out", "Sam puts the bins out."),
        ("Read the paper", "I read the paper every morning."),
    ],
)
def test_another_deed(todo: str, statement: str) -> None:
    assert not closes(todo, statement)


def test_whose_todo_it_is() -> None:
    todo, statement = "Ping Ramesh about the Q3 numbers", "I pinged Ramesh about the Q3 numbers"
    assert closes(todo, statement, owner="Sam", subject="Sam")
    assert closes(todo, statement, owner=None, subject="Sam")
    assert closes(todo, statement, owner=None, subject=None)
    assert not closes(todo, statement, owner="Tom", subject="Sam")
    assert not closes(todo, statement, owner="Tom", subject=None)
