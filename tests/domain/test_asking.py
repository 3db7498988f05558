"""An answer rests on what it cites, or it is none."""

from __future__ import annotations

import pytest

from service.domain.asking import contains_quote, is_grounded


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("lives in Bergen", True),
        ("LIVES in  bergen.", True),
        ("lives in Berg", False),
        ("in lives", False),
        ("", False),
        ("…", False),
    ],
)
def test_quotes(quote: str, found: bool) -> None:
    assert contains_quote("[8 May 2023] Ada Lovelace lives in Bergen, Norway.", quote) is found


@pytest.mark.parametrize(
    ("answer", "held"),
    [
        ("Bergen", True),
        ("She lives in Bergen.", True),
        ("Ada's home is in Bergen.", True),
        ("Since 8 May 2023, in Bergen.", True),
        ("She lives in Oslo.", False),
        ("In Bergen, since 2024.", False),
        ("In Bergen. Perhaps with Charles Babbage.", False),
        ("yes", True),
    ],
)
def test_bears_out(answer: str, held: bool) -> None:
    sources = ["Where does Ada live?", "[8 May 2023] Ada lives in Bergen"]
    assert is_grounded(answer, sources) is held
