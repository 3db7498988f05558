"""How much of one kind of long request is served at once."""

from __future__ import annotations

from contextlib import ExitStack
from uuid import UUID, uuid4

import pytest

from service.concurrency.limit import Bounds, ConcurrencyLimit
from service.domain.principal import Principal
from service.errors import RateLimited, Unavailable

WORKSPACE, OTHER = uuid4(), uuid4()


def key(workspace: UUID = WORKSPACE) -> Principal:
    return Principal(workspace, uuid4(), "reader", None)


def test_a_key_a_workspace_and_a_process_have_bounds_and_get_back_what_they_free() -> None:
    limit = ConcurrencyLimit("streams", Bounds(per_key=2, per_workspace=3, per_process=4))
    one, two, three = key(), key(), key(OTHER)
    with ExitStack() as held:
        held.enter_context(limit.slot(one))
        with limit.slot(one), pytest.raises(RateLimited, match="This key has 2 streams open already"), limit.slot(one):
            pass
        held.enter_context(limit.slot(one))
        held.enter_context(limit.slot(two))
        with pytest.raises(RateLimited, match="This workspace has 3 streams open already"), limit.slot(two):
            pass
        held.enter_context(limit.slot(three))
        with pytest.raises(Unavailable, match="This process has 4 streams open already") as refused, limit.slot(three):
            pass
        assert refused.value.retry_after_s > 0
    for _ in range(10):
        with limit.slot(one), limit.slot(two), limit.slot(three):
            pass


def test_a_request_that_fails_frees_its_slot() -> None:
    limit = ConcurrencyLimit("streams", Bounds(per_key=1, per_workspace=1, per_process=1))
    one = key()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), limit.slot(one):
            raise ZeroDivisionError
