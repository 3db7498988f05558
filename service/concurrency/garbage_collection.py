"""What garbage collections need not look through: modules, and what else stays for as long as the process."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def freeze_heap() -> None:
    """Leave what is in memory now out of all collections to come: after start, and after large imports.

    A full collection goes through all of it, some 0.1 s for the half a million objects of the API, and stops every
    thread. Parsing one large JSON body may cause several: 285 ms for one of many lists, 31 ms since they are left out.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def paused_for_imports() -> Iterator[None]:
    """Pause collection in the block, which imports a program, and what it imports is left out of those to come.

    They would find next to nothing, again and again: a fifth of the processor time that the API takes to start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
