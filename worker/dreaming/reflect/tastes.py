"""A preference that holds across things ("likes hiking in Jotunheimen", "loves hiking in Lofoten": likes hiking).

Two statements are of one taste when they name the same activity or kind of thing, out of a short list: that somebody
likes hot dogs and big dogs says nothing about dogs. What is liked of it is whatever else they name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.guards import content_stems, normalize
from service.domain.word_lists import listed, word_set
from worker.dreaming.digests import digest_of

_CHARS_MAX = 200
_THINGS_SHOWN = 4
_THING = r"(?P<thing>[\w'’-]{2,30}(?: [\w'’-]{1,30}){0,5})"
_KIND_OF = r"(?P<thing>[\w'’-]{2,30}(?: [\w'’-]{2,30})?)"
_DETERMINERS = word_set("the a an some their his her its das die den der le la les el los las")
_NO_THING = word_set("""
    any this that these those all no more most less good great nice other real such both either not but than when
    if because while without except kein keine keinen nicht guter guten gute aber pas mais quand bon bonne pero
    cuando buen buena todo toda""")


@dataclass(frozen=True, slots=True)
class Taste:
    """What a statement likes or dislikes of a ``theme``: a ``thing``, or all of it where that is empty."""

    key: str
    theme: str
    thing: str
    liked: bool
    language: str

    @property
    def about(self) -> str:
        """The matter of an insight on it."""
        return f"taste:{self.key}"

    def stored(self) -> dict[str, object]:
        """As it is kept with what a dream reads in a memory."""
        return {"taste": self.key}


@dataclass(frozen=True, slots=True)
class _Wording:
    """How a language says it: after the name of whom it is about come a verb, and what is liked."""

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
_EN_ADVERBS = r"(?: (?:really|also|still|always|absolutely|just|particularly)){0,2}"
_DE_ACTIVITY = _one_of("Wandern Laufen Joggen Schwimmen Klettern Skifahren Radfahren Tanzen Angeln Zelten")
_DE_KIND = _one_of("Tee Kaffee Wein Bier Käse Schokolade Musik Filme Romane Bücher Spiele Museen")
_DE_DOES = r"(?:trinkt|isst|hört|liest|spielt|sieht|schaut)"
_FR_ACTIVITY = _one_of("randonnée escalade ski vélo natation courir nager marcher skier danser camper pêcher")
_FR_KIND = _one_of("thé café vin bière fromage chocolat musique films romans livres jeux musées")
_ES_ACTIVITY = _one_of("caminar correr nadar escalar esquiar bailar acampar pescar cocinar")
_ES_KIND = _one_of("té café vino cerveza queso chocolate música películas novelas libros juegos museos")
_ZH_ACTIVITY = _one_of("徒步 跑步 游泳 爬山 滑雪 钓鱼 露营 散步 骑车 唱歌 跳舞")
_ZH_KIND = _one_of("茶 咖啡 葡萄酒 啤酒 音乐 电影 小说")
_ZH_THING = r"(?P<thing>[\u3400-\u9fff]{1,10}?)"

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
    """What a statement says that its subject likes or dislikes of a theme; None for most."""
    if not subject or len(content) > _CHARS_MAX:
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
    """What statements of one taste come to, in the words and the language of the last."""
    last = tastes[-1]
    things = list({normalize(one.thing): one.thing for one in tastes}.values())
    more = ["…"] if len(things) > _THINGS_SHOWN else []
    liked, disliked = _WORDINGS[last.language].says
    shown = ("、" if last.language == "zh" else ", ").join([*things[:_THINGS_SHOWN], *more])
    return (liked if last.liked else disliked).format(who=user, theme=last.theme, things=shown)


def _what(wording: _Wording, said: str) -> tuple[str, str] | None:
    """The theme and the thing of what is liked."""
    for pattern in wording.what:
        match = pattern.match(said)
        if match is not None:
            thing = match["thing"] or ""
            words = set(thing.lower().split())
            names_it = not words or (words - _DETERMINERS and words.isdisjoint(_NO_THING))
            return (match["theme"], thing) if names_it else None
    return None
