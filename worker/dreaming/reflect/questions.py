"""An open question: what somebody has said on several days that they have not decided, and nothing later settles."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.guards import content_stems, normalize
from service.domain.word_lists import listed
from service.extraction.english.lexicon import MONTHS, WEEKDAYS
from worker.dreaming.digests import digest_of

TIMES_MIN = 2
_CHARS_MAX = 300
_TOPIC_WORDS_MIN = 2
_ABOUT = r"(?:about|of|whether|if|on|between|where|when|how|what|which|who)"
_UNDECIDED = re.compile(
    r"^(?: and others)?(?: (?:is|are))?(?: (?:still|also|now|currently|really)){0,2}"
    rf" (?:(?:thinking|wondering) {_ABOUT}|considering|torn (?:between|about)"
    rf"|(?:unsure|undecided|(?:not|isn['’]t|aren['’]t) (?:yet )?(?:sure|certain)) {_ABOUT}"
    rf"|(?:has|have)(?: still)?(?:n['’]t| not) (?:yet )?decided (?:yet )?{_ABOUT}"
    rf"|(?:can(?:no|['’])t|do(?:es)?(?:n['’]t| not)) (?:yet )?(?:decide|know) {_ABOUT})"
    r" (?P<topic>[^.?!]{2,200})[.!]*$"
)
_TIME = content_stems(" ".join([*MONTHS, *WEEKDAYS, *listed("year month week day today again yet still next soon")]))
_SMALL = content_stems("get go take make do should could would will it i they them their to")


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What a statement says is undecided; ``topic``: the words that say what about."""

    key: str
    topic: frozenset[str]

    @property
    def about(self) -> str:
        """The matter of an insight on it."""
        return f"question:{self.key}"

    def stored(self) -> dict[str, object]:
        """As it is kept with what a dream reads in a memory."""
        return {"question": self.key}

    def is_touched_by(self, content: str) -> bool:
        """Whether another statement is about it for the half, and so may settle it."""
        return 2 * len(self.topic & content_stems(content)) >= len(self.topic)


def question_in(content: str, subject: str | None) -> OpenQuestion | None:
    """What a statement says that its subject has not decided; None for most."""
    whose = normalize(subject or "")
    if not whose or len(content) > _CHARS_MAX or normalize(content[: len(whose)]) != whose:
        return None
    match = _UNDECIDED.match(content[len(whose) :])
    topic = content_stems(match["topic"]) - _TIME - _SMALL if match else frozenset()
    if len(topic) < _TOPIC_WORDS_MIN:
        return None
    return OpenQuestion(digest_of("question", subject or "", *sorted(topic)), topic)
