"""Characters that nobody sees hide no secret, whatever kind of character Unicode says they are."""

from __future__ import annotations

import pytest

from service.privacy.redactor import PiiPolicy, Redactor

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize(
    "hidden", ["\u115f", "\u1160", "\u17b4", "\u180b", "\u3164", "\uffa0", "\U000e0101"], ids=ascii
)
async def test_an_invisible_letter_hides_no_secret(hidden: str) -> None:
    texts = [f"Use {hidden.join(TOKEN)}", f"Use {TOKEN[:10]}{hidden}{TOKEN[10:]}"]
    masked = await Redactor().redact(texts, PiiPolicy("off", secrets="redact"))
    assert [one.text for one in masked] == ["Use [SECRET:github_token]"] * 2
