"""Merge guards: when two statements say the same thing, and when they say opposite things.

Similarity of embeddings cannot decide this: "budget 50000" and "budget 60000", "prefers" and "never prefers",
"Room 101" and "Room 102", "Tigran" and "Iran" are all neighbours. Here both statements are brought into one
canonical sequence of words and must then agree word for word: every number, identifier, negation and name.
Only rewrites that keep the meaning are undone: articles, intensifiers, contractions, number words, the progressive,
the passive, a relative clause of one adjective, a date in front, and the order of two things joined by "and".
What is not understood stays apart, for keeping both costs less than losing one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cached_property

from service.domain.text_normalization import without_ignorable
from service.domain.word_lists import listed, pairs, places, word_set

_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), " ")  # category Cc, fixed by Unicode for ever
_TEXT_MAX = 20_000  # characters; past this a text is not compared word for word
_TOKENS_MAX = 400  # past this a statement is a document: only identical text merges

_TOKEN = re.compile(
    r"(?<!\w)[-−](?=\d)|[^\W_]+(?:['._\-/@:+#&][^\W_]+)*(?:\+\+|#)?|[^\w\s.,;:!'\"()\[\]{}…‘’“”„«»\-–—`]"
)
_NAME = re.compile(r"(?<=[^\s.!?] )[^\W\d_a-zß-öø-ÿ][\w'’-]*")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_FRONTED = re.compile(r"(?:on|in|at|during|since|by|after|before) [^,]{1,40}, ")
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bain't\b"), "is not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"\b(he|she|it|that|there|who|what)'s\b"), r"\1 is"),
    (re.compile(r"\bn'(?=\w)"), "ne "),
)
_HAN = re.compile("[\u3400-\u9fff]")

_IGNORED = word_set("""
    a an the really very actually simply basically definitely certainly absolutely totally truly indeed""")
_BE = word_set("am is are")
_BE_PAST = word_set("was were")
_NEGATIONS = frozenset(
    listed("not no never none nobody nothing nowhere neither nor without hardly barely seldom rarely stopped quit")
    # German, French (whose "ne" comes with one of these), Spanish, Chinese
    + listed("nicht kein keine keinen keinem keiner keines nie niemals niemand nichts weder ohne")
    + listed("pas jamais aucun aucune rien sans nunca jamás jamas tampoco ningún ninguna 不 没 沒 别 別 未 无 無")
)
_AUXILIARIES = word_set("am is are was were be been being do does did has have had there ne")
_PREPOSITIONS = word_set("""
    in on at to into onto from with without of for by near over under behind beside through across around about
    during after before since until while and or but""")
_NUMBERS = places("two three four five six seven eight nine ten eleven twelve", 2)
_NUMBER_WORDS = {word: str(number) for word, number in _NUMBERS.items()}
_VARIANTS = pairs("""
    postgresql=postgres colour=color colours=colors favourite=favorite organise=organize telephone=phone
    television=tv mom=mother mum=mother dad=father photograph=photo film=movie automobile=car bicycle=bike
    refrigerator=fridge purchase=buy utilize=use utilise=use lady=woman speaking=talking onto=on""")

_IRREGULAR = (
    "be:been begin:began:begun bite:bit:bitten break:broke:broken bring:brought build:built buy:bought"
    " catch:caught choose:chose:chosen cut:cut do:did:done draw:drew:drawn drink:drank:drunk drive:drove:driven"
    " eat:ate:eaten feed:fed feel:felt fight:fought find:found fly:flew:flown forget:forgot:forgotten get:got"
    " give:gave:given go:went:gone grind:ground grow:grew:grown hear:heard hide:hid:hidden hit:hit hold:held hurt:hurt"
    " keep:kept know:knew:known lay:laid lead:led leave:left lend:lent lose:lost make:made meet:met pay:paid"
    " put:put read:read ride:rode:ridden run:ran:run say:said see:saw:seen sell:sold send:sent set:set"
    " shake:shook:shaken shoot:shot show:showed:shown sing:sang:sung sit:sat speak:spoke:spoken spend:spent"
    " steal:stole:stolen sweep:swept"
    " swim:swam:swum take:took:taken teach:taught tear:tore:torn tell:told think:thought throw:threw:thrown"
    " wear:wore:worn win:won write:wrote:written"
)
_PAST: dict[str, str] = {}
_PARTICIPLE: dict[str, str] = {}
for _entry in _IRREGULAR.split():
    _base, *_forms = _entry.split(":")
    _PARTICIPLE[_forms[-1]] = _base
    if _base != "be":
        _PAST[_forms[0]] = _base

_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in listed("""
        like/dislike like/hate love/hate enjoy/hate love/dislike accept/reject accept/refuse agree/disagree
        open/close start/stop begin/end always/never everything/nothing everybody/nobody everyone/nobody
        inside/outside indoors/outdoors big/small tall/short full/empty hot/cold allow/forbid allow/deny grant/deny
        enable/disable enabled/disabled true/false public/private hit/miss remember/forget win/lose with/without
        can/cannot married/divorced alive/dead vegetarian/carnivore on/off up/down into/out left/right mag/hasst
        liebt/hasst aime/déteste adore/déteste ama/odia adora/odia""")
)


def normalize(text: str) -> str:
    """Return the form in which two texts count as identical.

    Unicode NFKC, case folded, without what shows nothing, every run of white space one space, none at the ends. NUL and
    other control characters count as white space. Idempotent.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", without_ignorable(text)).casefold())
    return " ".join(folded.translate(_CONTROLS).split())


class Analysis:
    """What the guards compare of a statement, each part computed once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def normalized(self) -> str:
        """``normalize`` of the text."""
        return normalize(self.text)

    @cached_property
    def tokens(self) -> list[str]:
        """Return its words, in order."""
        return _tokens(self.normalized)

    @cached_property
    def forms(self) -> list[str]:
        """Return the canonical form of its words."""
        return _canonical(self.tokens)

    @cached_property
    def stems(self) -> Counter[str]:
        """Return its content words, their inflections folded, and how often each occurs."""
        return _content_stems(self.tokens)

    @cached_property
    def variants(self) -> set[str]:
        """Return every word, its inflections folded."""
        return {_variant(word) for word in self.tokens}

    @cached_property
    def figures(self) -> set[str]:
        """Return its numbers and identifiers."""
        return {
            _NUMBER_WORDS.get(word, word)
            for word in self.tokens
            if any(char.isdigit() for char in word) or word in _NUMBER_WORDS
        }

    @cached_property
    def names(self) -> set[str]:
        """Return its capitalised words past the first one, normalized."""
        return {normalize(name) for name in _NAME.findall(self.text)}

    @cached_property
    def negations(self) -> int:
        """Return how many negations it has."""
        return _negations(self.tokens)


Analyse = Callable[[str], Analysis]
"""Analyses a statement. For many pairs of the same statements: ``functools.cache(Analysis)``, kept as long as they."""


def may_merge(a: str, b: str, analyse: Analyse = Analysis) -> bool:
    """Return whether two similar statements may become one memory. Symmetric, and true for identical texts.

    False whenever a number, identifier, name, negation, tense, or the roles in the sentence differ, whatever
    any embedder says; also when the difference is one that these rules do not understand.
    """
    one, other = analyse(a), analyse(b)
    if one.normalized == other.normalized:
        return True
    if not one.tokens or not other.tokens or max(len(one.tokens), len(other.tokens)) > _TOKENS_MAX:
        return False
    return len(one.forms) == len(other.forms) and all(map(_same_form, one.forms, other.forms))


def canonical_form(text: str) -> str:
    """Return one form for statements that say the same in almost the same words: equal forms may always merge."""
    folded = normalize(text)
    tokens = _tokens(folded)
    return " ".join(_canonical(tokens)) if 0 < len(tokens) <= _TOKENS_MAX else folded


def contradicts(a: str, b: str, analyse: Analyse = Analysis) -> bool:
    """Return whether two statements speak of the same thing with opposite polarity. Symmetric.

    Either all but a few content words agree and exactly one statement is negated ("likes tea", "does not like tea"),
    or they differ in one pair of opposites only ("likes tea", "hates tea"). A differing number, place or
    name alone is no contradiction.
    """
    one, other = analyse(a), analyse(b)
    if max(len(one.tokens), len(other.tokens)) > _TOKENS_MAX:
        return False
    if not one.stems or not other.stems:
        return False
    only_a, only_b = one.stems - other.stems, other.stems - one.stems
    negated = one.negations % 2 != other.negations % 2
    differing = only_a.total() + only_b.total()
    shared = (one.stems & other.stems).total()
    if _has_figures(only_a) or _has_figures(only_b):
        return False
    if negated:
        # A character says less than a word does.
        allowed = 0 if _HAN.search(a) or _HAN.search(b) else max(1, shared // 3)
        return shared > 0 and differing <= allowed
    if only_a.total() != 1 or only_b.total() != 1 or not shared:
        return False
    pair = {_variant(*only_a), _variant(*only_b)}
    return pair in _OPPOSITE_STEMS


def same_particulars(a: str, b: str, analyse: Analyse = Analysis) -> bool:
    """Return whether numbers, identifiers, names and negations agree, and no word stands against its opposite: without
    that nothing may merge, whoever says it may.

    Weaker than ``may_merge``: the words may differ. Names are capitalised words past the first one.
    """
    one, other = analyse(a), analyse(b)
    return (
        one.figures == other.figures
        and one.names == other.names
        and one.negations == other.negations
        and not _opposed(one.variants, other.variants)
    )


def name_others(a: str, b: str) -> bool:
    """Return whether each of two statements names something that the other does not: "in Bergen", "in Oslo"."""
    names_a, names_b = ({normalize(name) for name in _NAME.findall(text[:_TEXT_MAX])} for text in (a, b))
    return not (names_a <= names_b or names_b <= names_a)


def base_of_irregular(past: str) -> str | None:
    """Return the base form of the simple past of an irregular verb."""
    return _PAST.get(past)


def content_stems(text: str) -> frozenset[str]:
    """Return the words of a text that carry its meaning, their inflections folded."""
    tokens = _tokens(normalize(text[:_TEXT_MAX]))
    return frozenset(_variant(word) for word in tokens if word not in _IGNORED | _AUXILIARIES | _PREPOSITIONS)


def _opposed(stems_a: set[str], stems_b: set[str]) -> bool:
    """Return whether a word of one statement is the opposite of a word of the other, which has the word itself not."""
    only_a, only_b = stems_a - stems_b, stems_b - stems_a
    return any(only_a & group and only_b & group for group in _EXCLUSIVE)


def _tokens(text: str) -> list[str]:
    """Words, and characters of Chinese, which has no spaces between its words."""
    text = _HAN.sub(r" \g<0> ", text)
    text = text.replace("’", "'").replace("‘", "'")
    for pattern, expansion in _CONTRACTIONS:
        text = pattern.sub(expansion, text)
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    fronted = _FRONTED.match(text)
    if fronted:
        text = f"{text[fronted.end() :].rstrip('.!')} {fronted[0][:-2]}"
    return _TOKEN.findall(text)


def _canonical(tokens: list[str]) -> list[str]:
    words = [_NUMBER_WORDS.get(word, _VARIANTS.get(word, word)) for word in tokens if word not in _IGNORED]
    return _ordered_pair(_progressive(_active(_adjective_first(words))))


def _adjective_first(words: list[str]) -> list[str]:
    """ "dog which is black runs" becomes "black dog runs", for one adjective at the end of its clause."""
    for at in range(1, len(words) - 2):
        if words[at] in ("which", "who", "that") and words[at + 1] in _BE and words[at + 2] not in _PREPOSITIONS:
            closed = at + 3 == len(words) or words[at + 3] in _BE or words[at + 3] in _PREPOSITIONS
            if closed and words[at + 2] not in _NEGATIONS and not words[at + 2].endswith("ing"):
                return [*words[: at - 1], words[at + 2], words[at - 1], *words[at + 3 :]]
    return words


def _active(words: list[str]) -> list[str]:
    """ "milk is being drunk by cat" becomes "cat drink+ milk"; a plain statement is returned as it is."""
    for at in range(1, len(words) - 3):
        if words[at] not in _BE:
            continue
        verb_at = at + 1 + (words[at + 1] == "being")
        if verb_at >= len(words) - 2:
            return words
        verb = _participle_base(words[verb_at])
        if verb is None:
            continue
        if "by" not in words[verb_at + 1 : -1]:
            return words
        by = words.index("by", verb_at + 1)
        end = next((i for i in range(by + 2, len(words)) if words[i] in _PREPOSITIONS), len(words))
        agent, rest = words[by + 1 : end], words[verb_at + 1 : by]
        return [*agent, f"{verb}+", *words[:at], *rest, *words[end:]]
    return words


def _participle_base(word: str) -> str | None:
    return _stem(word) if word in _PARTICIPLE or (len(word) > 4 and word.endswith("ed")) else None


def _progressive(words: list[str]) -> list[str]:
    """Joins "is playing" to "play+" (present) and "was playing" to "play-" (past), where the two words adjoin."""
    joined: list[str] = []
    for word in words:
        if word.endswith("ing") and len(word) > 4 and joined and joined[-1] in _BE | _BE_PAST:
            joined[-1] = _stem(word) + ("+" if joined[-1] in _BE else "-")
        else:
            joined.append(word)
    return joined


def _ordered_pair(words: list[str]) -> list[str]:
    """Sorts "x and y" where it opens or closes the statement: elsewhere "and" may join clauses."""
    for at in (1, len(words) - 2):
        if 0 < at < len(words) - 1 and words[at] in ("and", "or") and words[at - 1] > words[at + 1]:
            words = [*words[: at - 1], words[at + 1], words[at], words[at - 1], *words[at + 2 :]]
    return words


def _same_form(x: str, y: str) -> bool:
    """Equal words, or a joined progressive beside its simple form ("play+" and "plays", "play-" and "played")."""
    if x == y:
        return True
    if y.endswith(("+", "-")) and y[:-1].isalpha():
        x, y = y, x
    if not (x.endswith(("+", "-")) and x[:-1].isalpha()):
        return False
    if x.endswith("+"):
        return y.endswith("s") and not y.endswith("ss") and _stem(y) == x[:-1]
    return (y in _PAST or y.endswith("ed")) and _stem(y) == x[:-1]


def _stem(word: str) -> str:
    """Return a light stem that joins the inflections of one verb or noun; never used to equate different words
    alone."""
    word = _PARTICIPLE.get(word) or _PAST.get(word) or word
    if not word.isalpha() or len(word) < 4:
        return word
    for suffix in ("ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 2 and not word.endswith("ss"):
            word = word[: -len(suffix)] + ("i" if suffix in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    if word.endswith("e") and len(word) > 2:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 else word


def _variant(word: str) -> str:
    return _stem(_VARIANTS.get(word, word))


def _content_stems(tokens: list[str]) -> Counter[str]:
    words = _active([word for word in tokens if word not in _IGNORED])
    kept = (word.rstrip("+") for word in words if word not in _NEGATIONS and word not in _AUXILIARIES)
    return Counter(_variant(_NUMBER_WORDS.get(word, word)) for word in kept)


def _negations(tokens: list[str]) -> int:
    return sum(word in _NEGATIONS for word in tokens) + ("plus" in tokens and "ne" in tokens)


def _has_figures(words: Counter[str]) -> bool:
    return any(char.isdigit() for word in words for char in word)


_EXCLUSIVE = tuple(
    frozenset(_variant(word) for word in group.split("/"))
    for group in listed("""
        inside/outside indoors/outdoors indoors/outside inside/outdoors large/small big/small big/little
        large/little hit/miss strike/miss full/empty crowded/empty alone/with blond/dark light/dark
        stand/run/sit/lie/kneel on/off""")
) + tuple(frozenset(_variant(word) for word in pair) for pair in _OPPOSITES)
"""Words of one group exclude one another where all else is alike."""

_OPPOSITE_STEMS = frozenset(frozenset(_stem(word) for word in pair) for pair in _OPPOSITES)
