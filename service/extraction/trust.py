"""Whose word a candidate is, where it comes from, and whether it waits in the inbox.

The speakers of the messages it cites decide; what an extractor takes for the subject only says whom it is about. What
each may replace: ``worker/dreaming/superseding``, and ``docs/dreams.md``.

A memory comes back in later contexts, so that an instruction in one is a planted instruction. What reads like one is
held back, and so is what comes from a message that does. A preference of the agent's own user ("always answer me in
French") stays a memory: it is for that user to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from service.domain.guards import content_stems, normalize
from service.domain.origin import Origin, OriginSettings, least_trusted, origin_of
from service.domain.placeholders import secret_kinds
from service.domain.text_normalization import without_ignorable
from service.extraction.candidates import Candidate, Turn
from service.extraction.prompt_injection import instruction_in

LEADING_WORDS_MAX = 3
LEADING_CHARS_MAX = 600


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose own word counts. ``name``: the subject of their memories.

    ``user`` is the user in whose turns they speak: themselves, or, for a name that is not a user's, the first user who
    spoke under it; None where it is not clear which of several users is meant.
    """

    name: str
    user: str | None


@dataclass(slots=True)
class People:
    """The persons known under some names. A user's own id wins over another spelling of it, that over other names."""

    users: set[str] = field(default_factory=set)
    others: dict[str, Person] = field(default_factory=dict)
    _folded: dict[str, list[str]] = field(init=False)

    @classmethod
    def speaking(cls, turns: Iterable[Turn]) -> People:
        """Return those who speak in these turns."""
        spoken = [(turn.speaker, turn.user) for turn in turns if turn.role == "user" and turn.user]
        others: dict[str, Person] = {}
        for name, user in spoken:
            if name and name != user:
                others.setdefault(name, Person(name, user))
        return cls({user for _, user in spoken if user}, others)

    def __post_init__(self) -> None:
        self._folded = defaultdict(list)
        for user in sorted(self.users):
            self._folded[normalize(user)].append(user)

    def find(self, name: str | None, speaker: str | None = None) -> Person | None:
        """Return the person called so, if one is known. ``speaker``: the user who says it, who may spell the own id
        freely."""
        if not name:
            return None
        if name in self.users:
            return Person(name, name)
        if without_ignorable(name) != name:  # it only looks like the name
            return self.others.get(name)
        spelled = self._folded.get(normalize(name), [])
        if speaker in spelled:
            return Person(speaker, speaker)
        if spelled:
            return Person(spelled[0], spelled[0]) if len(spelled) == 1 else Person(name, None)
        return self.others.get(name) or self.others.get(normalize(name))

    def leading(self, content: str, speaker: str | None = None) -> Person | None:
        """Return the person whose name a statement opens with."""
        for name in leading_names(content):
            person = self.find(name, speaker)
            if person is not None:
                return person
        return None


def leading_names(content: str) -> list[str]:
    """Return what a statement may open with as a name: its first three words, two and one, without ``'s``."""
    words = content[:LEADING_CHARS_MAX].split()[:LEADING_WORDS_MAX]
    ended = [" ".join(words[:count]).rstrip(".,;:!?") for count in range(len(words), 0, -1)]
    return [name for said in ended if (name := said.removesuffix("'s").removesuffix("’s"))]


def slot_owner(slot: str | None) -> str | None:
    """Return whose attribute a slot is, folded: ``alice`` of ``alice/lives_in``."""
    return slot.partition("/")[0] if slot and "/" in slot else None


HEARSAY_CONFIDENCE = 0.5
"""What is left of the confidence in a statement about a user that somebody else made."""


def attest(candidates: Sequence[Candidate], turns: Sequence[Turn], people: People) -> list[Candidate]:
    """Return the candidates with ``word_of`` set on what persons say of themselves, and ``hearsay_by`` on what others
    say."""
    by_id = {turn.id: turn for turn in turns}
    return [_attested(candidate, by_id, people) for candidate in candidates]


def _attested(candidate: Candidate, turns: Mapping[UUID, Turn], people: People) -> Candidate:
    cited = [turns[id_] for id_ in candidate.evidence]
    person = _about(candidate, cited[-1].user, people)
    if person is None:
        return candidate
    own = [turn for turn in cited if _speaks(person, turn, people)]
    others = [turn for turn in cited if turn not in own]
    if own and _rests_on(candidate, own, [turn for turn in others if not asks(turn)]):
        kept = [turn.id for turn in cited if turn in own or asks(turn)]
        owner = slot_owner(candidate.slot)
        word_of = person.user if owner is None or is_of(owner, person.name) else None
        return replace(candidate, subject=person.name, word_of=word_of, evidence=tuple(kept))
    return replace(
        candidate,
        subject=person.name,
        hearsay_by=_author(others[-1], people),
        evidence=tuple(turn.id for turn in others),
        confidence=round(candidate.confidence * HEARSAY_CONFIDENCE, 2),
    )


def _about(candidate: Candidate, speaker: str | None, people: People) -> Person | None:
    """Return the person whom a statement is about: whose attribute it sets, else its subject, or, where it does not
    name that, the person it opens with."""
    subject = people.find(candidate.subject, speaker)
    opening = people.leading(candidate.content, speaker)
    owner = slot_owner(candidate.slot)
    if owner is not None and not is_of(owner, candidate.subject):
        if opening is not None and is_of(owner, opening.name):
            return opening
        owned = people.find(owner, speaker)
        if owned is not None:
            return owned
    named = candidate.subject is not None and normalize(candidate.subject) in normalize(candidate.content)
    return subject if named or opening is None else opening


def is_of(owner: str, subject: str | None) -> bool:
    """Return whether an attribute of ``owner`` (folded) is one of the subject, or of what is the subject's own."""
    name = normalize(subject or "")
    return bool(name) and (normalize(owner) == name or normalize(owner).startswith(f"{name}'s "))


def asks(turn: Turn) -> bool:
    """Return whether a user's turn only asks, so that its answer is rendered with it."""
    return turn.role == "user" and turn.content.rstrip().endswith("?")


def _speaks(person: Person, turn: Turn, people: People) -> bool:
    """Return whether a turn is the person's own: of their user, and under no name that stands for somebody else."""
    if turn.role != "user" or person.user is None or turn.user != person.user:
        return False
    return person.name != person.user or not turn.speaker or people.find(turn.speaker, turn.user) == person


def _rests_on(candidate: Candidate, own: Sequence[Turn], others: Sequence[Turn]) -> bool:
    """Return whether a statement for which others are cited as well has its words from the person's own turns."""
    if not others:
        return True
    said = content_stems(candidate.content) - content_stems(candidate.subject or "")
    mine, theirs = (frozenset[str]().union(*(content_stems(turn.content) for turn in turns)) for turns in (own, others))
    return bool(said & mine) and not said & theirs - mine


def _author(turn: Turn, people: People) -> str:
    """Return who is to be named for a turn: the user, or somebody in the user's session under a name that is no
    user's."""
    if turn.role != "user":
        return turn.role
    under = turn.speaker if turn.speaker and turn.speaker not in people.users else None
    return under or turn.user or turn.speaker or "an unnamed user"


def with_origins(candidates: Sequence[Candidate], turns: Sequence[Turn], settings: OriginSettings) -> list[Candidate]:
    """Return the attested candidates with ``origin`` set, and ``held`` on those of origins that are held."""
    by_id = {turn.id: turn for turn in turns}
    found = [(candidate, _origin(candidate, by_id)) for candidate in candidates]
    return [
        replace(candidate, origin=origin, held=candidate.held or _held(origin, settings)) for candidate, origin in found
    ]


def turn_origin(turn: Turn) -> Origin:
    """Return the origin of what a turn says."""
    return origin_of(turn.role, own=turn.user is None or turn.speaker in (None, turn.user))


def _origin(candidate: Candidate, turns: Mapping[UUID, Turn]) -> Origin:
    """Return the origin of those who state it; who only asks counts where nobody states anything."""
    if candidate.word_of is not None:
        return "own_user"
    cited = [turns[id_] for id_ in candidate.evidence]
    stating = [turn for turn in cited if not asks(turn)]
    return least_trusted(map(turn_origin, stating or cited))


def _held(origin: Origin, settings: OriginSettings) -> str | None:
    return f"of the origin {origin}, which is held" if settings.treatment(origin) == "hold" else None


ATTACK = "reads like an attack on an agent: it overrides, hides, impersonates, or sends data away"
DIRECTIVE = "reads like an instruction to an agent, and is not its user's own word"


def of_roles(turns: Sequence[Turn], roles: Collection[str]) -> list[Turn]:
    """Return the turns, without the text of those of other roles."""
    return [turn if turn.role in roles else replace(turn, content="") for turn in turns]


def held_back(candidates: Sequence[Candidate], turns: Sequence[Turn], *, secrets: bool) -> list[Candidate]:
    """Return the candidates, with ``held`` set on those that are not to become memories unseen. ``secrets``: also what
    comes from a message in which a secret was masked."""
    by_id = {turn.id: turn for turn in turns}
    return [
        candidate if reason is None else replace(candidate, held=reason)
        for candidate in candidates
        for reason in (_reason(candidate, by_id, secrets=secrets),)
    ]


def _reason(candidate: Candidate, turns: Mapping[UUID, Turn], *, secrets: bool) -> str | None:
    cited = [turns[id_] for id_ in candidate.evidence if id_ in turns]
    read = [instruction_in(text) for text in (candidate.content, *(turn.content for turn in cited))]
    if "attack" in read:
        return ATTACK
    if "directive" in read and any(turn_origin(turn) != "own_user" for turn in cited):
        return DIRECTIVE
    if secrets and (kinds := sorted({kind for turn in cited for kind in secret_kinds(turn.content)})):
        return f"its message had a secret: {', '.join(kinds)}"
    return None
