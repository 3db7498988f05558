"""The workspace: settings, engine, keys, audit, webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


def setting_sources() -> Call[m.Json]:
    """Every setting of the workspace with its default and its source."""
    return Call("GET", "/v1/settings/sources", m.Json)


def reset_settings(names: Sequence[str]) -> Call[m.Json]:
    """Set settings, or sections of them, back to their defaults; the settings after that."""
    return Call("POST", "/v1/settings/reset", m.Json, body={"names": list(names)})


def get_settings() -> Call[m.Json]:
    """The workspace's settings."""
    return Call("GET", "/v1/settings", m.Json)


def put_settings(settings: m.Json) -> Call[m.Json]:
    """Change settings; what is left out stays."""
    return Call("PUT", "/v1/settings", m.Json, body=settings)


def engine() -> Call[m.Json]:
    """How the engine is."""
    return Call("GET", "/v1/engine", m.Json)


def embedding_providers() -> Call[Any]:
    """What can embed here."""
    return Call("GET", "/v1/embedding-providers", Any)


def reindex(force: bool = False) -> Call[m.Json]:
    """Embed anew what has no vector of the present model."""
    return Call("POST", "/v1/reindex", m.Json, body={"force": force})


def reindex_progress() -> Call[m.Json]:
    """How far embedding anew has come."""
    return Call("GET", "/v1/reindex", m.Json)


def rescan(dry_run: bool = True) -> Call[m.Json]:
    """Find secrets in all that is stored and, unless it is a dry run, mask them for good."""
    return Call("POST", "/v1/rescan", m.Json, body={"dry_run": dry_run})


def rescan_progress() -> Call[m.Json]:
    """How far the last scan for secrets has come, and its counts."""
    return Call("GET", "/v1/rescan", m.Json)


def list_rescan_findings(limit: int = 50) -> Call[m.Page[m.Json]]:
    """Fields in which the last scan has found secrets."""
    return Call("GET", "/v1/rescan/findings", m.Page[m.Json], query={"limit": limit})


def verify() -> Call[m.Json]:
    """Write, find and delete a memory, to see that everything works."""
    return Call("POST", "/v1/verify", m.Json)


def whoami() -> Call[m.Whoami]:
    """Which workspace the client's key opens, and as whom."""
    return Call("GET", "/v1/whoami", m.Whoami)


def create_key(
    role: Literal["admin", "agent", "reader"],
    name: str,
    agent: str | None = None,
    scopes: list[m.KeyScope] | None = None,
    expires_at: o.Moment | None = None,
    limits: m.Json | None = None,
) -> Call[m.CreatedKey]:
    """Make a key; its text is shown this once. ``scopes`` narrow its role, ``limits`` what it uses; it is refused after
    ``expires_at``."""
    body = {
        "role": role,
        "name": name,
        "agent": agent,
        "scopes": scopes,
        "expires_at": expires_at,
        "limits": limits,
    }
    return Call("POST", "/v1/keys", m.CreatedKey, body=drop_none(body))


def list_keys(limit: int = 50) -> Call[m.Page[m.Key]]:
    """Keys, newest first."""
    return Call("GET", "/v1/keys", m.Page[m.Key], query={"limit": limit})


def limit_key(key_id: Id, limits: m.Json) -> Call[m.KeyLimits]:
    """Set those limits of a key that are named; None lifts one."""
    return Call("PATCH", f"/v1/keys/{part(key_id)}", m.KeyLimits, body={"limits": limits})


def rotate_key(key_id: Id) -> Call[m.CreatedKey]:
    """Give a key a new secret."""
    return Call("POST", f"/v1/keys/{part(key_id)}/rotate", m.CreatedKey)


def revoke_key(key_id: Id) -> Call[None]:
    """Revoke a key."""
    return Call("DELETE", f"/v1/keys/{part(key_id)}", None)


def create_workspace(name: str) -> Call[m.CreatedWorkspace]:
    """Make a workspace; ``key``, its first admin key, is shown this once. For admins of the installation."""
    return Call("POST", "/v1/workspaces", m.CreatedWorkspace, body={"name": name})


def list_workspaces(limit: int = 50) -> Call[m.Page[m.Workspace]]:
    """Workspaces of the installation, newest first."""
    return Call("GET", "/v1/workspaces", m.Page[m.Workspace], query={"limit": limit})


def update_workspace(
    workspace: Id, name: str | None = None, suspended: bool | None = None, limits: m.Json | None = None
) -> Call[m.Workspace]:
    """Rename, suspend, resume or limit a workspace, by its id or name; None lifts a limit that is named."""
    body = drop_none({"name": name, "suspended": suspended, "limits": limits})
    return Call("PATCH", f"/v1/workspaces/{part(workspace)}", m.Workspace, body=body)


def count_workspace(workspace: Id) -> Call[m.WorkspaceDeletion]:
    """Count the rows of a suspended workspace; the answer has the ``token`` that deletes it."""
    return Call("DELETE", f"/v1/workspaces/{part(workspace)}", m.WorkspaceDeletion, query={"dry_run": True})


def delete_workspace(workspace: Id, token: str) -> Call[m.WorkspaceDeletion]:
    """Delete a suspended workspace for good, as counted by ``count_workspace``."""
    return Call("DELETE", f"/v1/workspaces/{part(workspace)}", m.WorkspaceDeletion, query={"token": token})


def list_audit(
    action: str | None = None,
    actor: str | None = None,
    since: o.Moment | None = None,
    until: o.Moment | None = None,
    limit: int = 50,
) -> Call[m.Page[m.Json]]:
    """Who administered, and who read what is not their own."""
    query = {"action": action, "actor": actor, "since": since, "until": until, "limit": limit}
    return Call("GET", "/v1/audit", m.Page[m.Json], query=query)


def usage(
    since: str | None = None, until: str | None = None, by: Literal["day", "key", "agent"] = "day"
) -> Call[m.Json]:
    """What models were used for, by purpose, requests, what is stored, dreams, and what is used of the limits."""
    return Call("GET", "/v1/usage", m.Json, query={"since": since, "until": until, "by": by})


def list_model_calls(
    agent: str | None = None,
    dream: Id | None = None,
    purpose: str | None = None,
    outcome: str | None = None,
    since: o.Moment | None = None,
    until: o.Moment | None = None,
    limit: int = 50,
) -> Call[m.Page[m.Json]]:
    """Kept calls of language models with the beginnings of their texts, newest first."""
    query = {
        "agent": agent, "dream": dream, "purpose": purpose, "outcome": outcome, "since": since, "until": until,
        "limit": limit,
    }  # fmt: skip
    return Call("GET", "/v1/model-calls", m.Page[m.Json], query=query)


def get_model_call(call: Id) -> Call[m.Json]:
    """A kept call of a language model with its texts."""
    return Call("GET", f"/v1/model-calls/{part(call)}", m.Json)


def stats(agent: str | None = None, since: str | None = None, until: str | None = None) -> Call[m.Json]:
    """Memories, dreams and searches by day, and what there is now."""
    return Call("GET", "/v1/stats", m.Json, query={"agent": agent, "since": since, "until": until})


def list_webhooks(limit: int = 50) -> Call[m.Page[m.Json]]:
    """Webhooks."""
    return Call("GET", "/v1/webhooks", m.Page[m.Json], query={"limit": limit})


def add_webhook(webhook: m.Json) -> Call[m.Json]:
    """Have events sent to an address."""
    return Call("POST", "/v1/webhooks", m.Json, body=webhook)


def update_webhook(webhook_id: Id, **changes: Unpack[o.WebhookChanges]) -> Call[m.Json]:
    """Change a webhook; only the fields given change. ``rotate_secret`` answers with a new secret, this once."""
    return Call("PATCH", f"/v1/webhooks/{part(webhook_id)}", m.Json, body=dict(changes))


def test_webhook(webhook_id: Id) -> Call[m.Json]:
    """Send one ``ping`` to a webhook now: how that went."""
    return Call("POST", f"/v1/webhooks/{part(webhook_id)}/test", m.Json)


def enable_webhook(webhook_id: Id) -> Call[m.Json]:
    """Send again to a webhook that was given up."""
    return Call("POST", f"/v1/webhooks/{part(webhook_id)}/enable", m.Json)


def delete_webhook(webhook_id: Id) -> Call[None]:
    """Stop sending events to an address."""
    return Call("DELETE", f"/v1/webhooks/{part(webhook_id)}", None)


def list_dead_letters(limit: int = 50) -> Call[m.Page[m.Json]]:
    """Texts set aside because workers died over them."""
    return Call("GET", "/v1/dead-letters", m.Page[m.Json], query={"limit": limit})


def retry_dead_letter(dead_letter_id: Id) -> Call[m.Json]:
    """Process such a text once more."""
    return Call("POST", f"/v1/dead-letters/{part(dead_letter_id)}/retry", m.Json)


def discard_dead_letter(dead_letter_id: Id) -> Call[None]:
    """Give such a text up."""
    return Call("DELETE", f"/v1/dead-letters/{part(dead_letter_id)}", None)


def chat(request: m.Json) -> Call[m.Json]:
    """A chat completion with memory (OpenAI's shape, not streamed)."""
    return Call("POST", "/v1/chat/completions", m.Json, body={**request, "stream": False})


def create_response(request: m.Json) -> Call[m.Json]:
    """A response with memory (the shape of OpenAI's Responses, not streamed)."""
    return Call("POST", "/v1/responses", m.Json, body={**request, "stream": False})


def create_message(request: m.Json) -> Call[m.Json]:
    """A message with memory (the shape of Anthropic's Messages, not streamed)."""
    return Call("POST", "/v1/messages", m.Json, body={**request, "stream": False})


def count_message_tokens(request: m.Json) -> Call[m.Json]:
    """How many tokens a request for a message has, without what memory adds (Anthropic's shape)."""
    return Call("POST", "/v1/messages/count_tokens", m.Json, body=request, only_reads=True)


def list_models() -> Call[m.Json]:
    """The models that the proxy may call (OpenAI's shape)."""
    return Call("GET", "/v1/models", m.Json)


def health() -> Call[m.Json]:
    """The process is alive."""
    return Call("GET", "/healthz", m.Json)


def ready() -> Call[m.Json]:
    """The database answers."""
    return Call("GET", "/readyz", m.Json)
