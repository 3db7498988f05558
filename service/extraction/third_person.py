"""From the first person to the third: "I love my dog", said by Caroline, becomes "Caroline loves their dog"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.word_lists import pairs
from service.extraction.lexicon import ADVERBS, AUXILIARIES, BASE_VERBS, PARTICIPLES, is_past, third_person

_PIECE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[\W\d_]+")

_CONTRACTED = pairs("""
    i'm=am i've=have i'll=will i'd='d we're=are we've=have we'll=will we'd='d""")
_SINGULAR = pairs("""
    am=is have=has do=does don't=doesn't haven't=hasn't are=is were=was aren't=isn't weren't=wasn't ain't=isn't""")
_PLURAL = {"am": "are", "was": "were", "wasn't": "weren't", "is": "are", "ain't": "aren't", "has": "have"}
_SPELLED = (
    (re.compile(r"\bgonna\b", re.IGNORECASE), "going to"),
    (re.compile(r"\bwanna\b", re.IGNORECASE), "want to"),
    (re.compile(r"\bgotta\b", re.IGNORECASE), "have to"),
    (re.compile(r"\bI've got\b(?! to\b)", re.IGNORECASE), "I have"),
    (re.compile(r"\bwe've got\b(?! to\b)", re.IGNORECASE), "we have"),
    (re.compile(r"\bI've got to\b", re.IGNORECASE), "I have to"),
    (re.compile(r"(?:(?<=\s)|^)['’]cause\b", re.IGNORECASE), "because"),
)
_BEFORE_LIST = frozenset({": ", " - ", " – ", " — ", " ("})
"""Before a list of people: "five of us: me, Ana and her kids"."""
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|myself|we|we're|we've|we'll|we'd|us|our|ours|ourselves)\b", re.I
)


@dataclass(slots=True)
class _Scene:
    """What has been said so far in the sentence being rewritten."""

    named: bool = False
    verb_seen: bool = False
    agrees: str | None = None  # "singular" or "plural": the next verb must agree with the subject just written
    coordinated: bool = False  # a singular present verb was written, so a verb after "and" agrees too
    previous: str = ""
    mark: str = ""  # what stands between the previous word and this one


def has_first_person(sentence: str) -> bool:
    """Whether the speaker speaks of themselves."""
    return bool(_FIRST_PERSON.search(sentence.replace("’", "'")))


def in_third_person(sentence: str, name: str) -> str:
    """``sentence``, said by ``name``, told about them: "I" becomes the name once, then "they"; "my" "their".

    Verbs agree. "We" becomes "<name> and others", then "they". Words of the speaker are otherwise kept.
    The result begins with a capital letter and ends with its own punctuation.
    """
    sentence = sentence.replace("’", "'")
    for pattern, spelled in _SPELLED:
        sentence = pattern.sub(spelled, sentence)
    scene = _Scene()
    pieces = _PIECE.findall(sentence)
    written = "".join(_rewrite(piece, pieces[i + 1 : i + 4], scene, name) for i, piece in enumerate(pieces))
    written = re.sub(r"\bThe user\b(?!$)", "the user", written) if name == "The user" else written
    return written if written.startswith(name) else written[:1].upper() + written[1:]


def _rewrite(piece: str, ahead: list[str], scene: _Scene, name: str) -> str:
    if not piece[0].isalpha():
        scene.mark = piece
        if any(mark in piece for mark in ",;:-–—.!("):
            scene.agrees = None if scene.agrees and "," not in piece else scene.agrees
        return piece
    word = piece.lower()
    written = _pronoun(word, piece, ahead, scene, name) or _verb(word, piece, ahead, scene)
    scene.previous = word
    return written


def _pronoun(word: str, piece: str, ahead: list[str], scene: _Scene, name: str) -> str | None:
    if word in _CONTRACTED:
        subject = _subject(scene, name, plural=word.startswith("we"), joinable=False)
        auxiliary = _auxiliary(_CONTRACTED[word], ahead)
        number, scene.agrees, scene.verb_seen = scene.agrees, None, True
        scene.coordinated = False
        return f"{subject} {(_SINGULAR if number == 'singular' else _PLURAL).get(auxiliary, auxiliary)}"
    if piece == "I" or word == "i":
        return _subject(scene, name, plural=False)
    if word == "we":
        return _subject(scene, name, plural=True)
    if word == "me" and scene.mark in _BEFORE_LIST:
        scene.named = True
        return name
    if word in ("me", "us"):
        others = f"{name} and others" if word == "us" else name
        return _named(scene, others, "them")
    if word in ("my", "our", "mine", "ours"):
        if piece[0].isupper() and scene.previous and ahead[1:] and ahead[1][0].isupper():
            return None  # part of a name: My Bloody Valentine
        later = "their" if word in ("my", "our") else "theirs"
        return _named(scene, f"{name} and others'" if word in ("our", "ours") else f"{name}'s", later)
    return _named(scene, name, "themselves") if word in ("myself", "ourselves") else None


def _named(scene: _Scene, first: str, later: str) -> str:
    written = later if scene.named else first
    scene.named = True
    return written


def _subject(scene: _Scene, name: str, *, plural: bool, joinable: bool = True) -> str:
    compound = joinable and scene.previous == "and" and not scene.verb_seen and not plural
    if compound:
        scene.agrees, scene.named = "plural", True
        return name
    if scene.named:
        scene.agrees = "plural"
        return "they"
    scene.named = True
    scene.agrees = "plural" if plural else "singular"
    return f"{name} and others" if plural else name


def _auxiliary(contracted: str, ahead: list[str]) -> str:
    if contracted != "'d":
        return contracted
    following = [word.lower() for word in ahead if word[0].isalpha()]
    after = next((word for word in following if word not in ADVERBS), "")
    return "had" if after in PARTICIPLES or after == "better" or after.endswith("ed") else "would"


def _verb(word: str, piece: str, ahead: list[str], scene: _Scene) -> str:
    if scene.agrees is None:
        return _coordinated(word, piece, ahead, scene)
    if word in ADVERBS or (word.endswith("ly") and word not in BASE_VERBS) or word == "not":
        return piece
    number, scene.agrees = scene.agrees, None
    scene.verb_seen = True
    if number == "plural":
        return _PLURAL.get(word, piece)
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word in AUXILIARIES or word not in BASE_VERBS or _reads_as_past(word, ahead) or ahead[:1] == ["-"]:
        return piece
    scene.coordinated = True
    return third_person(word)


def _coordinated(word: str, piece: str, ahead: list[str], scene: _Scene) -> str:
    if word in ("to", "that", "because", "who", "which", "when", "while", "they", "is", "are", "was", "were"):
        scene.coordinated = False
    if scene.coordinated and scene.previous in ("and", "but", "or") and word in BASE_VERBS:
        after = next((word.lower() for word in ahead if word[0].isalpha()), "")
        if after in ("a", "an", "the", "my", "our", "it", "them", "on", "in", "at", "to", "for", "with", "about"):
            return third_person(word)
    if word in AUXILIARIES or word.endswith("'s") or is_past(word) or word[:-1] in BASE_VERBS:
        scene.verb_seen = True
    return piece


def _reads_as_past(word: str, ahead: list[str]) -> bool:
    """ "put", "read" and the like: the past wherever it is not plainly a habit."""
    return word in ("put", "cut", "hit", "set", "quit", "let", "read", "hurt", "bet")
