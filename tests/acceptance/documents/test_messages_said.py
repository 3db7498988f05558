"""Messages are found by who said them, and what has no vector yet is compared fairly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.embedding.embedder import Vectors
from tests.live_api import Api, Tenant

SAID = (
    {"role": "user", "name": "Melanie", "content": "I painted a sunrise over the lake"},
    {"role": "user", "name": "Caroline", "content": "I painted the garden fence"},
    {"role": "assistant", "content": "Both sound lovely"},
)


async def test_messages_are_found_by_their_speakers_name(static_tenant: Tenant) -> None:
    await static_tenant.post("/v1/sessions/s/messages", {"agent": "a", "user": "Jon", "messages": list(SAID)})
    for name, first in (("Melanie", SAID[0]), ("Caroline", SAID[1])):
        answer = await static_tenant.post(
            "/v1/memories/search", {"agent": "a", "query": f"What did {name} paint?", "include": ["messages"]}
        )
        assert answer["results"][0]["message"]["content"] == first["content"]
    answer = await static_tenant.post(
        "/v1/memories/search",
        {"agent": "a", "query": "Melanie", "include": ["messages"], "strategy": "keyword"},
    )
    assert answer["results"][0]["message"]["name"] == "Melanie"
    assert answer["results"][0]["keyword_rank"] == 1


class Local:
    """A local model that takes what it is given."""

    source, model, dim, signature = "local", "there", 8, "local:there:8"

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        self.texts += texts
        return np.full((len(texts), 8), 8**-0.5, dtype=np.float32)

    async def aclose(self) -> None:
        """Nothing to let go of."""


async def test_turns_of_a_live_conversation_are_embedded_at_once_and_others_are_counted(api: Api) -> None:
    embedder = api.runtime.embedder = Local()
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [SAID[0]]})
    assert embedder.texts == ["Melanie: I painted a sunrise over the lake"]
    long_ago = [SAID[1] | {"content": f"I painted fence {number}"} for number in range(40)]
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": long_ago})
    assert len(embedder.texts) == 1
    asked = {"agent": "a", "query": "painted fence 7", "include": ["messages"]}
    answer = await api.post("/v1/memories/search", asked)
    assert answer["results"][0]["message"]["content"] == "I painted fence 7"
    assert answer["pending"] == 40
