"""Secrets in files, dumps and terminals that people paste: forms other than those the patterns were written by."""

from __future__ import annotations

import asyncio

from service.privacy.redactor import PiiPolicy, Redactor
from service.privacy.secrets import find_secrets
from tests.privacy.pasted_corpus import ORDINARY, PASTED, ordinary, pasted

EACH = 20
POLICY = PiiPolicy("off", secrets="redact")
NOT_FOUND = ("CSV",)
"""A column is named lines away from its values."""


def test_secrets_in_pasted_files_are_masked() -> None:
    made = pasted(seed=11, each=EACH)
    masked = asyncio.run(Redactor().redact([text for _, _, text in made], POLICY))
    missed = [
        (kind, text) for (kind, value, text), one in zip(made, masked, strict=True) if value in one.text
    ]  # fmt: skip
    assert len(PASTED) >= 30
    assert [kind for kind, _ in missed if kind not in (*NOT_FOUND, "Kubernetes secret")] == []
    assert len(missed) <= len(made) * 0.05


def test_ordinary_files_stay_as_they_are() -> None:
    made = ordinary(seed=11, each=EACH * 5)
    assert len(ORDINARY) >= 12
    assert [(kind, text) for kind, text in made if find_secrets(text)] == []


def test_every_found_secret_is_counted_by_kind_and_mode() -> None:
    counted: list[tuple[str, str]] = []
    redactor = Redactor(on_secret=lambda kind, mode: counted.append((kind, mode)))
    text = "wifi password is hunter2x and PGPASSWORD=Kalo1999!"
    asyncio.run(redactor.redact([text], POLICY))
    asyncio.run(redactor.redact_json({"password": "tr0ub4dor & 3"}, PiiPolicy("off", secrets="quarantine")))
    assert counted == [("password", "redact"), ("password", "redact"), ("password", "quarantine")]
    asyncio.run(redactor.redact([text], PiiPolicy("off")))
    assert len(counted) == 3
