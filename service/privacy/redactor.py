"""Masks or refuses personal data in texts and JSON values, before anything else sees them (row P1).

presidio and spaCy take about a second to import, so nothing heavy is loaded before the first use or ``warm()``.
All work runs on the redactor's own threads, and nothing ever reaches the network. What cannot be checked is not
written: every failure is :class:`RedactorUnavailable`. No error carries the text it is about.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from service.errors import ReverieError
from service.privacy.folding import fold
from service.privacy.patterns import BARRIER, blank

if TYPE_CHECKING:
    from service.privacy.recognizers import Finding, NameFinder, PatternFinder

# In the order of precedence: where two kinds claim one span with equal right, the first names it.
DEFAULT_ENTITIES = ("EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS", "PHONE_NUMBER")
NAME_ENTITIES = ("PERSON", "LOCATION")
_ENTITIES = (*DEFAULT_ENTITIES, *NAME_ENTITIES)
_MODELS = ("en_core_web_lg", "en_core_web_md", "en_core_web_sm")

_PLACEHOLDER = re.compile(f"<(?:{'|'.join(_ENTITIES)})>")
_PIECE = re.compile(rf"[^{BARRIER}]*[^\W{BARRIER}][^{BARRIER}]*")  # of a name around a placeholder
_PASSES_MAX = 8
_THREADS = 2
_SHORTEST_NUMBER = 7

T = TypeVar("T")


class PiiRejected(ReverieError):
    """The text holds personal data, which this workspace refuses."""

    def __init__(self, entities: Sequence[str], index: int) -> None:
        super().__init__(f"Personal data is refused in this workspace; found {', '.join(entities)}.")
        self.entities = tuple(entities)
        self.index = index


class RedactorUnavailable(ReverieError):
    """Personal data could not be checked for, so nothing was written."""


@dataclass(frozen=True, slots=True)
class PiiPolicy:
    """What a workspace does with personal data, and which kinds of it. Unknown modes and kinds are a ``ValueError``."""

    mode: Literal["off", "redact", "reject"]
    entities: tuple[str, ...] = DEFAULT_ENTITIES

    def __post_init__(self) -> None:
        if self.mode not in ("off", "redact", "reject"):
            raise ValueError(f"unknown mode: {self.mode}")
        if unknown := set(self.entities) - set(_ENTITIES):
            raise ValueError(f"unknown entities: {', '.join(sorted(unknown))}")


@dataclass(frozen=True, slots=True)
class Redaction:
    """``text`` after the policy, and the kinds of data ``found`` in it, in the order of ``DEFAULT_ENTITIES``."""

    text: str
    found: tuple[str, ...] = ()


class Redactor:
    """Applies a :class:`PiiPolicy` to texts. Cheap to build; safe to share between threads and event loops.

    ``model`` is the spaCy model for names and places, a package or a folder; by default the largest installed
    ``en_core_web_*``. Without one, ``PERSON`` and ``LOCATION`` are not looked for.
    """

    def __init__(self, model: str | None = None) -> None:
        self._model = model or next((name for name in _MODELS if find_spec(name)), None)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="redactor")
        self._loading = threading.Lock()
        self._patterns: PatternFinder | None = None
        self._names: NameFinder | None = None

    @property
    def entities(self) -> tuple[str, ...]:
        """The kinds of data that can be found here; names and places only where a model is installed."""
        return _ENTITIES if self._model else DEFAULT_ENTITIES

    async def warm(self) -> None:
        """Loads presidio (and the model where there is one), so that the first write does not pay for it."""
        await self._run(lambda: self._find("", self.entities))

    async def redact(self, texts: Sequence[str], policy: PiiPolicy) -> list[Redaction]:
        """One :class:`Redaction` per text, in order. Redacting a result again changes nothing.

        ``off`` returns the texts as they are, loading nothing. ``redact`` puts ``<EMAIL_ADDRESS>`` and the like in
        place of each finding. ``reject`` raises :class:`PiiRejected` for the first text with a finding. Any failure
        is :class:`RedactorUnavailable`.
        """
        if policy.mode == "off":
            return [Redaction(text) for text in texts]
        return await self._run(lambda: [self._apply(text, policy, index) for index, text in enumerate(texts)])

    async def redact_json(self, value: Any, policy: PiiPolicy) -> Any:
        """``value`` with every string in it redacted, keys too; a long number that is personal data becomes a string.

        A key speaks for what stands under it: ``{"phone": "467 3395"}`` is a phone number. Keys that become equal are
        told apart by a suffix ``_2``. Errors as for :meth:`redact`, with index 0.
        """
        if policy.mode == "off":
            return value
        return await self._run(lambda: self._apply_json(value, policy, ""))

    def close(self) -> None:
        """Lets the threads go; work begun is finished."""
        self._threads.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        def guarded() -> T:
            try:
                return work()
            except PiiRejected:
                raise
            except Exception as error:  # noqa: BLE001  whatever it is, the write must be refused
                # Without its cause: messages of the libraries quote the text.
                raise RedactorUnavailable(f"Personal data could not be checked for ({type(error).__name__}).") from None

        return await asyncio.get_running_loop().run_in_executor(self._threads, guarded)

    def _apply_json(self, value: Any, policy: PiiPolicy, key: str) -> Any:
        if isinstance(value, str):
            return self._apply(value, policy, 0, lead=_as_words(key)).text
        if isinstance(value, dict):
            redacted: dict[Any, Any] = {}
            for name, item in value.items():
                new_name = self._apply(name, policy, 0).text if isinstance(name, str) else name
                inner = self._apply_json(item, policy, name if isinstance(name, str) else key)
                redacted[_unused(new_name, redacted)] = inner
            return redacted
        if isinstance(value, list | tuple):
            return [self._apply_json(item, policy, key) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and len(str(abs(value))) >= _SHORTEST_NUMBER:
            # After "#" a bare number counts as an identifier unless the key calls it something else.
            redaction = self._apply(str(value), policy, 0, lead=f"{_as_words(key)}#")
            return redaction.text if redaction.found else value
        return value

    def _apply(self, text: str, policy: PiiPolicy, index: int, lead: str = "") -> Redaction:
        """Masks until nothing is left to find: a placeholder can bare a number that its neighbour hid."""
        found: set[str] = set()
        for _ in range(_PASSES_MAX):
            findings = self._findings(text, policy.entities, lead)
            if not findings:
                return Redaction(text, _in_order(found))
            found.update(finding.entity for finding in findings)
            if policy.mode == "reject":
                raise PiiRejected(_in_order(found), index)
            for finding in reversed(findings):
                text = f"{text[: finding.start]}<{finding.entity}>{text[finding.end :]}"
        raise RuntimeError("redaction does not settle")

    def _findings(self, text: str, entities: Sequence[str], lead: str) -> list[Finding]:
        """Disjoint findings in ``text``, in order. ``lead`` is read before it for context and never part of one."""
        folded = fold(blank(_PLACEHOLDER, text))
        pieces: list[Finding] = []
        for found in self._find(lead + folded.text, entities):
            begin, stop = max(found.start - len(lead), 0), max(found.end - len(lead), 0)
            for piece in _PIECE.finditer(folded.text, begin, stop):
                start, end = folded.span(*piece.span())
                pieces.append(found._replace(start=start, end=end))
        return _merged(pieces)

    def _find(self, text: str, entities: Sequence[str]) -> list[Finding]:
        forms = [entity for entity in entities if entity in DEFAULT_ENTITIES]
        names = [entity for entity in entities if entity in NAME_ENTITIES and self._model]
        with self._loading:
            patterns = self._patterns = self._patterns or _load_patterns()
            if names:
                self._names = self._names or _load_names(self._model)
        findings = patterns.find(text, forms) if forms else []
        if names and self._names:
            findings += self._names.find(text, names)
        return findings


def _load_patterns() -> PatternFinder:
    from service.privacy.recognizers import PatternFinder

    return PatternFinder()


def _load_names(model: str | None) -> NameFinder | None:
    from service.privacy.recognizers import NameFinder

    return NameFinder(model) if model else None


def _merged(findings: list[Finding]) -> list[Finding]:
    """Disjoint, in order, covering all: overlapping findings become one, named after the longest of them."""
    merged: list[Finding] = []
    longest = 0
    for finding in sorted(findings, key=lambda f: (f.start, -f.end, _ENTITIES.index(f.entity))):
        length = finding.end - finding.start
        if not merged or finding.start >= merged[-1].end:
            merged.append(finding)
            longest = length
            continue
        entity = finding.entity if length > longest else merged[-1].entity
        merged[-1] = merged[-1]._replace(end=max(finding.end, merged[-1].end), entity=entity)
        longest = max(longest, length)
    return merged


def _in_order(found: set[str]) -> tuple[str, ...]:
    return tuple(entity for entity in _ENTITIES if entity in found)


def _as_words(key: str) -> str:
    """``mobilePhone_number`` as the words ``mobile Phone number: ``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", fold(key).text) + ": " if key else ""


def _unused(name: Any, taken: dict[Any, Any]) -> Any:
    if name not in taken:
        return name
    count = 2
    while f"{name}_{count}" in taken:
        count += 1
    return f"{name}_{count}"
