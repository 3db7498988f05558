"""Reads in statements of one person what several of them may come to, and words the conclusions; by rules, pure.

- A habit: what somebody did on several days ("Sam ran by the river", three times). Two reports are of one habit when
  they agree in who did it and in every word that carries meaning, but for when it was: "went running by the river
  yesterday" and "ran by the river on the morning of 3 October 2026".
- A change over time: what filled a slot before, and what fills it now ("Sam moved from Berlin to Bergen").
- An open question: what somebody has said on several days that they have not decided, and nothing later settles.
- A preference that holds across things ("likes hiking in Jotunheimen", "loves hiking in Lofoten": likes hiking). Two
  statements are of one taste when they name the same activity or kind of thing, out of a short list: that somebody
  likes hot dogs and big dogs says nothing about dogs. What is liked of it is whatever else they name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from service.domain.guards import content_stems, normalize
from service.domain.identity import digest_of
from service.domain.types import POLICIES, MemoryType
from service.domain.word_lists import listed, word_set
from service.extraction.english.completed_todos import deed_done, without_time
from service.extraction.english.dates import MONTH_NAMES
from service.extraction.english.lexicon import MONTHS, WEEKDAYS, base_of_past, third_person

_SENTENCES = {
    "lives_in": "{who} moved from {old} to {new} in {when}",
    "works_at": "{who} changed jobs from {old} to {new} in {when}",
}
_OTHERS = "{whose}{attribute} changed from {old} to {new} in {when}"

OFTEN_DAYS = 31
"""Done as often as once in so many days, it is done often."""
_CHARS_MAX = 300
_PARTS_OF_DAY = word_set("morning afternoon evening night week weekend month day today again")
_TIME_STEMS = content_stems(" ".join(_PARTS_OF_DAY)) | {"go"}
_OF_CALENDAR = frozenset((*MONTHS, *WEEKDAYS)) | _PARTS_OF_DAY
_IN_MONTH = re.compile(rf"\b(?:in|during) (?:{'|'.join(MONTHS)})(?: \d{{4}})?(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_DENIED = re.compile(
    r"^(?:(?:does|do) not|doesn['’]t|don['’]t|no longer|never|(?:has |have )?(?:stopped|quit|given up)|gave up)"
    r"(?: (?:really|even|ever))? (?P<what>.+?)(?: any ?more| any longer)?\.?$"
)
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
_TASTE_CHARS_MAX = 200
_THINGS_SHOWN = 4
_THING = r"(?P<thing>[\w'’-]{2,30}(?: [\w'’-]{1,30}){0,5})"
_KIND_OF = r"(?P<thing>[\w'’-]{2,30}(?: [\w'’-]{2,30})?)"
_DETERMINERS = word_set("the a an some their his her its das die den der le la les el los las")
_NO_THING = word_set("""
    any this that these those all no more most less good great nice other real such both either not but than when
    if because while without except kein keine keinen nicht guter guten gute aber pas mais quand bon bonne pero
    cuando buen buena todo toda""")
_EN_ADVERBS = r"(?: (?:really|also|still|always|absolutely|just|particularly)){0,2}"
_DE_DOES = r"(?:trinkt|isst|hört|liest|spielt|sieht|schaut)"
_ZH_THING = r"(?P<thing>[\u3400-\u9fff]{1,10}?)"


def change_sentence(
    slot: str, user: str | None, before: tuple[str, str], after: tuple[str, str], when: datetime
) -> str | None:
    """Return what changed in a slot, of two (value, content) pairs; None where it is not clear of whom or what."""
    owner, _, attribute = slot.rpartition("/")
    old, new = (_as_written(*each) for each in (before, after))
    whom = user if user is not None and normalize(user) == owner else _as_written(owner, after[1])
    if not attribute or not old or not new or (attribute in _SENTENCES and not whom):
        return None
    return _SENTENCES.get(attribute, _OTHERS).format(
        who=whom, whose=f"{whom}'s " if whom else "The ", attribute=attribute.replace("_", " "), old=old, new=new,
        when=month_of(when),
    )  # fmt: skip


def month_of(moment: datetime) -> str:
    """Return a month as ``November 2026``."""
    return f"{MONTH_NAMES[moment.month - 1]} {moment.year}"


def months_between(first: datetime, last: datetime) -> str:
    """Return months as ``November 2026``, ``October–November 2026`` or ``December 2025 – January 2026``."""
    if first.year != last.year:
        return f"{month_of(first)} – {month_of(last)}"
    return month_of(last) if first.month == last.month else f"{MONTH_NAMES[first.month - 1]}–{month_of(last)}"


def _as_written(value: str, content: str) -> str:
    """Return a folded value as a text spells it."""
    at = content.lower().find(value)
    return content[at : at + len(value)] if at >= 0 else value


@dataclass(frozen=True, slots=True)
class Habit:
    """Habit that a statement reports to have been followed, or ``denied``; equal for reports of the same one."""

    key: str
    denied: bool = False

    @property
    def about(self) -> str:
        """Return the matter of an insight on it."""
        return f"habit:{self.key}"

    def stored(self) -> dict[str, object]:
        """Return it as it is kept with what a dream reads in a memory."""
        return {"habit": self.key} | ({"denied": True} if self.denied else {})


@dataclass(frozen=True, slots=True)
class Report:
    """A statement that something was done, and when."""

    content: str
    at: datetime


def habit_in(content: str, subject: str | None, *, happens: bool) -> Habit | None:
    """Return the habit a statement speaks of; None for most. What ``happens`` is compared word for word where it is no
    plain report of a deed in English."""
    if len(content) > _CHARS_MAX or "?" in content:
        return None
    whose = normalize(subject or "")
    denied = _DENIED.match(_after(whose, normalize(content))) if whose else None
    if denied is not None:
        stems = content_stems(denied["what"]) - _TIME_STEMS
        return Habit(digest_of(subject or "", *sorted(stems)), denied=True) if stems else None
    deed = deed_done(_IN_MONTH.sub("", content), subject)
    if deed is not None:
        stems = (deed.verb | content_stems(" ".join(deed.words))) - _TIME_STEMS
        own = deed.actor == (whose or deed.actor)
        return Habit(digest_of(subject or deed.actor, *sorted(stems))) if stems and own and deed.actor else None
    words = [word for word in _WORD.findall(normalize(content)) if word not in _OF_CALENDAR]
    return Habit(digest_of(subject or "", "", *words)) if happens and whose and len(words) > 2 else None


def habit_sentence(reports: Sequence[Report], user: str | None) -> str:
    """Return what the reports of a habit come to, in a sentence."""
    days = sorted(one.at for one in reports)
    often = (days[-1] - days[0]).days <= OFTEN_DAYS * (len(days) - 1)
    phrases = sorted(filter(None, (_phrase(one.content, user) for one in reports)), key=lambda one: (len(one), one))
    if not phrases:
        shortest = min((one.content for one in reports), key=lambda one: (len(one), one))
        return f"{shortest.rstrip('.。')} ({len(days)}×, {days[0]:%Y-%m-%d} – {days[-1]:%Y-%m-%d})"
    when = f"{len(days)} times, {months_between(days[0], days[-1])}"
    return f"{user} often {phrases[0]} ({when})" if often else f"{user} {phrases[0]} now and then ({when})"


def _phrase(content: str, user: str | None) -> str | None:
    """Return what a plain report in English says that its user does: "runs by the river"."""
    who = user or ""
    if not who or normalize(content[: len(who)]) != normalize(who) or deed_done(content, user) is None:
        return None
    words = without_time(_IN_MONTH.sub("", content[len(who) :])).rstrip(". ").split()
    while words and words[-1] in _PARTS_OF_DAY:
        words.pop()
    base = base_of_past(words[0]) if words else None
    return " ".join([third_person(base), *words[1:]]) if base is not None else None


def _after(whose: str, text: str) -> str:
    return text.removeprefix(f"{whose} ") if text.startswith(f"{whose} ") else ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Question that a statement says is undecided; ``topic``: the words that say what about."""

    key: str
    topic: frozenset[str]

    @property
    def about(self) -> str:
        """Return the matter of an insight on it."""
        return f"question:{self.key}"

    def stored(self) -> dict[str, object]:
        """Return it as it is kept with what a dream reads in a memory."""
        return {"question": self.key}

    def is_touched_by(self, content: str) -> bool:
        """Return whether another statement is about it for the half, and so may settle it."""
        return 2 * len(self.topic & content_stems(content)) >= len(self.topic)


def question_in(content: str, subject: str | None) -> OpenQuestion | None:
    """Return what a statement says that its subject has not decided; None for most."""
    whose = normalize(subject or "")
    if not whose or len(content) > _CHARS_MAX or normalize(content[: len(whose)]) != whose:
        return None
    match = _UNDECIDED.match(content[len(whose) :])
    topic = content_stems(match["topic"]) - _TIME - _SMALL if match else frozenset()
    if len(topic) < _TOPIC_WORDS_MIN:
        return None
    return OpenQuestion(digest_of("question", subject or "", *sorted(topic)), topic)


@dataclass(frozen=True, slots=True)
class Taste:
    """Liking or dislike that a statement tells of a ``theme``: a ``thing``, or all of it where that is empty."""

    key: str
    theme: str
    thing: str
    liked: bool
    language: str

    @property
    def about(self) -> str:
        """Return the matter of an insight on it."""
        return f"taste:{self.key}"

    def stored(self) -> dict[str, object]:
        """Return it as it is kept with what a dream reads in a memory."""
        return {"taste": self.key}


@dataclass(frozen=True, slots=True)
class _Wording:
    """Wording of a language: after the name of whom it is about come a verb, and what is liked."""

    likes: re.Pattern[str]
    dislikes: re.Pattern[str]
    what: tuple[re.Pattern[str], ...]
    says: tuple[str, str]


def _one_of(words: str) -> str:
    return "|".join(listed(words))


_EN_ACTIVITY = _one_of(
    "hiking running jogging swimming cycling biking climbing bouldering skiing snowboarding sailing surfing kayaking"
    " rowing fishing camping dancing singing cooking baking painting drawing reading writing travelling traveling"
    " driving walking gardening diving skating knitting gaming birdwatching foraging"
)
_EN_KIND = _one_of(
    "tea coffee wine beer whisky whiskey cheese chocolate music jazz rock metal films movies novels books comics poetry"
    " podcasts games museums"
)
_DE_ACTIVITY = _one_of("Wandern Laufen Joggen Schwimmen Klettern Skifahren Radfahren Tanzen Angeln Zelten")
_DE_KIND = _one_of("Tee Kaffee Wein Bier Käse Schokolade Musik Filme Romane Bücher Spiele Museen")
_FR_ACTIVITY = _one_of("randonnée escalade ski vélo natation courir nager marcher skier danser camper pêcher")
_FR_KIND = _one_of("thé café vin bière fromage chocolat musique films romans livres jeux musées")
_ES_ACTIVITY = _one_of("caminar correr nadar escalar esquiar bailar acampar pescar cocinar")
_ES_KIND = _one_of("té café vino cerveza queso chocolate música películas novelas libros juegos museos")
_ZH_ACTIVITY = _one_of("徒步 跑步 游泳 爬山 滑雪 钓鱼 露营 散步 骑车 唱歌 跳舞")
_ZH_KIND = _one_of("茶 咖啡 葡萄酒 啤酒 音乐 电影 小说")

_WORDINGS = {
    "en": _Wording(
        re.compile(
            rf"^{_EN_ADVERBS} (?:likes|loves|enjoys|adores"
            r"|is (?:really |so )?(?:into|fond of|keen on|a fan of|passionate about)) "
        ),
        re.compile(
            rf"^{_EN_ADVERBS} (?:hates|dislikes|can(?:no|['’])t stand"
            r"|does(?:n['’]t| not) (?:really )?(?:like|love|enjoy)"
            r"|is(?:n['’]t| not) (?:really )?(?:into|fond of|keen on|a fan of)) "
        ),
        (
            re.compile(
                rf"^(?:to go |going )?(?P<theme>{_EN_ACTIVITY})"
                rf"(?: (?:in|on|at|around|through|along|near|by|across|under|during) {_THING})?$"
            ),
            re.compile(
                rf"^(?:(?:drinking|eating|watching|reading|playing|listening to) )?(?:{_KIND_OF} )?"
                rf"(?P<theme>{_EN_KIND})$"
            ),
        ),
        ("{who} likes {theme} ({things})", "{who} dislikes {theme} ({things})"),
    ),
    "de": _Wording(
        re.compile(rf"^ (?:mag|liebt|gefällt|{_DE_DOES}(?: sehr)? gerne?)(?: sehr)? "),
        re.compile(rf"^ (?:hasst|mag keine?n?|{_DE_DOES} nicht gerne?) "),
        (
            re.compile(rf"^(?:das )?(?P<theme>{_DE_ACTIVITY})(?: (?:in|im|am|an|auf|durch) {_THING})?$"),
            re.compile(rf"^(?:{_KIND_OF} )?(?P<theme>{_DE_KIND})$"),
        ),
        ("{who} mag {theme} ({things})", "{who} mag {theme} nicht ({things})"),
    ),
    "fr": _Wording(
        re.compile(r"^ (?:aime|adore)(?: (?:bien|beaucoup))? "),
        re.compile(r"^ (?:n['’]aime pas|déteste) "),
        (
            re.compile(
                rf"^(?:faire )?(?:de la |du |de l['’]|la |le |l['’])?(?P<theme>{_FR_ACTIVITY})"
                rf"(?: (?:en|dans|à|au|aux|sur) {_THING})?$"
            ),
            re.compile(rf"^(?:le |la |les )?(?P<theme>{_FR_KIND})(?: {_KIND_OF})?$"),
        ),
        ("{who} aime : {theme} ({things})", "{who} n'aime pas : {theme} ({things})"),
    ),
    "es": _Wording(
        re.compile(r"^ le (?:gusta|encanta)n?(?: mucho)? "),
        re.compile(r"^ (?:no le gustan?(?: nada)?|le disgustan?) "),
        (
            re.compile(rf"^(?P<theme>{_ES_ACTIVITY})(?: (?:en|por) {_THING})?$"),
            re.compile(rf"^(?:el |la |los |las )?(?P<theme>{_ES_KIND})(?: {_KIND_OF})?$"),
        ),
        ("A {who} le gusta: {theme} ({things})", "A {who} no le gusta: {theme} ({things})"),
    ),
    "zh": _Wording(
        re.compile("^(?:很|最|也|非常)?(?:喜欢|喜歡|热爱)(?:去|喝|看|听)?"),
        re.compile("^(?:不喜欢|不喜歡|讨厌|不爱)(?:去|喝|看|听)?"),
        (
            re.compile(f"^(?:在{_ZH_THING})?(?P<theme>{_ZH_ACTIVITY})$"),
            re.compile(f"^{_ZH_THING}?(?P<theme>{_ZH_KIND})$"),
        ),
        ("{who}喜欢{theme}（{things}）", "{who}不喜欢{theme}（{things}）"),
    ),
}


def taste_in(content: str, subject: str | None) -> Taste | None:
    """Return what a statement says that its subject likes or dislikes of a theme; None for most."""
    if not subject or len(content) > _TASTE_CHARS_MAX:
        return None
    said = content.removeprefix("A ") if content.startswith("A ") else content
    if normalize(said[: len(subject)]) != normalize(subject):
        return None
    said = said[len(subject) :].rstrip(".!。！ ")
    for language, wording in _WORDINGS.items():
        for liked, verb in ((False, wording.dislikes), (True, wording.likes)):
            begun = verb.match(said)
            found = _what(wording, said[begun.end() :]) if begun else None
            if found is not None:
                theme, thing = found
                return Taste(digest_of("taste", subject, *sorted(content_stems(theme))), theme, thing, liked, language)
    return None


def taste_sentence(tastes: Sequence[Taste], user: str) -> str:
    """Return what statements of one taste come to, in the words and the language of the last."""
    last = tastes[-1]
    things = list({normalize(one.thing): one.thing for one in tastes}.values())
    more = ["…"] if len(things) > _THINGS_SHOWN else []
    liked, disliked = _WORDINGS[last.language].says
    shown = ("、" if last.language == "zh" else ", ").join([*things[:_THINGS_SHOWN], *more])
    return (liked if last.liked else disliked).format(who=user, theme=last.theme, things=shown)


def _what(wording: _Wording, said: str) -> tuple[str, str] | None:
    """Return the theme and the thing of what is liked."""
    for pattern in wording.what:
        match = pattern.match(said)
        if match is not None:
            thing = match["thing"] or ""
            words = set(thing.lower().split())
            names_it = not words or (words - _DETERMINERS and words.isdisjoint(_NO_THING))
            return (match["theme"], thing) if names_it else None
    return None


Reported = Habit | Taste | OpenQuestion


def reported_in(content: str, subject: str | None, policy_type: str) -> Reported | None:
    """Return what a statement of that type reports; None for most."""
    if policy_type == MemoryType.INSIGHT:
        return None
    taste = taste_in(content, subject) if policy_type == MemoryType.PREFERENCE else None
    return (
        taste
        or question_in(content, subject)
        or habit_in(content, subject, happens=POLICIES[MemoryType(policy_type)].happens)
    )
