"""The remote embedder over real HTTP: batches, attempts, and every way a server breaks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from service.concurrency.transaction_guard import transaction_open
from service.embedding.embedder import EmbeddingFailed, EmbeddingTimedOut
from service.embedding.sources import BATCH_CHARACTERS_MAX, BATCH_TEXTS_MAX, RemoteEmbedder, open_embedder
from service.provider import ATTEMPTS_MAX
from tests.fakes.openai_server import FakeOpenAI

DIM = 64


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    """A server for each test: requests that were cancelled by one test may still arrive during the next one."""
    with FakeOpenAI(dim=DIM) as running:
        yield running


@pytest.fixture
def embedder(server: FakeOpenAI) -> RemoteEmbedder:
    return RemoteEmbedder(
        "openai/fake", DIM, api_base=server.base_url, api_key="key", timeout_s=60, backoff_first_s=0.01
    )


async def test_vectors_come_back_in_order(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    texts = ["a cat", "", "\ud800", "日本語"]
    vectors = await embedder.embed(texts)
    assert vectors.dtype == np.float32
    wanted = [server.vector(text) for text in ("a cat", " ", "\ufffd", "日本語")]
    np.testing.assert_allclose(vectors, wanted, atol=1e-6)
    assert embedder.signature == "remote:openai/fake:64"
    assert server.requests("embeddings")[0]["model"] == "fake"
    assert "dimensions" not in server.requests("embeddings")[0]


async def test_no_text_makes_no_call(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    assert (await embedder.embed([])).shape == (0, DIM)
    assert not server.calls


async def test_many_texts_go_in_batches(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    texts = [f"text {number}" for number in range(300)]
    vectors = await embedder.embed(texts)
    np.testing.assert_allclose(vectors, [server.vector(text) for text in texts], atol=1e-6)
    sizes = sorted(len(body["input"]) for body in server.requests("embeddings"))
    assert sizes == [300 - 2 * BATCH_TEXTS_MAX, BATCH_TEXTS_MAX, BATCH_TEXTS_MAX]


async def test_long_texts_go_in_smaller_batches(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    texts = ["x" * (BATCH_CHARACTERS_MAX + 1), *["y" * 100_000] * 5]
    assert (await embedder.embed(texts)).shape == (6, DIM)
    assert sorted(len(body["input"]) for body in server.requests("embeddings")) == [1, 1, 2, 2]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_trouble_is_tried_again(server: FakeOpenAI, embedder: RemoteEmbedder, status: int) -> None:
    server.fail(status=status, times=ATTEMPTS_MAX - 1)
    assert (await embedder.embed(["a"])).shape == (1, DIM)
    assert server.calls["embeddings"] == ATTEMPTS_MAX


async def test_lasting_trouble_ends_after_the_last_attempt(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    server.fail(status=500, times=None)
    with pytest.raises(EmbeddingFailed, match="made to fail by the test"):
        await embedder.embed(["a"])
    assert server.calls["embeddings"] == ATTEMPTS_MAX


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_refusal_is_not_tried_again(server: FakeOpenAI, embedder: RemoteEmbedder, status: int) -> None:
    server.fail(status=status, times=None)
    with pytest.raises(EmbeddingFailed):
        await embedder.embed(["a"])
    assert server.calls["embeddings"] == 1


async def test_a_hanging_server_costs_the_attempts_timeout(server: FakeOpenAI) -> None:
    options = {"timeout_s": 3, "backoff_first_s": 0.01}
    embedder = RemoteEmbedder("openai/fake", DIM, api_base=server.base_url, api_key="key", **options)
    server.fail(hang_s=60, times=None)
    with pytest.raises(EmbeddingTimedOut, match="within 3 s"):
        await embedder.embed(["a"])
    assert server.calls["embeddings"] == ATTEMPTS_MAX
    server.heal()
    server.fail(hang_s=60, times=1)
    assert (await embedder.embed(["a"])).shape == (1, DIM)


async def test_the_deadline_covers_attempts_and_pauses(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    server.fail(hang_s=60, times=None)
    with pytest.raises(EmbeddingTimedOut, match="within 3 s"):
        await embedder.embed(["a"], deadline_s=3)
    assert server.calls["embeddings"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": None}]},
        {"data": [{"index": 0, "embedding": [1.0] * (DIM - 1)}]},
        {"data": [{"index": 0, "embedding": [0.0] * DIM}]},
        {"data": [{"index": 0, "embedding": [1.0] * DIM}, {"index": 1, "embedding": [1.0] * DIM}]},
    ],
)
async def test_an_answer_of_the_wrong_form_is_a_failure(
    server: FakeOpenAI, embedder: RemoteEmbedder, body: object
) -> None:
    server.fail(body=body, times=None)
    with pytest.raises(EmbeddingFailed):
        await embedder.embed(["a"])


async def test_invalid_json_is_a_failure(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    server.fail(invalid_json=True, times=None)
    with pytest.raises(EmbeddingFailed):
        await embedder.embed(["a"])


async def test_one_failing_batch_fails_the_call(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    server.fail(status=400, times=1)
    with pytest.raises(EmbeddingFailed):
        await embedder.embed(["a"] * (3 * BATCH_TEXTS_MAX))


async def test_refuses_to_run_inside_a_transaction(server: FakeOpenAI, embedder: RemoteEmbedder) -> None:
    with transaction_open(), pytest.raises(RuntimeError):
        await embedder.embed(["a"])
    assert not server.calls


async def test_an_unknown_dimension_is_asked_for(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-another-server")
    embedder = await open_embedder("openai/fake", api_base=server.base_url)
    assert embedder is not None
    assert embedder.signature == f"remote:openai/fake:{DIM}"
    asked = [request["input"] for request in server.requests("embeddings")]
    assert asked  # more than once where the first answer was late
    assert all(len(texts) == 1 for texts in asked)
    assert (await embedder.embed(["a"])).shape == (1, DIM)


async def test_a_dimension_that_cannot_be_asked_for_names_the_settings(server: FakeOpenAI) -> None:
    server.fail(status=400, times=None)
    with pytest.raises(EmbeddingFailed, match=r"EMBEDDING_MODEL=openai/fake.*EMBEDDING_DIM"):
        await open_embedder("openai/fake", api_base=server.base_url)
    given = await open_embedder("openai/fake", dim=DIM, api_base=server.base_url)
    assert given is not None
    assert given.dim == DIM


async def test_a_shorter_dimension_of_a_known_model_is_asked_of_the_provider(server: FakeOpenAI) -> None:
    embedder = await open_embedder("text-embedding-3-small", dim=DIM, api_base=server.base_url)
    assert embedder is not None
    assert (await embedder.embed(["a"])).shape == (1, DIM)
    assert server.requests("embeddings")[0]["dimensions"] == DIM


async def test_openais_key_is_not_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with FakeOpenAI(dim=DIM, key="secret") as guarded:
        embedder = await open_embedder("openai/fake", dim=DIM, api_base=guarded.base_url)
        assert embedder is not None
        with pytest.raises(EmbeddingFailed, match="Incorrect API key"):
            await embedder.embed(["a"])
        with_key = await open_embedder("openai/fake", dim=DIM, api_base=guarded.base_url, api_key="secret")
        assert with_key is not None
        assert (await with_key.embed(["a"])).shape == (1, DIM)
