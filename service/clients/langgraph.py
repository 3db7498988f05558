"""The former place of ``reverie_client.langgraph``."""

from reverie_client.langgraph import *  # noqa: F403
