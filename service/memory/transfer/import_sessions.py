"""Settings, agents, tasks, sessions and messages of an import."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from service.db.pool import Columns
from service.domain.agents import Task
from service.domain.export_lines import AgentLine, MessageLine, SessionLine, SettingsLine, TaskLine
from service.domain.owners import with_owner
from service.errors import InvalidImportLine, InvalidInput
from service.memory.access import audit
from service.memory.access.workspace import check_days_max, check_own_types, check_profile
from service.memory.sessions.conversations import message_characters, message_columns, said_in, search_words
from service.memory.transfer.import_base import ImportTransaction, Lines, Writer, writer_of
from service.store import agents, sessions, transfer
from service.store.settings import put_settings, workspace_settings
from service.store.vectors import EmbeddingBatch


async def write_settings(writing: ImportTransaction, lines: Lines[SettingsLine]) -> None:
    """Lay the settings over those here."""
    for number, line in lines:
        if "llm" in line.settings.model_fields_set:
            raise InvalidImportLine(
                number, ("settings", "llm"), "cannot be imported: set models and keys in the settings"
            )
        present = await workspace_settings(writing.connection, writing.workspace)
        try:
            changed = present.over(line.settings.model_dump(exclude_unset=True))
        except ValueError as error:
            raise InvalidImportLine(number, ("settings",), str(error)) from error
        if changed == present:
            writing.tallies["settings"].unchanged += 1
            continue
        check_days_max(writing.principal, present, changed)
        try:
            check_profile(present, changed)
            await check_own_types(writing.connection, writing.workspace, present, changed)
        except InvalidInput as error:
            raise InvalidImportLine(number, ("settings", *error.loc[1:]), error.message) from None
        await put_settings(writing.connection, writing.workspace, changed)
        details = line.settings.model_dump(mode="json", exclude_unset=True)
        await audit.record(writing.connection, writing.principal, "settings.changed", details=details)
        writing.tallies["settings"].updated += 1


async def write_agents(writing: ImportTransaction, lines: Lines[AgentLine]) -> None:
    """Make agents, or bring those here in line with what the lines say."""
    for _, line in lines:
        present = await agents.get_agent(writing.connection, writing.workspace, line.agent)
        wanted: Columns = {
            name: getattr(line, name) for name in ("name", "prime", "settings") if name in line.model_fields_set
        }
        teams = sorted(set(line.teams)) if "teams" in line.model_fields_set else None
        if (
            present is not None
            and all(getattr(present, name) == value for name, value in wanted.items())
            and teams in (None, present.teams)
        ):
            writing.tallies["agent"].unchanged += 1
            continue
        agent_id = await writing.agent(line.agent)
        await agents.change_agent(writing.connection, writing.workspace, agent_id, wanted)
        if teams is not None:
            await agents.set_teams(writing.connection, writing.workspace, agent_id, teams)
        if present is None and line.created_at is not None:
            await writing.connection.run(
                "import_agent_times", workspace=writing.workspace, id=agent_id, created_at=line.created_at
            )
        writing.tallies["agent"].created += present is None
        writing.tallies["agent"].updated += present is not None


async def write_tasks(writing: ImportTransaction, lines: Lines[TaskLine]) -> None:
    """Let only members name these tasks: those that the lines name, beside those declared here."""
    for _, line in lines:
        present = await writing.connection.first(
            Task, "get_task", workspace=writing.workspace, task=line.task, only=None
        )
        if present is not None and present.members is not None and set(line.members) <= set(present.members):
            writing.tallies["task"].unchanged += 1
            continue
        members = [await writing.places.agent(member) for member in sorted(set(line.members))]
        task_id = await writing.places.task(line.task)
        await agents.set_members(writing.connection, writing.workspace, task_id, members, replace=False)
        changed = await writing.connection.first(
            Task, "get_task", workspace=writing.workspace, task=line.task, only=None
        )
        assert changed is not None
        details = {"members": changed.members}
        await audit.record(writing.connection, writing.principal, "task.changed", target=line.task, details=details)
        writing.tallies["task"].created += present is None
        writing.tallies["task"].updated += present is not None


async def write_sessions(writing: ImportTransaction, lines: Lines[SessionLine]) -> None:
    """Make the sessions that are not here; those that are keep their own watermarks."""
    items = [line.model_dump(exclude={"agent"}) | {"agent_id": await writing.agent(line.agent)} for _, line in lines]
    made = await transfer.add_sessions(writing.connection, writing.workspace, items, writing.now)
    writing.made_sessions.update(made)
    writing.count("session", lines, len(made))


async def write_messages(writing: ImportTransaction, lines: Lines[MessageLine]) -> None:
    """Write the messages that are not here; a message is never rewritten."""
    messages = [line for _, line in lines]
    columns = await writing.executor.each(
        lambda line: message_columns(line, line.user, line.id), messages, message_characters
    )
    places = [
        await writing.places.session(await writing.agent(line.agent), line.session, line.user) for line in messages
    ]
    owners = await _owners(writing, messages, places)
    items: list[Columns] = [
        {**of_line, "seq": line.seq, "session_id": place, "owners": own}
        for line, of_line, place, own in zip(messages, columns, places, owners, strict=True)
    ]
    made = await transfer.add_messages(
        writing.connection, writing.workspace, items, writing.principal.key_id, writing.now
    )
    words = await search_words(writing.executor, said_in(zip(columns, messages, strict=True)))
    await sessions.index_messages(
        writing.connection, writing.workspace, words, EmbeddingBatch(None, [None] * len(words))
    )
    changed = list({item["session_id"] for item in items})
    await writing.connection.run("update_session_counters", workspace=writing.workspace, ids=changed, made=())
    writing.count("message", lines, made)


async def _owners(
    writing: ImportTransaction, lines: Sequence[MessageLine], places: Sequence[UUID]
) -> list[Sequence[str]]:
    """Return the owners of messages; of those that name none, the members of their session, who join as they speak."""
    rows = await writing.connection.fetch("session_members", workspace=writing.workspace, ids=list(set(places)))
    before = {row["id"]: row["members"] for row in rows}
    members: dict[UUID, list[str]] = dict(before)
    owners: list[Sequence[str]] = []
    for line, place in zip(lines, places, strict=True):
        members[place] = with_owner(members[place], line.user)
        owners.append(members[place] if line.owners is None else line.owners)
    joined = [{"id": id_, "members": now} for id_, now in members.items() if now != before[id_]]
    await writing.connection.run("join_sessions", workspace=writing.workspace, items=joined)
    return owners


SESSION_WRITERS: dict[str, Writer] = {
    "settings": writer_of(SettingsLine, write_settings),
    "agent": writer_of(AgentLine, write_agents),
    "task": writer_of(TaskLine, write_tasks),
    "session": writer_of(SessionLine, write_sessions),
    "message": writer_of(MessageLine, write_messages),
}
