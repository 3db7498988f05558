"""What a call to a model costs, by litellm's price table, and about how many tokens a text has.

The table is read from litellm's wheel without importing litellm, which takes 3 s and 200 MB.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from service.domain.spending import Usage

TABLE: Final = "model_prices_and_context_window_backup.json"
FIELDS: Final = (
    "input_cost_per_token", "output_cost_per_token", "input_cost_per_query", "supports_response_schema",
)  # fmt: skip
BYTES_PER_TOKEN: Final = 3
"""Of UTF-8. English has more (about 4), Chinese about 3: an estimate, replaced by what the provider reports."""


def entry_of(model: str) -> dict[str, Any]:
    """What the table says of a model (``FIELDS``), by its name with or without the provider; empty if not listed."""
    table = _table()
    return table.get(model) or table.get(model.partition("/")[2]) or {}


def usage_of(model: str, prompt_tokens: int, completion_tokens: int = 0, *, failed: bool = False) -> Usage:
    """Usage of one attempt, priced; a model that is not listed is free."""
    entry = entry_of(model)
    cost_usd = prompt_tokens * (entry.get("input_cost_per_token") or 0.0)
    cost_usd += completion_tokens * (entry.get("output_cost_per_token") or 0.0)
    cost_usd += entry.get("input_cost_per_query") or 0.0
    return Usage(1, int(failed), prompt_tokens, completion_tokens, cost_usd)


def estimated_tokens(texts: Iterable[str]) -> int:
    """About how many tokens these texts have."""
    return sum(len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1 for text in texts)


def reported(value: object, otherwise: int) -> int:
    """A count of tokens as a provider reports it; ``otherwise`` where it reports none."""
    return value if isinstance(value, int) and 0 <= value < 2**40 else otherwise


@cache
def _table() -> dict[str, dict[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    table = orjson.loads(Path(spec.submodule_search_locations[0], TABLE).read_bytes())
    return {model: {field: row[field] for field in FIELDS if row.get(field)} for model, row in table.items()}
