"""The one place that imports litellm."""

from __future__ import annotations

import asyncio
import importlib
import os
from functools import cache
from typing import Any

from service.concurrency.garbage_collection import freeze_heap
from service.provider.response_limits import limit_responses


async def load_litellm() -> Any:
    """litellm, imported off the event loop when first needed (3 s), with the price map of its wheel."""
    return await asyncio.to_thread(import_litellm)


@cache
def import_litellm() -> Any:
    """The litellm module, told to ask nothing of the network by itself, with answers bounded."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    # Counting tokens for a Llama would otherwise fetch its tokenizer.
    litellm.disable_hf_tokenizer_download = True
    # Its aembedding() takes max_retries=0 for "unset" and then lets the SDK try three times within each attempt.
    litellm.DEFAULT_MAX_RETRIES = 0
    limit_responses(importlib.import_module("litellm.llms.custom_httpx.aiohttp_transport").LiteLLMAiohttpTransport)
    freeze_heap()
    return litellm
