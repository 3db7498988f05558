"""French: word order, the third person, and dates."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, places
from service.extraction.languages.grammar import Calendar, any_of, meanings, spelled, spellings

NOBODY = "L'utilisateur"

_SINGULAR = meanings("""
    suis=est ai=a vais=va fais=fait dois=doit veux=veut peux=peut sais=sait vois=voit prends=prend viens=vient
    mets=met bois=boit lis=lit dors=dort pars=part sors=sort vis=vit écris=écrit connais=connaît crois=croit
    cours=court apprends=apprend deviens=devient reviens=revient tiens=tient choisis=choisit finis=finit vends=vend
    attends=attend conduis=conduit étais=était avais=avait fus=fut suivais=suivait voudrais=voudrait
    aimerais=aimerait compte=compte sers=sert""")
_PLURAL = meanings("""
    avons=ont sommes=sont allons=vont faisons=font devons=doivent voulons=veulent pouvons=peuvent prenons=prennent
    étions=étaient avions=avaient partons=partent voudrions=voudraient aimerions=aimeraient venons=viennent
    buvons=boivent""")
_OF_ON = spellings({"a": "ont", "est": "sont", "va": "vont", "doit": "doivent", "veut": "veulent", "prend": "prennent",
                    "fait": "font", "part": "partent", "avait": "avaient", "était": "étaient",
                    "peut": "peuvent"})  # fmt: skip
_CLITICS = r"(?P<clitics>(?:(?:ne\s|n'|me\s|m'|nous\s|se\s|s'|y\s|en\s|l'|le\s|la\s|les\s|lui\s)(?=[\w'])){0,3})"
_OPENING = spelled(rf"^(?P<subject>je\s|j'|nous\s|on\s){_CLITICS}(?P<verb>\w{{1,30}})\b(?P<rest>.{{0,600}})$")
_OWNED = spelled(
    r"^(?:mon|ma|mes|notre|nos)\s(?P<noun>\w[\w'-]{1,20})(?P<more>(?:\s(?!s')[\w'-]{2,20}){0,2}?)"
    r"\s(?P<rest>(?:est|sont|s'appelle|habite|vit|travaille|a|se\stermine|finit|commence|sera|n'\w+|ne\s\w+|reste|aime"
    r"|déteste|préfère|déménage)\b.{0,500})$"
)
_FEMININE = spelled(
    r"^(?:sœur|mère|fille|femme|copine|tante|cousine|grand-mère|maman|chatte|chienne|cheffe|langue"
    r"|date|adresse|réunion|couleur|musique"
    r"|ville|fête|série|chanson|cuisine|boisson|saison|matière|épouse|fiancée|collègue|amie|limite"
    r"|décision)$"
)
_POSSESSIVE = spelled(r"\b(?P<own>mon|ma|mes)\b(?=\s)")
_OURS = spelled(r"\b(?P<own>notre|nos)\b(?=\s)")
_HIS = {"mon": "son", "ma": "sa", "mes": "ses", "notre": "leur", "nos": "leurs"}
_PLEASES = spelled(
    r"\s(?P<no>ne\s)?me\s(?P<verb>plaît|plaisent|convient|manque|dérange|énerve)\b(?P<how>\s(?:pas|plus|beaucoup"
    r"|bien))?"
)
_FIRST = re.compile(r"\b(?:je|me|moi|mon|ma|mes|nous|notre|nos|mien|mienne)\b|\b[jm]'", re.IGNORECASE)
TIME = (
    r"(?:hier(?:\s(?:soir|matin))?|avant-hier|aujourd'hui|demain(?:\s(?:soir|matin))?|après-demain|(?:lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche)(?:\s(?:dernier|prochain))?"
    r"|la\ssemaine\s(?:dernière|prochaine)|le\s(?:mois|week-end)\s(?:dernier|prochain)|l'(?:année|an"
    r"|été)\s(?:dernière?|prochaine?)|ce\s(?:week-end|mois)|cette\s(?:semaine|année)"
    r"|il\sy\sa\s\w{1,8}\s\w{3,8}|en\s\w{3,9}(?:\s\d{4})?|depuis\s\w{2,12}(?:\s\w{3,8})?"
    r"|le\s\d{1,2}(?:er)?\s\w{3,9}(?:\s\d{4})?|dans\s\w{1,8}\s\w{3,8}"
    r"|d'habitude|normalement|en\sgénéral|généralement|souvent|actuellement|maintenant|tous\sles\s\w{3,9}"
    r"|chaque\s\w{3,9}|le\s(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir)|avant)"
)
_FRONTED = spelled(rf"^(?P<front>{TIME}),?\s(?P<rest>(?:je\s|j'|nous\s|on\s|moi\s).{{1,400}})$")
_STRESSED = spelled(r"^(?:moi|perso|personnellement),?\s(?=(?:je|j')\b|j')")


def canonical(clause: str) -> str:
    """The clause with its subject in front: "Hier, j'ai acheté un vélo" as "j'ai acheté un vélo hier"."""
    clause = _STRESSED.sub("", clause)
    fronted = _FRONTED.match(clause)
    if fronted is None:
        return clause
    front = fronted["front"]
    return f"{_STRESSED.sub('', fronted['rest'])} {front[:1].lower()}{front[1:]}"


def third_person(clause: str, name: str) -> str | None:
    """The clause, said by ``name``, told of them; None where that takes more than rules."""
    if _POSSESSIVE.match(clause) and not _OWNED.match(clause):
        return None
    told = _told(clause, name)
    for pattern in (_POSSESSIVE, _OURS):
        told = pattern.sub(lambda match: _HIS[match["own"].lower()], told)
    return None if _FIRST.search(told, len(name) if told.startswith(name) else 0) else told


def _told(clause: str, name: str) -> str:
    owned = _OWNED.match(clause)
    if owned is not None:
        article = "la" if _FEMININE.match(owned["noun"]) else "le"
        article = "l'" if owned["noun"][0].lower() in "aeiouyéèê" else f"{article} "
        return f"{article}{owned['noun']}{owned['more']} {_of(name)} {owned['rest']}"
    opening = _OPENING.match(clause)
    if opening is None:
        return _PLEASES.sub(lambda match: f" {match['no'] or ''}{match['verb']}{match['how'] or ''} à {name}", clause)
    subject, verb = opening["subject"].strip().lower(), opening["verb"].lower()
    told = {"on": _of_on, "nous": _plural}.get(subject, _singular)(verb)
    clitics = opening["clitics"].lower().replace("me ", "se ").replace("m'", "s'").replace("nous ", "se ")
    if clitics.endswith(("se ", "ne ")) and told[0] in "aeiouhéèê":
        clitics = f"{clitics[:-2]}'"
    elif clitics.endswith(("s'", "n'")) and told[0] not in "aeiouhyéèê":
        clitics = f"{clitics[:-1]}e "
    who = name if subject in ("je", "j'") else f"{name} et d'autres"
    return f"{who} {clitics}{told}{opening['rest']}"


def _of(name: str) -> str:
    if name == NOBODY:
        return "de l'utilisateur"
    return f"d'{name}" if name[:1].lower() in "aeiouyhéèêàâîô" else f"de {name}"


def _singular(verb: str) -> str:
    if verb in _SINGULAR:
        return _SINGULAR[verb]
    if verb.endswith("rai"):
        return verb[:-1]
    return f"{verb[:-1]}t" if verb.endswith(("ais", "is")) else verb


def _plural(verb: str) -> str:
    if verb in _PLURAL:
        return _PLURAL[verb]
    if verb.endswith("rons"):
        return f"{verb[:-3]}ont"
    return f"{verb[:-3]}ent" if verb.endswith("ons") else verb


def _of_on(verb: str) -> str:
    if verb in _OF_ON:
        return _OF_ON[verb]
    if verb.endswith("ra"):
        return f"{verb[:-1]}ont"
    return f"{verb}nt" if verb.endswith("e") else verb


_MONTH_NAMES = listed("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
_DAY_NAMES = listed("lundi mardi mercredi jeudi vendredi samedi dimanche")
_MONTHS = spellings(places(" ".join(_MONTH_NAMES)))
_WEEKDAYS = places(" ".join(_DAY_NAMES), 0)
_NAMED = spellings(places("avant-hier hier aujourd'hui demain après-demain", -2))
_UNITS = meanings("""
    jour=day jours=day semaine=week semaines=week week-end=weekend weekend=weekend mois=month an=year ans=year
    année=year années=year""")
_STEPS = spellings(places("dernier/dernière/passé/passée ce/cet/cette prochain/prochaine", -1))
_COUNTS = places("un/une deux trois quatre cinq six sept huit neuf dix")
_KEPT = ("avant le", "avant", "depuis le", "depuis", "jusqu'au", "jusqu'à", "d'ici le", "d'ici", "pour le", "au", "du",
         "dès", "à partir du")  # fmt: skip
_DAY = any_of(_WEEKDAYS)
_MONTH = any_of(_MONTHS)
_COUNT = any_of(_COUNTS)
_UNIT = any_of(_UNITS)
_PERIOD = any_of([*_UNITS, *_WEEKDAYS, *_MONTHS])
_EXPRESSION = re.compile(
    rf"""(?:\b(?P<prep>{any_of((*_KEPT, "en", "le", "la", "pour"))})\s|\b(?P<prep2>l'))?(?:
      \b(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b
    | \b(?P<day>\d{{1,2}})(?:er)?\s(?P<month>{_MONTH})\b(?:\s(?P<year>(?:19|20)\d\d)\b)?
    | \b(?P<day2>\d{{1,2}})/(?P<month2>\d{{1,2}})(?:/(?P<year2>(?:19|20)?\d\d))?\b
    | \b(?P<named>{any_of(_NAMED)})\b(?:\s(?P<part>soir|matin|après-midi|midi)\b)?
    | \b(?P<unit>{_PERIOD})\s(?P<step>derni[eè]re?|prochaine?|pass[ée]e?)\b
    | \b(?P<step2>ce|cet|cette)\s(?P<unit2>{_PERIOD})\b
    | (?<!le\s)(?<!les\s)(?<!chaque\s)\b(?P<weekday>{_DAY})\b(?:\s(?P<part2>soir|matin|après-midi|midi)\b)?
    | \bil\sy\sa\s(?P<ago>\d{{1,3}}|{_COUNT})\s(?P<unit3>{_UNIT})\b
    | \bdans\s(?P<in>\d{{1,3}}|{_COUNT})\s(?P<unit4>{_UNIT})\b
    | (?:(?<=en\s)|(?<=depuis\s))(?P<month3>{_MONTH})\b(?:\s(?P<year3>(?:19|20)\d\d)\b)?
    | \b(?P<month4>{_MONTH})\s(?P<year4>(?:19|20)\d\d)\b
    | (?:(?<=en\s)|(?<=depuis\s))(?P<year5>(?:19|20)\d\d)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def _written(kind: str, day: datetime, preposition: str) -> str:
    date = f"{'1er' if day.day == 1 else day.day} {_MONTH_NAMES[day.month - 1]} {day.year}"
    kept = preposition if preposition in _KEPT else ""
    bare = kept.removesuffix(" le")
    if kind == "month":
        return f"{bare or 'en'} {_MONTH_NAMES[day.month - 1]} {day.year}"
    if kind == "year":
        return f"{bare or 'en'} {day.year}"
    if kind in ("week", "week before", "week after"):
        return {"week": f"la semaine du {date}", "week before": f"la semaine précédant le {date}",
                "week after": f"la semaine suivant le {date}"}[kind]  # fmt: skip
    if kind == "weekend":
        return f"le week-end du {date}"
    if kind == "weekday":
        date = f"{_DAY_NAMES[day.weekday()]} {date}"
    if kept in ("au", "du", "jusqu'au", "à partir du"):
        return f"{kept} {date}"
    return f"{bare} le {date}".strip()


CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _written,
    behind=frozenset({"depuis", "depuis le"}),
    ahead=frozenset({"avant", "avant le", "jusqu'au", "jusqu'à", "d'ici", "d'ici le", "pour le"}),
)  # fmt: skip
