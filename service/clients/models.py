"""The former place of ``reverie_client.models``."""

from reverie_client.models import *  # noqa: F403
