"""Masks or refuses personal data in texts and JSON values, before anything else sees them.

presidio and spaCy take about a second to import, so nothing heavy is loaded before the first use or ``warm()``.
Nothing ever reaches the network. What cannot be checked is not written: every failure is :class:`RedactorUnavailable`.
No error carries the text it is about.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from service.concurrency.executor import INLINE_CHARACTERS_MAX, NOT_KNOWN, FairExecutor
from service.concurrency.garbage_collection import freeze_heap
from service.domain.json import dumps
from service.domain.placeholders import PLACEHOLDER, SECRET, placeholder
from service.domain.workspace import ALL_SECRET_MODES, Masking, SecretMode
from service.errors import ReverieError
from service.privacy.patterns import BARRIER, CORE_CHARS, blank, to_ascii, windows
from service.privacy.secrets import find_secrets, named_secret

if TYPE_CHECKING:
    from service.privacy.recognizers import Finding, NameFinder, PatternFinder

# In the order of precedence: where two kinds claim one span with equal right, the first names it.
DEFAULT_ENTITIES = ("EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS", "PHONE_NUMBER")
NAME_ENTITIES = ("PERSON", "LOCATION")
_ENTITIES = (*DEFAULT_ENTITIES, *NAME_ENTITIES)
_MODELS = ("en_core_web_lg", "en_core_web_md", "en_core_web_sm")

_PIECE = re.compile(f"[^{BARRIER}]+")  # of a name around a placeholder
_WORD_CHARACTER = re.compile(r"\w")
_PASSES_MAX = 8
_COST = 8
"""To redact a text takes so many times as long as anything else that is done with it."""
_SECRETS_COST = 2
"""The same of a text in which only secrets are looked for."""
_SHORTEST_NUMBER = 7

Item = TypeVar("Item")
T = TypeVar("T")


class PiiRejected(ReverieError):
    """The text holds personal data or a secret, which this workspace refuses."""

    def __init__(self, entities: Sequence[str], index: int) -> None:
        what = "Secrets are" if all(kind.startswith(SECRET) for kind in entities) else "Personal data is"
        named = ", ".join(kind.removeprefix(SECRET) for kind in entities)
        super().__init__(f"{what} refused in this workspace; found {named}.")
        self.entities = tuple(entities)
        self.index = index


class RedactorUnavailable(ReverieError):
    """Personal data could not be checked for, so nothing was written."""


@dataclass(frozen=True, slots=True)
class PiiPolicy:
    """What a workspace does with personal data, which kinds of it, and what it does with secrets. Unknown modes and
    kinds are a ``ValueError``."""

    mode: Literal["off", "redact", "reject"]
    entities: tuple[str, ...] = DEFAULT_ENTITIES
    secrets: SecretMode = "off"

    @classmethod
    def of(cls, masking: Masking, *, lenient: bool = False) -> PiiPolicy:
        """Return the policy of these settings; where ``lenient``, what they refuse is masked."""
        mode, secrets = masking.pii.mode, masking.secrets.mode
        if lenient:
            mode, secrets = "redact" if mode == "reject" else mode, "redact" if secrets == "reject" else secrets
        return cls(mode, masking.pii.entities, secrets)

    @property
    def off(self) -> bool:
        """Return whether nothing is looked for."""
        return self.mode == self.secrets == "off"

    def __post_init__(self) -> None:
        if self.mode not in ("off", "redact", "reject") or self.secrets not in ALL_SECRET_MODES:
            raise ValueError(f"unknown mode: {self.mode}, {self.secrets}")
        if unknown := set(self.entities) - set(_ENTITIES):
            raise ValueError(f"unknown entities: {', '.join(sorted(unknown))}")


@dataclass(frozen=True, slots=True)
class Redaction:
    """``text`` after the policy, and the kinds of data ``found`` in it: in the order of ``DEFAULT_ENTITIES``, then
    those of secrets (``SECRET:github_token``)."""

    text: str
    found: tuple[str, ...] = ()


class Redactor:
    """Applies a :class:`PiiPolicy` to texts. Cheap to build; safe to share between threads and event loops.

    Texts that are not short are redacted by ``executor``. ``on_secret`` is called with the kind of each secret found
    and the mode that treats it, in any thread. ``model`` is the spaCy model for names and places, a package or a
    folder; by default the largest installed ``en_core_web_*``. Without one, ``PERSON`` and ``LOCATION`` are not looked
    for. Longer texts are gone through in windows of ``window_chars`` characters.
    """

    def __init__(
        self,
        model: str | None = None,
        executor: FairExecutor | None = None,
        on_secret: Callable[[str, SecretMode], None] = lambda kind, mode: None,
        window_chars: int = CORE_CHARS,
    ) -> None:
        self._model = model or next((name for name in _MODELS if find_spec(name)), None)
        self._executor = executor or FairExecutor()
        self._on_secret = on_secret
        self._window_chars = window_chars
        self._loading = threading.Lock()
        self._patterns: PatternFinder | None = None
        self._names: NameFinder | None = None

    @property
    def entities(self) -> tuple[str, ...]:
        """Return the kinds of data that can be found here; names and places only where a model is installed."""
        return _ENTITIES if self._model else DEFAULT_ENTITIES

    async def warm(self) -> None:
        """Loads presidio (and the model where there is one), so that the first write does not pay for it."""
        await self._each(lambda text: self._find(text, self.entities), [""], PiiPolicy("redact", self.entities))

    async def redact(self, texts: Sequence[str], policy: PiiPolicy, secret: bytes | None = None) -> list[Redaction]:
        """Return one :class:`Redaction` per text, in order. Redacting a result again changes nothing.

        ``off`` returns the texts as they are, loading nothing. ``redact`` puts ``<EMAIL_ADDRESS>`` and the like in
        place of each finding; with a ``secret``, different findings get different placeholders, so that different texts
        stay different. ``reject`` raises :class:`PiiRejected` for the first text with a finding. Any failure is
        :class:`RedactorUnavailable`.
        """
        if policy.off:
            return [Redaction(text) for text in texts]
        return await self._each(
            lambda one: self._apply(one[1], policy, one[0], secret=secret),
            list(enumerate(texts)),
            policy,
            lambda one: len(one[1]),
        )

    async def redact_json(self, value: Any, policy: PiiPolicy) -> Any:
        """``value`` with every string in it redacted, keys too; a long number that is personal data becomes a string.

        A key speaks for what stands under it: ``{"phone": "467 3395"}`` is a phone number. Keys that become equal are
        told apart by a suffix ``_2``. Errors as for :meth:`redact`, with index 0.
        """
        if policy.off:
            return value
        (redacted,) = await self._each(
            lambda given: self._apply_json(given, policy, ""), [value], policy, _json_characters
        )
        return redacted

    async def _each(
        self,
        work: Callable[[Item], T],
        items: Sequence[Item],
        policy: PiiPolicy,
        characters: Callable[[Item], int] = lambda _: 0,
    ) -> list[T]:
        """``work`` of each item. What is to be loaded first, and a spaCy model, which takes long, never run inline."""

        def guarded(item: Item) -> T:
            try:
                return work(item)
            except PiiRejected:
                raise
            except Exception as error:  # noqa: BLE001  whatever it is, the write must be refused
                # Without its cause: messages of the libraries quote the text.
                raise RedactorUnavailable(f"Personal data could not be checked for ({type(error).__name__}).") from None

        if policy.mode == "off":
            return await self._executor.each(guarded, items, lambda item: characters(item) * _SECRETS_COST)
        by_model = self._model is not None and not set(NAME_ENTITIES).isdisjoint(policy.entities)
        least = INLINE_CHARACTERS_MAX if by_model or self._patterns is None else 0
        return await self._executor.each(guarded, items, lambda item: max(least, characters(item)) * _COST)

    def _apply_json(self, value: Any, policy: PiiPolicy, key: str) -> Any:
        if isinstance(value, str):
            return self._apply_value(value, policy, key)
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

    def _apply_value(self, value: str, policy: PiiPolicy, key: str) -> str:
        kind = named_secret(key, value) if policy.secrets != "off" and key else None
        if kind is None or PLACEHOLDER.search(value):
            return self._apply(value, policy, 0, lead=_as_words(key)).text
        issued = find_secrets(value)
        kind = issued[0][2] if issued else kind
        self._on_secret(kind, policy.secrets)
        if policy.secrets == "reject":
            raise PiiRejected((SECRET + kind,), 0)
        return placeholder(SECRET + kind, value)

    def _apply(
        self, text: str, policy: PiiPolicy, index: int, lead: str = "", secret: bytes | None = None
    ) -> Redaction:
        """Masks until nothing is left to find: a placeholder can bare a number that its neighbour hid."""
        text, secrets = self._without_secrets(text, policy, index, lead, secret)
        if policy.mode == "off":
            return Redaction(text, secrets)
        found: set[str] = set()
        for _ in range(_PASSES_MAX):
            findings = self._findings(text, policy.entities, lead)
            if not findings:
                return Redaction(text, (*_in_order(found), *secrets))
            found.update(finding.entity for finding in findings)
            if policy.mode == "reject":
                raise PiiRejected(_in_order(found), index)
            for finding in reversed(findings):
                mask = placeholder(finding.entity, text[finding.start : finding.end], secret)
                text = text[: finding.start] + mask + text[finding.end :]
        raise RuntimeError("redaction does not settle")

    def _without_secrets(
        self, text: str, policy: PiiPolicy, index: int, lead: str, secret: bytes | None
    ) -> tuple[str, tuple[str, ...]]:
        """Return the text with secrets masked, and the kinds found in it. ``lead`` is read before it and never part of
        one."""
        if policy.secrets == "off":
            return text, ()
        found: set[str] = set()
        for _ in range(_PASSES_MAX):
            blanked = blank(PLACEHOLDER, text) if "[" in text else text
            spans = [
                (max(start - len(lead), 0), end - len(lead), SECRET + kind)
                for start, end, kind in find_secrets(lead + blanked)
                if end > len(lead)
            ]
            if not spans:
                return text, tuple(sorted(found))
            found.update(kind for _, _, kind in spans)
            for _, _, kind in spans:
                self._on_secret(kind.removeprefix(SECRET), policy.secrets)
            if policy.secrets == "reject":
                raise PiiRejected(tuple(sorted(found)), index)
            for start, end, kind in reversed(spans):
                text = text[:start] + placeholder(kind, text[start:end], secret) + text[end:]
        raise RuntimeError("redaction of secrets does not settle")

    def _findings(self, text: str, entities: Sequence[str], lead: str) -> list[Finding]:
        """Disjoint findings in ``text``, in order. ``lead`` is read before it for context and never part of one."""
        text = blank(PLACEHOLDER, text)
        pieces: list[Finding] = []
        for window in windows(text, self._window_chars):
            found = self._findings_in(text[window.start : window.end], entities, "" if window.start else lead)
            pieces += (
                piece._replace(start=piece.start + window.start, end=piece.end + window.start)
                for piece in found
                if piece.start + window.start < window.core_end and piece.end + window.start > window.core_start
            )
        return _merged(pieces)

    def _findings_in(self, text: str, entities: Sequence[str], lead: str) -> Iterator[Finding]:
        folded = to_ascii(text)
        for found in self._find(lead + folded.text, entities):
            begin, stop = max(found.start - len(lead), 0), max(found.end - len(lead), 0)
            for piece in _PIECE.finditer(folded.text, begin, stop):
                if _WORD_CHARACTER.search(piece[0]):
                    start, end = folded.span(*piece.span())
                    yield found._replace(start=start, end=end)

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

    found = PatternFinder()
    freeze_heap()
    return found


def _load_names(model: str | None) -> NameFinder | None:
    from service.privacy.recognizers import NameFinder

    return NameFinder(model) if model else None


def _json_characters(value: Any) -> int:
    try:
        return len(dumps(value))
    except TypeError:  # too deep, as is found out where it can be refused
        return NOT_KNOWN


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
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", to_ascii(key).text) + ": " if key else ""


def _unused(name: Any, taken: dict[Any, Any]) -> Any:
    if name not in taken:
        return name
    count = 2
    while f"{name}_{count}" in taken:
        count += 1
    return f"{name}_{count}"
