"""What the streams of the API are asked for with, and what their lines say: events, answers, exports, imports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import httpx

from reverie_client.call import Call, Id, part
from reverie_client.calls import ask_memory
from reverie_client.errors import APIError, ConnectionFailed, ServerFailed, error_of
from reverie_client.models import AskAnswer, AskEvent, Imported, Json
from reverie_client.options import AskFields

Format = Literal["reverie", "mem0", "arkos"]
OnProgress = Callable[[int, int], None]
"""Is given how many lines are written, of how many."""
CHUNK_BYTES = 256 * 1024
IMPORT_HEADERS = {"Accept": "application/x-ndjson, application/problem+json"}
"""Of an import that says how far it is."""
EVENTS_TIMEOUT = httpx.Timeout(30.0, read=60.0)
"""Something comes every 15 s, if only to say that nothing happens."""
PAUSE_S = 1.0
INTERNAL_ERROR = 500
PASSING = frozenset({429, 502, 503, 504})


def no_progress(_done: int, _total: int) -> None:
    """Progress nobody asked for."""


class EventStream:
    """The place in the stream of events: what to ask for, and what its lines say."""

    pause_s = PAUSE_S

    def __init__(self, after: int | None, types: Sequence[str], reconnect: bool) -> None:
        self._position = after
        self._reconnect = reconnect
        self.call: Call[None] = Call("GET", "/v1/events", None, query={"types": list(types)})

    def headers(self) -> dict[str, str]:
        """Return the headers that say what has been read."""
        return {} if self._position is None else {"Last-Event-ID": str(self._position)}

    def ends_with(self, error: APIError | ConnectionFailed) -> bool:
        """Return whether a failure is the end of it: what passes is asked for again, if that is wanted."""
        return not (self._reconnect and getattr(error, "status", None) in (None, *PASSING))

    def read(self, line: str) -> dict[str, Any] | None:
        """Return the event that a line completes; None for any other. A gap is an event of the type ``gap``."""
        name, _, value = line.partition(": ")
        if name != "data":
            return None
        event: dict[str, Any] = json.loads(value)
        if "position" not in event:
            return event | {"type": "gap"}
        self._position = event["position"]
        return event


class AnswerStream:
    """The events of an answer, of lines: ``event: answer`` and then its data."""

    headers: ClassVar[dict[str, str]] = {"Content-Type": "application/json", "Accept": "text/event-stream"}

    def __init__(self) -> None:
        self._event = ""

    def read(self, line: str) -> AskEvent | None:
        """Return the event that a line completes; None for any other. Raises ServerFailed where there is no answer."""
        name, _, value = line.partition(": ")
        if name == "event":
            self._event = value
        if name != "data":
            return None
        said = json.loads(value)
        if self._event == "error":
            raise ServerFailed(INTERNAL_ERROR, said)
        given = {"memories": said["memories"]} if self._event == "memories" else {self._event: said}
        return AskEvent.model_validate({"event": self._event, **given})


def answer_call(question: str, max_tokens: int | None, agent: str | None, fields: AskFields) -> Call[AskAnswer]:
    """Return the call of a question, answered in events."""
    call = ask_memory(question, max_tokens, agent, **fields)
    return replace(call, body={**call.body, "stream": True})


def export_call(agent: str | None, include: str | None, resume_from: str | None, where: Json | None) -> Call[None]:
    """Return the call of an export, of an agent only where the call names one, whatever agent the client acts as."""
    query = {"agent": agent, "include": include, "resume_from": resume_from, "where": where}
    return Call("GET", "/v1/export", None, query=query)


def export_workspace_call(workspace: Id) -> Call[None]:
    """Return the call of an export of a whole workspace, by its id or name."""
    return Call("GET", f"/v1/workspaces/{part(workspace)}/export", None)


def import_call(format: Format, agent: str | None) -> Call[None]:
    """Return the call of an import, into an agent where one is named."""
    return Call("POST", "/v1/import", None, query={"format": format, "agent": agent})


def read_import(line: str, on_progress: OnProgress) -> Imported | None:
    """Return what a line of the answer to an import says: what was done, or how far it is. Raises APIError for a
    failure."""
    said = json.loads(line)
    if said["record"] == "imported":
        return Imported.model_validate(said)
    if said["record"] == "problem":
        raise error_of(httpx.Response(said["status"], json=said))
    on_progress(said["done"], said["total"])
    return None
