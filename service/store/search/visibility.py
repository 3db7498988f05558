"""Why a search for one reader passes over a row."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from service.db.pool import Connection
from service.store.search.filters import CONDITIONS
from service.store.search.plan import KINDS, SearchFlags, SearchPlan

FIELDS = {
    "viewer": "user",
    "user": "about",
    "tags_any": "tags",
    "tags_all": "tags",
    "session_id": "session",
    "task_id": "task",
    "created_since": "retrieval.days_max",
}
"""The fields of a request, and the setting, that set conditions of other names."""
VALUES = (
    "workspace", "audiences", "kinds", "as_of", "now", "undecayed_since", "decay_days", "faded_below",
    *(name for name in CONDITIONS if name not in ("undreamed", "where")), "where_values",
)  # fmt: skip
"""The values of a plan that decide whether a row is visible."""
NOTHING = SearchFlags(conditions=dict.fromkeys(CONDITIONS, False), unfaded=False)
"""Of a search without any condition."""


async def hidden_by(connection: Connection, plan: SearchPlan, memory: UUID) -> list[str]:
    """Return the fields of the request, or the states of the memory, that keep it out of the rows that are compared.

    States are ``deleted``, ``superseded``, ``expired``, ``later`` (valid only after ``as_of``), ``audience`` (the agent
    may not read it) and ``unindexed``. Empty for a row that is compared.
    """
    if KINDS["memories"] not in plan.values["kinds"]:
        return ["include"]
    if not await _is_visible(connection, plan, memory, NOTHING):
        return await _states(connection, plan, memory)
    given = {name: is_set for name, is_set in plan.flags.conditions.items() if is_set}
    alone = {
        FIELDS.get(name, name): replace(NOTHING, conditions={**NOTHING.conditions, name: is_set})
        for name, is_set in given.items()
    }
    if plan.flags.unfaded:
        alone["include_faded"] = replace(NOTHING, unfaded=True)
    if plan.flags.without_summaries:
        alone["include"] = replace(NOTHING, without_summaries=True)
    return [field for field, flags in alone.items() if not await _is_visible(connection, plan, memory, flags)]


async def _states(connection: Connection, plan: SearchPlan, memory: UUID) -> list[str]:
    values = {name: plan.values[name] for name in ("workspace", "audiences", "as_of")}
    state = await connection.row("row_state", **values, id=memory)
    if state is None:
        return ["unindexed"]
    return ["audience" if name == "of_other_audience" else name for name, is_so in state.items() if is_so]


async def _is_visible(connection: Connection, plan: SearchPlan, memory: UUID, flags: SearchFlags) -> bool:
    values = {name: plan.values[name] for name in VALUES}
    return bool(await connection.fetch("visible_id", flags.as_dict(), **values, id=memory))
