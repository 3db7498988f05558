"""The workspace: settings, engine, keys, audit, webhooks."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


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


def verify() -> Call[m.Json]:
    """Write, find and delete a memory, to see that everything works."""
    return Call("POST", "/v1/verify", m.Json)


def whoami() -> Call[m.Whoami]:
    """Which workspace the client's key opens, and as whom."""
    return Call("GET", "/v1/whoami", m.Whoami)


def create_key(role: Literal["admin", "agent", "reader"], name: str, agent: str | None = None) -> Call[m.CreatedKey]:
    """Make a key; its text is shown this once."""
    return Call("POST", "/v1/keys", m.CreatedKey, body=drop_none({"role": role, "name": name, "agent": agent}))


def list_keys(limit: int = 50) -> Call[m.Page[m.Key]]:
    """Keys, newest first."""
    return Call("GET", "/v1/keys", m.Page[m.Key], query={"limit": limit})


def rotate_key(key_id: Id) -> Call[m.CreatedKey]:
    """Give a key a new secret."""
    return Call("POST", f"/v1/keys/{part(key_id)}/rotate", m.CreatedKey)


def revoke_key(key_id: Id) -> Call[None]:
    """Revoke a key."""
    return Call("DELETE", f"/v1/keys/{part(key_id)}", None)


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
    """What models were used for, by purpose, and what of today's budget is taken."""
    return Call("GET", "/v1/usage", m.Json, query={"since": since, "until": until, "by": by})


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
