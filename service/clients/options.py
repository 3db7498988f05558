"""The former place of ``reverie_client.options``."""

from reverie_client.options import *  # noqa: F403
