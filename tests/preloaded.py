"""Imported once by the fork server of ``tests/processes.py``, so that the programs it forks need not: 6 s each."""

import gc
import importlib

from service.db.queries import all_queries
from service.domain.languages import language_of
from service.embedding.sources import StaticEmbedder
from service.embedding.tokens import count_tokens
from service.provider import entry_of, import_litellm, trust

PROGRAMS = (
    "service.__main__", "service.server", "worker.__main__", "worker.app", "tests.killable", "tests.poison_texts",
)  # fmt: skip
AT_FIRST_CALL = (
    "httpcore", "litellm.integrations.prometheus_services", "litellm.llms.openai_like.dynamic_config",
    "litellm.llms.vertex_ai.vertex_ai_partner_models.anthropic.transformation",
    "litellm.proxy.openai_files_endpoints.common_utils", "openai.resources", "openai.resources.admin", "openai.types",
    "uvicorn.lifespan.on", "uvicorn.protocols.http.auto", "uvicorn.protocols.websockets.auto",
)  # fmt: skip
"""What litellm, httpx and uvicorn import with their first call: 0.3 s of each program."""
TEXT = "Was ein Programm für seinen ersten Text lädt: Tabellen der Tokens und der Sprachen"

litellm = import_litellm()
for module in (*PROGRAMS, *AT_FIRST_CALL):
    importlib.import_module(module)
all_queries()
count_tokens(TEXT)
litellm.token_counter(model="openai/any", messages=[{"role": "user", "content": TEXT}])
entry_of("openai/any")
trust()
language_of(TEXT)
StaticEmbedder.open()
gc.freeze()  # what is imported is never garbage; looking through it would copy its pages into each program
