"""German: word order, the third person, and dates."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, places, word_set
from service.extraction.languages.grammar import Calendar, any_of, meanings, spelled, spellings

NOBODY = "Der Nutzer"

OWN_VERBS = (
    "heiße|bin|habe|hab|wohne|lebe|arbeite|mag|liebe|hasse|verabscheue|bevorzuge|spreche|esse|trinke|komme|muss|möchte"
    "|will|werde|war|hatte|vertrage|studiere|rauche|ernähre|reagiere|interessiere|vermeide|besitze|stehe"
)
"""Finite verbs that "ich" may be left out before, for they are no imperatives."""
_VERBS = (
    f"{OWN_VERBS}|lerne|spiele|nutze|benutze|verwende|plane|brauche|gehe|fahre|ziehe|lese|höre|koche|jogge|ging|kaufe"
    "|schreibe|treffe|fliege|reise|besuche|programmiere|finde|kann|träume|hoffe|treibe|mache|trainiere|soll|sollte"
    "|nehme|wünsche|darf|laufe|schwimme|wandere|trage|schaue|sehe|meide|kaufte|besuchte|fuhr|flog|zog|traf|lief|sah"
    "|haben|sind|werden|nutzen|benutzen|verwenden|nehmen|wollen|müssen|sollten|möchten|planen|wohnen|leben|ziehen"
    "|fliegen|fahren|treffen|waren|hatten|setzen|mögen|lieben|arbeiten|feiern|heiraten"
)
SUBORDINATE = (
    "dass|weil|wenn|ob|da|damit|obwohl|als|das|die|der|den|dem|was|wie|wo|bevor|nachdem|während|falls|bis|sobald"
    "|solange|indem|denn|warum|welche"
)
FINITE = spelled(rf"(?:{_VERBS})")
_FRONTED = spelled(
    rf"^(?!(?:ich|wir|{SUBORDINATE})\b)(?P<front>[^,]{{1,80}}?)\s(?P<verb>{_VERBS})\s(?P<subject>ich"
    rf"|wir)\b(?P<rest>.{{0,400}})$"
)
_FRONTED_ADVERB = spelled(r"^(?P<front>[^,]{1,80}?)\s(?P<verb>\w{2,20}e)\s(?P<subject>ich)\b(?P<rest>.{0,400})$")
_FINAL = spelled(rf"^(?P<subject>ich|wir)\s(?P<rest>(?!(?:{_VERBS})\b)[^,]{{1,200}}?)\s(?P<verb>{_VERBS})$")
_SUBJECTLESS = spelled(rf"^(?:{OWN_VERBS})\b(?!\s(?:ich|wir)\b)")
_FRONT_WORD = spelled(
    r"^(?:seit|gestern|vorgestern|heute|morgen|übermorgen|am|im|in|nach|letzte\w{0,2}|nächste\w{0,2}|jede\w{0,2}|vor"
    r"|ab|bis"
    r"|um|meistens|normalerweise|gewöhnlich|oft|manchmal|immer|täglich|eigentlich|irgendwann|jetzt|inzwischen|mittlerweile|derzeit|zuhause"
    r"|zurzeit|momentan|aktuell|bald|früher|diese\w{0,2}|ursprünglich|besonders|am|bei|mit|für|leider|natürlich|dann"
    r"|neuerdings|meine?\w{0,2}|kein\w{0,2}|gern|gerne|lieber|beruflich|privat|persönlich|nie|niemals|außerdem|daher"
    r"|deshalb"
    r"|anfang|mitte|ende|von|zum|zur|auf|gegen|ohne|über|abends|morgens|montags|samstags|sonntags)\b"
)

_THIRD = meanings("""
    bin=ist habe=hat hab=hat werde=wird esse=isst spreche=spricht fahre=fährt lese=liest sehe=sieht gebe=gibt
    nehme=nimmt treffe=trifft schlafe=schläft laufe=läuft trage=trägt vertrage=verträgt vergesse=vergisst
    helfe=hilft lasse=lässt halte=hält verlasse=verlässt heiße=heißt arbeite=arbeitet warte=wartet fange=fängt
    empfehle=empfiehlt mag=mag will=will kann=kann muss=muss darf=darf soll=soll weiß=weiß tue=tut leite=leitet
    reite=reitet miete=mietet heirate=heiratet berate=berät möchte=möchte würde=würde hasse=hasst""")
_PRESENT_IN_TE = word_set("""
    teste warte starte biete beobachte achte erwarte bearbeite chatte faste spende leiste committe vermiete trete
    beachte verwalte gestalte poste blogge betrachte bevorrate unterrichte berichte richte""")
_OPENING = spelled(r"^(?P<subject>ich|wir)\s(?P<verb>\w{2,30})\b(?P<rest>.{0,600})$")
_OWNED = spelled(r"^(?P<own>mein|unser)e?[rsnm]?\s(?P<rest>.{0,600})$")
_POSSESSIVE = spelled(r"\bmein(?:e[rsnm]?)?\b(?=\s\w)")
_POSSESSIVES = spelled(r"\bunser(?P<ending>e[rsnm]?)?\b")
_REFLEXIVE = spelled(r"\b(?:mich|mir)\b")
_REFLEXIVES = spelled(r"\buns\b")
_FIRST = spelled(r"\b(?:ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2})\b")


def canonical(clause: str) -> str:
    """The clause with subject and verb in front: "Seit 2020 wohne ich in Bergen" as "Ich wohne seit 2020 in Bergen"."""
    by_adverb = bool(_FRONT_WORD.match(clause))
    fronted = _FRONTED.match(clause) or (_FRONTED_ADVERB.match(clause) if by_adverb else None)
    if fronted is not None:
        front = fronted["front"]
        if by_adverb:
            front = front[:1].lower() + front[1:]
        return f"{fronted['subject'].capitalize()} {fronted['verb'].lower()} {front}{fronted['rest']}"
    if _SUBJECTLESS.match(clause):
        return f"Ich {clause[:1].lower()}{clause[1:]}"
    final = _FINAL.match(clause)
    if final is not None:
        return f"{final['subject'].capitalize()} {final['verb']} {final['rest']}"
    return clause


def third_person(clause: str, name: str) -> str | None:
    """The clause, said by ``name``, told of them; None where that takes more than rules."""
    opening = _OPENING.match(clause)
    if opening is None:
        owned = _OWNED.match(clause)
        told = f"{_genitive(name)} {owned['rest']}" if owned else clause
        told = _REFLEXIVE.sub(name, told, count=1)
        return None if _FIRST.search(told) else told
    if opening["subject"].lower() == "ich":
        rest, comma, more = _POSSESSIVE.sub(_genitive(name), opening["rest"]).partition(",")
        told = f"{name} {_third(opening['verb'].lower())}{_REFLEXIVE.sub('sich', rest)}{comma}{more}"
    else:
        rest, comma, more = _POSSESSIVES.sub(lambda match: f"ihr{match['ending'] or ''}", opening["rest"]).partition(
            ","
        )
        told = f"{name} und andere {opening['verb'].lower()}{_REFLEXIVES.sub('sich', rest)}{comma}{more}"
    return None if _FIRST.search(told, len(name)) else told


def _genitive(name: str) -> str:
    if name == NOBODY:
        return "des Nutzers"
    return f"{name}'" if name[-1:].lower() in "sxzß" else f"{name}s"


def _third(verb: str) -> str:
    if verb in _THIRD:
        return _THIRD[verb]
    if not verb.endswith("e") or (verb.endswith("te") and verb not in _PRESENT_IN_TE):
        return verb
    stem = verb[:-1]
    return f"{stem}et" if stem.endswith(("t", "d", "chn", "ffn", "gn", "tm")) else f"{stem}t"


_MONTHS = spellings(
    places("""
    januar/jänner/jan februar/feb märz april/apr mai juni/jun juli/jul august/aug september/sept/sep oktober/okt
    november/nov dezember/dez""")
)
_WEEKDAYS = places("montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag", 0)
_NAMED = spellings(places("vorgestern gestern heute morgen übermorgen", -2))
_UNITS = meanings("""
    tag=day tage=day tagen=day woche=week wochen=week wochenende=weekend monat=month monate=month monaten=month
    jahr=year jahre=year jahren=year""")
_STEP_WORDS = ("letzte", "vergangene", "vorige", "diese", "dieses", "nächste", "kommende")
_STEPS = spellings({
    f"{word}{ending}": -1 if word[0] in "lv" else 0 if word.startswith("dies") else 1
    for word in _STEP_WORDS for ending in ("", "n", "s", "r", "m")
})  # fmt: skip
_COUNTS = spellings(places("ein/eine/einem/einer zwei drei vier fünf sechs sieben acht neun zehn") | {"zwölf": 12})
_MONTH_NAMES = listed("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
_DAY_NAMES = listed("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag")


MONTH = any_of(_MONTHS)
_KEPT = ("bis", "bis zum", "seit", "seit dem", "ab", "ab dem", "vor dem", "nach dem", "auf")
_PREPOSITIONS = (*_KEPT, "vor", "am", "im", "in der", "in", "zum", "vom", "den", "der")
_EXPRESSION = re.compile(
    rf"""(?:\b(?P<prep>{any_of(_PREPOSITIONS)})\s)?(?:
      \b(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b
    | \b(?P<day>\d{{1,2}})\.?\s?(?P<month>{any_of(_MONTHS)})\b\.?(?:\s(?P<year>(?:19|20)\d\d)\b)?
    | \b(?P<day2>\d{{1,2}})\.\s?(?P<month2>\d{{1,2}})\.(?:\s?(?P<year2>(?:19|20)?\d\d)\b)?
    | \b(?P<named>{any_of(_NAMED)})\b(?:\s(?P<part>abend|früh|morgen|mittag|vormittag|nachmittag|nacht)\b)?
    | \b(?P<step>{any_of(_STEPS)})\s(?P<unit>{any_of([*_UNITS, *_WEEKDAYS, *_MONTHS])})\b
    | \b(?P<weekday>{any_of(_WEEKDAYS)})\b(?:\s(?P<part2>abend|früh|morgen|mittag|vormittag|nachmittag|nacht)\b)?
    | (?<=vor\s)(?P<ago>\d{{1,3}}|{any_of(_COUNTS)})\s(?P<unit2>{any_of(_UNITS)})\b
    | (?<=in\s)(?P<in>\d{{1,3}}|{any_of(_COUNTS)})\s(?P<unit3>{any_of(_UNITS)})\b
    | (?<=im\s)(?P<month3>{any_of(_MONTHS)})\b(?:\s(?P<year3>(?:19|20)\d\d)\b)?
    | (?<=seit\s)(?P<month4>{any_of(_MONTHS)})\b(?:\s(?P<year4>(?:19|20)\d\d)\b)?
    | \b(?P<month5>{any_of(_MONTHS)})\s(?P<year5>(?:19|20)\d\d)\b
    | (?:(?<=in\s)|(?<=seit\s))(?P<year6>(?:19|20)\d\d)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def _written(kind: str, day: datetime, preposition: str) -> str:
    date = f"{day.day}. {_MONTH_NAMES[day.month - 1]} {day.year}"
    kept = preposition if preposition in _KEPT else ""
    if preposition == "der" and kind == "day":
        return f"der {date}"
    if kind == "weekday":
        date = f"{_DAY_NAMES[day.weekday()]}, {'dem ' if kept.endswith(('dem', 'zum')) or not kept else ''}{date}"
    elif kind == "month":
        return f"{kept or 'im'} {_MONTH_NAMES[day.month - 1]} {day.year}"
    elif kind == "year":
        return f"{kept} {day.year}".strip() if kept else f"im Jahr {day.year}"
    elif kind.startswith("week") and kind != "weekend":
        return {"week": f"in der Woche des {date}", "week before": f"in der Woche vor dem {date}",
                "week after": f"in der Woche nach dem {date}"}[kind]  # fmt: skip
    elif kind == "weekend":
        return f"am Wochenende des {date}"
    return f"{kept or 'am'} {date}"


CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _written,
    behind=frozenset({"seit", "seit dem", "vor"}), ahead=frozenset({"bis", "bis zum", "ab", "ab dem", "vor dem"}),
)  # fmt: skip
