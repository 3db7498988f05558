"""Reverie's recognizers for presidio, and an engine that never asks the network.

Importing this module imports presidio and spaCy (about a second): only the redactor does, at first use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import spacy
from presidio_analyzer import AnalyzerEngine, EntityRecognizer, LocalRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import SpacyRecognizer
from spacy.tokens import Doc

from service.privacy import patterns
from service.privacy.emails import find_emails
from service.privacy.phones import find_phones

_FINDERS: dict[str, Callable[[str], Iterator[patterns.Span]]] = {
    "EMAIL_ADDRESS": find_emails,
    "IBAN_CODE": patterns.find_ibans,
    "CREDIT_CARD": patterns.find_cards,
    "US_SSN": patterns.find_ssns,
    "IP_ADDRESS": patterns.find_ip_addresses,
    "PHONE_NUMBER": find_phones,
}


class Finding(NamedTuple):
    """``text[start:end]`` is an ``entity``."""

    start: int
    end: int
    entity: str


class _SpanRecognizer(LocalRecognizer):
    """One entity type, found by one function. Every span is certain: the finder has weighed the words around it."""

    def __init__(self, entity: str, find: Callable[[str], Iterator[patterns.Span]]) -> None:
        self._entity = entity
        self._find = find
        super().__init__(supported_entities=[entity], name=f"Reverie {entity}")

    def load(self) -> None:
        """Nothing to load."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Every span of this recognizer's entity in ``text``, at the highest score."""
        metadata = {
            RecognizerResult.RECOGNIZER_NAME_KEY: f"Reverie {self._entity}",
            RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id,
        }
        return [
            RecognizerResult(self._entity, start, end, EntityRecognizer.MAX_SCORE, recognition_metadata=metadata)
            for start, end in self._find(text)
        ]


class _OfflineEngine(SpacyNlpEngine):
    """An installed model, or a blank pipeline. presidio's own engine downloads a model that it does not find."""

    def __init__(self, model: str | None) -> None:
        super().__init__(models=[{"lang_code": "en", "model_name": model or ""}])
        self.pipeline = spacy.load(model) if model else spacy.blank("en")

    def load(self) -> None:
        """Makes the pipeline presidio's."""
        self.nlp = {"en": self.pipeline}  # type: ignore[assignment]  # declared as None by presidio


def _analyzer(engine: SpacyNlpEngine, recognizers: Sequence[EntityRecognizer]) -> AnalyzerEngine:
    registry = RecognizerRegistry(recognizers=list(recognizers), supported_languages=["en"])
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])


class PatternFinder:
    """Entities that have a form, found by presidio without a language model. Safe to share between threads."""

    entities = tuple(_FINDERS)

    def __init__(self) -> None:
        engine = _OfflineEngine(None)
        self._analyzer = _analyzer(engine, [_SpanRecognizer(entity, find) for entity, find in _FINDERS.items()])
        # Given ready-made, so that spaCy never sees the text: its vocabulary keeps every word it has ever read.
        self._no_words = NlpArtifacts(
            entities=[],
            tokens=Doc(engine.pipeline.vocab, words=[]),
            tokens_indices=[],
            lemmas=[],
            nlp_engine=engine,
            language="en",
            scores=[],
        )

    def find(self, text: str, entities: Sequence[str]) -> list[Finding]:
        """All findings of ``entities`` in ``text``, in no order; they may overlap."""
        results = self._analyzer.analyze(text, "en", entities=list(entities), nlp_artifacts=self._no_words)
        return [Finding(result.start, result.end, result.entity_type) for result in results]


class NameFinder:
    """People and places, found by an installed spaCy model: a package name or a folder. One text at a time."""

    entities = ("PERSON", "LOCATION")

    def __init__(self, model: str) -> None:
        self._analyzer = _analyzer(_OfflineEngine(model), [SpacyRecognizer(supported_entities=list(self.entities))])
        self._lock = threading.Lock()

    def find(self, text: str, entities: Sequence[str]) -> list[Finding]:
        """All findings of ``entities`` in ``text``, in no order; they may overlap."""
        with self._lock:
            results = self._analyzer.analyze(text, "en", entities=list(entities))
        return [Finding(result.start, result.end, result.entity_type) for result in results]
