"""The static embedder for peers that ask by the protocol of OpenAI: ``uvicorn tests.bench.static_embeddings:app``."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from service.embedding.sources import StaticEmbedder

embedder = StaticEmbedder.open()


async def embeddings(request: Request) -> Response:
    """``POST /v1/embeddings``, with vectors as lists of numbers."""
    asked = await request.json()
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    vectors = await embedder.embed(texts)
    data = [{"object": "embedding", "index": n, "embedding": vector.tolist()} for n, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return JSONResponse({"object": "list", "model": asked["model"], "data": data, "usage": usage})


app = Starlette(routes=[Route("/v1/embeddings", embeddings, methods=["POST"])])
