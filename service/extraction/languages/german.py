"""German: word order, the third person, dates, the patterns of statements, and what is no statement."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, pairs, places, word_set
from service.extraction.calendar import Calendar
from service.extraction.languages.language import (
    VALUE,
    Language,
    any_of,
    likes,
    meanings,
    row,
    spelled,
    spellings,
)
from service.extraction.patterns import any_case

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
    r"^(?:seit|gestern|vorgestern|heute|morgen|übermorgen|am|im|in|nach|letzte\w{0,2}|nächste\w{0,2}|jede\w{0,2}|vor|ab"
    r"|bis|um|meistens|normalerweise|gewöhnlich|oft|manchmal|immer|täglich|eigentlich|irgendwann|jetzt|inzwischen"
    r"|mittlerweile|derzeit|zuhause|zurzeit|momentan|aktuell|bald|früher|diese\w{0,2}|ursprünglich|besonders|am|bei|mit"
    r"|für|leider|natürlich|dann|neuerdings|meine?\w{0,2}|kein\w{0,2}|gern|gerne|lieber|beruflich|privat|persönlich|nie"
    r"|niemals|außerdem|daher|deshalb|anfang|mitte|ende|von|zum|zur|auf|gegen|ohne|über|abends|morgens|montags|samstags"
    r"|sonntags)\b"
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


_CALENDAR = Calendar(_EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS)


_ADVERB = (
    r"(?:(?:sehr|wirklich|echt|total|auch|eigentlich|inzwischen|mittlerweile|jetzt|nun|derzeit|zurzeit|aktuell|momentan"
    r"|gerade|immer|schon|noch|lange?|besonders|übrigens|ja|halt|eben|einfach|überhaupt|gar|nur|leider|neuerdings"
    r"|wieder|früher|heute|ursprünglich|persönlich|absolut|so|am\sliebsten|nicht|nicht\smehr|kein|keine|seit\s(?:kurzem"
    r"|langem|gestern|heute|\d{4})|seit\s(?:diese[mr]|letzte[mr]|dem|de[mr]\s\d{1,2}\.|anfang|mitte|ende)\s\w{3,10}"
    r"|seit\s\w{1,12}\s(?:tagen|wochen|monaten|jahren)|bald|allein|von\sberuf|beruflich|doch|stark|leicht"
    r"|eine?)\s){0,4}"
)
_I = r"^(?:ich|wir)\s"
_WE = r"^(?:ich|wir)\s(?:habe|hab|haben)\s(?:uns\s|mich\s)?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?:\s(?-i:[A-ZÄÖÜ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!de[rmns]\s(?!schweiz|türkei|ukraine|slowakei|nähe|usa)|einem?r?\s|eine\s|mein|unser|dies|ordnung"
    r"|hause|versehen|spaß|gutem|schlecht)(?:der\s|den\s|die\s)?[\w'-]{2,30}(?:\s(?:(?-i:[A-ZÄÖÜ][\w'-]{1,30})"
    r"|am\smain)){0,3})"
)
_RELATIVE = (
    r"mann|frau|mutter|vater|mama|papa|bruder|schwester|sohn|tochter|freund|freundin|chef|chefin|kollege|kollegin|hund"
    r"|katze|kater|papagei|hamster|pferd|partner|partnerin|oma|opa|tante|onkel|verlobte|verlobter|cousin|cousine"
)
_WHO = (
    rf"(?P<who>meine?\s(?:{_RELATIVE})(?:\s(?-i:[A-Z][a-z]{{1,20}}))?|(?!(?:ich|wir|das|die|der|es|er|sie|man|wer|was"
    rf"|hier|dort|mir|jeder|alle|keiner|niemand)\b)(?-i:[A-ZÄÖÜ][a-zäöüß]{{1,20}}(?:\s[A-ZÄÖÜ][a-zäöüß]{{1,20}})?))"
)
PROFESSION = (
    r"(?P<value>[\w-]{0,20}(?:lehrer|ingenieur|entwickler|designer|berater|arzt|ärzt|pfleger|schwester|krankenpfleger"
    r"|student|anwält|anwalt|architekt|künstler|musiker|autor|journalist|wissenschaftler|forscher|professor"
    r"|programmierer|manager|leiter|gründer|koch|köch|bäcker|fahrer|pilot|mechaniker|elektriker|tischler|bauer"
    r"|bäuer|zahnarzt|therapeut|psycholog|apotheker|polizist|verkäufer|friseur|fotograf|schauspieler|sänger|trainer"
    r"|buchhalter|beamter|beamt|schreiner|informatiker|biolog|chemiker|physiker|mathematiker|übersetzer|rentner|makler)"
    r"(?:e|in|er)?)\b"
)
ATTRIBUTES = pairs("""
    budget=budget frist=deadline deadline=deadline abgabetermin=deadline preis=price kosten=cost miete=rent
    gehalt=salary adresse=address telefonnummer=phone~number handynummer=phone~number zeitzone=time_zone
    limit=limit ort=location standort=location startdatum=start~date enddatum=end~date liefertermin=due~date
    version=version port=port größe=height gewicht=weight blutgruppe=blood~type e-mail=email email=email
    spitzname=nickname meeting=meeting~date termin=appointment besprechung=meeting~date""")
_ATTRIBUTE = "|".join(ATTRIBUTES)
DIETS = pairs("""
    veganer=vegan veganerin=vegan vegan=vegan vegetarier=vegetarian vegetarierin=vegetarian vegetarisch=vegetarian
    pescetarier=pescatarian glutenfrei=gluten~free halal=halal koscher=kosher diabetiker=diabetic
    diabetikerin=diabetic laktoseintolerant=lactose~intolerant""")
_DIET = rf"(?P<value>{'|'.join(sorted(DIETS, key=len, reverse=True))})\b"
MARITAL = {"verheiratet": "married", "ledig": "single", "single": "single", "geschieden": "divorced",
            "verlobt": "engaged", "verwitwet": "widowed"}  # fmt: skip
_LANGUAGES = (
    r"(?:deutsch|englisch|französisch|spanisch|italienisch|chinesisch|japanisch|russisch|portugiesisch|polnisch"
    r"|türkisch"
    r"|norwegisch|schwedisch|dänisch|niederländisch|arabisch|koreanisch|ukrainisch|griechisch|ungarisch|finnisch)"
)
_INFINITIVE = r"(?:\w{2,30}(?:en|ern|eln)|tun|sein)"
_PARTICIPLE = (
    r"(?:(?:\w{0,12}ge\w{2,20}|(?:be|ver|er|ent|zer|miss|über|unter)\w{2,20}|\w{2,15}iert)(?<=t|n)"
    r"|verloren|bekommen|begonnen|bestanden)"
)
_NOT_A_WISH = (
    r"(?!.{0,60}\b(?:wissen|fragen|sagen|verstehen|dich|dir|euch|danke[n]?|hören|zugeben|betonen|gehen$|los$)\b)"
)

_IDENTITY = (
    row("name", rf"^(?:ich\sheiße|mein\s(?:voller\s|richtiger\s|echter\s)?name\s(?:ist|lautet)|man\snennt\smich"
        rf"|alle\snennen\smich|(?:bitte\s)?nenn(?:e|t)?\smich(?:\sbitte)?)\s(?:jetzt\s|auch\s|einfach\s"
        rf"|ruhig\s){{0,2}}(?!(?:nicht|mit|das|es|doch|also|so|dich|alle|zwar|hier)\b){_NAME}"),
    row("birthday", rf"^mein\sgeburtstag\sist\s(?:am\s|der\s)?{VALUE}"),
    row("birthday", r"^ich\s(?:habe|hab)\s(?:am\s)?(?P<value>\d{1,2}\.?\s?[\w.]{1,10})\sgeburtstag$"),
    row("birthday", r"^ich\sbin\s(?:am\s)(?P<value>\d{1,2}\.?\s?[\w.]{1,10}(?:\s?\d{4})?)\sgeboren"),
    row("age", r"^ich\sbin\s(?:jetzt\s|inzwischen\s|gerade\s|erst\s|schon\s"
        r"|heute\s){0,2}(?P<value>\d{1,3})(?:\s(?:jahre(?:\salt)?|geworden))?$"),
    row("from", rf"^ich\s(?:komme|stamme|bin)\s(?:ursprünglich\s|eigentlich\s)?aus\s{_PLACE}"),
    row("from", rf"^ich\sbin\s(?:in\s){_PLACE}\s(?:geboren|aufgewachsen)"),
    row("allergic_to", rf"^ich\s(?:bin|reagiere)\s{_ADVERB}allergisch\s(?:gegen|auf)\s{VALUE}", deniable=True),
    row("allergic_to", r"^ich\s(?:habe|hab|leide\s(?:an|unter))\s(?:leider\s|auch\s)?(?:eine?r?\s)?(?:starke\s"
        r"|schwere\s)?(?P<value>\w{3,20}?)-?(?:allergie|intoleranz|unverträglichkeit)\b"),
    row("allergic_to", rf"^ich\svertrage\s(?:kein\w{{0,2}}\s){VALUE}", negated=True),
    row("diet", r"^ich\sesse\s(?:inzwischen\s|jetzt\s|seit\s\w{1,12}\s)?wieder\sfleisch", fills="eats meat"),
    row("diet", r"^ich\sesse\s(?:gar\s|überhaupt\s|seit\s\w{1,12}\s)?kein\sfleisch", fills="vegetarian", negated=True),
    row("diet", rf"^ich\s(?:bin|esse|lebe|ernähre\smich)\s{_ADVERB}{_DIET}", deniable=True),
    row("marital_status", rf"^ich\sbin\s{_ADVERB}(?P<value>{'|'.join(MARITAL)})\b"),
    row("job", rf"^ich\sbin\s{_ADVERB}{PROFESSION}"),
    row("job", rf"^ich\sarbeite\s{_ADVERB}als\s{VALUE}"),
    row("native_language", r"^meine\smuttersprache\sist\s(?P<value>\w{3,20})"),
    row("speaks", rf"^ich\sbin\smit\s(?P<value>{_LANGUAGES})\saufgewachsen"),
    row("time_zone", rf"^ich\sbin\s(?:in|auf)\sder\szeitzone\s{VALUE}"),
    row("speaks", rf"^ich\sspreche\s(?:fließend\s|etwas\s|gut\s|ein\sbisschen\s|auch\s|nur\s){{0,2}}(?={_LANGUAGES}\b"
        rf"|kein)(?P<value>[^.;:!?]{{1,80}})", deniable=True),
    row("identity", r"^(?:ich|wir)\s(?:habe|hab|haben)\s(?:zwei|drei|vier|fünf|\d|eine?n?)\s(?:kleine\s|ältere\s"
        r"|jüngere\s|große\s|ältere[nr]\s|jüngere[nr]\s)?(?:kind(?:er)?|söhne|sohn|töchter|tochter|geschwister|brüder"
        r"|bruder|schwestern?|enkel\w{0,3})\b"),
    row("named", rf"^{_WHO}\sheißt\s{_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÄÖÜ][\w'-]{{1,30}}))\sist\s(?P<who>meine?\s(?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:ich|wir)\s(?:habe|hab|haben)\s(?:auch\s)?(?P<who>eine?n?\s(?:{_RELATIVE}))(?:\snamens"
        rf"|,)\s{_NAME}$"),
    row("age", r"^(?P<who>mein\w?\s(?:mann|frau|bruder|schwester|sohn|tochter|hund|katze|freundin"
        r"|freund))\sist\s(?P<value>\d{1,3})\sjahre", importance=0.75),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:meine|unsere|mein|unser)\s(?:wohnung|haus|zuhause)\s(?:ist|liegt)\s(?:jetzt\s)?"
        rf"in\s{_PLACE}"),
    row("lives_in", rf"^ich\sbin\szu\s?hause\sin\s{_PLACE}"),
    row("works_at", rf"^mein\s(?:neuer\s)?arbeitgeber\sist\s(?:jetzt\s)?{_NAME}"),
    row("works_at", rf"^ich\sbin\s{_ADVERB}bei\s(?:der\s|dem\s)?{_NAME}\s(?:angestellt|beschäftigt|tätig)",
        deniable=True),
    row("joined", rf"^ich\sbin\s(?:[\w.]{{1,15}}\s){{0,3}}?zu\s(?:der\s)?{_NAME}\sgewechselt$"),
    row("lives_in", rf"{_I}(?:wohne|wohnen|lebe|leben)\s{_ADVERB}in\s{_PLACE}", deniable=True),
    row("moved to", rf"{_I}(?:bin|sind)\s(?:[\w.]{{1,15}}\s){{0,4}}?(?:nach|in\sdie)\s{_PLACE}\s(?:um)?gezogen"),
    row("works_at", rf"{_I}(?:arbeite|arbeiten)\s{_ADVERB}(?:bei|für)\s(?:der\s|dem\s)?(?!(?:ner|nem|ne|einer|einem"
        rf"|eine|meiner|meinem)\b){_NAME}", deniable=True),
    row("left", rf"^ich\s(?:habe|hab)\s(?:[\w.]{{1,15}}\s){{0,3}}?bei\s(?:der\s"
        rf"|dem\s)?{_NAME}\s(?:[\w.]{{1,15}}\s){{0,2}}?gekündigt"),
    row("joined", rf"^ich\s(?:habe|hab)\s(?:[\w.]{{1,15}}\s){{0,4}}?(?:job|stelle"
        rf"|arbeit)\sbei\s(?:der\s)?{_NAME}\s(?:angefangen|angetreten|begonnen|bekommen)"),
    row("joined", rf"^ich\s(?:habe|hab)\s(?:[\w.]{{1,15}}\s){{0,3}}?bei\s(?:der\s)?{_NAME}\s(?:angefangen|begonnen)"),
    row("left", r"^ich\s(?:habe|hab)\s(?-i:(?P<value>[A-ZÄÖÜ][\w&-]{1,30}))\sverlassen$"),
    row("attribute", rf"^(?:mein|meine|unser|unsere|das|die|der)\s(?P<attribute>{_ATTRIBUTE})\s(?:ist|beträgt"
        rf"|liegt\sbei|lautet|wurde\sauf|ist\sauf|wurde|wird)\s(?:jetzt\s|nun\s|inzwischen\s"
        rf"|nicht\smehr\s\w{{1,20}}\ssondern\s|auf\s|am\s){{0,3}}{VALUE}"),
    row("attribute", rf"^(?P<who>(?-i:[A-ZÄÖÜ][\w-]{{1,20}}))s\s(?P<attribute>{_ATTRIBUTE})\s(?:ist|beträgt"
        rf"|liegt\sbei)\s(?:jetzt\s|nun\s)?{VALUE}"),
    row("fact", r"^ich\s(?:habe|hab)\s(?:auch\s)?(?:zwei|drei|eine?n?|\d)\s(?:kleine[nr]?\s|alte[nr]?\s)?(?:hund|hunde"
        r"|katze|katzen|kater|pferd|hamster|kaninchen|papagei)\b"),
    row("lives_in of another", rf"^{_WHO}\s(?:wohnt|lebt)\s{_ADVERB}in\s{_PLACE}"),
    row("moved to of another", rf"^{_WHO}\sist\s(?:[\w.]{{1,15}}\s){{0,3}}?nach\s{_PLACE}\s(?:um)?gezogen"),
    row("works_at of another", rf"^{_WHO}\sarbeitet\s{_ADVERB}(?:bei|für)\s{_NAME}"),
    row("job of another", rf"^{_WHO}\s(?:ist|arbeitet\sals)\s(?:eine?\s)?{PROFESSION}"),
)  # fmt: skip
_GLAD = r"(?:gern|gerne|am\sliebsten)"
_PREFERENCES = (
    row("favorite", rf"^(?:mein|meine)\slieblings-?(?P<attribute>\w{{2,20}})\s(?:ist|sind)\s(?:jetzt\s|nun\s"
        rf"|immer\snoch\s)?{VALUE}"),
    row("prefers", rf"{_I}(?:mag|trinke|esse|nutze|benutze|verwende|habe|spiele|lese|höre"
        rf"|nehme)\s{_ADVERB}lieber\s(?P<value>[\w\s+#-]{{1,40}}?)\sals\s(?P<other>[\w\s+#-]{{1,40}})"),
    row("prefers", rf"{_I}(?:mag|trinke"
        rf"|esse)\s(?P<value>[\w\s+#-]{{1,40}}?)\slieber\sals\s(?P<other>[\w\s+#-]{{1,40}})"),
    row("prefers", rf"{_I}bevorzuge\s(?P<value>[\w\s+#-]{{1,40}}?)\s(?:gegenüber|statt|anstatt"
        rf"|vor)\s(?P<other>[\w\s+#-]{{1,40}})"),
    row("prefers", r"^ich\sziehe\s(?P<value>[\w+#-]{1,30})\s(?P<other>[\w+#-]{1,30})\svor$"),
    likes(rf"{_I}(?:hasse|hassen|verabscheue|meide|vermeide)\s{_ADVERB}", "negative"),
    likes(rf"{_I}(?:kann|können)\s{_ADVERB}", "negative", r"(?P<value>[\w\s+#-]{1,40}?)",
          r"\s(?:nicht|gar\snicht|überhaupt\snicht)\s(?:leiden|ausstehen|ab)$", negated=True),
    likes(rf"{_I}(?:trinke|esse|nutze|benutze|verwende)\s(?:gar\s|überhaupt\s|grundsätzlich\s|nie\s)?(?=kein)",
        "negative", negated=True),
    likes(rf"{_I}(?:trinke|esse|nutze|benutze|verwende)\s", "negative", r"(?P<value>[\w+#-]{2,30})",
        r"\s(?:nicht\smehr|nie)$", negated=True),
    likes(rf"{_I}(?:habe|hab)\s(?:mit\sdem|mit)\s", "negative", r"(?P<value>rauchen|alkohol|kaffee|zucker|trinken)",
          r"\saufgehört"),
    likes(rf"{_I}(?:mag|mögen|liebe|lieben|bevorzuge|schätze)\s{_ADVERB}(?:gern\s|gerne\s)?"),
    likes(rf"{_I}(?:trinke|esse|spiele|höre|lese|schaue|koche|gehe|fahre|reise|mache|nutze|trinken|essen)\s(?:sehr\s"
        rf"|nicht\s|auch\s|besonders\s|wirklich\s){{0,2}}{_GLAD}\s(?:in\sdie\s|ins\s|zum\s)?"),
    likes("^", "negative", r"(?P<value>(?!es\b|das\b|so\b)[\w\s+#-]{2,40}?)", r"\s(?:ist|sind)\s"
        r"(?:einfach\s)?nichts\sfür\smich$", negated=True),
    likes(r"^ich\skann\smit\s", "negative", r"(?P<value>(?!de[mnr]\s|ihm|ihr)[\w\s+#-]{2,40}?)",
        r"\snichts\sanfangen$", negated=True),
    likes(r"^ich\sbin\smit\s", "negative", r"(?P<value>(?!de[mnr]\s|meine|diese|eine|ihm|ihr|allem)[\w\s+#-]{2,40}?)",
        r"\sdurch$"),
    likes(r"^ich\s(?:trinke|esse|spiele|höre|lese|schaue|koche|mag|habe)\s", thing=r"(?P<value>[\w\s+#-]{2,40}?)",
          end=rf"\s(?:sehr\s|nicht\s|besonders\s|wirklich\s|echt\s){{0,2}}{_GLAD}$"),
    likes(r"^ich\s", thing=r"(?P<value>(?!habe|hab|würde|möchte|bin|kann)\w{3,20}e)", end=rf"\s(?:sehr\s|nicht\s"
        rf"|auch\s|besonders\s){{0,2}}{_GLAD}$"),
    likes(rf"^ich\sbin\s{_ADVERB}(?:ein\s)?(?:großer\s|große\s)?fan\s(?:von|der|des)\s"),
    likes(rf"{_I}stehe\s{_ADVERB}auf\s"),
    likes(rf"^ich\sinteressiere\smich\s{_ADVERB}für\s"),
    likes(r"^mir\s(?:gefällt|gefallen|schmeckt|schmecken)\s(?:sehr\s|nicht\s|besonders\s){0,2}(?!nicht$)"),
    likes("^", thing=r"(?P<value>(?!es\b|das\b|so\b)[\w\s+#-]{2,40}?)",
          end=r"\s(?:gefällt|gefallen|schmeckt|schmecken)\smir\s?(?:sehr|nicht\smehr|nicht|gar\snicht"
              r"|überhaupt\snicht)?(?:\sgut)?$"),
    likes(r"^ich\sfinde\s", thing=r"(?P<value>[\w\s+#-]{2,40}?)",
          end=r"\s(?:sehr\s|echt\s|wirklich\s|richtig\s|total\s|so\s)?(?:gut|toll|super|klasse|großartig|lecker"
              r"|schön|spannend)$"),
    likes(r"^ich\sfinde\s", "negative", r"(?P<value>[\w\s+#-]{2,40}?)", r"\s(?:sehr\s|echt\s|wirklich\s|total\s"
        r"|so\s)?(?:furchtbar|schrecklich|blöd|doof|langweilig|eklig|schlecht|nervig)$"),
    row("prefers", rf"^{_WHO}\s(?:bevorzugt|mag|trinkt|isst)\s(?P<value>[\w\s+#-]{{1,40}}?)\s(?:gegenüber|lieber\sals"
        rf"|statt|vor)\s(?P<other>[\w\s+#-]{{1,40}})"),
    likes(rf"^{_WHO}\s(?:mag|liebt|bevorzugt|trinkt\sgerne?|isst\sgerne?|spielt\sgerne?)\s"),
    likes(rf"^{_WHO}\s(?:hasst|verabscheut)\s", "negative"),
    row("instruction", r"^(?:ich\s(?:will|möchte|hätte\sgerne?)\s,?\s?(?:bitte\s)?(?:dass\sdu|keine\semojis)"
        r"|ich\s(?:möchte|will),?\sdass\sdu|ich\s(?:möchte|hätte\sgerne?|will|wünsche\smir|bevorzuge)\s(?:bitte\s)?"
        r"(?:nur\s|immer\s)?\w{4,20}\s(?:antworten|emojis|einheiten|erklärungen|sätze|zusammenfassungen)$|ab\s(?:jetzt"
        r"|sofort)\b|von\sjetzt\san\b|in\szukunft\sbitte|(?:bitte\s)?(?:duz|siez)e?\smich|du\s(?:kannst"
        r"|darfst)\smich\sduzen|bitte\skeine?\w?\s\w{3,}|keine?\w?\s\w{3,30}(?:,?\sbitte)$|(?:bitte\s)?(?:immer\s"
        r"|stets\s|nur\s|künftig\s)?(?:antworte|antworten\ssie|schreib|schreibe|benutze|benutz|verwende|nutze|fasse"
        r"|gib\smir|sprich|formatiere|halte|halt|bleib|erkläre|nenne\smir)\s(?=(?:\S{1,30}\s){0,6}?(?:immer|stets|nie"
        r"|nur|kurz|bitte|deutsch|englisch|einheiten|stichpunkte\w?|emojis?|format|sätze\w?|ton|knapp|ausführlich"
        r"|sachlich|metrische?|du|sie|datumsformat)\b)|(?:bitte\s)?(?:metrische\seinheiten|immer\sauf\sdeutsch"
        r"|immer\sauf\senglisch)|bitte\s(?:immer|nie|niemals|stets)\s)", instructs=True),
)  # fmt: skip
_PLANS = (
    row("reminder", r"^(?:bitte\s)?(?:erinner(?:e|t)?|erinnern\ssie)\smich\s(?:bitte\s)?(?!(?:nicht|an\sdich)\b)"),
    row("todo", r"^(?:to-?\s?do|aufgabe|erinnerung)\s?:\s"),
    row("todo", r"^(?:bitte\s)?(?:nicht\svergessen|vergiss\snicht)\s?[,:]?\s", instructs=True),
    row("todo", r"^(?:ping|pinge|kontaktiere|frage?|rufe?)\s(?-i:[A-Z]\w{1,20})\s(?:wegen|zu|zum|zur|nach|über)\s",
        news=1),
    row("goal", r"^(?!(?:ich|wir|bitte|er|sie|es|man)\b).{3,80}\bbis\s(?:zum\s)?\d.{3,25}\s\w{3,20}(?:en|ern|eln)$",
        dated=True),
    row("todo", rf"{_I}(?:darf|dürfen)\snicht\svergessen\b"),
    row("decision", r"^(?:endgültige\s)?(?:entscheidung|beschluss|entschieden|beschlossen)(?:\sist|\slautet|:)\s"),
    row("decision", rf"{_WE}(?:[\w.-]{{1,30}}\s){{0,8}}?(?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt"
        rf"|ausgewählt|entschlossen|verständigt)\b", past=True, news=1),
    row("decision", r"^(?:lass|lasst|lassen)\suns\s.{1,120}\b(?:nehmen|nutzen|verwenden|benutzen|wählen|wechseln"
        r"|bleiben|umsteigen)$"),
    row("decision", r"^(?:ich|wir)\s(?:nehme|nehmen|nutzen|verwenden|benutzen|setzen|bleiben)\s.{1,80}\b(?:für\s(?:das"
        r"|dieses|unser|den|die)|ab\s(?:jetzt|sofort)|auf|bei)\b", importance=0.7, news=1),
    row("choice", r"^(?:ich|wir)\s(?:werde|werden)\s.{1,80}\b(?:verwenden|nutzen|benutzen|nehmen|einsetzen)$"),
    row("decision", r"^es\swurde\s(?:.{1,40}\s)?(?:entschieden|beschlossen|vereinbart)\b"),
    row("aim", r"^(?:mein|meine|unser)\s(?:\w{2,15}\s)?(?:ziel|traum|plan|vorsatz)\s(?:für\s\S{1,15}\s"
        r"|dieses\sjahr\s)?(?:ist|war\simmer)\b"),
    row("goal", rf"{_I}(?:plane|planen|hoffe|hoffen|beabsichtige|träume|träumen|versuche|habe\s(?:fest\s)?vor"
        rf"|haben\svor)\b{_NOT_A_WISH}.{{1,200}}\b(?:zu|\w{{2,12}}zu\w{{2,15}})\b", news=1),
    row("goal", rf"{_I}(?:will|möchte|wollen|möchten|würde\sgerne?){_NOT_A_WISH}\s.{{2,160}}\b{_INFINITIVE}$", news=2),
    row("goal", r"^ich\sspare\s(?:gerade\s)?(?:auf|für)\s"),
    row("todo", rf"{_I}(?:muss|müssen|soll|sollte|sollten)\s(?!sagen|zugeben|gestehen|jetzt\slos|los\b"
        rf"|auch\ssagen){_NOT_A_WISH}.{{2,160}}\b{_INFINITIVE}$", news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^ich\slerne\s(?!.{0,60}\bkennen\b)", importance=0.55, grounded=True),
    row("habit", r"^(?:ich|wir)\s\w{3,20}\s(?:fast\s|eigentlich\s"
        r"|mich\s){0,2}(?:.{1,80}\s)?(?:jede[nsmr]?\s(?:zweiten\s)?(?:tag|morgen|abend|woche|montag|dienstag|mittwoch"
        r"|donnerstag|freitag|samstag|sonntag|monat|jahr|nacht|mittag|wochenende)|täglich|wöchentlich|regelmäßig"
        r"|normalerweise|meistens|gewöhnlich|für\sgewöhnlich|montags|dienstags|mittwochs|donnerstags|freitags|samstags"
        r"|sonntags|morgens|abends|einmal\s(?:pro|die|in\sder)\swoche|zweimal\s\w{2,4}\swoche)\b"),
    row("fact", r"^ich\s(?:rauche|trinke|jogge|schwimme|wandere|meditiere|koche|faste|pendle)(?:\s(?:nie|niemals|nicht"
        r"|nicht\smehr|gar\snicht))?$", importance=0.5),
)  # fmt: skip

_APPOINTMENT = (
    r"(?:arzttermin|termin|zahnarzttermin|flug|meeting|besprechung|prüfung|klausur|hochzeit|umzug|urlaub|kurs|konferenz"
    r"|vertrag|mietvertrag|vorstellungsgespräch|interview|konzert|party|geburtstagsfeier|operation|op|reise"
    r"|präsentation|abgabe|probezeit|praktikum|semester)"
)
_EVENTS = (
    row("event", rf"^(?:mein|meine|unser|unsere|der|die|das|wir\shaben|ich\shabe"
        rf"|ich\shab)\s(?:.{{1,60}}\s)?{_APPOINTMENT}\b(?!\sgehabt)"),
    row("event", r"^(?:ich|wir)\s(?:fliege|fliegen|fahre|fahren|reise|reisen|treffe|treffen|besuche|besuchen|gehe"
        r"|gehen|ziehe|ziehen|heirate|heiraten|feiere|feiern|bin|sind|habe|haben|starte|beginne"
        r"|fange)\s(?!.{0,200}\b(?:ge\w{2,20}[tn]|\w{3,20}iert|(?:be|ver|er|ent)\w{3,20}t)$)", importance=0.55),
    row("past event", rf"^(?:ich|wir)\s(?:habe|hab|bin|haben|sind)\s{_NOT_A_WISH}(?!.{{0,120}}\b(?:verstanden"
        rf"|vergessen|gedacht|gemeint|gesagt|gewusst|gefragt|gewesen)\b).{{2,200}}\b{_PARTICIPLE}(?:,.{{0,200}})?$"),
    row("past event", r"^(?:ich|wir)\s(?:war|waren|ging|gingen|fuhr|fuhren|flog|flogen|traf|trafen|besuchte|besuchten"
        r"|kaufte|kauften|lief|liefen|hatte|hatten|zog|zogen)\s"),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


_SEPARATOR = (
    rf";\s|\s[–—-]\s|,?\s(?:aber|jedoch|sondern|dafür|hingegen)\s|,\s(?:und\s)?(?=(?:ich|wir|meine?|unsere?"
    rf"|kein\w{{0,2}}|nicht|{OWN_VERBS})\b)|,?\s(?:und|sowie)\s(?=(?:ich|wir|meine?|unsere?|nicht|{OWN_VERBS})\b"
    rf"|(?!(?:{SUBORDINATE})\b)[\w'-]{{2,20}}\s(?:{FINITE.pattern})\s(?:ich|wir)\b|(?:{OWN_VERBS})\s(?:ich|wir)\b)"
    rf"|,\s(?=(?!(?:{SUBORDINATE})\b)[\w'-]{{2,20}}\s(?:{FINITE.pattern})\s(?:ich|wir)\b)|\s(?=ich\s(?:{OWN_VERBS})\b)"
)

GERMAN = Language(
    name="german",
    markers=word_set("""
        ich nicht und ist mag hasst liebt bevorzugt wohnt heißt heisst arbeitet spricht bis gegenüber mein meine
        meinen meiner meinem wir habe haben bin eine einen einem einer der mit für auf auch kein keine keinen zu
        von dass bitte sich mir mich aber uns unser unsere heute gestern seit nach wohne sehr gern gerne heiße
        heisse liebe hasse arbeite bei zum zur ab jetzt immer nur mehr wieder noch schon oder wie das den dem sind
        wurde wird hab nie lieber deutsch trinke esse spreche antworte benutze verwende erinnere entscheidung
        entschieden vergessen jeden frist dich du dir fuer über ueber weil"""),
    rows=ROWS,
    calendar=_CALENDAR,
    write_date=_written,
    behind=frozenset({"seit", "seit dem", "vor"}),
    ahead=frozenset({"bis", "bis zum", "ab", "ab dem", "vor dem"}),
    inner_stops=any_case(
        rf"(?:\b\d{{1,2}}\.(?=\s(?:{MONTH})\b)|\b\d{{1,2}}\.\s?\d{{1,2}}\.(?=\s[a-zäöü])"
        r"|\b(?:bzw|ca|nr|str|usw|inkl|evtl|z\.\s?b|d\.\s?h|u\.\s?a)\.)"
),
    openings=spelled(
        r"(?:(?:hallo|hi|hey|moin|servus|guten\s(?:morgen|tag|abend)|ja|nein|nee|ok|okay|na\sja|naja|also|übrigens|ach"
        r"|ach\sja|oh|ähm|äh|hm|nun|danke|ehrlich\sgesagt|wie\sgesagt|zur\sinfo|fyi|info|kurze\sinfo|notiz|hinweis"
        r"|nur\szur\sinfo|wichtig|korrektur|berichtigung|update|achtung|aber|und|eigentlich,|wichtiger\shinweis"
        r"|kleine\skorrektur|doch|ps)\b[\s,:;.!–—-]{0,4}|(?:merke?\sdir(?:\sbitte)?|denke?\sdaran|wisse"
        r"|du\ssolltest\swissen|ich\swollte\snur\ssagen|für\sdich\szur\sinfo)\s?[,:]?\s(?:bitte\s)?(?:dass\s)?"
        r"|ich\s(?:glaube|denke|meine)\s?,\s(?=ich\b))"
    ),
    tag=spelled(r",?\s(?:und\s(?:du|sie|selbst)|und\sdir)\s?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:wer|was|wann|wo|wie|warum|wieso|weshalb|welche\w?|woher|wohin|womit|wozu|kannst|könntest|kann|können|soll"
        r"|sollte\sich|hast|bist|magst|weißt|gibt\ses|ist\s(?:es|das|mein)|habe\sich|bin\sich|mag\sich|darf\sich"
        r"|muss\sich|wohne\sich|würdest|hättest)\b"
    ),
    unreliable=spelled(
        r"\b(?:wenn|falls|w(?:\u00fc|ue)rde(?!\s(?:gern|sehr\sgern))\w{0,2}|w(?:\u00e4|ae)re\w{0,2}|h(?:\u00e4"
        r"|ae)tte(?!\s(?:gern|ich\sgern))\w{0,2}|k(?:\u00f6|oe)nnte\w{0,2}|vielleicht|eventuell|angenommen"
        r"|stell\sdir\svor|wünschte|möglicherweise|ironie|spaßeshalber|nicht\snur|zum\sbeispiel|z\.b|angeblich"
        r"|nur\sspaß|kleiner\sscherz|als\sob|(?<!ich\s)(?<!wir\s)(?:sagt|sagte|sagen|meint|meinte|behauptet|behauptete"
        r"|erzählte?|schrieb|schreibt|glaubt|denkt|fragte?|zitiert|sagten)|laut\s(?=(?-i:[A-Z]))|wie\sman\ssagt"
        r"|im\s(?:film|lied|buch|roman)|als\skind\swollte)\b|🙄|/s$|^[A-ZÄÖÜ][a-z]{1,20}:\s\"?ich"
    ),
    retraction=spelled(r"^(?:haha\s|lol\s)?,?\s?(?:(?:war\s|das\swar\s)?(?:nur\s|bloß\s"
        r"|natürlich\s)?(?:ein\s)?(?:spaß|scherz|witz|quatsch)|nein,?\sspaß|nur\sspaß|reingelegt)\b"),
    task=spelled(
        r"^(?:bitte\s|hallo,?\s|kannst\sdu\s|könntest\sdu\s)?(?:übersetze?|schreibe?\s(?:mir\s)?(?:einen?|eine|das)"
        r"|korrigiere?|verbessere?|fasse\s.{0,40}zusammen|formuliere?"
        r"|dichte?|erstelle?|entwirf|stell\sdir\svor|spiele?\s(?:die|den|eine)\srolle|analysiere?)\b"
    ),
    negation=spelled(r"\b(?:nicht\smehr|nicht|kein(?:e[nmrs]?)?|nie|niemals|weder)\b(?:\smehr\b)?"),
    first_person=spelled(r"\b(?:ich|mich|mir|mein(?:e[rsnm]?)?|wir|uns|unser(?:e[rsnm]?)?)\b"),
    vague=spelled(
        r"^(?:es|das|dies\w{0,2}|ihn|sie|ihr\w{0,2}|dich|dir|euch|ihnen|mich|mir|uns|alles|nichts|etwas|was|wie|so|man"
        r"|beide[sn]?|hier|da|dort|welche\w?|jemand|niemand|ihm|dein\w{0,2}|euer|eure|sehr|auch|ja|nein|dass|wenn|nur"
        r"|gern|gerne|lieber|zu|zum|mehr|weniger)\b"
    ),
    value_ends=spelled(
        r"\s(?:weil|wenn|da|obwohl|und\s(?:ich|das|es)|mit|ohne|in|im|ins|am|an|auf|bei|beim|für|seit|von|vom|zum|zur"
        r"|aus|nach|vor|als|wie|sehr|gern|gerne|lieber|überhaupt|gar|wirklich|mehr|jeden|jetzt|heute|total|verschoben"
        r"|geändert|erhöht|gesenkt|festgelegt|gesetzt|angehoben|geworden|fließend|statt|anstatt|besonders|besser|zu"
        r"|tätig|angestellt|dass|die|der|das|bitte|jahre|inzwischen)\s"
    ),
    determiners=spelled(
        r"^(?:de[rmns]|die|das|eine?[nmrs]?|meine?[nmrs]?|unsere?[nmrs]?|etwas|viel|alle|jetzt|nun|auch|nur|sehr"
        r"|mein\sliebes)\s"
    ),
    conjunction=any_case(r",\s(?:und\s|oder\s|noch\s)?|\s(?:und|oder|sowie|noch|&)\s"),
    words=re.compile(r"[^\W_]+"),
    stopwords=word_set("""
        der die das den dem des ein eine einen einem einer und oder aber auch nicht kein keine keinen ist sind war
        waren habe hab haben hat bin sein zu von mit für auf in im am an bei nach aus um es so sehr mal dann da
        noch schon nur ja nein gern gerne mehr als wie dass was man sich jetzt heute gestern morgen hier dort
        wieder immer etwas alles nichts viel bitte will möchte muss soll werde dir dich du sie ihr ihnen gut ok
        machen tun gehen gemacht getan gesehen gehört gekommen gefunden gefreut freue frage hilfe danke"""),
    canonical=canonical,
    third_person=third_person,
    nobody=NOBODY,
    says="{name} sagt: „{text}“",
    asks="{name} möchte vom Assistenten: „{text}“",
    rewrites=(
        (spelled(r"^(?P<i>(?:ich\s)?)(?P<verb>wohn|leb|arbeit)\s(?=in\s|bei\s|für\s|jetzt\s|seit\s)"),
            r"\g<i>\g<verb>e "),
        (spelled(rf"^ich\sbin\s(?P<job>[^,]{{0,30}}?{PROFESSION.replace('?P<value>', '?:')})\sbei\s(?:der\s|dem\s)?"
            r"(?=(?-i:[A-ZÄÖÜ]))"), r"Ich bin \g<job>, ich arbeite bei "),
        (spelled(r"(?P<head>\b(?:gekündigt|gewechselt|verlassen)),?\s(?:und\s)?(?:ich\s)?bin\s(?:jetzt|nun)\s(?=bei\s)"),
            r"\g<head>, ich arbeite jetzt "),
        (spelled(r"\bnicht\s(?:mehr\s)?(?:[^,]{1,40}),\s(?:sondern|vielmehr)\s(?:jetzt\s)?"), ""),
        (spelled(r"\bnicht\s(?:mehr\s)?(?:am\s|in\s|bei\s)?(?:\w{1,30})\ssondern\s(?:am\s)?"), ""),
        (spelled(r"^(?:das|der|die)\s(?=(?:neue\s)?(?:budget|frist"
            r"|deadline)\b)(?P<a>\w+)\s(?:hat\ssich\sgeändert\s?:\s?)"), r"Das \g<a> ist "),
    ),
    elided=(
        (spelled(r"^(?:aber\s)?nicht\s(?=\w)(?P<rest>.{2,60})$"), r"Ich mag \g<rest> nicht"),
        (spelled(r"^(?:aber\s)?(?=kein\w{0,2}\s)(?P<rest>.{2,60})$"), r"Ich mag \g<rest>"),
    ),
    attributes=ATTRIBUTES | {"film": "movie", "buch": "book", "farbe": "color", "essen": "food"},
    values=spellings(DIETS | MARITAL),
    relatives=pairs("""
        mann=husband frau=wife mutter=mother mama=mother vater=father papa=father bruder=brother schwester=sister
        sohn=son tochter=daughter freund=boyfriend freundin=girlfriend chef=boss chefin=boss kollege=colleague
        kollegin=colleague hund=dog papagei=parrot hamster=hamster pferd=horse katze=cat kater=cat partner=partner
        partnerin=partner oma=grandmother opa=grandfather tante=aunt onkel=uncle cousin=cousin cousine=cousin"""),
)  # fmt: skip
