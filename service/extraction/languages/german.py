"""German: word order, the third person, dates, the patterns of statements, and what is no statement."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, pairs, places, word_set
from service.extraction.calendar import Calendar
from service.extraction.compound_times import EARLY, FIRST_HALF, LATE, MIDDLE, SECOND_HALF, Wording, joining
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
    rf"^(?!(?:ich|wir|{SUBORDINATE})\b)(?P<front>[^,]{{1,80}}?) (?P<verb>{_VERBS}) (?P<subject>ich"
    rf"|wir)\b(?P<rest>.{{0,400}})$"
)
_FRONTED_ADVERB = spelled(r"^(?P<front>[^,]{1,80}?) (?P<verb>\w{2,20}e) (?P<subject>ich)\b(?P<rest>.{0,400})$")
_FINAL = spelled(rf"^(?P<subject>ich|wir) (?P<rest>(?!(?:{_VERBS})\b)[^,]{{1,200}}?) (?P<verb>{_VERBS})$")
_SUBJECTLESS = spelled(rf"^(?:{OWN_VERBS})\b(?! (?:ich|wir)\b)")
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
_OPENING = spelled(r"^(?P<subject>ich|wir) (?P<verb>\w{2,30})\b(?P<rest>.{0,600})$")
_OWNED = spelled(r"^(?P<own>mein|unser)e?[rsnm]? (?P<rest>.{0,600})$")
_POSSESSIVE = spelled(r"\bmein(?:e[rsnm]?)?\b(?= \w)")
_POSSESSIVES = spelled(r"\bunser(?P<ending>e[rsnm]?)?\b")
_REFLEXIVE = spelled(r"\b(?:mich|mir)\b")
_REFLEXIVES = spelled(r"\buns\b")
_FIRST = spelled(r"\b(?:ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2})\b")


def canonical(clause: str) -> str:
    """Return the clause with subject and verb in front: "Seit 2020 wohne ich in Bergen" as "Ich wohne seit 2020 in
    Bergen"."""
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
    """Return the clause, said by ``name``, told of them; None where that takes more than rules."""
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
    monats=month jahr=year jahre=year jahren=year jahres=year""")
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


_YEAR = r"(?:19|20)\d\d"
_NUMBER = rf"\d{{1,3}}|{any_of(_COUNTS)}"
_DECADES = places("dreißiger vierziger fünfziger sechziger siebziger achtziger neunziger", 3)
_QUARTERS = places("ersten/erstes/erste zweiten/zweites/zweite dritten/drittes/dritte vierten/letzten/viertes/letztes")
_WORDING = Wording(
    plain=joining(
        rf"""(?<![\w/.-])(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])(?![\w-])
        | \b(?:(?P<quarter>[1-4])\.?\sQuartal|Q(?P<quarter2>[1-4])|(?P<quarter3>{any_of(_QUARTERS)})\sQuartal)
          (?:\s(?:des\sJahres\s)?(?P<year2>{_YEAR}))?\b
        | \b(?P<decade>(?:(?:19|20)\d|[3-9])0)ern?\b | \b(?P<decade2>{any_of(_DECADES)})n?\b(?!\s(?:Jahre\salt))
        | \b(?P<back>vor)\s(?P<hours>{_NUMBER})\sStunden?\b | \bin\s(?P<hours2>{_NUMBER})\sStunden?\b
        | \b(?P<back2>vor)\s(?P<minutes>{_NUMBER})\sMinuten?\b | \bin\s(?P<minutes2>{_NUMBER})\sMinuten?\b
        | (?<=\bdes\s)(?P<current>Monats|Jahres)\b
        | \b(?P<bare_month>{MONTH})\b
        | (?<![\w.,:/$€£-])(?P<bare_year>{_YEAR})(?![\w%]|[.,:/]\d|\s(?:mal|(?-i:[A-ZÄÖÜ])))"""
    ),
    taken=joining(r"(?:\b(?:in|seit|ab|bis|um|etwa|circa|ca\.|Jahr|Sommer|Winter|Herbst|Frühling|Frühjahr)\s)?@"),
    spans=joining(
        r"""\bvo[nm]\s@\sbis\s(?:zum\s)?@ | \bzwischen\s(?:dem\s)?@\sund\s(?:dem\s)?@
        | @\s?[-–—]\s?@ | @\sbis\s(?:zum\s)?@"""
    ),
    days=joining(r"\b(?P<n>\d{1,2})\.?\s?(?:bis\s(?:zum\s)?|[-–—]\s?)@"),
    part=joining(
        r"""\b(?P<part>Anfang|Beginn|Mitte|Ende|früh|spät)(?:en)?\s(?:des\s(?:Jahres\s)?|der\s|von\s)?@
        | \b(?P<part2>ersten?|zweiten?)\s(?:Hälfte|Halbjahr)\s(?:des\s(?:Jahres\s)?|von\s|der\s)?@"""
    ),
    parts={
        "anfang": EARLY,
        "beginn": EARLY,
        "früh": EARLY,
        "mitte": MIDDLE,
        "ende": LATE,
        "spät": LATE,
        "erste": FIRST_HALF,
        "ersten": FIRST_HALF,
        "zweite": SECOND_HALF,
        "zweiten": SECOND_HALF,
    },
    clock=joining(
        r"""\bvon\s(?P<hour>\d{1,2})\sbis\s(?P<until>\d{1,2})\sUhr\b
        | \b(?:(?:um|gegen|ab)\s)?(?P<hour2>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?\sUhr(?:\s(?P<minute2>[0-5]\d)\b)?
          (?:\s(?P<half>morgens|vormittags|nachmittags|abends|nachts))?"""
    ),
    late=word_set("nachmittags abends abend nachmittag"),
    bound=joining(r"\b(?:vor|nach)\s(?:dem\s|der\s)?@"),
    recurs=joining(
        rf"""\bjede[nsrm]?\s(?:\w{{2,10}}\s)?(?:Tag|Woche|Wochenende|Monat|Jahr|Morgen|Abend|Nacht|Sommer|Winter
        |{any_of(_WEEKDAYS)}|{MONTH})\b | \b(?:täglich|wöchentlich|monatlich|jährlich)\b
        | \balle\s\w{{2,10}}\s(?:Tage|Wochen|Monate|Jahre)\b | \b(?:{any_of(_WEEKDAYS)})s\b"""
    ),
    inexact=joining(
        r"""\b(?:im\s(?:Studium|Gymnasium) | als\s(?:ich|Kind|Jugendliche|Student) | (?:in|während)\s(?:der
        |meiner)\s(?:Schul|Kindheit
        |Jugend|Uni|Studien) | früher | damals | einst | neulich | kürzlich | irgendwann | bald | demnächst
        | vor\s(?:langer|kurzem|Jahren|Monaten|Wochen|einigen|ein\spaar|mehreren|vielen)
        | (?:letzte|diese|nächste|kommende)[nrs]?\s(?:Sommer|Winter|Herbst|Frühling|Frühjahr)
        | Weihnachten | Ostern | Silvester | Pfingsten)\b"""
    ),
)
_CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _WORDING,
    quarters=spellings(_QUARTERS),
    decades=spellings({word: tens * 10 for word, tens in _DECADES.items()}),
)  # fmt: skip


_ADVERB = (
    r"(?:(?:sehr|wirklich|echt|total|auch|eigentlich|inzwischen|mittlerweile|jetzt|nun|derzeit|zurzeit|aktuell|momentan"
    r"|gerade|immer|schon|noch|lange?|besonders|übrigens|ja|halt|eben|einfach|überhaupt|gar|nur|leider|neuerdings"
    r"|wieder|früher|heute|ursprünglich|persönlich|absolut|so|am liebsten|nicht|nicht mehr|kein|keine|seit (?:kurzem"
    r"|langem|gestern|heute|\d{4})|seit (?:diese[mr]|letzte[mr]|dem|de[mr] \d{1,2}\.|anfang|mitte|ende) \w{3,10}"
    r"|seit \w{1,12} (?:tagen|wochen|monaten|jahren)|bald|allein|von beruf|beruflich|doch|stark|leicht|eine?) ){0,4}"
)
_I = r"^(?:ich|wir) "
_WE = r"^(?:ich|wir) (?:habe|hab|haben) (?:uns |mich )?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?: (?-i:[A-ZÄÖÜ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!de[rmns] (?!schweiz|türkei|ukraine|slowakei|nähe|usa)|einem?r? |eine |mein|unser|dies|ordnung|hause"
    r"|versehen|spaß|gutem|schlecht)(?:der |den |die )?[\w'-]{2,30}(?: (?:(?-i:[A-ZÄÖÜ][\w'-]{1,30})|am main)){0,3})"
)
_RELATIVES = pairs("""
    mann=husband frau=wife mutter=mother mama=mother vater=father papa=father bruder=brother schwester=sister
    sohn=son tochter=daughter freund=boyfriend freundin=girlfriend chef=boss chefin=boss kollege=colleague
    kollegin=colleague hund=dog papagei=parrot hamster=hamster pferd=horse katze=cat kater=cat partner=partner
    partnerin=partner oma=grandmother opa=grandfather tante=aunt onkel=uncle cousin=cousin cousine=cousin""")
_RELATIVE = any_of(_RELATIVES) + "|verlobte|verlobter"
_WHO = (
    rf"(?P<who>meine? (?:{_RELATIVE})(?: (?-i:[A-Z][a-z]{{1,20}}))?|(?!(?:ich|wir|das|die|der|es|er|sie|man|wer|was"
    rf"|hier|dort|mir|jeder|alle|keiner|niemand)\b)(?-i:[A-ZÄÖÜ][a-zäöüß]{{1,20}}(?: [A-ZÄÖÜ][a-zäöüß]{{1,20}})?))"
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
_ATTRIBUTE = any_of(ATTRIBUTES)
DIETS = pairs("""
    veganer=vegan veganerin=vegan vegan=vegan vegetarier=vegetarian vegetarierin=vegetarian vegetarisch=vegetarian
    pescetarier=pescatarian glutenfrei=gluten~free halal=halal koscher=kosher diabetiker=diabetic
    diabetikerin=diabetic laktoseintolerant=lactose~intolerant""")
_DIET = rf"(?P<value>{any_of(DIETS)})\b"
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
    row("name", rf"^(?:ich heiße|mein (?:voller |richtiger |echter )?name (?:ist|lautet)|man nennt mich"
        rf"|alle nennen mich|(?:bitte )?nenn(?:e|t)? mich(?: bitte)?) (?:jetzt |auch |einfach "
        rf"|ruhig ){{0,2}}(?!(?:nicht|mit|das|es|doch|also|so|dich|alle|zwar|hier)\b){_NAME}"),
    row("birthday", rf"^mein geburtstag ist (?:am |der )?{VALUE}"),
    row("birthday", r"^ich (?:habe|hab) (?:am )?(?P<value>\d{1,2}\.? ?[\w.]{1,10}) geburtstag$"),
    row("birthday", r"^ich bin (?:am )(?P<value>\d{1,2}\.? ?[\w.]{1,10}(?: ?\d{4})?) geboren"),
    row("age", r"^ich bin (?:jetzt |inzwischen |gerade |erst |schon "
        r"|heute ){0,2}(?P<value>\d{1,3})(?: (?:jahre(?: alt)?|geworden))?$"),
    row("from", rf"^ich (?:komme|stamme|bin) (?:ursprünglich |eigentlich )?aus {_PLACE}"),
    row("from", rf"^ich bin (?:in ){_PLACE} (?:geboren|aufgewachsen)"),
    row("allergic_to", rf"^ich (?:bin|reagiere) {_ADVERB}allergisch (?:gegen|auf) {VALUE}", deniable=True),
    row("allergic_to", r"^ich (?:habe|hab|leide (?:an|unter)) (?:leider |auch )?(?:eine?r? )?(?:starke "
        r"|schwere )?(?P<value>\w{3,20}?)-?(?:allergie|intoleranz|unverträglichkeit)\b"),
    row("allergic_to", rf"^ich vertrage (?:kein\w{{0,2}} ){VALUE}", negated=True),
    row("diet", r"^ich esse (?:inzwischen |jetzt |seit \w{1,12} )?wieder fleisch", fills="eats meat"),
    row("diet", r"^ich esse (?:gar |überhaupt |seit \w{1,12} )?kein fleisch", fills="vegetarian", negated=True),
    row("diet", rf"^ich (?:bin|esse|lebe|ernähre mich) {_ADVERB}{_DIET}", deniable=True),
    row("marital_status", rf"^ich bin {_ADVERB}(?P<value>{any_of(MARITAL)})\b"),
    row("job", rf"^ich bin {_ADVERB}{PROFESSION}"),
    row("job", rf"^ich arbeite {_ADVERB}als {VALUE}"),
    row("native_language", r"^meine muttersprache ist (?P<value>\w{3,20})"),
    row("speaks", rf"^ich bin mit (?P<value>{_LANGUAGES}) aufgewachsen"),
    row("time_zone", rf"^ich bin (?:in|auf) der zeitzone {VALUE}"),
    row("speaks", rf"^ich spreche (?:fließend |etwas |gut |ein bisschen |auch |nur ){{0,2}}(?={_LANGUAGES}\b"
        rf"|kein)(?P<value>[^.;:!?]{{1,80}})", deniable=True),
    row("identity", r"^(?:ich|wir) (?:habe|hab|haben) (?:zwei|drei|vier|fünf|\d|eine?n?) (?:kleine |ältere "
        r"|jüngere |große |ältere[nr] |jüngere[nr] )?(?:kind(?:er)?|söhne|sohn|töchter|tochter|geschwister|brüder"
        r"|bruder|schwestern?|enkel\w{0,3})\b"),
    row("named", rf"^{_WHO} heißt {_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÄÖÜ][\w'-]{{1,30}})) ist (?P<who>meine? (?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:ich|wir) (?:habe|hab|haben) (?:auch )?(?P<who>eine?n? (?:{_RELATIVE}))(?: namens"
        rf"|,) {_NAME}$"),
    row("age", r"^(?P<who>mein\w? (?:mann|frau|bruder|schwester|sohn|tochter|hund|katze|freundin"
        r"|freund)) ist (?P<value>\d{1,3}) jahre", importance=0.75),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:meine|unsere|mein|unser) (?:wohnung|haus|zuhause) (?:ist|liegt) (?:jetzt )?in {_PLACE}"),
    row("lives_in", rf"^ich bin zu ?hause in {_PLACE}"),
    row("works_at", rf"^mein (?:neuer )?arbeitgeber ist (?:jetzt )?{_NAME}"),
    row("works_at", rf"^ich bin {_ADVERB}bei (?:der |dem )?{_NAME} (?:angestellt|beschäftigt|tätig)", deniable=True),
    row("joined", rf"^ich bin (?:[\w.]{{1,15}} ){{0,3}}?zu (?:der )?{_NAME} gewechselt$"),
    row("lives_in", rf"{_I}(?:wohne|wohnen|lebe|leben) {_ADVERB}in {_PLACE}", deniable=True),
    row("moved to", rf"{_I}(?:bin|sind) (?:[\w.]{{1,15}} ){{0,4}}?(?:nach|in die) {_PLACE} (?:um)?gezogen"),
    row("works_at", rf"{_I}(?:arbeite|arbeiten) {_ADVERB}(?:bei|für) (?:der |dem )?(?!(?:ner|nem|ne|einer|einem"
        rf"|eine|meiner|meinem)\b){_NAME}", deniable=True),
    row("left", rf"^ich (?:habe|hab) (?:[\w.]{{1,15}} ){{0,3}}?bei (?:der "
        rf"|dem )?{_NAME} (?:[\w.]{{1,15}} ){{0,2}}?gekündigt"),
    row("joined", rf"^ich (?:habe|hab) (?:[\w.]{{1,15}} ){{0,4}}?(?:job|stelle"
        rf"|arbeit) bei (?:der )?{_NAME} (?:angefangen|angetreten|begonnen|bekommen)"),
    row("joined", rf"^ich (?:habe|hab) (?:[\w.]{{1,15}} ){{0,3}}?bei (?:der )?{_NAME} (?:angefangen|begonnen)"),
    row("left", r"^ich (?:habe|hab) (?-i:(?P<value>[A-ZÄÖÜ][\w&-]{1,30})) verlassen$"),
    row("attribute", rf"^(?:mein|meine|unser|unsere|das|die|der) (?P<attribute>{_ATTRIBUTE}) (?:ist|beträgt"
        rf"|liegt bei|lautet|wurde auf|ist auf|wurde|wird) (?:jetzt |nun |inzwischen "
        rf"|nicht mehr \w{{1,20}} sondern |auf |am ){{0,3}}{VALUE}"),
    row("attribute", rf"^(?P<who>(?-i:[A-ZÄÖÜ][\w-]{{1,20}}))s (?P<attribute>{_ATTRIBUTE}) (?:ist|beträgt"
        rf"|liegt bei) (?:jetzt |nun )?{VALUE}"),
    row("fact", r"^ich (?:habe|hab) (?:auch )?(?:zwei|drei|eine?n?|\d) (?:kleine[nr]? |alte[nr]? )?(?:hund|hunde"
        r"|katze|katzen|kater|pferd|hamster|kaninchen|papagei)\b"),
    row("lives_in of another", rf"^{_WHO} (?:wohnt|lebt) {_ADVERB}in {_PLACE}"),
    row("moved to of another", rf"^{_WHO} ist (?:[\w.]{{1,15}} ){{0,3}}?nach {_PLACE} (?:um)?gezogen"),
    row("works_at of another", rf"^{_WHO} arbeitet {_ADVERB}(?:bei|für) {_NAME}"),
    row("job of another", rf"^{_WHO} (?:ist|arbeitet als) (?:eine? )?{PROFESSION}"),
)  # fmt: skip
_GLAD = r"(?:gern|gerne|am liebsten)"
_PREFERENCES = (
    row("favorite", rf"^(?:mein|meine) lieblings-?(?P<attribute>\w{{2,20}}) (?:ist|sind) (?:jetzt |nun "
        rf"|immer noch )?{VALUE}"),
    row("prefers", rf"{_I}(?:mag|trinke|esse|nutze|benutze|verwende|habe|spiele|lese|höre"
        rf"|nehme) {_ADVERB}lieber (?P<value>[\w +#-]{{1,40}}?) als (?P<other>[\w +#-]{{1,40}})"),
    row("prefers", rf"{_I}(?:mag|trinke|esse) (?P<value>[\w +#-]{{1,40}}?) lieber als (?P<other>[\w +#-]{{1,40}})"),
    row("prefers", rf"{_I}bevorzuge (?P<value>[\w +#-]{{1,40}}?) (?:gegenüber|statt|anstatt"
        rf"|vor) (?P<other>[\w +#-]{{1,40}})"),
    row("prefers", r"^ich ziehe (?P<value>[\w+#-]{1,30}) (?P<other>[\w+#-]{1,30}) vor$"),
    likes(rf"{_I}(?:hasse|hassen|verabscheue|meide|vermeide) {_ADVERB}", "negative"),
    likes(rf"{_I}(?:kann|können) {_ADVERB}", "negative", r"(?P<value>[\w +#-]{1,40}?)",
          r" (?:nicht|gar nicht|überhaupt nicht) (?:leiden|ausstehen|ab)$", negated=True),
    likes(rf"{_I}(?:trinke|esse|nutze|benutze|verwende) (?:gar |überhaupt |grundsätzlich |nie )?(?=kein)",
        "negative", negated=True),
    likes(rf"{_I}(?:trinke|esse|nutze|benutze|verwende) ", "negative", r"(?P<value>[\w+#-]{2,30})",
        r" (?:nicht mehr|nie)$", negated=True),
    likes(rf"{_I}(?:habe|hab) (?:mit dem|mit) ", "negative", r"(?P<value>rauchen|alkohol|kaffee|zucker|trinken)",
          r" aufgehört"),
    likes(rf"{_I}(?:mag|mögen|liebe|lieben|bevorzuge|schätze) {_ADVERB}(?:gern |gerne )?"),
    likes(rf"{_I}(?:trinke|esse|spiele|höre|lese|schaue|koche|gehe|fahre|reise|mache|nutze|trinken|essen) (?:sehr "
        rf"|nicht |auch |besonders |wirklich ){{0,2}}{_GLAD} (?:in die |ins |zum )?"),
    likes("^", "negative", r"(?P<value>(?!es\b|das\b|so\b)[\w +#-]{2,40}?)", r" (?:ist|sind) "
        r"(?:einfach )?nichts für mich$", negated=True),
    likes(r"^ich kann mit ", "negative", r"(?P<value>(?!de[mnr] |ihm|ihr)[\w +#-]{2,40}?)",
        r" nichts anfangen$", negated=True),
    likes(r"^ich bin mit ", "negative", r"(?P<value>(?!de[mnr] |meine|diese|eine|ihm|ihr|allem)[\w +#-]{2,40}?)",
        r" durch$"),
    likes(r"^ich (?:trinke|esse|spiele|höre|lese|schaue|koche|mag|habe) ", thing=r"(?P<value>[\w +#-]{2,40}?)",
          end=rf" (?:sehr |nicht |besonders |wirklich |echt ){{0,2}}{_GLAD}$"),
    likes(r"^ich ", thing=r"(?P<value>(?!habe|hab|würde|möchte|bin|kann)\w{3,20}e)", end=rf" (?:sehr |nicht "
        rf"|auch |besonders ){{0,2}}{_GLAD}$"),
    likes(rf"^ich bin {_ADVERB}(?:ein )?(?:großer |große )?fan (?:von|der|des) "),
    likes(rf"{_I}stehe {_ADVERB}auf "),
    likes(rf"^ich interessiere mich {_ADVERB}für "),
    likes(r"^mir (?:gefällt|gefallen|schmeckt|schmecken) (?:sehr |nicht |besonders ){0,2}(?!nicht$)"),
    likes("^", thing=r"(?P<value>(?!es\b|das\b|so\b)[\w +#-]{2,40}?)",
          end=r" (?:gefällt|gefallen|schmeckt|schmecken) mir ?(?:sehr|nicht mehr|nicht|gar nicht"
              r"|überhaupt nicht)?(?: gut)?$"),
    likes(r"^ich finde ", thing=r"(?P<value>[\w +#-]{2,40}?)",
          end=r" (?:sehr |echt |wirklich |richtig |total |so )?(?:gut|toll|super|klasse|großartig|lecker"
              r"|schön|spannend)$"),
    likes(r"^ich finde ", "negative", r"(?P<value>[\w +#-]{2,40}?)", r" (?:sehr |echt |wirklich |total "
        r"|so )?(?:furchtbar|schrecklich|blöd|doof|langweilig|eklig|schlecht|nervig)$"),
    row("prefers", rf"^{_WHO} (?:bevorzugt|mag|trinkt|isst) (?P<value>[\w +#-]{{1,40}}?) (?:gegenüber|lieber als"
        rf"|statt|vor) (?P<other>[\w +#-]{{1,40}})"),
    likes(rf"^{_WHO} (?:mag|liebt|bevorzugt|trinkt gerne?|isst gerne?|spielt gerne?) "),
    likes(rf"^{_WHO} (?:hasst|verabscheut) ", "negative"),
    row("instruction", r"^(?:ich (?:will|möchte|hätte gerne?) ,? ?(?:bitte )?(?:dass du|keine emojis)"
        r"|ich (?:möchte|will),? dass du|ich (?:möchte|hätte gerne?|will|wünsche mir|bevorzuge) (?:bitte )?"
        r"(?:nur |immer )?\w{4,20} (?:antworten|emojis|einheiten|erklärungen|sätze|zusammenfassungen)$|ab (?:jetzt"
        r"|sofort)\b|von jetzt an\b|in zukunft bitte|(?:bitte )?(?:duz|siez)e? mich|du (?:kannst"
        r"|darfst) mich duzen|bitte keine?\w? \w{3,}|keine?\w? \w{3,30}(?:,? bitte)$|(?:bitte )?(?:immer "
        r"|stets |nur |künftig )?(?:antworte|antworten sie|schreib|schreibe|benutze|benutz|verwende|nutze|fasse"
        r"|gib mir|sprich|formatiere|halte|halt|bleib|erkläre|nenne mir) (?=(?:\S{1,30} ){0,6}?(?:immer|stets|nie"
        r"|nur|kurz|bitte|deutsch|englisch|einheiten|stichpunkte\w?|emojis?|format|sätze\w?|ton|knapp|ausführlich"
        r"|sachlich|metrische?|du|sie|datumsformat)\b)|(?:bitte )?(?:metrische einheiten|immer auf deutsch"
        r"|immer auf englisch)|bitte (?:immer|nie|niemals|stets) )", instructs=True),
)  # fmt: skip
_PLANS = (
    row("reminder", r"^(?:bitte )?(?:erinner(?:e|t)?|erinnern sie) mich (?:bitte )?(?!(?:nicht|an dich)\b)"),
    row("todo", r"^(?:to-? ?do|aufgabe|erinnerung) ?: "),
    row("todo", r"^(?:bitte )?(?:nicht vergessen|vergiss nicht) ?[,:]? ", instructs=True),
    row("todo", r"^(?:ping|pinge|kontaktiere|frage?|rufe?) (?-i:[A-Z]\w{1,20}) (?:wegen|zu|zum|zur|nach|über) ",
        news=1),
    row("goal", r"^(?!(?:ich|wir|bitte|er|sie|es|man)\b).{3,80}\bbis (?:zum )?\d.{3,25} \w{3,20}(?:en|ern|eln)$",
        dated=True),
    row("todo", rf"{_I}(?:darf|dürfen) nicht vergessen\b"),
    row("decision", r"^(?:endgültige )?(?:entscheidung|beschluss|entschieden|beschlossen)(?: ist| lautet|:) "),
    row("decision", rf"{_WE}(?:[\w.-]{{1,30}} ){{0,8}}?(?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt"
        rf"|ausgewählt|entschlossen|verständigt)\b", past=True, news=1),
    row("decision", r"^(?:lass|lasst|lassen) uns .{1,120}\b(?:nehmen|nutzen|verwenden|benutzen|wählen|wechseln"
        r"|bleiben|umsteigen)$"),
    row("decision", r"^(?:ich|wir) (?:nehme|nehmen|nutzen|verwenden|benutzen|setzen|bleiben) .{1,80}\b(?:für (?:das"
        r"|dieses|unser|den|die)|ab (?:jetzt|sofort)|auf|bei)\b", importance=0.7, news=1),
    row("choice", r"^(?:ich|wir) (?:werde|werden) .{1,80}\b(?:verwenden|nutzen|benutzen|nehmen|einsetzen)$"),
    row("decision", r"^es wurde (?:.{1,40} )?(?:entschieden|beschlossen|vereinbart)\b"),
    row("aim", r"^(?:mein|meine|unser) (?:\w{2,15} )?(?:ziel|traum|plan|vorsatz) (?:für \S{1,15} "
        r"|dieses jahr )?(?:ist|war immer)\b"),
    row("goal", rf"{_I}(?:plane|planen|hoffe|hoffen|beabsichtige|träume|träumen|versuche|habe (?:fest )?vor"
        rf"|haben vor)\b{_NOT_A_WISH}.{{1,200}}\b(?:zu|\w{{2,12}}zu\w{{2,15}})\b", news=1),
    row("goal", rf"{_I}(?:will|möchte|wollen|möchten|würde gerne?){_NOT_A_WISH} .{{2,160}}\b{_INFINITIVE}$", news=2),
    row("goal", r"^ich spare (?:gerade )?(?:auf|für) "),
    row("todo", rf"{_I}(?:muss|müssen|soll|sollte|sollten) (?!sagen|zugeben|gestehen|jetzt los|los\b"
        rf"|auch sagen){_NOT_A_WISH}.{{2,160}}\b{_INFINITIVE}$", news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^ich lerne (?!.{0,60}\bkennen\b)", importance=0.55, grounded=True),
    row("habit", r"^(?:ich|wir) \w{3,20} (?:fast |eigentlich "
        r"|mich ){0,2}(?:.{1,80} )?(?:jede[nsmr]? (?:zweiten )?(?:tag|morgen|abend|woche|montag|dienstag|mittwoch"
        r"|donnerstag|freitag|samstag|sonntag|monat|jahr|nacht|mittag|wochenende)|täglich|wöchentlich|regelmäßig"
        r"|normalerweise|meistens|gewöhnlich|für gewöhnlich|montags|dienstags|mittwochs|donnerstags|freitags|samstags"
        r"|sonntags|morgens|abends|einmal (?:pro|die|in der) woche|zweimal \w{2,4} woche)\b"),
    row("fact", r"^ich (?:rauche|trinke|jogge|schwimme|wandere|meditiere|koche|faste|pendle)(?: (?:nie|niemals|nicht"
        r"|nicht mehr|gar nicht))?$", importance=0.5),
)  # fmt: skip

_APPOINTMENT = (
    r"(?:arzttermin|termin|zahnarzttermin|flug|meeting|besprechung|prüfung|klausur|hochzeit|umzug|urlaub|kurs|konferenz"
    r"|vertrag|mietvertrag|vorstellungsgespräch|interview|konzert|party|geburtstagsfeier|operation|op|reise"
    r"|präsentation|abgabe|probezeit|praktikum|semester)"
)
_EVENTS = (
    row("event", rf"^(?:mein|meine|unser|unsere|der|die|das|wir haben|ich habe"
        rf"|ich hab) (?:.{{1,60}} )?{_APPOINTMENT}\b(?! gehabt)"),
    row("event", r"^(?:ich|wir) (?:fliege|fliegen|fahre|fahren|reise|reisen|treffe|treffen|besuche|besuchen|gehe"
        r"|gehen|ziehe|ziehen|heirate|heiraten|feiere|feiern|bin|sind|habe|haben|starte|beginne"
        r"|fange) (?!.{0,200}\b(?:ge\w{2,20}[tn]|\w{3,20}iert|(?:be|ver|er|ent)\w{3,20}t)$)", importance=0.55),
    row("past event", rf"^(?:ich|wir) (?:habe|hab|bin|haben|sind) {_NOT_A_WISH}(?!.{{0,120}}\b(?:verstanden"
        rf"|vergessen|gedacht|gemeint|gesagt|gewusst|gefragt|gewesen)\b).{{2,200}}\b{_PARTICIPLE}(?:,.{{0,200}})?$"),
    row("past event", r"^(?:ich|wir) (?:war|waren|ging|gingen|fuhr|fuhren|flog|flogen|traf|trafen|besuchte|besuchten"
        r"|kaufte|kauften|lief|liefen|hatte|hatten|zog|zogen) "),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


_SEPARATOR = (
    rf"; | [–—-] |,? (?:aber|jedoch|sondern|dafür|hingegen) |, (?:und )?(?=(?:ich|wir|meine?|unsere?"
    rf"|kein\w{{0,2}}|nicht|{OWN_VERBS})\b)|,? (?:und|sowie) (?=(?:ich|wir|meine?|unsere?|nicht|{OWN_VERBS})\b"
    rf"|(?!(?:{SUBORDINATE})\b)[\w'-]{{2,20}} (?:{FINITE.pattern}) (?:ich|wir)\b|(?:{OWN_VERBS}) (?:ich|wir)\b)"
    rf"|, (?=(?!(?:{SUBORDINATE})\b)[\w'-]{{2,20}} (?:{FINITE.pattern}) (?:ich|wir)\b)| (?=ich (?:{OWN_VERBS})\b)"
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
        rf"(?:\b\d{{1,2}}\.(?= (?:{MONTH})\b)|\b\d{{1,2}}\. ?\d{{1,2}}\.(?= [a-zäöü])"
        r"|\b(?:bzw|ca|nr|str|usw|inkl|evtl|z\. ?b|d\. ?h|u\. ?a)\.)"
),
    openings=spelled(
        r"(?:(?:hallo|hi|hey|moin|servus|guten (?:morgen|tag|abend)|ja|nein|nee|ok|okay|na ja|naja|also|übrigens|ach"
        r"|ach ja|oh|ähm|äh|hm|nun|danke|ehrlich gesagt|wie gesagt|zur info|fyi|info|kurze info|notiz|hinweis"
        r"|nur zur info|wichtig|korrektur|berichtigung|update|achtung|aber|und|eigentlich,|wichtiger hinweis"
        r"|kleine korrektur|doch|ps)\b[ ,:;.!–—-]{0,4}|(?:merke? dir(?: bitte)?|denke? daran|wisse"
        r"|du solltest wissen|ich wollte nur sagen|für dich zur info) ?[,:]? (?:bitte )?(?:dass )?"
        r"|ich (?:glaube|denke|meine) ?, (?=ich\b))"
    ),
    tag=spelled(r",? (?:und (?:du|sie|selbst)|und dir) ?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:wer|was|wann|wo|wie|warum|wieso|weshalb|welche\w?|woher|wohin|womit|wozu|kannst|könntest|kann|können|soll"
        r"|sollte ich|hast|bist|magst|weißt|gibt es|ist (?:es|das|mein)|habe ich|bin ich|mag ich|darf ich"
        r"|muss ich|wohne ich|würdest|hättest)\b"
    ),
    unreliable=spelled(
        r"\b(?:wenn|falls|w(?:\u00fc|ue)rde(?! (?:gern|sehr gern))\w{0,2}|w(?:\u00e4|ae)re\w{0,2}|h(?:\u00e4"
        r"|ae)tte(?! (?:gern|ich gern))\w{0,2}|k(?:\u00f6|oe)nnte\w{0,2}|vielleicht|eventuell|angenommen"
        r"|stell dir vor|wünschte|möglicherweise|ironie|spaßeshalber|nicht nur|zum beispiel|z\.b|angeblich"
        r"|nur spaß|kleiner scherz|als ob|(?<!ich )(?<!wir )(?:sagt|sagte|sagen|meint|meinte|behauptet|behauptete"
        r"|erzählte?|schrieb|schreibt|glaubt|denkt|fragte?|zitiert|sagten)|laut (?=(?-i:[A-Z]))|wie man sagt"
        r"|im (?:film|lied|buch|roman)|als kind wollte)\b|🙄|/s$|^[A-ZÄÖÜ][a-z]{1,20}: \"?ich"
    ),
    retraction=spelled(r"^(?:haha |lol )?,? ?(?:(?:war |das war )?(?:nur |bloß "
        r"|natürlich )?(?:ein )?(?:spaß|scherz|witz|quatsch)|nein,? spaß|nur spaß|reingelegt)\b"),
    task=spelled(
        r"^(?:bitte |hallo,? |kannst du |könntest du )?(?:übersetze?|schreibe? (?:mir )?(?:einen?|eine|das)"
        r"|korrigiere?|verbessere?|fasse .{0,40}zusammen|formuliere?"
        r"|dichte?|erstelle?|entwirf|stell dir vor|spiele? (?:die|den|eine) rolle|analysiere?)\b"
    ),
    negation=spelled(r"\b(?:nicht mehr|nicht|kein(?:e[nmrs]?)?|nie|niemals|weder)\b(?: mehr\b)?"),
    first_person=spelled(r"\b(?:ich|mich|mir|mein(?:e[rsnm]?)?|wir|uns|unser(?:e[rsnm]?)?)\b"),
    vague=spelled(
        r"^(?:es|das|dies\w{0,2}|ihn|sie|ihr\w{0,2}|dich|dir|euch|ihnen|mich|mir|uns|alles|nichts|etwas|was|wie|so|man"
        r"|beide[sn]?|hier|da|dort|welche\w?|jemand|niemand|ihm|dein\w{0,2}|euer|eure|sehr|auch|ja|nein|dass|wenn|nur"
        r"|gern|gerne|lieber|zu|zum|mehr|weniger)\b"
    ),
    value_ends=spelled(
        r" (?:weil|wenn|da|obwohl|und (?:ich|das|es)|mit|ohne|in|im|ins|am|an|auf|bei|beim|für|seit|von|vom|zum|zur"
        r"|aus|nach|vor|als|wie|sehr|gern|gerne|lieber|überhaupt|gar|wirklich|mehr|jeden|jetzt|heute|total|verschoben"
        r"|geändert|erhöht|gesenkt|festgelegt|gesetzt|angehoben|geworden|fließend|statt|anstatt|besonders|besser|zu"
        r"|tätig|angestellt|dass|die|der|das|bitte|jahre|inzwischen) "
    ),
    determiners=spelled(
        r"^(?:de[rmns]|die|das|eine?[nmrs]?|meine?[nmrs]?|unsere?[nmrs]?|etwas|viel|alle|jetzt|nun|auch|nur|sehr"
        r"|mein liebes) "
    ),
    conjunction=any_case(r", (?:und |oder |noch )?| (?:und|oder|sowie|noch|&) "),
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
        (spelled(r"^(?P<i>(?:ich )?)(?P<verb>wohn|leb|arbeit) (?=in |bei |für |jetzt |seit )"),
            r"\g<i>\g<verb>e "),
        (spelled(rf"^ich bin (?P<job>[^,]{{0,30}}?{PROFESSION.replace('?P<value>', '?:')}) bei (?:der |dem )?"
            r"(?=(?-i:[A-ZÄÖÜ]))"), r"Ich bin \g<job>, ich arbeite bei "),
        (spelled(r"(?P<head>\b(?:gekündigt|gewechselt|verlassen)),? (?:und )?(?:ich )?bin (?:jetzt|nun) (?=bei )"),
            r"\g<head>, ich arbeite jetzt "),
        (spelled(r"\bnicht (?:mehr )?(?:[^,]{1,40}), (?:sondern|vielmehr) (?:jetzt )?"), ""),
        (spelled(r"\bnicht (?:mehr )?(?:am |in |bei )?(?:\w{1,30}) sondern (?:am )?"), ""),
        (spelled(r"^(?:das|der|die) (?=(?:neue )?(?:budget|frist|deadline)\b)(?P<a>\w+) (?:hat sich geändert ?: ?)"),
            r"Das \g<a> ist "),
    ),
    elided=(
        (spelled(r"^(?:aber )?nicht (?=\w)(?P<rest>.{2,60})$"), r"Ich mag \g<rest> nicht"),
        (spelled(r"^(?:aber )?(?=kein\w{0,2} )(?P<rest>.{2,60})$"), r"Ich mag \g<rest>"),
    ),
    attributes=ATTRIBUTES | {"film": "movie", "buch": "book", "farbe": "color", "essen": "food"},
    values=spellings(DIETS | MARITAL),
    relatives=_RELATIVES,
)  # fmt: skip
