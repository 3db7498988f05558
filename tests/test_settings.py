"""What the environment says, and what an empty variable means."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from service.settings import Settings


def test_a_variable_passed_on_empty_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REVERIE_ADMIN_KEY", "LLM_MODEL", "RERANK_MODEL", "EMBEDDING_DIM"):
        monkeypatch.setenv(name, "")
    settings = Settings(_env_file=None)
    assert (settings.admin_key, settings.llm_model, settings.rerank_model, settings.embedding_dim) == (None,) * 4


def test_a_short_admin_key_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_ADMIN_KEY", "too short")
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=None)
    assert "REVERIE_ADMIN_KEY" in str(refused.value)
    assert "too short" not in str(refused.value)
