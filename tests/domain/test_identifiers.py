"""Identifiers and names that a summary must keep."""

from __future__ import annotations

import pytest

from service.domain.identifiers import identifiers, missing_from

CASES = {
    "Ticket QX-4 blocks ISS-7 and SKU-9; see PROJ-1.": ["QX-4", "ISS-7", "SKU-9", "PROJ-1"],
    "It follows RFC 9457, ISO/IEC 27001:2022 and DIN EN 1090.": ["RFC 9457", "ISO/IEC 27001:2022", "DIN EN 1090"],
    "We took BA 117, then LH454 to gate B12, seat 14C.": ["BA 117", "LH454", "gate B12", "seat 14C"],
    "see CVE-2024-1234, SKU-AB-9, #urgent, @ana, MAX_RETRY_COUNT": [
        "CVE-2024-1234", "SKU-AB-9", "#urgent", "@ana", "MAX_RETRY_COUNT",
    ],
    "call +49 30 1234567, pay DE89 3704 0044 0532 0130 00 at 5 pm": [
        "+49 30 1234567", "DE89 3704 0044 0532 0130 00", "5 pm",
    ],
    "yesterday we met Maria Lopez of Acme Robotics.": ["Maria Lopez", "Acme Robotics"],
    "Lunch was late. Tom's brother came. Bo is ill. Ada reported it.": ["Tom", "Bo", "Ada"],
    "Wir haben die Rechnung mit Maria in Berlin bezahlt, und der Vertrag liegt bei Siemens.": [
        "Maria", "Berlin", "Siemens",
    ],
    "Иван сказал, что Мария едет в Москву рейсом SU 1234": ["SU 1234", "Мария", "Москву"],
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_they_are_found_whole(text: str) -> None:
    assert set(identifiers([text])) >= set(CASES[text])


@pytest.mark.parametrize(
    "text",
    ["", " ", "It's fine, isn't it? I think I'll go.", "no names here at all", "Yesterday I was ill. Maybe tomorrow."],
)
def test_where_nothing_is_named_nothing_is_found(text: str) -> None:
    assert identifiers([text]) == []


def test_german_nouns_are_no_names() -> None:
    found = identifiers(["Wir haben die Rechnung und den Vertrag geprüft, weil eine Lieferung gefehlt hat."])
    assert not {"Rechnung", "Vertrag", "Lieferung"} & set(found)


def test_what_is_held_in_another_case_is_not_missing() -> None:
    assert missing_from("ticket qx-4 waits", ["QX-4", "Ticket QX-4", "ISS-7"]) == ["ISS-7"]


def test_what_is_part_of_another_word_is_missing() -> None:
    assert missing_from("bananas at 1200, QX-44", ["Ana", "120", "QX-4"]) == ["Ana", "120", "QX-4"]
