"""Grounding of time expressions ("yesterday", "last week", "in May") on the time a turn was said."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from service.domain.times import Period, day_words
from service.domain.word_lists import places, word_set
from service.extraction.calendar import Calendar, Grounded, When, add_months, nearest_year, shifted
from service.extraction.compound_times import EARLY, FIRST_HALF, LATE, MIDDLE, MOVED, SECOND_HALF, Wording, joining
from service.extraction.english.grammar import lies_ahead
from service.extraction.english.lexicon import MONTH, MONTHS, SMALL_NUMBERS, WEEKDAY, WEEKDAYS
from service.extraction.patterns import any_case

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_COUNT = r"\d{1,3}|a\scouple\sof|couple\sof|a\sfew|few|several|an?|" + "|".join(
    word for word in SMALL_NUMBERS if " " not in word and word not in ("a", "an", "few", "several")
)
MONTH_NAMES = tuple(name.capitalize() for name in MONTH.split("|"))

_EXPRESSION = re.compile(
    rf"""(?P<prep>\b(?:on|in|by|until|till|since|from|before|after|for|of|to|due|about|around|roughly|almost
        |nearly|over)\s+(?:the\s+(?=\d{{1,2}}(?:st|nd|rd|th)?\b)|(?=\S)))?(?:
      (?<![\w/-])(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b
    | \b(?<!\d[-–])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{_MONTH})\b(?:\.(?=.))?
      (?:,?\s(?P<year>(?:19|20)\d\d))?
    | \b(?P<month2>{_MONTH})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<year2>(?:19|20)\d\d))?
    | \b(?P<month3>{MONTH})(?:,?\sof)?,?\s(?P<year3>(?:19|20)\d\d)\b
    | \b(?:the\s)?(?P<named>day\sbefore\syesterday|day\safter\stomorrow)\b
    | (?<=\bthe\s)(?P<ordinal>\d{{1,2}})(?:st|nd|rd|th)\b(?!\s(?:floor|time|street|avenue|grade|place|of|birthday
        |anniversary|try|attempt|page|and|century|street|hole|level|day|week|lap|round|one|book|half|part|season
        |episode|chapter|kid|child
        |edition|version|draft|year|month|floors?|person|option|choice|date|interview|appointment|trimester))
    | \b(?P<named2>yesterday|today|tomorrow|tonight|last\snight|this\s(?:morning|afternoon|evening))\b
    | \b(?P<ago>{_COUNT})\s(?P<unit>day|week|weekend|month|year)s?\s(?:ago|back)\b
    | \bin\s(?P<in>{_COUNT})\s(?P<unit2>day|week|month|year)s?\b
    | \b(?P<step>last|this|next|this\spast|past|this\scoming)\s(?P<unit3>week|weekend|month|year|{MONTH}
        |{_DAY})\b
    | \b(?P<weekday>{WEEKDAY})\b(?!,?\s\d)
    | (?:(?<=\bin\s)|(?<=\bsince\s)|(?<=\buntil\s)|(?<=\btill\s)|(?<=\bby\s)|(?<=\bbefore\s)|(?<=\bfrom\s))
      (?P<month4>{MONTH})\b
    | (?<=\bin\s)(?P<year4>(?:19|20)\d\d)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_CUE = any_case(
    rf"\d|day|week|month|year|night|tomorrow|quarter|hour|minute|ties\b|\b(?:morning|evening|afternoon|{MONTH})\b"
)
_IS = any_case(r"(?:'s|\bis|\bare|\bbe|\bwas|\bnow)\s$")
_TO_WEEKDAY = any_case(rf"\s?(?:to|till?|until|through|thru|[-–])\s?(?:{_DAY})\b")
_FROM_WEEKDAY = any_case(rf"\b(?:{_DAY})\s?(?:to|till?|until|through|thru|[-–])\s?$")
_MOVED_WITHIN = 80
_KEEPS_PREPOSITION = word_set("by until till since from before after for of to due")
_APPROXIMATE = word_set("about around roughly almost nearly over")
_PERIODS = frozenset({"week", "week before", "week after", "month", "year"})
_AFTER_SUBJECT = re.compile(r" (?:has|is|was|will be)\b")
"""What follows a time that is itself what is spoken of: "This week has been hard"."""
_VAGUE = frozenset({"a few", "few", "several", "a couple of", "couple of"})
_ABOUT = dict.fromkeys(("a few", "few"), (2, 5)) | {"several": (3, 7)}
"""How many are meant at least and at most by a count that is none."""
_PARTS_OF_DAY = ("night", "morning", "afternoon", "evening")
_NUMBERS = rf"\d{{1,3}}|an?|{'|'.join(word for word in SMALL_NUMBERS if ' ' not in word and len(word) > 2)}"
_YEAR = r"(?:19|20)\d\d"
_AFTER_QUARTER = (
    r"(?:and|or|was|were|is|has|had|will|we|i|they|he|she|it|but|because|with|when|while|so|to|through|until|till|at|as"
    r"|after|before|this|last|next|of)\b"
)
"""What may follow a quarter that is a time, and not what sort of thing something is: "the Q3 numbers"."""
_DECADES = places("twenties thirties forties fifties sixties seventies eighties nineties", 2)
_WORDING = Wording(
    plain=joining(
        rf"""(?<![\w/-])(?P<iso>{_YEAR}/\d\d?/\d\d?)\b
        | (?<![\w/.-])(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])(?![\w-])
        | \bq(?P<quarter>[1-4])(?:(?:\sof)?,?\s(?P<year2>{_YEAR})\b|\b(?!['’]|\s(?!{_AFTER_QUARTER})[a-z]))
        | \b(?P<quarter2>first|second|third|fourth|last)\squarter(?:(?:\sof)?,?\s(?P<year3>{_YEAR}))?\b
        | \b(?P<decade>(?:19|20)\d0)['’]?s\b | (?<!\w)['’]?(?P<decade2>[2-9]0)['’]?s\b
        | \bthe\s(?P<decade3>twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b
        | \b(?P<hours>{_NUMBERS})\shours?\s(?P<back>ago)\b | \bin\s(?P<hours2>{_NUMBERS})\shours?\b
        | \b(?P<minutes>{_NUMBERS})\smin(?:ute)?s?\s(?P<back2>ago)\b | \bin\s(?P<minutes2>{_NUMBERS})\smin(?:ute)?s?\b
        | (?<=\bof\sthe\s)(?P<current>week|month|year)\b
        | \b(?P<bare_month>(?-i:{"|".join(MONTH_NAMES)}))\b
        | \b(?P<bare_weekday>{WEEKDAY})\b
        | (?<![\w.,:/$€£-])(?P<bare_year>{_YEAR})(?![\w%]|[.,:/]\d|\s(?!was|is|has|as|this)[a-z]{{1,15}}s\b)"""
    ),
    taken=joining(
        r"""\b(?:in|since|by|until|till|during|around|circa|throughout|from|year|(?:spring|summer|autumn|fall
        |winter)(?:\sof)?)
        \s@"""
    ),
    spans=joining(
        r"""\bfrom\s@\s(?:to|till?|until|through|thru)\s@ | \bbetween\s@\sand\s@
        | @\s?[-–—]\s?@ | @\s(?:to|through|until)\s@"""
    ),
    days=joining(r"\b(?P<n>\d{1,2})(?:st|nd|rd|th)?\s?(?:to|till?|until|through|[-–—])\s?(?:the\s)?@"),
    part=joining(
        r"""\b(?P<part>early|mid|late)[\s-](?:in\s)?(?:the\s)?@
        | \b(?P<part2>beginning|start|middle|end|first\shalf|second\shalf)\sof\s(?:the\s)?@"""
    ),
    parts={
        "early": EARLY,
        "beginning": EARLY,
        "start": EARLY,
        "mid": MIDDLE,
        "middle": MIDDLE,
        "late": LATE,
        "end": LATE,
        "first half": FIRST_HALF,
        "second half": SECOND_HALF,
    },
    clock=joining(
        r"""(?:\b(?:at|from|between)\s)?\b(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?
        (?:\s?(?:-|–|to|and)\s?(?P<until>\d{1,2}))?\s?(?P<half>[ap]\.?m\b\.?)
        | \bat\s(?P<hour2>\d{1,2}):(?P<minute2>[0-5]\d)\b | \b(?:at\s)?(?P<noon>noon)\b"""
    ),
    late=word_set("pm tonight") | {"last night", "this evening", "this afternoon"},
    bound=joining(r"\b(?:before|after|prior\sto)\s@"),
    recurs=joining(
        rf"""\b(?:every|each)\s(?:other\s|single\s|few\s|\w{{1,6}}\s)?(?:days?|weeks?|weekends?|months?|years?
        |mornings?|evenings?
        |nights?|spring|summer|fall|autumn|winter|{_DAY}|{MONTH})\b
        | \b(?:daily|weekly|biweekly|monthly|yearly|annually|nightly)\b | \b(?:once|twice|times|days)\sa\s(?:week
        |month|year)\b
        | \b(?:{WEEKDAY}|weekend|weekday)s\b(?!['’])"""
    ),
    inexact=joining(
        r"""\b(?:in|during|since|after|before)\s(?:college|(?:high\s|grad\s|middle\s)?school|university
        |(?:\w+\s)?(?:childhood|youth|teens
        |twenties|thirties|forties)|the\s(?:past|future)) | \bas\san?\s(?:child|kid|teen|teenager|student|boy|girl|baby)
        | \bwhen\s[\w']{1,20}\s(?:was|were) | \bback\s(?:then|when) | \bgrowing\sup
        | \b(?:years|months|weeks|days|ages|decades|while|long)\sago | \b(?:recently|lately|soon|someday|once)
        | \b(?:some|one|the\sother)\sday | \b(?:last|this|next|past)\s(?:spring|summer|fall|autumn|winter|time)
        | \b(?:christmas|easter|thanksgiving|halloween|hanukkah|diwali|new\syear) | \bused\sto | \bat\sthe\stime"""
    ),
)
_CALENDAR = Calendar(
    _EXPRESSION,
    named=places(
        "day~before~yesterday yesterday/last~night today/tonight/this~morning/this~afternoon/this~evening tomorrow"
        " day~after~tomorrow",
        -2,
    ),
    months=MONTHS,
    weekdays=WEEKDAYS,
    units={unit: unit for unit in ("day", "week", "weekend", "month", "year")},
    steps=places("last/past/this~past this/this~coming next", -1),
    counts=SMALL_NUMBERS,
    wording=_WORDING,
    quarters=places("first second third fourth/last"),
    decades={word: tens * 10 for word, tens in _DECADES.items()},
)


def ground(text: str, now: datetime, *, future: bool = False) -> Grounded:
    """Replace relative time expressions in ``text``, said at ``now``, by absolute ones.

    "yesterday" becomes "on 7 May 2023". The tense of its verb says whether a weekday, or a day without a year, is the
    next one or the last; where nothing says so it is the next one with ``future`` (todos, goals), else the last weekday
    or the nearest day. A date in figures, and an expression that names no existing date, stay as they are.
    """
    if not _CUE.search(text):
        return Grounded(text, timed=bool(_WORDING.inexact.search(text)))

    def ahead_of(text: str, start: int, end: int, preposition: str = "") -> bool | None:
        ahead = lies_ahead(text, start, end, preposition)
        return True if ahead is None and future else ahead

    def read(match: re.Match[str], given: dict[str, str], today: datetime) -> tuple[When, str] | None:
        preposition = next(iter(given.get("prep", "").split()), "")
        when = _meaning(match, given, today, ahead_of(text, match.start(), match.end(), preposition.lower()))
        if when is None:
            return None
        return when, match[0] if "iso" in given else _written(match, given, when, preposition)

    return _CALENDAR.ground(text, now, read, ahead_of)


def _meaning(match: re.Match[str], given: dict[str, str], today: datetime, ahead: bool | None) -> When | None:
    """Return what an expression means; None where it is part of something else, as in "may" or "Monday to Friday"."""
    if "ordinal" in given:
        return _ordinal(int(given["ordinal"]), today, ahead) if "prep" in given else None
    text, unit = match.string, given.get("unit", "").lower()
    if "step" in given:
        at = match.start("step")
        if text[max(0, at - 4) : at].lower() == "the ":
            return None
        if unit in MONTHS and given["step"].lower().startswith("this") and given["step"].lower() != "this past":
            return When("month", nearest_year(today.replace(day=1), MONTHS[unit], 1, ahead=False))
    if "weekday" in given:
        named = "prep" in given or _IS.search(text, max(0, match.start() - 10), match.start())
        possessed = text[match.end() : match.end() + 1] in ("s", "'", "’")
        if not named or possessed or _ends_span(text, match.start("weekday"), match.end()):
            return None
    if ("in" in given and not ahead) or ("day" in given and given["month"] == "may"):
        return None
    when = _CALENDAR.meaning(given, today, ahead)
    count = " ".join((given.get("ago") or given.get("in") or "").lower().split())
    if when is None or count not in _ABOUT:
        return when
    nearest, farthest = (-amount if "ago" in given else amount for amount in _ABOUT[count])
    unit = given["unit"].lower()
    ends = [shifted(amount, unit, today).period for amount in sorted((nearest, farthest))]
    return replace(when, exactly=Period(ends[0].begin, ends[1].end))


def _ordinal(day: int, today: datetime, ahead: bool | None) -> When:
    """ "on the 5th": of this month, or of the one before or after."""
    start = today.replace(day=day)
    if ahead and start < today:
        start = add_months(today, 1).replace(day=day)
    elif not ahead and start > today:
        start = add_months(today, -1).replace(day=day)
    return When("day", start)


def _ends_span(text: str, start: int, end: int) -> bool:
    """Return whether a weekday is one end of a span, as of opening hours, and not where something was moved from or
    to."""
    spanned = _TO_WEEKDAY.match(text, end) or _FROM_WEEKDAY.search(text, max(0, start - 20), start)
    return bool(spanned) and not MOVED.search(text, max(0, start - _MOVED_WITHIN), start)


def _written(match: re.Match[str], given: dict[str, str], when: When, given_preposition: str) -> str:
    words, said = _words(given, when), given_preposition.lower()
    if match.start() == 0 and not said and _AFTER_SUBJECT.match(match.string, match.end()):
        return f"{words[:1].upper()}{words[1:]}"
    if match.string[match.end() : match.end() + 2] in ("'s", "’s"):
        return f"{given_preposition} {words}".strip()
    count = given.get("ago") or given.get("in")
    vague = count is not None and (count.lower() in _VAGUE or given["unit"].lower().startswith("week"))
    preposition = "around" if vague else "in" if when.kind in _PERIODS else "on"
    if said == "to" and "ago" in given:
        return f"{given_preposition} {preposition} {words}"
    if said in _KEEPS_PREPOSITION:
        return f"{given_preposition} {words}"
    return f"{'around' if said in _APPROXIMATE else preposition} {words}"


def _words(given: dict[str, str], when: When) -> str:
    if when.kind == "month":
        return f"{MONTH_NAMES[when.day.month - 1]} {when.day.year}"
    if when.kind == "year":
        return str(when.day.year)
    day = day_words(when.shown or when.day)
    if when.kind == "weekday":
        return f"{when.day:%A} {day}"
    if when.kind != "day":
        return f"the {when.kind if when.kind.startswith('week ') else f'{when.kind} of'} {day}"
    part = next((part for part in _PARTS_OF_DAY if part in given.get("named", "").lower()), None)
    return f"the {part} of {day}" if part else day
