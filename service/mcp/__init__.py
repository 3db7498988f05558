"""Reverie for models that speak MCP (row C3): tools over the HTTP API, with the caller's own key."""
