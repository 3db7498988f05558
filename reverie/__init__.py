"""Reverie as a library: ``Reverie.local()`` and ``AsyncReverie.local()`` run it in this process. Beside them stands the
command ``reverie``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.local import AsyncReverie, Reverie

__all__ = ["AsyncReverie", "Reverie"]


def __getattr__(name: str) -> object:
    """Import the clients when they are first asked for: the command line needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'reverie' has no attribute {name!r}")
    from reverie import local

    return getattr(local, name)
