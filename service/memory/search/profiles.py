"""Users whom the caller's memories are about, and what holds about one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make_all
from service.domain import cursors
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.domain.profile import Known, Profile, ProfileField, User, profile_of, version_of
from service.domain.profile_diff import ProfileDiff, diff_of
from service.domain.profile_schema import Filled, profile_by_schema
from service.errors import InvalidInput, NotFound
from service.memory.access.workspace import get_settings
from service.memory.counters import ReadCounter
from service.memory.saving.lifecycle import resolve_reader
from service.runtime import Runtime
from service.store.agents import Reader

MEMORIES_MAX = 200
"""Of each type that are read for a profile, the newest. ``ix_memories_user`` finds them in 12 ms, not 150, of
100,000."""
TYPES = ("identity", "fact", "preference", "goal", "event")


async def list_users(
    runtime: Runtime, principal: Principal, agent: str | None, text: str | None, *, limit: int, cursor: str | None
) -> tuple[list[User], str | None]:
    """Return a page of users by name, and the cursor of the next; an unknown agent has none."""
    (after,) = cursors.decode(cursor, str)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        try:
            reader = await resolve_reader(connection, principal, agent)
        except NotFound:
            return [], None
        rows = await connection.fetch(
            "list_users", workspace=principal.workspace_id, text=text, after=after, limit=limit + 1, now=runtime.now(),
            **_of(reader),
        )  # fmt: skip
    rows, more = cursors.paginate(rows, limit, "user")
    runtime.part(ReadCounter).note(principal, "users", [principal.reader_agent(agent)])
    return make_all(User, rows), more


async def get_profile(
    runtime: Runtime, principal: Principal, agent: str | None, user: str, as_of: datetime | None
) -> Profile:
    """Return the profile of a user, of now or of a moment in the past; empty for one of whom nothing is known.

    Raises NotFound for an agent nobody has heard of.
    """
    moment = as_of or runtime.now()
    (fields,) = await _profiles(runtime, principal, agent, user, [(moment, as_of is not None)])
    return Profile(user=user, fields=fields, version=version_of(fields), as_of=moment)


async def diff_profile(
    runtime: Runtime, principal: Principal, agent: str | None, user: str, since: datetime, until: datetime | None
) -> ProfileDiff:
    """Return what changed in the profile of a user between two moments, the later of them now where it is None.

    Raises InvalidInput for moments in the wrong order, and NotFound for an agent nobody has heard of.
    """
    end = until or runtime.now()
    if since > end:
        raise InvalidInput(("query", "from"), "must not be after `to`")
    then, now = await _profiles(runtime, principal, agent, user, [(since, True), (end, until is not None)])
    characters = sum(len(str(one.value)) for one in (*then, *now))
    changes = await runtime.executor.run(diff_of, then, now, characters=characters)
    return {
        "user": user, "from": since, "to": end, "from_version": version_of(then), "to_version": version_of(now),
        "changes": changes,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProfileSources:
    """Sources of a profile: memories, and what a model filled the fields of the workspace's ``schema`` with."""

    known: Sequence[Known] = ()
    filled: Sequence[Filled] = ()
    schema: JsonObject | None = None


async def _profiles(
    runtime: Runtime, principal: Principal, agent: str | None, user: str, moments: Sequence[tuple[datetime, bool]]
) -> list[list[ProfileField]]:
    """Return the profiles of a user at these moments, each with whether it is past."""
    schema = (await get_settings(runtime, principal)).profile_schema
    workspace, found, agents = principal.workspace_id, [], set[str | None]()
    async with runtime.db.transaction(workspace) as connection:
        reader = await resolve_reader(connection, principal, agent)
        for moment, past in moments:
            sources, of = await _sources(connection, workspace, reader, user, moment, schema, past=past)
            found.append(sources)
            agents |= of
    runtime.part(ReadCounter).note(principal, "profile", [principal.reader_agent(agent), *agents])
    return [await _profile(runtime, user, sources, at) for sources, (at, _) in zip(found, moments, strict=True)]


async def _sources(
    connection: Connection, workspace: UUID, reader: Reader | None, user: str, moment: datetime,
    schema: JsonObject | None, *, past: bool = False, in_scope: bool = False,
) -> tuple[ProfileSources, set[str]]:  # fmt: skip
    """Return what a profile is made of, and the agents that it is of: what is remembered of the user, and where there
    is a ``schema`` the values that models have given its fields and that their memories bear out. With ``past`` as it
    was then, and ``in_scope`` only what may be used in the reader's session and task, of origins that need no label."""
    origins = list(reader.settings.origins.allowed) if reader and in_scope else None
    values = {
        "workspace": workspace, "user": user, "as_of": moment, "limit": MEMORIES_MAX, "origins": origins,
        **_of(reader, in_scope=in_scope),
    }  # fmt: skip
    rows = await connection.fetch(
        "profile_memories", {"past": past}, types=list(TYPES),
        openings=[_opening(f"{user}'s"), _opening(f"{user}’s")], **values,
    )  # fmt: skip
    known, agents = make_all(Known, rows), {row["agent"] for row in rows}
    if schema is None:
        return ProfileSources(known), agents
    rows = await connection.fetch("profile_fields", {"past": past}, **values)
    filled = [
        Filled(row["field"], row["value"], tuple(UUID(one["id"]) for one in row["evidence"]), row["since"])
        for row in rows
    ]
    return ProfileSources(known, filled, schema), agents | {row["agent"] for row in rows}


def _opening(words: str) -> str:
    """Return a pattern for texts that open so."""
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{escaped} %"


def _of(reader: Reader | None, *, in_scope: bool = False) -> dict[str, object]:
    return {
        "workspace_wide": reader is None,
        "agent_id": reader.agent_id if reader and not in_scope else None,
        "audiences": reader.audiences if reader else [],
    }


async def sources_in_scope(
    connection: Connection, workspace: UUID, reader: Reader, user: str, now: datetime
) -> ProfileSources:
    """Return what is remembered of a user and may be used in the reader's session and task."""
    schema = reader.settings.profile_schema
    sources, _ = await _sources(connection, workspace, reader, user, now, schema, in_scope=True)
    return sources


async def standing_profile(runtime: Runtime, user: str, sources: ProfileSources) -> list[ProfileField]:
    """Return what a context tells of the speaker: who they are and what they like; no goals and events, which it has by
    itself where they matter."""
    fields = await _profile(runtime, user, sources, runtime.now())
    return [one for one in fields if one.group in ("static", "preferences")]


async def _profile(runtime: Runtime, user: str, sources: ProfileSources, moment: datetime) -> list[ProfileField]:
    characters = sum(len(one.content) for one in sources.known)
    if sources.schema is None:
        return await runtime.executor.run(profile_of, user, sources.known, moment, characters=characters)
    return await runtime.executor.run(
        profile_by_schema, user, sources.known, sources.filled, moment, sources.schema,
        characters=characters + sum(len(str(one.value)) for one in sources.filled),
    )  # fmt: skip
