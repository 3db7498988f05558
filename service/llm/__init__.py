"""Language models: answers and validated values within a budget, and reranking."""

from service.domain.spending import Usage
from service.errors import BudgetReached
from service.llm.client import LLM, Completion, Message, Structured
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Budget, Meter
from service.llm.rerank import Ranked, Reranker

__all__ = [
    "LLM",
    "Budget",
    "BudgetReached",
    "Completion",
    "LLMInvalidOutput",
    "LLMRefused",
    "LLMUnavailable",
    "Message",
    "Meter",
    "Ranked",
    "Reranker",
    "Structured",
    "Usage",
]
