"""Every call of the API: how it is asked, and what it answers. Both clients are made of these.

``make clients`` makes the functions of new endpoints; those with a logic of their own are written by hand.
"""

from reverie_client.calls import generated, special
from reverie_client.calls.generated import *  # noqa: F403
from reverie_client.calls.special import *  # noqa: F403

MODULES = (generated, special)
