"""Which scopes a key needs for an endpoint: the one place where keys are narrowed below their role.

``None`` marks what administers, which no key with scopes may do; so does whatever is not listed here. A GET needs
``read`` unless it is listed.
"""

from __future__ import annotations

from service.domain.principal import KeyScope, Principal

READ: tuple[KeyScope, ...] = ("read",)
WRITE: tuple[KeyScope, ...] = ("write",)
DREAM: tuple[KeyScope, ...] = ("dream",)
EXPORT: tuple[KeyScope, ...] = ("export",)
PROXY: tuple[KeyScope, ...] = ("read", "write")
"""A completion recalls and captures."""

NEEDED: dict[str, tuple[KeyScope, ...]] = (
    {"GET /v1/whoami": ()}
    | dict.fromkeys(("GET /v1/export", "GET /v1/users/{user}/export", "GET /v1/workspaces/{workspace}/export"), EXPORT)
    | dict.fromkeys(
        (
            "POST /v1/memories/search", "POST /v1/memories/search/preview", "POST /v1/context", "POST /v1/ask",
            "POST /v1/extract", "POST /v1/messages/count_tokens",
        ),
        READ,
    )
    | dict.fromkeys(
        (
            "POST /v1/memories", "POST /v1/memories/batch", "POST /v1/memories/delete",
            "POST /v1/memories/bulk", "PATCH /v1/memories/{memory_id}",
            "DELETE /v1/memories/{memory_id}", "POST /v1/memories/{memory_id}/restore",
            "POST /v1/memories/{memory_id}/feedback", "POST /v1/sessions", "POST /v1/sessions/{session}/messages",
            "DELETE /v1/sessions/{session}", "POST /v1/deletions/{deletion_id}/undo",
            "DELETE /v1/sessions/{session}/window", "POST /v1/sessions/{session}/compact", "POST /v1/inbox",
            "POST /v1/inbox/{proposal_id}", "POST /v1/pages", "PUT /v1/pages/{page_id}", "POST /v1/pages/{page_id}",
            "DELETE /v1/pages/{page_id}", "PATCH /v1/entities/{entity_id}", "POST /v1/entities/{entity_id}/merge",
            "POST /v1/entities/{entity_id}/unmerge", "POST /v1/entities/{entity_id}/split", "POST /v1/edges",
            "DELETE /v1/edges/{edge_id}", "POST /v1/import", "POST /v1/documents", "DELETE /v1/documents/{document_id}",
            "POST /v1/verify", "POST /v1/searches", "POST /v1/searches/run", "PUT /v1/searches/{search_id}",
            "POST /v1/searches/{search_id}/run", "DELETE /v1/searches/{search_id}",
        ),
        WRITE,
    )
    | dict.fromkeys(
        (
            "POST /v1/agents/{agent}/bulletin", "POST /v1/agents/{agent}/dream",
            "POST /v1/dreams/{dream_id}/undo", "POST /v1/dreams/{dream_id}/changes/{n}/undo",
            "POST /v1/dreams/{dream_id}/cancel", "POST /v1/summarize", "POST /v1/summaries/{memory_id}/undo",
        ),
        DREAM,
    )
    | dict.fromkeys(("POST /v1/chat/completions", "POST /v1/responses", "POST /v1/messages"), PROXY)
)  # fmt: skip


def scopes_needed(method: str, route: str) -> tuple[KeyScope, ...] | None:
    """The scopes that an endpoint needs; None for one that needs a key without scopes."""
    return NEEDED.get(f"{method} {route}", READ if method == "GET" else None)


def check_scopes(principal: Principal, method: str, route: str) -> None:
    """Raise Forbidden where the key's scopes leave the endpoint out."""
    principal.require_scopes(scopes_needed(method, route))
