"""``ChatMemory``: what a chat loop needs of a memory, in four methods that never raise.

A failure is logged and answered by ``False``, ``[]`` or an empty message, so that the conversation goes on.
``add_memory`` returns when the server has acknowledged the turn: what it makes of it later, it makes on its own, and a
process that ends right after loses nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from reverie_client.address import service_url
from reverie_client.errors import ReverieClientError
from reverie_client.models import MessageRecord
from reverie_client.options import MemoryFields, MessageDraft, SearchOptions
from reverie_client.reverie import Reverie

log = logging.getLogger(__name__)

HEADING = "retrieved memories:"
QUERY_TURNS = 2
"""How many of the last turns of a context are searched with."""
QUERY_MAX = 8_000
PAGE_MAX = 200
SYSTEM = "system"
NOTE_MAX = 1_000
"""Characters; a longer message of the system is a prompt, and none to be remembered."""
KNOWN_MAX = 10
FOUND_MAX = 100
QUESTION_MARKS = ("?", "？", "؟")
NOT_FOUND = 404


class Message(BaseModel):
    """One turn."""

    content: str | None = None
    role: str


class SystemMessage(Message):
    """A turn of the system."""

    role: str = SYSTEM


class UserMessage(Message):
    """A turn of the user."""

    role: str = "user"


class AIMessage(Message):
    """A turn of the model; ``content`` may be None where it only calls tools."""

    role: str = "assistant"
    tool_calls: Any = None


class ToolMessage(Message):
    """What a tool answered."""

    role: str = "tool"
    tool_calls: Any = None


CLASSES: dict[str, Any] = {
    SYSTEM: SystemMessage,
    "user": UserMessage,
    "assistant": AIMessage,
    "tool": ToolMessage,
}


class ChatMemory:
    """The memory of one user's conversations. Each user is an agent of its own unless ``agent`` says otherwise."""

    def __init__(
        self,
        user_id: str,
        session_id: str | None = None,
        url: str | None = None,
        api_key: str | None = None,
        use_long_term: bool = True,
        *,
        db_url: str | None = None,
        agent: str | None = None,
        timeout_s: float = 10.0,
        retries: int = 2,
    ) -> None:
        """``url`` and ``api_key`` are REVERIE_URL and REVERIE_API_KEY of the environment where they are left out;
        without ``session_id`` a new one is made.

        ``use_long_term=False`` keeps and gives back turns only: no call embeds anything or asks a model, no search
        finds the turns, and no dream makes memories of them. ``db_url`` is another name of ``url``, for callers of
        ARKOS' class: with the address of a Postgres the service runs in this process. Raises ValueError for any other
        address, and ConnectionFailed for a database that cannot be opened.
        """
        url = service_url(url) if db_url is None else service_url(db_url, "db_url")
        self.user_id = user_id
        self.session_id = session_id or str(uuid4())
        self.use_long_term = use_long_term
        self.agent = agent or user_id
        self._client = Reverie(
            url, api_key, agent=self.agent, user=user_id, timeout_s=timeout_s, retries=retries, for_prompt=True
        )

    def add_memory(self, message: Message) -> bool:
        """Keep a turn. True once the server has it for good."""
        try:
            self._client.append_messages(
                self.session_id, [_draft(message)], user=self.user_id, searchable=self.use_long_term
            )
            if self.use_long_term and message.role == SYSTEM and message.content:
                self._keep_note(message.content)
        except (ReverieClientError, ValueError) as error:
            log.error("add_memory: %s", error)
            return False
        return True

    def _keep_note(self, note: str) -> None:
        """Save what the application notes about the user: searches and dreams leave out turns of the system."""
        if len(note) > NOTE_MAX:
            return
        fields = MemoryFields(user=self.user_id, hearsay_by=SYSTEM, source={"kind": SYSTEM, "session": self.session_id})
        self._client.save_memory("observation", note, **fields)

    def retrieve_short_memory(self, turns: int) -> list[Message]:
        """Return the last turns of the session, oldest first."""
        if turns <= 0:
            return []
        try:
            newest: list[Message] = []
            for record in self._client.list_messages(self.session_id, order="desc", limit=min(turns, PAGE_MAX)):
                newest.append(_message(record))
                if len(newest) == turns:
                    break
        except (ReverieClientError, ValueError) as error:
            if getattr(error, "status", None) != NOT_FOUND:
                log.error("retrieve_short_memory: %s", error)
            return []
        return newest[::-1]

    def retrieve_long_memory(
        self, context: Sequence[Message] | None = None, limit: int = KNOWN_MAX, *, mem0_limit: int | None = None
    ) -> SystemMessage:
        """Return what is known that bears on the last turns of ``context``: one system message, empty when nothing
        does.

        What the context says itself is in it only where nothing else is known. ``mem0_limit`` is another name of
        ``limit``, for callers of ARKOS' class.
        """
        context = context or ()
        lines, repeated = self._known(context, limit if mem0_limit is None else mem0_limit)
        return _as_memories(lines or repeated)

    def _known(self, context: Sequence[Message], limit: int) -> tuple[list[str], list[str]]:
        """At most ``limit`` lines of what is known, and, apart, those statements that ``context`` has as well."""
        query = " ".join(message.content for message in context[-QUERY_TURNS:] if message.content).strip()
        if not self.use_long_term or not query or limit <= 0:
            return [], []
        try:
            options = SearchOptions(limit=min(2 * limit, FOUND_MAX), include=["memories", "messages"])
            answer = self._client.search_memories(query[:QUERY_MAX], **options)
        except (ReverieClientError, ValueError) as error:
            log.error("retrieve_long_memory: %s", error)
            return [], []
        said = {message.content for message in context}
        lines, repeated = [], []
        for result in answer.results:
            words = result.text
            elsewhere = result.message is not None and result.message.session != self.session_id
            if words and (words not in said or elsewhere):
                lines.append(result.line)
            elif words and not words.rstrip().endswith(QUESTION_MARKS):
                repeated.append(result.line)
        return lines[:limit], repeated[:limit]

    def get_context(self, turns: int = 5, include_long_term: bool = True) -> list[Message]:
        """Return what goes to the model: what is known, if anything, then the last turns."""
        recent = self.retrieve_short_memory(turns)
        if not include_long_term:
            return recent
        lines, _ = self._known(recent, KNOWN_MAX)
        return [_as_memories(lines), *recent] if lines else recent

    def start_new_session(self) -> str:
        """Begin another conversation; its id. Its window is empty, what is known stays.

        The server is asked, without waiting for it, to make memories of what was said so far.
        """
        if self.use_long_term:
            try:
                self._client.request_dream(self.agent)
            except ReverieClientError as error:
                log.error("start_new_session: %s", error)
        self.session_id = str(uuid4())
        return self.session_id

    def serialize(self, message: Message) -> str:
        """Return a message as text; its role is kept beside it."""
        return message.model_dump_json()

    def deserialize(self, message: str, role: str) -> Message:
        """Return the message of a text. Raises ValueError for a role that is none, or a text that is no such
        message."""
        if role not in CLASSES:
            raise ValueError(f"unknown role: {role}")
        try:
            return cast(Message, CLASSES[role].model_validate_json(message))
        except ValidationError as error:
            raise ValueError(f"not a message: {error}") from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _as_memories(lines: list[str]) -> SystemMessage:
    return SystemMessage(content="\n".join([HEADING, *lines]) if lines else "")


def _draft(message: Message) -> MessageDraft:
    if message.role not in CLASSES:
        raise ValueError(f"unknown role: {message.role}")
    calls = getattr(message, "tool_calls", None)
    content: Any = message.content or ""
    return MessageDraft(
        role=message.role,  # type: ignore[typeddict-item]
        content=content if calls is None else {"content": message.content, "tool_calls": calls},
    )


def _message(record: MessageRecord) -> Message:
    content = record.content
    if isinstance(content, dict) and content.keys() == {"content", "tool_calls"}:
        return cast(Message, CLASSES[record.role](**content))
    return cast(Message, CLASSES[record.role](content=content if isinstance(content, str) else json.dumps(content)))
