"""The former place of ``reverie_client.errors``."""

from reverie_client.errors import *  # noqa: F403
