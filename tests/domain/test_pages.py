"""When a page is due by its crontab, which counts the days of the week as crontabs do, from Sunday."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.domain.pages import next_time

WEDNESDAY = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("0 6 * * *", "2026-07-02 06:00"),
        ("*/30 * * * *", "2026-07-01 12:30"),
        ("0 6 * * 1", "2026-07-06 06:00"),
        ("0 6 * * 0", "2026-07-05 06:00"),
        ("0 6 * * 7", "2026-07-05 06:00"),
        ("0 6 * * 0-2", "2026-07-05 06:00"),
        ("0 6 * * 1-5/2", "2026-07-03 06:00"),
        ("0 6 * * 2,6", "2026-07-04 06:00"),
        ("0 6 * * sat", "2026-07-04 06:00"),
        ("0 6 29 2 *", "2028-02-29 06:00"),
    ],
)
def test_a_crontab_fires_next(trigger: str, expected: str) -> None:
    found = next_time(trigger, WEDNESDAY)
    assert found is not None
    assert found.strftime("%Y-%m-%d %H:%M") == expected


@pytest.mark.parametrize("trigger", ["", "never", "* * * *", "61 * * * *", "0 0 31 2 *", "0 0 * * 5-2", "0 0 * * 9"])
def test_what_is_no_crontab_or_never_fires_is_refused(trigger: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        next_time(trigger, WEDNESDAY)


@pytest.mark.parametrize("trigger", ["dream", "manual"])
def test_other_triggers_have_no_time(trigger: str) -> None:
    assert next_time(trigger, WEDNESDAY) is None
