"""The fields that the client reads and sends are fields of the API, and those that it needs always come."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import BaseModel

from reverie_client import models, options
from service.domain.drafts import Role
from service.domain.types import Scope
from tests.api_document import DOCUMENT

SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]

READ: dict[type[BaseModel], str] = {
    models.AgentRecord: "Agent",
    models.Appended: "AppendMessagesResponse",
    models.AskAnswer: "AskAnswer",
    models.Bulletin: "Bulletin",
    models.ContextAnswer: "ContextAnswer",
    models.ContextSection: "ContextSection",
    models.CreatedKey: "CreatedKey",
    models.Degraded: "Degraded",
    models.Document: "Document",
    models.DocumentHead: "DocumentHead",
    models.DocumentPart: "DocumentPart",
    models.Decided: "Decided",
    models.Dream: "Dream",
    models.Entity: "Entity",
    models.ExtractedMemory: "Candidate",
    models.Extraction: "Extraction",
    models.FoundMessage: "FoundMessage",
    models.IgnoredMemory: "IgnoredCandidate",
    models.Imported: "ImportResult",
    models.Key: "Key",
    models.MemoryRecord: "Memory",
    models.MemoryStats: "MemoryStats",
    models.MessageRecord: "Message",
    models.OmittedItems: "OmittedItems",
    models.Proposal: "Proposal",
    models.ProposalSource: "ProposalSource",
    models.QueryMatch: "QueryMatch",
    models.SavedMemory: "SavedMemory",
    models.SearchAnswer: "SearchAnswer",
    models.SearchResult: "SearchResult",
    models.SessionRecord: "Session",
    models.TaskRecord: "Task",
    models.TypeStats: "TypeStats",
    models.Whoami: "Whoami",
    models.Window: "Window",
}
SENT: dict[Any, str] = {
    options.AgentChanges: "PutAgent",
    options.ContextOptions: "ContextRequest",
    options.MemoryChanges: "MemoryPatch",
    options.MemoryDraft: "MemoryDraft",
    options.MessageDraft: "MessageDraft",
    options.SearchOptions: "SearchRequest",
    options.WebhookChanges: "PatchWebhook",
}


@pytest.mark.parametrize(("read", "schema"), READ.items(), ids=READ.values())
def test_what_is_read_is_what_the_api_answers(read: type[BaseModel], schema: str) -> None:
    answered = SCHEMAS[schema]
    assert read.model_fields.keys() <= answered["properties"].keys()
    needed = {name for name, field in read.model_fields.items() if field.is_required()}
    assert needed <= set(answered["required"])


@pytest.mark.parametrize(("sent", "schema"), SENT.items(), ids=SENT.values())
def test_what_is_sent_is_what_the_api_takes(sent: Any, schema: str) -> None:
    assert sent.__annotations__.keys() <= SCHEMAS[schema]["properties"].keys()


def test_scopes_and_roles_are_those_of_the_api_and_types_are_open() -> None:
    assert models.MemoryType is str
    assert get_args(models.Scope) == tuple(Scope)
    assert models.Role == Role
