"""What the API answers. Answers may carry more fields than are named here."""

from reverie_client.models.answers import *  # noqa: F403
from reverie_client.models.base import *  # noqa: F403
from reverie_client.models.events import *  # noqa: F403
