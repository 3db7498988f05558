"""Reverie for models that speak MCP: tools over the HTTP API, with the caller's own key."""
