"""The system message of these models and providers goes as user; that of others stays."""

from __future__ import annotations

import pytest

from service.domain.workspace import ProxySettings
from service.proxy.wire_formats import placement_for

AS_USER = (
    "o1", "o1-mini", "o1-preview", "o1-mini-2024-09-12", "openai/o1", "glm", "glmt", "glm-cn", "zai", "qianfan",
    "glm/glm-4.6", "zai/glm-4.6", "qianfan/ernie-4.5",
)  # fmt: skip


@pytest.mark.parametrize("model", AS_USER)
def test_the_system_message_goes_as_user(model: str) -> None:
    assert placement_for(model, "system", ProxySettings().no_system_models) == "user"


@pytest.mark.parametrize("model", ["gpt-4o", "o1-pro", "o3", "claude-sonnet-4", "openai/gpt-4o"])
def test_the_system_message_stays(model: str) -> None:
    assert placement_for(model, "system", ProxySettings().no_system_models) == "system"
