"""Every function that takes a text, found by its signature, and made callable with the text alone.

That is each function with a parameter of a name in ``TEXTS`` and an annotation in ``KINDS``: public ones everywhere,
private ones where use cases live (elsewhere they are called by public ones that take a text), and methods of what
reads texts for a living. What takes a text inside of something else is written out in ``WRAPPED``.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from service.domain.bulletin import BulletinInput
from service.domain.field_types import reject_unstorable_json
from service.domain.folding import SHARES, Note, note, note_lines
from service.domain.memory import Memory
from service.domain.session import Message
from service.domain.types import MemoryType
from service.embedding.sources import StaticEmbedder
from service.errors import ReverieError
from service.extraction import prompt_injection
from service.extraction.candidates import Turn
from service.extraction.conclusions import question_in, taste_in
from service.extraction.english import claims
from service.extraction.english.intentions import is_instruction
from service.extraction.languages.german import GERMAN
from service.extraction.rules import extract
from service.memory import bulletin
from service.memory.prompts import Notes
from service.memory.search import assembly
from service.memory.sessions import compaction, summarize
from service.memory.transfer import parse
from service.privacy.recognizers import PatternFinder
from service.privacy.redactor import PiiPolicy, Redactor
from service.proxy import wire_formats
from service.proxy.wire_formats import MessageStream, ResponseStream, StreamParser
from service.store.dreams import Lease
from tests.patterns.compiled import modules
from tests.patterns.work import Run
from worker.dreaming.gather import SavedMemory
from worker.dreaming.linking import spellings
from worker.dreaming.readings import read

TEXTS = frozenset(
    """a address after answer b before body clause content contents data event gist line lines message outside
    piece question query quote raw rest run sentence sentences summary text texts value word words
    written""".split()  # noqa: SIM905
)
KINDS = frozenset(
    {"str", "str | None", "Sequence[str]", "Iterable[str]", "list[str]", "bytes", "object", "Any", "JsonValue"}
)
PUBLIC = (
    "service.domain", "service.embedding", "service.extraction", "service.llm", "service.privacy", "service.store",
    "service.proxy", "service.memory", "service.studio", "worker",
)  # fmt: skip
PRIVATE = ("service.memory", "service.proxy", "service.studio")
METHODS: dict[str, Callable[[], Any]] = {
    "service.embedding.sources.StaticEmbedder": StaticEmbedder.open,
    "service.privacy.recognizers.PatternFinder": PatternFinder,
    "service.privacy.redactor.Redactor": Redactor,
    "service.proxy.wire_formats.StreamParser": StreamParser,
    "service.proxy.wire_formats.ResponseStream": ResponseStream,
    "service.proxy.wire_formats.MessageStream": MessageStream,
}
"""Classes whose methods count, and how one of them is made."""

EXCLUDED = {
    "worker.dreaming.readings.read": "takes a memory as well: see WRAPPED",
    "service.memory.dreams.runs._refuse": "raises with a message of its own",
    "service.domain.events.signature": "signs bytes of its own making",
    "service.embedding.sources.names_a_folder": "takes a setting",
    "service.domain.setting.setting": "takes sentences of the code",
    "service.memory.search.assembly._section": "takes a section's lines, as _cost counted them: see WRAPPED",
    "service.memory.sessions.compaction._summary_by_rules": "takes a window: see WRAPPED",
    "service.memory.sessions.compaction._summary": "takes a window: see WRAPPED",
    "service.memory.sessions.summarize._fold_by_rules": "takes rows as well: see WRAPPED",
    "service.domain.naming.with_names": "takes a function as well, and names, whose length is bounded",
    "service.memory.saving.idempotency._sealed": "encrypts an answer of its own making",
    "service.memory.transfer.importing._texts": "picks fields out of a record",
    "service.privacy.redactor.Redactor._apply": "called by _apply_json with the same text",
    "service.privacy.redactor.Redactor._findings": "called by _apply_json with the same text",
    "service.privacy.redactor.Redactor._find": "called by _findings_in with as long a text",
    "service.privacy.patterns.blank": "takes a pattern as well, each of which is tested by itself",
    "service.proxy.wire_formats.text_in": "picks a field out of a record",
    "service.proxy.upstream._refusal": "takes an error of its own making",
}

FORGOTTEN: tuple[Callable[[], None], ...] = (
    claims._matched.cache_clear, is_instruction.cache_clear, prompt_injection._kinds._items.clear,
)  # fmt: skip
"""Empty what keeps the answers to texts, which a second try would only look up."""

_REDACTOR = Redactor()
_POLICY = PiiPolicy("redact", secrets="redact")
_NOW = datetime(2024, 5, 8, tzinfo=UTC)
_ID = UUID(int=1)
FILLED: dict[str, Any] = {
    "owners": (),
    "label": "[unverified: tool] ",
    "about": None, "addresses": ["https://a.example/b"], "ahead": True, "allowed": ["m"], "alone": True, "at": _NOW,
    "by": None, "said": [(None, "Ann")],
    "breaks": GERMAN.clauses, "characters_max": 600,
    "check": lambda _: None, "count": len, "default": "english", "dream_id": _ID, "end": 5,
    "entities": Redactor().entities, "given": "x", "gone": frozenset({"x"}), "hearsay_by": None, "preposition": "on",
    "happens": True, "start": 0, "found": [], "slot": "ann/marital_status",
    "kind": "EMAIL_ADDRESS", "own_model": None, "owner": "Ann",
    "id_": _ID, "index": 0, "key": None, "lead": "", "memory": {}, "name": "Ann", "named": ["x"], "now": _NOW,
    "lease": Lease(_ID, _ID, 1, None, 0, 0, scheduled=False, owners=[]),
    "notes": [Note("x", [], _NOW)], "number": 1, "occurred_at": None, "ordinal": 1, "overlap_tokens": 50,
    "path": "/", "people": ["Ann"], "placement": "system", "policy": _POLICY, "reading": {}, "role": "user", "rows": [],
    "schema": Notes, "secret": "x", "so_far": None, "speaker": "Ann",
    "data_schema": {"enum": ["x"], "minLength": 1}, "title": "Trees", "tokens_max": 100, "type_": MemoryType.FACT,
    "user": None, "wanted": ["x"], "sources": ["Ann is here."], "subject": "Ann", "mentions": [],
    "agent": "a", "session": "s", "wire": "chat",
    "policy_type": "preference", "table": "memories", "tags": ("garden",), "types": {},
    "language": GERMAN, "past": False, "spoken_at": _NOW,
}  # fmt: skip
"""What the other parameters are given, by name."""


def _turn(text: str, speaker: str | None = None) -> Turn:
    return Turn(_ID, "s", 1, "user", text, _NOW, speaker)


def _known(text: str) -> BulletinInput:
    return BulletinInput(_ID, "fact", text, 0.5, None, None, "api", None, None, 0.5, _NOW)


def _old(text: str) -> summarize.Foldable:
    values = dict.fromkeys(Memory.__slots__) | {"content": text, "created_at": _NOW}
    return summarize.Foldable(Memory(**values), len(text) // 4)


def _window(text: str) -> object:
    message = Message(_ID, 1, "user", text, None, None, None, 1, _NOW)
    fold = compaction._Fold(compaction._Session(_ID, _ID, "s", "ann", 1), [message])
    return compaction._summary_by_rules(fold, [text])


def _assembled(text: str) -> object:
    entries = [assembly.Entry(str(number), text) for number in range(3)]
    material = assembly.ContextInput({"memories": entries, "tools": entries, "bulletin": entries})
    return assembly.assemble(material, assembly.Shares(), 1_000)


WRAPPED: dict[str, Run] = {
    "extract, from a turn": lambda text: extract([_turn(text)]),
    "extract, from a turn in German": lambda text: extract([_turn(f"Ich mag das nicht. {text}")]),
    "extract, from a turn in French": lambda text: extract([_turn(f"Je n'aime pas ça. {text}")]),
    "extract, from a turn in Spanish": lambda text: extract([_turn(f"No me gusta eso. Ya no vivo aquí. {text}")]),
    "extract, from a turn in Chinese": lambda text: extract([_turn("我不喜欢这个。" * 40 + text)]),
    "extract, from an answer": lambda text: extract([_turn("I am fine.")], before=_turn(text, "Bo")),
    "a saved memory": lambda text: read(
        SavedMemory(_ID, 1, _ID, f"Ann likes {text}", "Ann", None), f"Ann likes {text}"
    ),
    "a saved memory that spells names": lambda text: list(spellings(text)),
    "a taste": lambda text: taste_in(f"Ann likes {text}", "Ann"),
    "an open question": lambda text: question_in(f"Ann is thinking about {text}", "Ann"),
    "storable_json": lambda text: reject_unstorable_json({"a": [text, {text[:100]: text.split()}]}),
    "window's summary": _window,
    "a memory folded": lambda text: note_lines([note(text, _NOW, None)] * 2, SHARES[0]),
    "memories folded": lambda text: summarize._fold_by_rules([_old(text), _old(text)], [text, text], [None, "Ann"], 1),
    "bulletin": lambda text: bulletin.compose("ann", [_known(text)], 1_000),
    "context": _assembled,
    "new turns": lambda text: wire_formats.new_turns(
        [{"role": "user", "content": [{"text": text}]}], {"content": text}
    ),
    "redacted JSON": lambda text: _REDACTOR._apply_json({text[:200]: [text]}, _POLICY, ""),
    "a Mem0 file": lambda text: list(parse._items(io.BytesIO(text.encode("utf-8", "replace")))),
    "a Mem0 file's list": lambda text: list(
        parse._items(io.BytesIO(f'{{"results": [{text}'.encode("utf-8", "replace")))
    ),
    "a chat completion": lambda text: wire_formats.CHAT_COMPLETIONS.answer_in(
        orjson.dumps({"choices": [{"message": {"content": text}}]})
    ),
    "a response": lambda text: wire_formats.RESPONSES.answer_in(
        orjson.dumps({"output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]})
    ),
    "a message": lambda text: wire_formats.MESSAGES.answer_in(
        orjson.dumps({"content": [{"type": "text", "text": text}]})
    ),
    "a request for a response": lambda text: wire_formats.RESPONSES.conversation({"input": text, "conversation": text}),
    "a request for a message": lambda text: wire_formats.MESSAGES.conversation(
        {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}], "metadata": {"user_id": text}}
    ),
}
"""Functions that take a text inside of something else."""


class Taker(NamedTuple):
    """A function that takes a text; ``run`` calls it with one."""

    name: str
    run: Run


class Unfilled(Exception):
    """A function has a parameter that neither takes a text nor is filled."""


@cache
def takers() -> list[Taker]:
    """All of them but the excluded. Raises Unfilled."""
    found = [Taker(name, _runner(name, function)) for name, function in taking() if name not in EXCLUDED]
    return [*found, *(Taker(name, _refusing(run)) for name, run in WRAPPED.items())]


def taking() -> Iterator[tuple[str, FunctionType]]:
    """Names and functions, the excluded among them."""
    for module in modules():
        if not module.__name__.startswith(PUBLIC):
            continue
        for name, one in vars(module).items():
            if getattr(one, "__module__", None) != module.__name__:
                continue
            where = f"{module.__name__}.{name}"
            if isinstance(one, FunctionType) and (not name.startswith("_") or where.startswith(PRIVATE)):
                yield from [(where, one)] if _takes_a_text(one) else []
            elif where in METHODS:
                methods = ((f"{where}.{method}", function) for method, function in vars(one).items())
                yield from (each for each in methods if isinstance(each[1], FunctionType) and _takes_a_text(each[1]))


def _takes_a_text(function: FunctionType) -> bool:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return False
    return any(_is_text(parameter) for parameter in inspect.signature(function).parameters.values())


def _is_text(parameter: inspect.Parameter) -> bool:
    return parameter.name in TEXTS and str(parameter.annotation) in KINDS


def _runner(name: str, function: FunctionType) -> Run:
    owner = METHODS.get(name.rpartition(".")[0])
    bound: Callable[..., Any] = function if owner is None else function.__get__(owner())
    given: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for parameter in inspect.signature(bound).parameters.values():
        if _is_text(parameter):
            texts[parameter.name] = str(parameter.annotation)
        elif parameter.name in FILLED and parameter.default is parameter.empty:
            given[parameter.name] = FILLED[parameter.name]
        elif parameter.default is parameter.empty:
            raise Unfilled(f"{name}: {parameter}")

    def run(text: str) -> None:
        found = bound(**given, **{one: _as(text, kind) for one, kind in texts.items()})
        if inspect.isgenerator(found):
            for _ in found:
                pass

    return _refusing(run)


def _refusing(run: Run) -> Run:
    """A refusal is an answer as well; no answer to a text is kept for the next try with it."""

    def answered(text: str) -> None:
        for forget in FORGOTTEN:
            forget()
        with suppress(ValueError, TypeError, KeyError, ReverieError):
            run(text)

    return answered


def _as(text: str, kind: str) -> Any:
    if kind == "bytes":
        return text.encode("utf-8", "replace")
    return [text, *text.split()] if "[" in kind else text
