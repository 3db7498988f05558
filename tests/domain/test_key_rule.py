"""Nothing that a key makes, changes, rotates or consents to may do, cost or hold more than the key, or lives longer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import get_args
from uuid import UUID

import pytest

from service.domain.limits import LIMIT_NAMES, Limits
from service.domain.principal import KEY_SCOPES, KeyGrant, KeyRole
from service.errors import Forbidden

PAIRS = 4_000
NOW = datetime(2026, 11, 27, tzinfo=UTC)
MAKER = UUID(int=1)
FIELDS = ("role", "agent", "scopes", *(f"limits.{name}" for name in LIMIT_NAMES), "expires_at")


def random_limits(chance: Random) -> Limits:
    return Limits(**{name: chance.choice((None, None, 1, 2, 3)) for name in LIMIT_NAMES})


def random_grant(chance: Random) -> KeyGrant:
    """A key of a few values for each field, so that many pairs differ in one alone."""
    role: KeyRole = chance.choice(("admin", "admin", *get_args(KeyRole)))
    agent = None if role == "admin" else chance.choice(("ana", "ben"))
    scopes = chance.choice((None, None, frozenset(chance.sample(KEY_SCOPES, chance.randint(1, 4)))))
    expires_at = chance.choice((None, *(NOW + timedelta(days=days) for days in (1, 2, 200))))
    subject = chance.choice((None, None, "ann"))
    return KeyGrant(role, "k", agent, scopes, expires_at, random_limits(chance), subject=subject)


def abilities(grant: KeyGrant) -> set[tuple[str, ...]]:
    """What a key lets do, one by one: said again, not by the rule."""
    agents = {grant.agent} if grant.agent else {"ana", "ben", "anybody"}
    works = {"admin": {"see", "change", "administer"}, "reader": {"see as reader"}, "agent": {"see", "change"}}[
        grant.role
    ]
    if grant.role == "admin":
        works |= {"see as reader"}
    return {
        (agent, work, scope)
        for agent in agents
        for work in works
        for scope in (grant.scopes if grant.scopes is not None else {*KEY_SCOPES, "all"})
    }  # fmt: skip


def exceeds(grant: KeyGrant, most: KeyGrant) -> bool:
    """Whether a key does, costs, holds or lives more."""
    more = (
        [getattr(grant.limits, name) or 99 for name in LIMIT_NAMES],
        [getattr(most.limits, name) or 99 for name in LIMIT_NAMES],
    )
    return (
        not abilities(grant) <= abilities(most)
        or any(own > bound for own, bound in zip(*more, strict=True))
        or (grant.expires_at or datetime.max.replace(tzinfo=UTC))
        > (most.expires_at or datetime.max.replace(tzinfo=UTC))
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_pairs_are_refused_exactly_where_one_exceeds_the_other(seed: int) -> None:
    chance, let_be = Random(seed), 0
    for _ in range(PAIRS):
        most, grant = random_grant(chance), random_grant(chance)
        if chance.random() < 0.5:  # one that is the other's equal but for some fields
            grant = replace(
                most, **{name: getattr(grant, name) for name in chance.sample(("scopes", "expires_at", "limits"), 1)}
            )
        assert grant.is_within(most) is not exceeds(grant, most), (grant, most)
        let_be += grant.is_within(most)
        if not grant.is_within(most):
            with pytest.raises(Forbidden) as refused:
                grant.check_within(most)
            assert any(f"that is {field}: " in refused.value.message for field in FIELDS)
    assert PAIRS / 10 < let_be < PAIRS * 9 / 10


def test_what_random_keys_make_is_within_them_or_refused() -> None:
    chance, made_keys = Random(7), 0
    for _ in range(PAIRS):
        maker, asked = random_grant(chance), random_grant(chance)
        bound = maker.as_maker(90, NOW)
        if chance.random() < 0.5:
            asked = replace(asked, limits=Limits(), expires_at=None)
        try:
            made = asked.made_by(MAKER, bound)
        except Forbidden:
            continue
        made_keys += 1
        assert not exceeds(made, bound)
        assert (made.makers, made.subject, made.is_sign_in) == ((MAKER,), maker.subject, False)
        if maker.is_sign_in:
            assert made.expires_at is not None
            assert made.expires_at <= NOW + timedelta(days=90)
        else:
            assert not exceeds(made, maker)
        again = made.made_by(UUID(int=2), made)
        assert (again.makers, exceeds(again, made)) == ((MAKER, UUID(int=2)), False)
        assert made.as_maker(90, NOW) == made, "only the sign-in itself may make what outlives it"
    assert made_keys > PAIRS / 20


def test_what_is_left_out_is_the_makers_and_null_is_none() -> None:
    maker = KeyGrant("admin", "m", expires_at=NOW, limits=Limits(rows_max=5, dreams_max=1))
    made = KeyGrant("agent", "k", "ana", limits=Limits(dreams_max=1)).made_by(MAKER, maker)
    assert (made.limits, made.expires_at) == (maker.limits, NOW)
    with pytest.raises(Forbidden, match=r"limits\.rows_max: 5"):
        KeyGrant("admin", "k", limits=Limits(rows_max=None)).made_by(MAKER, maker)
    with pytest.raises(Forbidden, match="expires_at: 2026-11-27"):
        KeyGrant("admin", "k", expires_at=NOW + timedelta(seconds=1)).made_by(MAKER, maker)


def test_the_lowest_of_each_limit() -> None:
    lowest = Limits(rows_max=5, bytes_max=1).lowest(Limits(rows_max=3), Limits(dreams_max=2, rows_max=4))
    assert lowest == Limits(rows_max=3, bytes_max=1, dreams_max=2)
