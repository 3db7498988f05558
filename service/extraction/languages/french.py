"""French: word order, the third person, dates, the patterns of statements, and what is no statement."""

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
    r"^(?:sœur|mère|fille|femme|copine|tante|cousine|grand-mère|maman|chatte|chienne|cheffe|langue|date|adresse|réunion"
    r"|couleur|musique|ville|fête|série|chanson|cuisine|boisson|saison|matière|épouse|fiancée|collègue|amie|limite"
    r"|décision)$"
)
_POSSESSIVE = spelled(r"\b(?P<own>mon|ma|mes)\b(?=\s)")
_OURS = spelled(r"\b(?P<own>notre|nos)\b(?=\s)")
_HIS = {"mon": "son", "ma": "sa", "mes": "ses", "notre": "leur", "nos": "leurs"}
_PLEASES = spelled(
    r"\s(?P<no>ne\s)?me\s(?P<verb>plaît|plaisent|convient|manque|dérange|énerve)\b(?P<how>\s(?:pas|plus|beaucoup"
    r"|bien))?"
)
_FIRST = any_case(r"\b(?:je|me|moi|mon|ma|mes|nous|notre|nos|mien|mienne)\b|\b[jm]'")
TIME = (
    r"(?:hier(?:\s(?:soir|matin))?|avant-hier|aujourd'hui|demain(?:\s(?:soir|matin))?|après-demain|(?:lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche)(?:\s(?:dernier|prochain))?|la\ssemaine\s(?:dernière|prochaine)"
    r"|le\s(?:mois|week-end)\s(?:dernier|prochain)|l'(?:année|an|été)\s(?:dernière?|prochaine?)|ce\s(?:week-end|mois)"
    r"|cette\s(?:semaine|année)|il\sy\sa\s\w{1,8}\s\w{3,8}|en\s\w{3,9}(?:\s\d{4})?|depuis\s\w{2,12}(?:\s\w{3,8})?"
    r"|le\s\d{1,2}(?:er)?\s\w{3,9}(?:\s\d{4})?|dans\s\w{1,8}\s\w{3,8}|d'habitude|normalement|en\sgénéral|généralement"
    r"|souvent|actuellement|maintenant|tous\sles\s\w{3,9}|chaque\s\w{3,9}|le\s(?:lundi|mardi|mercredi|jeudi|vendredi"
    r"|samedi|dimanche|matin|soir)|avant)"
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


_CALENDAR = Calendar(_EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS)


_ADVERB = (
    r"(?:(?:très|vraiment|aussi|beaucoup|maintenant|actuellement|toujours|encore|déjà|seulement|surtout|bien|énormément"
    r"|trop|pas|plus|pas\sdu\stout|pas\svraiment|pas\sbeaucoup|plutôt|originellement|récemment|enfin|un\speu|totalement"
    r"|souvent|jamais|désormais|dorénavant)\s){0,3}"
)
_I = r"^(?:je\s|j'|nous\s|on\s)(?:ne\s|n'|n\s)?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?:\s(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!maison\b|côté|fond\b|une?\s|mon\b|ma\b|ce\b|cette\b|vacances|la\s(?!réunion|rochelle|havane|haye)"
    r"|l'(?!île|isle|estonie|espagne|italie|inde))(?:la\s)?[\w'-]{2,30}(?:\s(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{1,30})){0,3})"
)
_IN = r"(?:à|en|au|aux|sur|dans\sle)\s"
_RELATIVE = (
    r"frère|soeur|sœur|mère|père|maman|papa|fils|fille|mari|femme|copain|copine|conjoint|compagnon|compagne|chef"
    r"|cheffe|patron"
    r"|chien|chienne|chat|chatte|perroquet|lapin|cheval|grand-mère|grand-père|oncle|tante|cousin|cousine|ami|amie|collègue|fiancé|fiancée"
)
_WHO = (
    rf"(?P<who>(?:mon|ma|notre)\s(?:{_RELATIVE})(?:\s(?-i:[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{{1,20}}))?"
    r"|(?!(?:je|on|nous|le|la|les|un|une|mon|ma|mes|il|elle|ils|elles|ce|cela|ça|qui|que|tout|personne|hier|moi|vous|tu"
    r"|oui|non|merci|si|avec)\b)(?-i:[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{1,20}(?:\s[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{1,20})?))"
)
_PROFESSION = (
    r"(?P<value>(?:médecin|infirmi[eè]re?|ingénieure?|avocate?|architecte|cuisini[eè]re?|serveu(?:r|se)|musicien(?:ne)?"
    r"|psychologue|biologiste|pompier|vétérinaire|photographe|pharmacien(?:ne)?|fonctionnaire|menuisi[eè]re?"
    r"|coiffeu(?:r|se)|jardini[eè]re?|prof(?:esseure?)?|enseignante?|institut(?:eur|rice)|écrivaine?|designer"
    r"|développeu(?:r|se)|programmeu(?:r|se)|chercheu(?:r|se)|traduct(?:eur|rice)|comptable|entraîneu(?:r|se)|act(?:eur"
    r"|rice)|chauffeur|vendeu(?:r|se)|agricult(?:eur|rice)|direct(?:eur|rice)|étudiante?|journaliste|dentiste|artiste"
    r"|électricien(?:ne)?|économiste|gérante?|polici[eè]re?|pilote|analyste|chant(?:eur|euse)|retraitée?|plombi[eè]re?"
    r"|chef\sde\sprojet|boulang[eè]re?|consultante?)(?:\s(?:de|d'|en)\s?(?!métier\b|profession\b"
    r"|formation\b)\w{3,20})?)\b"
)
ATTRIBUTES = pairs("""
    budget=budget date~limite=deadline échéance=deadline deadline=deadline délai=deadline prix=price coût=cost
    loyer=rent salaire=salary adresse=address numéro~de~téléphone=phone~number téléphone=phone~number e-mail=email
    email=email fuseau~horaire=time_zone version=version port=port réunion=meeting~date rendez-vous=appointment
    rdv=appointment limite=limit taille=height poids=weight surnom=nickname date~de~début=start~date lieu=location
    date~de~lancement=launch~date lancement=launch~date groupe~sanguin=blood~type""")
_ATTRIBUTE = any_of(ATTRIBUTES)
DIETS = pairs("""
    végane=vegan vegan=vegan végan=vegan végétalien=vegan végétalienne=vegan végétarien=vegetarian
    végétarienne=vegetarian pescétarien=pescatarian diabétique=diabetic intolérant~au~lactose=lactose~intolerant
    intolérante~au~lactose=lactose~intolerant cœliaque=celiac casher=kosher halal=halal sans~gluten=gluten~free""")
_DIET = rf"(?P<value>{any_of(DIETS)})\b"
MARITAL = pairs("""
    marié=married mariée=married célibataire=single divorcé=divorced divorcée=divorced veuf=widowed veuve=widowed
    fiancé=engaged fiancée=engaged pacsé=married pacsée=married""")
_LANGUAGES = (
    r"(?:(?:le\s|l'|du\s|de\sl')?(?:français|anglais|allemand|espagnol|italien|chinois|japonais|russe|portugais|arabe"
    r"|coréen|polonais|norvégien|suédois|néerlandais|grec|turc|ukrainien|breton|catalan|mandarin))"
)
_NOT_A_WISH = (
    r"(?!(?:savoir|demander|dire|comprendre|remercier|te\b|vous\b|t'|voir\ssi|avouer|reconnaître|y\saller|partir$)\b)"
)
_INFINITIVE = r"(?:ne\s(?:pas|plus)\s)?(?:me\s|m'|nous\s|y\s|le\s|la\s|les\s|l'|lui\s)?\w{2,20}(?:er|ir|re|oir)\b"

_IDENTITY = (
    row("name", rf"^(?:je\sm'appelle|mon\s(?:nom|prénom)(?:\scomplet)?\s(?:est|c'est)|(?:on"
        rf"|tout\sle\smonde)\sm'appelle|(?:appelle|appelez)-moi)\s{_NAME}"),
    row("birthday", rf"^mon\sanniversaire\s(?:est|c'est)\s(?:le\s)?{VALUE}"),
    row("birthday", r"^je\ssuis\snée?\sle\s(?P<value>\d{1,2}(?:er)?\s\w{3,9}(?:\s\d{4})?)"),
    row("age", r"^j'ai\s(?:maintenant\s|déjà\s|eu\s)?(?P<value>\d{1,3})\sans\b(?!\sd)"),
    row("from", rf"^je\s(?:viens|suis\soriginaire)\s(?:de\s|d'|du\s|des\s)(?!\w{{2,20}}(?:er|ir|re|être)\s){_PLACE}"),
    row("from", rf"^(?:je\ssuis\snée?|j'ai\sgrandi)\s(?:à|en|au|aux)\s{_PLACE}"),
    row("allergic_to", rf"{_I}suis\s{_ADVERB}(?:allergique|intolérante?)\s(?:à\sla\s|à\sl'|aux\s|au\s|à\s){VALUE}",
        deniable=True),
    row("allergic_to", rf"^j'ai\sune\s(?:forte\s|grave\s)?allergie\s(?:à\sla\s|à\sl'|aux\s|au\s|à\s){VALUE}"),
    row("diet", r"^je\s(?:re)?mange\s(?:à\snouveau|de\snouveau|encore)\s(?:de\sla\s)?viande"
        r"|^je\sremange\sde\sla\sviande", fills="eats meat"),
    row("diet", r"^je\s(?:ne\s)?mange\s(?:pas|jamais|plus)\sde\sviande", fills="vegetarian", negated=True),
    row("diet", rf"{_I}(?:suis|mange)\s(?:devenue?\s)?{_ADVERB}{_DIET}", deniable=True),
    row("marital_status", rf"{_I}suis\s{_ADVERB}(?P<value>{any_of(MARITAL)})\b"),
    row("job", rf"{_I}suis\s{_ADVERB}(?:une?\s)?{_PROFESSION}"),
    row("job", rf"^mon\s(?:métier|travail|boulot)(?:,\sc'est|\sest)\s(?:une?\s)?{_PROFESSION}"),
    row("job", rf"{_I}travaille\s{_ADVERB}(?:comme|en\stant\sque?)\s{VALUE}"),
    row("native_language", r"^ma\slangue\s(?:maternelle|natale)\sest\s(?:le\s|l')?(?P<value>\w{3,20})"),
    row("speaks", rf"{_I}parle\s(?:couramment\s|un\speu\s|bien\s|aussi\s"
        rf"|pas\s)?(?={_LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})", deniable=True),
    row("identity", r"^(?:j'ai|nous\savons|on\sa)\s(?:deux|trois|quatre|cinq|\d|une?)\s(?:petite?\s"
        r"|grande?s?\s)?(?:enfants?|fils|filles?|frères?|soeurs?|sœurs?)\b"),
    row("named", rf"^{_WHO}\ss'appelle\s{_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{{1,30}}))\sest\s(?P<who>(?:mon|ma)\s(?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:j'ai|nous\savons|on\sa)\s(?P<who>une?\s(?:{_RELATIVE}))(?:\squi\ss'appelle|\snommée?"
        rf"|\sappelée?|,)\s{_NAME}$"),
    row("time_zone", rf"^je\ssuis\s(?:dans|sur)\sle\sfuseau\s(?:horaire\s)?{VALUE}"),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:mon|ma|notre)\s(?:appartement|appart|logement|maison)\s(?:est|se\strouve)\s{_IN}{_PLACE}"),
    row("lives_in", rf"{_I}(?:suis|me\ssuis)\s{_ADVERB}(?:basée?|installée?)\s{_IN}{_PLACE}"),
    row("works_at", rf"^mon\s(?:nouvel\s)?employeur(?:,\sc'est|\sest)\s(?:maintenant\s)?{_NAME}"),
    row("works_at", rf"^(?:je\ssuis\s(?:employée?|embauchée?)|je\sviens\sd'être\sembauchée?"
        rf"|j'ai\sété\sembauchée?)\schez\s{_NAME}"),
    row("lives_in", rf"{_I}(?:habite|habitons|vis|vivons|réside|résidons)\s{_ADVERB}{_IN}{_PLACE}", deniable=True),
    row("moved to", rf"^(?:j'ai\s(?:récemment\s)?|nous\savons\s|on\sa\s|je\sviens\sde\s)(?:déménagée?s?|emménagée?s?"
        rf"|déménager|emménager)\s(?:de\s[\w'-]{{2,20}}\s)?{_IN}{_PLACE}"),
    row("left", r"^j'ai\s(?:quitté|démissionné\s(?:de|d'|chez))\s?(?:chez\s)?(?-i:"
        r"(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}))\b"),
    row("joined", r"^(?:j'ai\s(?:commencé|trouvé|démarré|débuté)|je\sviens\sde\scommencer)\s(?:à\stravailler\s"
        r"|un\snouveau\s(?:travail|poste|boulot|job)\s)?(?:chez|pour)\s(?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}"
        r"(?:\s[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}){0,2}))"),
    row("works_at", rf"{_I}(?:travaille|bosse)\s{_ADVERB}(?:chez|pour)\s(?!moi|lui|une?\b|la\b|le\b|mon\b|l'){_NAME}",
        deniable=True),
    row("attribute", rf"^(?:mon|ma|notre|le|la|l')\s?(?P<attribute>{_ATTRIBUTE})\s(?:est|sera|passe\sà|est\spassée?\sà"
        rf"|a\sété\s(?:reportée?|déplacée?|avancée?|fixée?|décalée?|portée?)\s(?:au|à|le)|monte\sà)\s(?:maintenant\s"
        rf"|désormais\s|à\sprésent\s)?(?:de\s)?{VALUE}"),
    row("fact", r"^(?:j'ai|nous\savons|on\sa)\s(?:une?|deux|trois|\d)\s(?:petite?\s)?(?:chiens?|chiennes?|chats?"
        r"|chattes?|chevaux|cheval|lapins?)\b"),
    row("lives_in of another", rf"^{_WHO}\s(?:ne\s|n')?(?:habite|vit)\s{_ADVERB}{_IN}{_PLACE}"),
    row("moved to of another", rf"^{_WHO}\s(?:a\sdéménagé|a\semménagé)\s{_IN}{_PLACE}"),
    row("works_at of another", rf"^{_WHO}\s(?:ne\s)?travaille\s{_ADVERB}(?:chez|pour)\s{_NAME}"),
    row("job of another", rf"^{_WHO}\sest\s(?:une?\s)?{_PROFESSION}"),
    row("habit", r"^j'(?:apprends|étudie)\s(?!que\b)", importance=0.55, grounded=True),
)  # fmt: skip
_OVER = (
    r"\s(?:à\sla|à\sl'|aux|au|à|plutôt\sque|au\slieu\s(?:de|du)|que)\s?(?:le\s|la\s|les\s|l'|du\s"
    r"|de\s)?(?P<other>[\w\s+#-]{1,40})"
)
_PREFERENCES = (
    row("favorite", rf"^(?:mon|ma|mes)\s(?P<attribute>\w{{2,20}})\spréférée?s?\s(?:est|sont|c'est)\s{VALUE}"),
    row("prefers", rf"^(?:je|nous|on)\s(?:préfère|préférons)\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^j'aime\s(?:mieux|plus)\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^{_WHO}\spréfère\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}"),
    likes(r"^(?:je\s|j'|on\s|nous\s)(?:déteste|détestons|hais|abhorre|évite)\s(?!quand|que)", "negative"),
    likes(r"^(?:je\s|on\s)(?:ne\s)?(?:supporte|tolère)\s(?:pas|plus)\s", "negative", negated=True),
    likes(r"^(?:je\s|on\s)(?:ne\s)?(?:bois|mange|fume|utilise|prends)\s(?:pas|plus|jamais)\s(?:de\s|d')", "negative",
        negated=True),
    likes(r"^j'ai\sarrêté\s(?:de\s(?:boire|manger|fumer|prendre)\s(?:du\s|de\sla\s|de\sl'|des\s|de\s)?|le\s|la\s|l')",
        "negative"),
    likes(rf"{_I}(?:aime|adore|aimons|adorons|préfère|apprécie|kiffe)\s{_ADVERB}(?:mieux\s)?(?!quand|que\b|savoir"
        rf"|bien$|pas$|ça\b)"),
    likes(rf"{_I}suis\s{_ADVERB}(?:une?\s)?(?:grande?\s)?(?:fan|passionnée?|amateur|accro)\s(?:de\sla\s|de\sl'|de\s"
        rf"|du\s|des\s|d'|par\sla\s|par\sl'|par\s|à\s)"),
    likes(r"^j'ai\s(?:vraiment\s)?horreur\s(?:de\sla\s|de\sl'|des\s|du\s|de\s|d')", "negative"),
    likes("^", "negative", r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b)[\w\s+#'-]{2,40}?)",
        r",\sc'est\sfini(?:\spour\smoi)?$"),
    likes("^", thing=r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b|moi\b)[\w\s+#'-]{2,40}?)", end=r",\sj'adore$"),
    likes(rf"{_I}m'intéresse\s{_ADVERB}(?:à\sla\s|à\sl'|aux\s|au\s|à\s)"),
    likes("^", thing=r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b)[\w\s+#'-]{2,40}?)", end=r"\s(?:ne\s)?me\s(?:plaît"
        r"|plaisent|plait)(?:\s(?:pas|beaucoup|pas\sdu\stout|bien|plus))?$"),
    likes(rf"^{_WHO}\s(?:n')?(?:aime|adore|préfère)\s{_ADVERB}"),
    likes(rf"^{_WHO}\s(?:déteste|hait)\s", "negative"),
    row("instruction", r"^(?:(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s|merci\sde\s)?(?:tutoie|vouvoie|tutoyez|vouvoyez"
        r"|me\stutoyer|me\svouvoyer)(?:-moi)?\b|(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s)?(?:pas\sd'|pas\sde\s|sans\s"
        r"|plus\sd'|aucun\s)\w{3,20}(?:,?\s(?:s'il\s(?:te|vous)\splaît|stp|svp|merci))?$|(?:à\spartir\sde\smaintenant"
        r"|désormais|dorénavant)\b(?!,?\s(?:je|j'|on|nous)\b)|(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s"
        r"|merci\sde\s)?(?:réponds|répondez|répondre|utilise|utilisez|utiliser|écris|écrivez|parle-moi|donne-moi|garde"
        r"|résume|évite|n'utilise|je\sveux\sque\stu)\b(?=(?:\s\S{1,30}){0,6}?\s(?:toujours|jamais|seulement|français"
        r"|anglais|unités|puces|emojis?|format|phrases|ton|brève(?:ment)?|court(?:es|s)?|courte|concis|métriques?"
        r"|listes?)\b)|unités\smétriques|je\spréfère\s(?:des|les)\sréponses\s)", instructs=True),
)  # fmt: skip
_PLANS = (
    row("reminder", r"^(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s)?(?:rappelle|rappelez"
        r"|peux-tu\sme\srappeler)(?:-moi)?\s(?:de\s|d'|que\s|le\s|la\s|mon\s|ma\s)"),
    row("todo", r"^(?:to-?\s?do|tâche|à\sfaire|rappel)\s?:\s"),
    row("todo", r"^(?:n'oublie\spas|n'oubliez\spas|ne\spas\soublier|pense\sà)\s?[,:]?\s?(?:de\s|d'|que\s|:\s)?", news=1,
        instructs=True),
    row("todo", r"^(?:ping(?:er)?|demande\sà|appelle|appeler|relance|relancer|contacte"
        r"|contacter)\s(?-i:[A-ZÀÂÉÈÊÎÔ]\w{1,20})\s(?:pour|au\ssujet|à\spropos|sur|concernant)\b", news=1),
    row("decision", r"^(?:la\s)?(?:décision|décidé|c'est\sdécidé)(?:\sfinale)?(?:\sest|\s?:)\s"),
    row("decision", r"^(?:j'ai|nous\savons|on\sa|on\ss'est|nous\snous\ssommes)\s(?:enfin\s|finalement\s)?(?:décidé"
        r"|convenu|choisi|opté|retenu|tranché|mise?s?\sd'accord)\b", past=True, news=1),
    row("decision", r"^(?:on\sva|nous\sallons|je\svais)\s(?:utiliser|adopter|prendre|garder|rester\ssur|partir\ssur)\s",
        importance=0.7, news=1),
    row("decision", r"^(?:j'utiliserai|on\sutilisera|nous\sutiliserons|utilisons|prenons|partons\ssur|on\spart\ssur"
        r"|restons\ssur|on\sgarde)\s", importance=0.7, news=1),
    row("decision", r"^il\sa\sété\s(?:décidé|convenu)\s"),
    row("aim", r"^(?:mon|notre)\s(?:grand\s)?(?:objectif|but|rêve|projet|plan)\s(?:pour\scette\sannée\s"
        r"|cette\sannée\s)?(?:est|c'est)\s"),
    row("goal", rf"^(?:je\s|j'|nous\s|on\s)(?:veux|voudrais|aimerais|voulons|aimerions|veut|espère|espérons|compte"
        rf"|comptons|prévois\sde|prévois\sd'|prévoyons\sde|rêve\sde|rêve\sd'|envisage\sde|ai\sl'intention\sde"
        rf"|ai\sl'intention\sd'|vais|allons)\s?{_NOT_A_WISH}{_INFINITIVE}", news=2),
    row("goal", r"^j'économise\spour\s"),
    row("goal", r"^(?!je\b|nous\b)\w{2,15}(?:er|ir|re)\s.{3,80}\s(?:avant\sle|d'ici\sle|pour\sle|avant)\s.{3,25}$",
        dated=True),
    row("todo", rf"^(?:je\sdois|nous\sdevons|on\sdoit|il\sfaut\sque\sje|il\sfaut|j'ai\sbesoin\sde"
        rf"|je\sdevrais)\s{_NOT_A_WISH}\w{{2,20}}", news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^(?:je\s|j'|nous\s|on\s)(?:ne\s|n')?(?:me\s|m')?(?!ai\b|suis\sallée?|dois|étais"
        r"|avais)\w{2,20}\s(?:.{1,80}\s)?(?:tous\sles\s(?:jours|matins|soirs|lundis?|mardis?|mercredis?|jeudis?"
        r"|vendredis?|samedis?|dimanches?|ans|mois)|chaque\s(?:jour|matin|soir|semaine|mois|lundi|mardi|mercredi|jeudi"
        r"|vendredi|samedi|dimanche|année|week-end)|d'habitude|normalement|en\sgénéral|généralement|régulièrement"
        r"|le\s(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir|week-end)$)"),
    row("fact", r"^je\s(?:ne\s)?(?:fume|bois)\s(?:pas|jamais|plus)$", importance=0.5),
)  # fmt: skip
_EVENTS = (
    row("event", r"^(?:mon|ma|mes|notre|le|la|j'ai\sune?|j'ai|nous\savons\sune?|on\sa\sune?)\s(?:.{1,40}\s)?(?:contrat"
        r"|vol|rendez-vous|rdv|réunion|examen|mariage|voyage|cours|conférence|concert|entretien|déménagement|fête"
        r"|opération|présentation|dentiste|médecin|vacances)\b"),
    row("event", r"^(?:je\s|j'|nous\s|on\s)(?:m'|me\s|nous\s|se\s)?(?:pars|partons|part|vole|vais|allons|va|prends"
        r"|déménage|déménageons|marie|marions|commence|visite|rencontre|retrouve|vois|fête|fêtons|suis|serai|irai"
        r"|irons|ira)\s(?!allée?|partie?)", importance=0.55),
    row("past event", r"^(?:j'ai|nous\savons|on\sa|je\sl'ai)\s(?!compris|vu\b|lu\b|dit|pensé|demandé|été\b|oublié|cru"
        r"|voulu|pu\b|dû\b|une?\b|de\b|du\b|des\b|la\b|le\b|l'|eu\b(?!\sune?))\w{2,20}(?:é|ée|i|u|is|it|ert|eint)\s"),
    row("past event", r"^(?:je\s(?:me\s)?suis|nous\s(?:nous\s)?sommes|on\s(?:s')?est)\s(?:allée?s?|partie?s?"
        r"|rentrée?s?|revenue?s?|arrivée?s?|venue?s?|montée?s?|sortie?s?|tombée?s?|retournée?s?|restée?s?|inscrite?s?"
        r"|mariée?s?|acheté|cassé|blessée?|passée?s?|levée?s?|fiancée?s?)\b"),
    row("event", r"^(?:j'étais|nous\sétions|on\sétait)\s", importance=0.5, past=True),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


_SUBJECT = r"(?:je\s|j'|nous\s|on\s|moi\b|mon\b|ma\b|mes\b|notre\b)"
_SEPARATOR = (
    rf";\s|\s[–—-]\s|,?\s(?:mais|cependant|par\scontre|en\srevanche)\s|,\s(?:et\s|puis\s)?(?={_SUBJECT}|pas\s(?:le|la"
    rf"|les|l'|de|du|d')\b|non\splus\b)"
    rf"|,?\s(?:et|puis)\s(?={_SUBJECT})|(?<!que)(?<!qu)(?<!si)(?<!comme)\s(?=je\sm'appelle\b)"
)
FRENCH = Language(
    name="french",
    markers=word_set("""
        je j suis les une un pas ne mon ma mes nous avec pour dans et qui que aux du des est très tres vous ai aime
        adore déteste deteste habite travaille préfère prefere hier demain aujourd hui mais aussi notre décidé
        decide réponds toujours jamais depuis chez appelle ans allergique parle sans emojis rappelle moi oublie à
        au le la sur ce cette dois veux voudrais ça plus tous chaque matin bonjour merci lundi mardi mercredi jeudi
        vendredi samedi dimanche utilise tutoie stp svp plaît plait fils soeur sœur de en vis bois mange ici"""),
    rows=ROWS,
    calendar=_CALENDAR,
    write_date=_written,
    behind=frozenset({"depuis", "depuis le"}),
    ahead=frozenset({"avant", "avant le", "jusqu'au", "jusqu'à", "d'ici", "d'ici le", "pour le"}),
    inner_stops=any_case(r"\b(?:m|mme|mlle|dr|pr|p\. ?ex|env|cf|av|bd)\."),
    openings=spelled(
        r"(?:(?:bonjour|salut|coucou|bonsoir|oui|non,|ok|okay|d'accord|bon|ben|bah|alors|donc|eh\sbien|ah|oh|euh"
        r"|au\sfait|en\sfait|en\sréalité|honnêtement|à\svrai\sdire|franchement|pour\sinfo|info|note|petite\snote"
        r"|important|attention|correction|rectification|erratum|pardon|mise\sà\sjour|du\scoup|merci|sinon|et|mais"
        r"|d'ailleurs|ps)\b[\s,:;.!–—-]{0,4}|(?:désormais|dorénavant),?\s(?=(?:je|on|nous)\b|j')|(?:souviens-toi"
        r"|retiens|note|rappelle-toi|sache|n'oublie\spas|il\sfaut\ssavoir)\s(?:bien\s)?(?:que\s|qu')(?=(?:je|j'|mon|ma"
        r"|nous)\b|j'|on\b)|je\s(?:crois|pense)\sque\s(?=je\b|j'))"
    ),
    tag=spelled(r",?\s(?:et\stoi|et\svous|n'est-ce\spas)\s?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:est-ce|qu'est|que\s|quoi|qui\s|quand\sest|quand\s(?:est|vais)|où\b|comment|pourquoi|quel(?:le)?s?\b"
        r"|combien|peux-tu|pouvez-vous|pourrais-tu|sais-tu|as-tu|es-tu|aimes-tu|ai-je|suis-je|dois-je|puis-je"
        r"|y\sa-t-il|tu\s(?:peux|sais))"
    ),
    unreliable=any_case(
        r"\bsi\s(?:j'|je\s|on\s|nous\s|tu\s|vous\s|jamais)|\bs'il\s(?!te\b|vous\b)|\b(?:peut-être|peut-etre|imagine"
        r"|imaginons|supposons|admettons|par\sexemple|pour\srire|je\splaisante|comme\ssi|non\sseulement|selon"
        r"|habiterais|vivrais|serais|aurais|pourrais|ferais|achèterais|dirait|soi-disant)\b|\b(?:dit|disait|raconte"
        r"|affirme|prétend|croit|pense|trouve|écrit|demande)\s(?:que\s|qu'|:)"
        r"|\ba\s(?:dit|écrit|raconté|affirmé)\b|(?:^|,\s)(?:dit|dit-il|dit-elle|disait)\b|🙄|/s$"
        r"|^(?-i:[A-ZÉ])[a-zéèêç]{1,20}\s?:\s\"?(?:je|j'|moi)\b|\bdans\s(?:le\sfilm|la\schanson|le\slivre)\b"
),
    retraction=spelled(r"^(?:haha\w*\s|mdr\s|lol\s)?,?\s?(?:non,?\s)?(?:c'était\s(?:une\s)?(?:blague|pour\srire)"
        r"|je\s(?:plaisante|rigole|déconne)|c'est\sune\sblague|je\splaisantais)\b"),
    task=spelled(
        r"^(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s|bonjour,?\s|peux-tu\s|pouvez-vous\s|pourrais-tu\s)?(?:traduis"
        r"|traduire|traduisez|corrige|corriger|écris\s(?:une?|le)|écrire\sune?|rédige|rédiger|résume\s(?:ce|le|la)"
        r"|reformule|améliore|imagine|joue\sle\srôle|génère|invente|crée)\b"
    ),
    negation=spelled(r"\b(?:ne|pas|plus(?=\s(?:à|au|en|chez|de|du|la|le|les|l'|végé\w*|allergique|marié)\b|$|\s\w+$)"
        r"|jamais|aucune?|ni)\b|\bn'(?=\w)"),
    first_person=spelled(r"\b(?:je|moi|me|mon|ma|mes|nous|notre|nos)\b|\b[jm]'"),
    vague=spelled(
        r"^(?:le|la|les|lui|ça|cela|ceci|celui|celle|ceux|celles|ce|cet|cette|ces|ton|ta|tes|toi|te|vous|votre|vos"
        r"|tout|rien|quelque\schose|beaucoup|bien|mieux|plus|moins|être|avoir|faire|aller|voir|savoir|l'idée|comme"
        r"|les\sdeux|pas|ainsi)$"
        r"|^(?:que|qu'|quand|comment|ce\sque|ton|ta|tes|votre|vos|t'|si|ça|cela|ce\squi|comme|la\sfaçon|le\sfait)\b|^t'"
    ),
    value_ends=spelled(
        r"\s(?:parce|car|mais|quand|lorsque|et\s(?:je|j'|que|ça|c'est)|avec|sans|en|à|au|aux|pour|depuis|dans|chez"
        r"|comme|beaucoup|énormément|vraiment|bien|trop|maintenant|actuellement|tous|toutes|chaque|avant|après"
        r"|aussi|hier|demain|aujourd'hui|qui|que|qu'\w+|désormais|ce|cette|sur|non\splus|s'il|stp|svp|par|plutôt"
        r"|il\sy|encore|du\stout|parfois|souvent|à\sla|ou\spas)\s"
    ),
    determiners=spelled(r"^(?:(?:le|la|les|un|une|des|du|de\sla|de|mon|ma|mes|notre|nos|au|aux|beaucoup|trop|en)\s"
        r"|(?:l'|d'|de\sl'))"),
    conjunction=any_case(r",\s(?:et\s|ou\s|ni\s)?|\s(?:et|ou|ni|&)\s"),
    words=re.compile(r"[^\W_]+"),
    stopwords=word_set("""
        le la les l un une des de du d et ou mais que qu qui ce c cet cette ça a à au aux en dans sur pour par avec
        sans ne n pas plus je j me m moi mon ma mes nous on notre nos tu te toi vous il elle est suis ai as avons
        sommes être avoir été fait faire vais va très bien aussi tout rien beaucoup trop hier demain aujourd hui
        maintenant oui non merci bonjour aide question idée dois veux voudrais aimerais vu dit su allé allée"""),
    canonical=canonical,
    third_person=third_person,
    nobody=NOBODY,
    says="{name} dit : « {text} »",
    asks="{name} demande à l'assistant : « {text} »",
    rewrites=(
        (spelled(r"(?P<head>\b(?:changé\sde\s(?:boulot|travail|job|poste)|quitté\s(?-i:[A-Z])[\w&-]{1,30}))(?:,|\set|,\set)"
            r"\s(?:maintenant\s)?je\ssuis\s(?:maintenant\s|désormais\s)?(?=chez\s)"), r"\g<head>, je travaille "),
        (spelled(rf"^(?P<time>{TIME}),\s(?=(?:je|nous|on)\s|j')"), r"\g<time> "),
        (spelled(r"\b(?:n'|ne\s)(?=(?P<verb>habite|travaille|suis|est|m'appelle|viens))(?P<head>\S{2,12}\s)(?:pas"
            r"|plus)\s(?:à|en|au|chez|de|le|la)?\s?(?:[^,]{1,30}),?\smais\s"), r"\g<head>"),
        (spelled(r"(?P<head>\b(?:est|c'est)\s)pas\s(?:[^,]{1,30}),?\smais\s"), r"\g<head>"),
        (spelled(r"^j\s?(?=(?:ai|aime|adore|habite|utilise|ai)\b)"), "j'"),
        (spelled(r"^(?:chuis|jsuis|j\ssuis)\s"), "je suis "),
    ),
    elided=(
        (spelled(r"^pas\s(?P<rest>(?:le|la|les|l'|de|du|d'|\w{3,20}$).{0,60})$"), r"je n'aime pas \g<rest>"),
    ),
    attributes=spellings(ATTRIBUTES | {"film": "movie", "livre": "book", "couleur": "color", "plat": "food"}),
    values=spellings(DIETS | MARITAL),
    relatives=meanings("""
        frère=brother soeur=sister sœur=sister mère=mother maman=mother père=father papa=father fils=son
        fille=daughter mari=husband femme=wife copain=boyfriend copine=girlfriend conjoint=partner
        compagnon=partner compagne=partner chef=boss cheffe=boss patron=boss chien=dog perroquet=parrot
        lapin=rabbit cheval=horse chienne=dog chat=cat chatte=cat grand-mère=grandmother grand-père=grandfather
        oncle=uncle tante=aunt cousin=cousin cousine=cousin ami=friend amie=friend collègue=colleague
        fiancé=partner fiancée=partner"""),
)  # fmt: skip
