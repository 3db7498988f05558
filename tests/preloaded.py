"""Imported once by the fork server of ``tests/processes.py``, so that the programs it forks need not: 6 s each."""

import gc
import importlib

from service.db.queries import all_queries
from service.embedding.tokens import count_tokens
from service.provider.library import import_litellm

PROGRAMS = (
    "service.__main__", "service.server", "worker.__main__", "worker.app", "tests.killable", "tests.poison_texts",
)  # fmt: skip
AT_FIRST_CALL = ("openai.resources", "openai.resources.admin", "openai.types")
"""What litellm imports with its first call of a model."""

import_litellm()
for module in (*PROGRAMS, *AT_FIRST_CALL):
    importlib.import_module(module)
all_queries()
count_tokens("the table of tokens")
gc.freeze()  # what is imported is never garbage; looking through it would copy its pages into each program
