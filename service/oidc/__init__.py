"""Sign-in to the Studio by OpenID Connect: the provider, what its claims grant, and the two addresses of the flow."""
