"""OAuth 2.1 for ``/mcp``: an MCP client that knows the address alone registers, asks for consent, and gets a key.

The protocol is the SDK's (``mcp.server.auth``): its handlers, over a provider that stores in Postgres. The consent page
and the endpoints around it are here.
"""
