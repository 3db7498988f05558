"""Language models: answers and validated values within a budget, and reranking."""

from service.domain.spending import Usage
from service.errors import BudgetReached
from service.llm.client import LLM, Completion, Structured
from service.llm.endpoint import Endpoint, WorkspaceEndpoint
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Budget, Meter
from service.llm.requests import Message
from service.llm.rerank import Ranked, Reranker

__all__ = [
    "LLM",
    "Budget",
    "BudgetReached",
    "Completion",
    "Endpoint",
    "LLMInvalidOutput",
    "LLMRefused",
    "LLMUnavailable",
    "Message",
    "Meter",
    "Ranked",
    "Reranker",
    "Structured",
    "Usage",
    "WorkspaceEndpoint",
]
