"""Language models: answers and validated values within a budget, and reranking."""

from service.llm.client import LLM, Completion, Message, Structured
from service.llm.errors import BudgetReached, LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Budget, Meter, Usage
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
