"""French: word order, the third person, dates, the patterns of statements, and what is no statement."""

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
    conjugated,
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
_CLITICS = r"(?P<clitics>(?:(?:ne |n'|me |m'|nous |se |s'|y |en |l'|le |la |les |lui )(?=[\w'])){0,3})"
_OPENING = spelled(rf"^(?P<subject>je |j'|nous |on ){_CLITICS}(?P<verb>\w{{1,30}})\b(?P<rest>.{{0,600}})$")
_OWNED = spelled(
    r"^(?:mon|ma|mes|notre|nos) (?P<noun>\w[\w'-]{1,20})(?P<more>(?: (?!s')[\w'-]{2,20}){0,2}?)"
    r" (?P<rest>(?:est|sont|s'appelle|habite|vit|travaille|a|se termine|finit|commence|sera|n'\w+|ne \w+|reste|aime"
    r"|déteste|préfère|déménage)\b.{0,500})$"
)
_FEMININE = spelled(
    r"^(?:sœur|mère|fille|femme|copine|tante|cousine|grand-mère|maman|chatte|chienne|cheffe|langue|date|adresse|réunion"
    r"|couleur|musique|ville|fête|série|chanson|cuisine|boisson|saison|matière|épouse|fiancée|collègue|amie|limite"
    r"|décision)$"
)
_POSSESSIVE = spelled(r"\b(?P<own>mon|ma|mes)\b(?= )")
_OURS = spelled(r"\b(?P<own>notre|nos)\b(?= )")
_HIS = {"mon": "son", "ma": "sa", "mes": "ses", "notre": "leur", "nos": "leurs"}
_PLEASES = spelled(
    r" (?P<no>ne )?me (?P<verb>plaît|plaisent|convient|manque|dérange|énerve)\b(?P<how> (?:pas|plus|beaucoup|bien))?"
)
_FIRST = any_case(r"\b(?:je|me|moi|mon|ma|mes|nous|notre|nos|mien|mienne)\b|\b[jm]'")
TIME = (
    r"(?:hier(?: (?:soir|matin))?|avant-hier|aujourd'hui|demain(?: (?:soir|matin))?|après-demain|(?:lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche)(?: (?:dernier|prochain))?|la semaine (?:dernière|prochaine)|le (?:mois"
    r"|week-end) (?:dernier|prochain)|l'(?:année|an|été) (?:dernière?|prochaine?)|ce (?:week-end|mois)|cette (?:semaine"
    r"|année)|il y a \w{1,8} \w{3,8}|en \w{3,9}(?: \d{4})?|depuis \w{2,12}(?: \w{3,8})?|le \d{1,2}(?:er)? \w{3,9}(?: "
    r"\d{4})?|dans \w{1,8} \w{3,8}|d'habitude|normalement|en général|généralement|souvent|actuellement|maintenant"
    r"|tous les \w{3,9}|chaque \w{3,9}|le (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir)|avant)"
)
_FRONTED = spelled(rf"^(?P<front>{TIME}),? (?P<rest>(?:je |j'|nous |on |moi ).{{1,400}})$")
_STRESSED = spelled(r"^(?:moi|perso|personnellement),? (?=(?:je|j')\b|j')")


def canonical(clause: str) -> str:
    """Return the clause with its subject in front: "Hier, j'ai acheté un vélo" as "j'ai acheté un vélo hier"."""
    clause = _STRESSED.sub("", clause)
    fronted = _FRONTED.match(clause)
    if fronted is None:
        return clause
    front = fronted["front"]
    return f"{_STRESSED.sub('', fronted['rest'])} {front[:1].lower()}{front[1:]}"


def third_person(clause: str, name: str) -> str | None:
    """Return the clause, said by ``name``, told of them; None where that takes more than rules."""
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
    forms = {"on": (_OF_ON, _ON_ENDINGS), "nous": (_PLURAL, _WE_ENDINGS)}.get(subject, (_SINGULAR, _I_ENDINGS))
    told = conjugated(verb, *forms) or verb
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


_I_ENDINGS = pairs("rai=ra ais=ait is=it")
_WE_ENDINGS = pairs("rons=ront ons=ent")
_ON_ENDINGS = pairs("ra=ront e=ent")


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


_YEAR = r"(?:19|20)\d\d"
_QUARTERS = places("premier/1er deuxième/second/2e troisième/3e quatrième/dernier/4e")
_DECADES = {"trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "soixante-dix": 70, "quatre-vingt": 80,
            "quatre-vingts": 80, "quatre-vingt-dix": 90}  # fmt: skip
_WORDING = Wording(
    plain=joining(
        rf"""(?<![\w/.-])(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])(?![\w-])
        | \b(?:(?P<quarter>{any_of(_QUARTERS)})\strimestre
        |T(?P<quarter2>[1-4]))(?:\s(?:de\s(?:l'année\s)?)?(?P<year2>{_YEAR}))?\b
        | \bannées\s(?P<decade>(?:(?:19|20)\d|[3-9])0|{any_of(_DECADES)})\b
        | \bil\sy\sa\s(?P<hours>\d{{1,3}}|{_COUNT})\sheures?\b(?P<back>) | \bdans\s(?P<hours2>\d{{1,3}}
        |{_COUNT})\sheures?\b
        | \bil\sy\sa\s(?P<minutes>\d{{1,3}}|{_COUNT})\sminutes?\b(?P<back2>) | \bdans\s(?P<minutes2>\d{{1,3}}
        |{_COUNT})\sminutes?\b
        | (?:(?<=\bdu\s)|(?<=\bde\sl'))(?P<current>mois|année)\b
        | \b(?P<bare_month>{_MONTH})\b | \b(?P<bare_weekday>{_DAY})\b
        | (?<![\w.,:/$€£-])(?P<bare_year>{_YEAR})(?![\w%]|[.,:/]\d)"""
    ),
    taken=joining(
        r"\b(?:en|depuis|vers|durant|pendant|courant|dès|jusqu'en|(?:année|été|hiver|automne|printemps)(?:\sde)?)\s@"
    ),
    spans=joining(
        r"""\bd(?:[eu]\s|')@\s(?:à|au|jusqu'(?:à|en|au))\s(?:la\s)?@ | \bentre\s(?:le\s)?@\set\s(?:le\s)?@
        | @\s?[-–—]\s?@"""
    ),
    days=joining(r"\b(?P<n>\d{1,2})(?:er)?\s?(?:au\s|[-–—]\s?)@"),
    part=joining(
        r"""\b(?P<part>début|mi|milieu|fin|courant)[\s-](?:de\s(?:l'année\s|l')?|du\s(?:mois\sde\s)?|d'|des\s)?@
        | \b(?P<part2>premi(?:er|ère)|second|deuxième|seconde)\s(?:semestre|moitié)\s(?:de\s(?:l'année\s)?|d')?@"""
    ),
    parts={
        "début": EARLY,
        "mi": MIDDLE,
        "milieu": MIDDLE,
        "fin": LATE,
        "courant": MIDDLE,
        "premier": FIRST_HALF,
        "première": FIRST_HALF,
        "second": SECOND_HALF,
        "seconde": SECOND_HALF,
        "deuxième": SECOND_HALF,
    },
    clock=joining(
        r"""\bde\s(?P<hour>\d{1,2})\s?(?:h|heures)\sà\s(?P<until>\d{1,2})\s?(?:h\b|heures\b)
        | \b(?:(?:à|vers)\s)?(?P<hour2>\d{1,2})\s?(?:h(?:eures?)?(?:\s?(?P<minute>[0-5]\d))?\b|:(?P<minute2>[0-5]\d)\b)
          (?:\s(?P<half>du\smatin|du\ssoir|de\sl'après-midi))?
        | \b(?:à\s)?(?P<noon>midi)\b"""
    ),
    late=frozenset({"du soir", "de l'après-midi", "soir", "après-midi"}),
    bound=joining(r"\b(?:avant|après)\s(?:le\s|la\s|l')?@"),
    recurs=joining(
        rf"""\b(?:chaque|tous\sles|toutes\sles)\s(?:\w{{2,10}}\s)?(?:{_PERIOD}|{_DAY}s|matins?|soirs?|nuits?|étés?
        |hivers?)\b
        | \b(?:une?)\s(?:{_PERIOD})\ssur\s\w{{2,6}}\b | \b(?:quotidien|hebdomadaire|mensuel|annuel)\w{{0,6}}\b"""
    ),
    inexact=joining(
        r"""\b(?:à\s(?:la\s(?:fac|maternelle)|l'(?:école|université|époque)) | au\s(?:lycée|collège) | (?:dans
        |pendant)\s(?:mon|ma|mes|son|sa|ses)
        \s(?:enfance|jeunesse|études) | quand\s(?:j'|il|elle|\w+\sétait) | enfant | autrefois | jadis | récemment
        | dernièrement
        | il\sy\sa\s(?:longtemps|quelques|des|plusieurs|peu) | un\sjour | bientôt | Noël | Pâques
        | l'(?:été|hiver|automne)\s(?:dernier|prochain) | cet\s(?:été|hiver|automne))\b"""
    ),
)
_CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _WORDING,
    quarters=spellings(_QUARTERS),
    decades=_DECADES,
)  # fmt: skip


_ADVERB = (
    r"(?:(?:très|vraiment|aussi|beaucoup|maintenant|actuellement|toujours|encore|déjà|seulement|surtout|bien|énormément"
    r"|trop|pas|plus|pas du tout|pas vraiment|pas beaucoup|plutôt|originellement|récemment|enfin|un peu|totalement"
    r"|souvent|jamais|désormais|dorénavant) ){0,3}"
)
_I = r"^(?:je |j'|nous |on )(?:ne |n'|n )?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?: (?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!maison\b|côté|fond\b|une? |mon\b|ma\b|ce\b|cette\b|vacances|la (?!réunion|rochelle|havane|haye)"
    r"|l'(?!île|isle|estonie|espagne|italie|inde))(?:la )?[\w'-]{2,30}(?: (?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{1,30})){0,3})"
)
_IN = r"(?:à|en|au|aux|sur|dans le) "
_RELATIVES = pairs("""
    frère=brother soeur=sister sœur=sister mère=mother maman=mother père=father papa=father fils=son
    fille=daughter mari=husband femme=wife copain=boyfriend copine=girlfriend conjoint=partner
    compagnon=partner compagne=partner chef=boss cheffe=boss patron=boss chien=dog perroquet=parrot
    lapin=rabbit cheval=horse chienne=dog chat=cat chatte=cat grand-mère=grandmother grand-père=grandfather
    oncle=uncle tante=aunt cousin=cousin cousine=cousin ami=friend amie=friend collègue=colleague
    fiancé=partner fiancée=partner""")
_RELATIVE = any_of(_RELATIVES)
_WHO = (
    rf"(?P<who>(?:mon|ma|notre) (?:{_RELATIVE})(?: (?-i:[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{{1,20}}))?"
    r"|(?!(?:je|on|nous|le|la|les|un|une|mon|ma|mes|il|elle|ils|elles|ce|cela|ça|qui|que|tout|personne|hier|moi|vous|tu"
    r"|oui|non|merci|si|avec)\b)(?-i:[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{1,20}(?: [A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{1,20})?))"
)
_PROFESSION = (
    r"(?P<value>(?:médecin|infirmi[eè]re?|ingénieure?|avocate?|architecte|cuisini[eè]re?|serveu(?:r|se)|musicien(?:ne)?"
    r"|psychologue|biologiste|pompier|vétérinaire|photographe|pharmacien(?:ne)?|fonctionnaire|menuisi[eè]re?"
    r"|coiffeu(?:r|se)|jardini[eè]re?|prof(?:esseure?)?|enseignante?|institut(?:eur|rice)|écrivaine?|designer"
    r"|développeu(?:r|se)|programmeu(?:r|se)|chercheu(?:r|se)|traduct(?:eur|rice)|comptable|entraîneu(?:r|se)|act(?:eur"
    r"|rice)|chauffeur|vendeu(?:r|se)|agricult(?:eur|rice)|direct(?:eur|rice)|étudiante?|journaliste|dentiste|artiste"
    r"|électricien(?:ne)?|économiste|gérante?|polici[eè]re?|pilote|analyste|chant(?:eur|euse)|retraitée?|plombi[eè]re?"
    r"|chef de projet|boulang[eè]re?|consultante?)(?: (?:de|d'|en) ?(?!métier\b|profession\b|formation\b)\w{3,20})?)\b"
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
    r"(?:(?:le |l'|du |de l')?(?:français|anglais|allemand|espagnol|italien|chinois|japonais|russe|portugais|arabe"
    r"|coréen|polonais|norvégien|suédois|néerlandais|grec|turc|ukrainien|breton|catalan|mandarin))"
)
_NOT_A_WISH = (
    r"(?!(?:savoir|demander|dire|comprendre|remercier|te\b|vous\b|t'|voir si|avouer|reconnaître|y aller|partir$)\b)"
)
_INFINITIVE = r"(?:ne (?:pas|plus) )?(?:me |m'|nous |y |le |la |les |l'|lui )?\w{2,20}(?:er|ir|re|oir)\b"

_IDENTITY = (
    row("name", rf"^(?:je m'appelle|mon (?:nom|prénom)(?: complet)? (?:est|c'est)|(?:on"
        rf"|tout le monde) m'appelle|(?:appelle|appelez)-moi) {_NAME}"),
    row("birthday", rf"^mon anniversaire (?:est|c'est) (?:le )?{VALUE}"),
    row("birthday", r"^je suis née? le (?P<value>\d{1,2}(?:er)? \w{3,9}(?: \d{4})?)"),
    row("age", r"^j'ai (?:maintenant |déjà |eu )?(?P<value>\d{1,3}) ans\b(?! d)"),
    row("from", rf"^je (?:viens|suis originaire) (?:de |d'|du |des )(?!\w{{2,20}}(?:er|ir|re|être) ){_PLACE}"),
    row("from", rf"^(?:je suis née?|j'ai grandi) (?:à|en|au|aux) {_PLACE}"),
    row("allergic_to", rf"{_I}suis {_ADVERB}(?:allergique|intolérante?) (?:à la |à l'|aux |au |à ){VALUE}",
        deniable=True),
    row("allergic_to", rf"^j'ai une (?:forte |grave )?allergie (?:à la |à l'|aux |au |à ){VALUE}"),
    row("diet", r"^je (?:re)?mange (?:à nouveau|de nouveau|encore) (?:de la )?viande|^je remange de la viande",
        fills="eats meat"),
    row("diet", r"^je (?:ne )?mange (?:pas|jamais|plus) de viande", fills="vegetarian", negated=True),
    row("diet", rf"{_I}(?:suis|mange) (?:devenue? )?{_ADVERB}{_DIET}", deniable=True),
    row("marital_status", rf"{_I}suis {_ADVERB}(?P<value>{any_of(MARITAL)})\b"),
    row("job", rf"{_I}suis {_ADVERB}(?:une? )?{_PROFESSION}"),
    row("job", rf"^mon (?:métier|travail|boulot)(?:, c'est| est) (?:une? )?{_PROFESSION}"),
    row("job", rf"{_I}travaille {_ADVERB}(?:comme|en tant que?) {VALUE}"),
    row("native_language", r"^ma langue (?:maternelle|natale) est (?:le |l')?(?P<value>\w{3,20})"),
    row("speaks", rf"{_I}parle (?:couramment |un peu |bien |aussi |pas )?(?={_LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})",
        deniable=True),
    row("identity", r"^(?:j'ai|nous avons|on a) (?:deux|trois|quatre|cinq|\d|une?) (?:petite? "
        r"|grande?s? )?(?:enfants?|fils|filles?|frères?|soeurs?|sœurs?)\b"),
    row("named", rf"^{_WHO} s'appelle {_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{{1,30}})) est (?P<who>(?:mon|ma) (?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:j'ai|nous avons|on a) (?P<who>une? (?:{_RELATIVE}))(?: qui s'appelle| nommée?"
        rf"| appelée?|,) {_NAME}$"),
    row("time_zone", rf"^je suis (?:dans|sur) le fuseau (?:horaire )?{VALUE}"),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:mon|ma|notre) (?:appartement|appart|logement|maison) (?:est|se trouve) {_IN}{_PLACE}"),
    row("lives_in", rf"{_I}(?:suis|me suis) {_ADVERB}(?:basée?|installée?) {_IN}{_PLACE}"),
    row("works_at", rf"^mon (?:nouvel )?employeur(?:, c'est| est) (?:maintenant )?{_NAME}"),
    row("works_at", rf"^(?:je suis (?:employée?|embauchée?)|je viens d'être embauchée?"
        rf"|j'ai été embauchée?) chez {_NAME}"),
    row("lives_in", rf"{_I}(?:habite|habitons|vis|vivons|réside|résidons) {_ADVERB}{_IN}{_PLACE}", deniable=True),
    row("moved to", rf"^(?:j'ai (?:récemment )?|nous avons |on a |je viens de )(?:déménagée?s?|emménagée?s?"
        rf"|déménager|emménager) (?:de [\w'-]{{2,20}} )?{_IN}{_PLACE}"),
    row("left", r"^j'ai (?:quitté|démissionné (?:de|d'|chez)) ?(?:chez )?(?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}))\b"),
    row("joined", r"^(?:j'ai (?:commencé|trouvé|démarré|débuté)|je viens de commencer) (?:à travailler "
        r"|un nouveau (?:travail|poste|boulot|job) )?(?:chez|pour) (?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}"
        r"(?: [A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}){0,2}))"),
    row("works_at", rf"{_I}(?:travaille|bosse) {_ADVERB}(?:chez|pour) (?!moi|lui|une?\b|la\b|le\b|mon\b|l'){_NAME}",
        deniable=True),
    row("attribute", rf"^(?:mon|ma|notre|le|la|l') ?(?P<attribute>{_ATTRIBUTE}) (?:est|sera|passe à|est passée? à"
        rf"|a été (?:reportée?|déplacée?|avancée?|fixée?|décalée?|portée?) (?:au|à|le)|monte à) (?:maintenant "
        rf"|désormais |à présent )?(?:de )?{VALUE}"),
    row("fact", r"^(?:j'ai|nous avons|on a) (?:une?|deux|trois|\d) (?:petite? )?(?:chiens?|chiennes?|chats?"
        r"|chattes?|chevaux|cheval|lapins?)\b"),
    row("lives_in of another", rf"^{_WHO} (?:ne |n')?(?:habite|vit) {_ADVERB}{_IN}{_PLACE}"),
    row("moved to of another", rf"^{_WHO} (?:a déménagé|a emménagé) {_IN}{_PLACE}"),
    row("works_at of another", rf"^{_WHO} (?:ne )?travaille {_ADVERB}(?:chez|pour) {_NAME}"),
    row("job of another", rf"^{_WHO} est (?:une? )?{_PROFESSION}"),
    row("habit", r"^j'(?:apprends|étudie) (?!que\b)", importance=0.55, grounded=True),
)  # fmt: skip
_OVER = (
    r" (?:à la|à l'|aux|au|à|plutôt que|au lieu (?:de|du)|que) ?(?:le |la |les |l'|du |de )?(?P<other>[\w +#-]{1,40})"
)
_PREFERENCES = (
    row("favorite", rf"^(?:mon|ma|mes) (?P<attribute>\w{{2,20}}) préférée?s? (?:est|sont|c'est) {VALUE}"),
    row("prefers", rf"^(?:je|nous|on) (?:préfère|préférons) (?P<value>(?:l')?[\w +#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^j'aime (?:mieux|plus) (?P<value>(?:l')?[\w +#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^{_WHO} préfère (?P<value>(?:l')?[\w +#-]{{1,40}}?){_OVER}"),
    likes(r"^(?:je |j'|on |nous )(?:déteste|détestons|hais|abhorre|évite) (?!quand|que)", "negative"),
    likes(r"^(?:je |on )(?:ne )?(?:supporte|tolère) (?:pas|plus) ", "negative", negated=True),
    likes(r"^(?:je |on )(?:ne )?(?:bois|mange|fume|utilise|prends) (?:pas|plus|jamais) (?:de |d')", "negative",
        negated=True),
    likes(r"^j'ai arrêté (?:de (?:boire|manger|fumer|prendre) (?:du |de la |de l'|des |de )?|le |la |l')",
        "negative"),
    likes(rf"{_I}(?:aime|adore|aimons|adorons|préfère|apprécie|kiffe) {_ADVERB}(?:mieux )?(?!quand|que\b|savoir"
        rf"|bien$|pas$|ça\b)"),
    likes(rf"{_I}suis {_ADVERB}(?:une? )?(?:grande? )?(?:fan|passionnée?|amateur|accro) (?:de la |de l'|de "
        rf"|du |des |d'|par la |par l'|par |à )"),
    likes(r"^j'ai (?:vraiment )?horreur (?:de la |de l'|des |du |de |d')", "negative"),
    likes("^", "negative", r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b)[\w +#'-]{2,40}?)", r", c'est fini(?: pour moi)?$"),
    likes("^", thing=r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b|moi\b)[\w +#'-]{2,40}?)", end=r", j'adore$"),
    likes(rf"{_I}m'intéresse {_ADVERB}(?:à la |à l'|aux |au |à )"),
    likes("^", thing=r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b)[\w +#'-]{2,40}?)", end=r" (?:ne )?me (?:plaît"
        r"|plaisent|plait)(?: (?:pas|beaucoup|pas du tout|bien|plus))?$"),
    likes(rf"^{_WHO} (?:n')?(?:aime|adore|préfère) {_ADVERB}"),
    likes(rf"^{_WHO} (?:déteste|hait) ", "negative"),
    row("instruction", r"^(?:(?:s'il (?:te|vous) plaît,? |stp,? |merci de )?(?:tutoie|vouvoie|tutoyez|vouvoyez"
        r"|me tutoyer|me vouvoyer)(?:-moi)?\b|(?:s'il (?:te|vous) plaît,? |stp,? )?(?:pas d'|pas de |sans "
        r"|plus d'|aucun )\w{3,20}(?:,? (?:s'il (?:te|vous) plaît|stp|svp|merci))?$|(?:à partir de maintenant"
        r"|désormais|dorénavant)\b(?!,? (?:je|j'|on|nous)\b)|(?:s'il (?:te|vous) plaît,? |stp,? "
        r"|merci de )?(?:réponds|répondez|répondre|utilise|utilisez|utiliser|écris|écrivez|parle-moi|donne-moi|garde"
        r"|résume|évite|n'utilise|je veux que tu)\b(?=(?: \S{1,30}){0,6}? (?:toujours|jamais|seulement|français"
        r"|anglais|unités|puces|emojis?|format|phrases|ton|brève(?:ment)?|court(?:es|s)?|courte|concis|métriques?"
        r"|listes?)\b)|unités métriques|je préfère (?:des|les) réponses )", instructs=True),
)  # fmt: skip
_PLANS = (
    row("reminder", r"^(?:s'il (?:te|vous) plaît,? |stp,? )?(?:rappelle|rappelez"
        r"|peux-tu me rappeler)(?:-moi)? (?:de |d'|que |le |la |mon |ma )"),
    row("todo", r"^(?:to-? ?do|tâche|à faire|rappel) ?: "),
    row("todo", r"^(?:n'oublie pas|n'oubliez pas|ne pas oublier|pense à) ?[,:]? ?(?:de |d'|que |: )?", news=1,
        instructs=True),
    row("todo", r"^(?:ping(?:er)?|demande à|appelle|appeler|relance|relancer|contacte"
        r"|contacter) (?-i:[A-ZÀÂÉÈÊÎÔ]\w{1,20}) (?:pour|au sujet|à propos|sur|concernant)\b", news=1),
    row("decision", r"^(?:la )?(?:décision|décidé|c'est décidé)(?: finale)?(?: est| ?:) "),
    row("decision", r"^(?:j'ai|nous avons|on a|on s'est|nous nous sommes) (?:enfin |finalement )?(?:décidé"
        r"|convenu|choisi|opté|retenu|tranché|mise?s? d'accord)\b", past=True, news=1),
    row("decision", r"^(?:on va|nous allons|je vais) (?:utiliser|adopter|prendre|garder|rester sur|partir sur) ",
        importance=0.7, news=1),
    row("decision", r"^(?:j'utiliserai|on utilisera|nous utiliserons|utilisons|prenons|partons sur|on part sur"
        r"|restons sur|on garde) ", importance=0.7, news=1),
    row("decision", r"^il a été (?:décidé|convenu) "),
    row("aim", r"^(?:mon|notre) (?:grand )?(?:objectif|but|rêve|projet|plan) (?:pour cette année "
        r"|cette année )?(?:est|c'est) "),
    row("goal", rf"^(?:je |j'|nous |on )(?:veux|voudrais|aimerais|voulons|aimerions|veut|espère|espérons|compte"
        rf"|comptons|prévois de|prévois d'|prévoyons de|rêve de|rêve d'|envisage de|ai l'intention de"
        rf"|ai l'intention d'|vais|allons) ?{_NOT_A_WISH}{_INFINITIVE}", news=2),
    row("goal", r"^j'économise pour "),
    row("goal", r"^(?!je\b|nous\b)\w{2,15}(?:er|ir|re) .{3,80} (?:avant le|d'ici le|pour le|avant) .{3,25}$",
        dated=True),
    row("todo", rf"^(?:je dois|nous devons|on doit|il faut que je|il faut|j'ai besoin de"
        rf"|je devrais) {_NOT_A_WISH}\w{{2,20}}", news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^(?:je |j'|nous |on )(?:ne |n')?(?:me |m')?(?!ai\b|suis allée?|dois|étais"
        r"|avais)\w{2,20} (?:.{1,80} )?(?:tous les (?:jours|matins|soirs|lundis?|mardis?|mercredis?|jeudis?"
        r"|vendredis?|samedis?|dimanches?|ans|mois)|chaque (?:jour|matin|soir|semaine|mois|lundi|mardi|mercredi|jeudi"
        r"|vendredi|samedi|dimanche|année|week-end)|d'habitude|normalement|en général|généralement|régulièrement"
        r"|le (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir|week-end)$)"),
    row("fact", r"^je (?:ne )?(?:fume|bois) (?:pas|jamais|plus)$", importance=0.5),
)  # fmt: skip
_EVENTS = (
    row("event", r"^(?:mon|ma|mes|notre|le|la|j'ai une?|j'ai|nous avons une?|on a une?) (?:.{1,40} )?(?:contrat"
        r"|vol|rendez-vous|rdv|réunion|examen|mariage|voyage|cours|conférence|concert|entretien|déménagement|fête"
        r"|opération|présentation|dentiste|médecin|vacances)\b"),
    row("event", r"^(?:je |j'|nous |on )(?:m'|me |nous |se )?(?:pars|partons|part|vole|vais|allons|va|prends"
        r"|déménage|déménageons|marie|marions|commence|visite|rencontre|retrouve|vois|fête|fêtons|suis|serai|irai"
        r"|irons|ira) (?!allée?|partie?)", importance=0.55),
    row("past event", r"^(?:j'ai|nous avons|on a|je l'ai) (?!compris|vu\b|lu\b|dit|pensé|demandé|été\b|oublié|cru"
        r"|voulu|pu\b|dû\b|une?\b|de\b|du\b|des\b|la\b|le\b|l'|eu\b(?! une?))\w{2,20}(?:é|ée|i|u|is|it|ert|eint) "),
    row("past event", r"^(?:je (?:me )?suis|nous (?:nous )?sommes|on (?:s')?est) (?:allée?s?|partie?s?"
        r"|rentrée?s?|revenue?s?|arrivée?s?|venue?s?|montée?s?|sortie?s?|tombée?s?|retournée?s?|restée?s?|inscrite?s?"
        r"|mariée?s?|acheté|cassé|blessée?|passée?s?|levée?s?|fiancée?s?)\b"),
    row("event", r"^(?:j'étais|nous étions|on était) ", importance=0.5, past=True),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


_SUBJECT = r"(?:je |j'|nous |on |moi\b|mon\b|ma\b|mes\b|notre\b)"
_SEPARATOR = (
    rf"; | [–—-] |,? (?:mais|cependant|par contre|en revanche) |, (?:et |puis )?(?={_SUBJECT}|pas (?:le|la|les|l'|de|du"
    rf"|d')\b|non plus\b)|,? (?:et|puis) (?={_SUBJECT})|(?<!que)(?<!qu)(?<!si)(?<!comme) (?=je m'appelle\b)"
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
        r"(?:(?:bonjour|salut|coucou|bonsoir|oui|non,|ok|okay|d'accord|bon|ben|bah|alors|donc|eh bien|ah|oh|euh"
        r"|au fait|en fait|en réalité|honnêtement|à vrai dire|franchement|pour info|info|note|petite note"
        r"|important|attention|correction|rectification|erratum|pardon|mise à jour|du coup|merci|sinon|et|mais"
        r"|d'ailleurs|ps)\b[ ,:;.!–—-]{0,4}|(?:désormais|dorénavant),? (?=(?:je|on|nous)\b|j')|(?:souviens-toi"
        r"|retiens|note|rappelle-toi|sache|n'oublie pas|il faut savoir) (?:bien )?(?:que |qu')(?=(?:je|j'|mon|ma"
        r"|nous)\b|j'|on\b)|je (?:crois|pense) que (?=je\b|j'))"
    ),
    tag=spelled(r",? (?:et toi|et vous|n'est-ce pas) ?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:est-ce|qu'est|que |quoi|qui |quand est|quand (?:est|vais)|où\b|comment|pourquoi|quel(?:le)?s?\b"
        r"|combien|peux-tu|pouvez-vous|pourrais-tu|sais-tu|as-tu|es-tu|aimes-tu|ai-je|suis-je|dois-je|puis-je"
        r"|y a-t-il|tu (?:peux|sais))"
    ),
    unreliable=any_case(
        r"\bsi (?:j'|je |on |nous |tu |vous |jamais)|\bs'il (?!te\b|vous\b)|\b(?:peut-être|peut-etre|imagine"
        r"|imaginons|supposons|admettons|par exemple|pour rire|je plaisante|comme si|non seulement|selon"
        r"|habiterais|vivrais|serais|aurais|pourrais|ferais|achèterais|dirait|soi-disant)\b|\b(?:dit|disait|raconte"
        r"|affirme|prétend|croit|pense|trouve|écrit|demande) (?:que |qu'|:)"
        r"|\ba (?:dit|écrit|raconté|affirmé)\b|(?:^|, )(?:dit|dit-il|dit-elle|disait)\b|🙄|/s$"
        r"|^(?-i:[A-ZÉ])[a-zéèêç]{1,20} ?: \"?(?:je|j'|moi)\b|\bdans (?:le film|la chanson|le livre)\b"
),
    retraction=spelled(r"^(?:haha\w* |mdr |lol )?,? ?(?:non,? )?(?:c'était (?:une )?(?:blague|pour rire)"
        r"|je (?:plaisante|rigole|déconne)|c'est une blague|je plaisantais)\b"),
    task=spelled(
        r"^(?:s'il (?:te|vous) plaît,? |stp,? |bonjour,? |peux-tu |pouvez-vous |pourrais-tu )?(?:traduis"
        r"|traduire|traduisez|corrige|corriger|écris (?:une?|le)|écrire une?|rédige|rédiger|résume (?:ce|le|la)"
        r"|reformule|améliore|imagine|joue le rôle|génère|invente|crée)\b"
    ),
    negation=spelled(r"\b(?:ne|pas|plus(?= (?:à|au|en|chez|de|du|la|le|les|l'|végé\w*|allergique|marié)\b|$| \w+$)"
        r"|jamais|aucune?|ni)\b|\bn'(?=\w)"),
    first_person=spelled(r"\b(?:je|moi|me|mon|ma|mes|nous|notre|nos)\b|\b[jm]'"),
    vague=spelled(
        r"^(?:le|la|les|lui|ça|cela|ceci|celui|celle|ceux|celles|ce|cet|cette|ces|ton|ta|tes|toi|te|vous|votre|vos"
        r"|tout|rien|quelque chose|beaucoup|bien|mieux|plus|moins|être|avoir|faire|aller|voir|savoir|l'idée|comme"
        r"|les deux|pas|ainsi)$"
        r"|^(?:que|qu'|quand|comment|ce que|ton|ta|tes|votre|vos|t'|si|ça|cela|ce qui|comme|la façon|le fait)\b|^t'"
    ),
    value_ends=spelled(
        r" (?:parce|car|mais|quand|lorsque|et (?:je|j'|que|ça|c'est)|avec|sans|en|à|au|aux|pour|depuis|dans|chez"
        r"|comme|beaucoup|énormément|vraiment|bien|trop|maintenant|actuellement|tous|toutes|chaque|avant|après"
        r"|aussi|hier|demain|aujourd'hui|qui|que|qu'\w+|désormais|ce|cette|sur|non plus|s'il|stp|svp|par|plutôt"
        r"|il y|encore|du tout|parfois|souvent|à la|ou pas) "
    ),
    determiners=spelled(r"^(?:(?:le|la|les|un|une|des|du|de la|de|mon|ma|mes|notre|nos|au|aux|beaucoup|trop|en) "
        r"|(?:l'|d'|de l'))"),
    conjunction=any_case(r", (?:et |ou |ni )?| (?:et|ou|ni|&) "),
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
        (spelled(r"(?P<head>\b(?:changé de (?:boulot|travail|job|poste)|quitté (?-i:[A-Z])[\w&-]{1,30}))(?:,| et|, et)"
            r" (?:maintenant )?je suis (?:maintenant |désormais )?(?=chez )"), r"\g<head>, je travaille "),
        (spelled(rf"^(?P<time>{TIME}), (?=(?:je|nous|on) |j')"), r"\g<time> "),
        (spelled(r"\b(?:n'|ne )(?=(?P<verb>habite|travaille|suis|est|m'appelle|viens))(?P<head>\S{2,12} )(?:pas"
            r"|plus) (?:à|en|au|chez|de|le|la)? ?(?:[^,]{1,30}),? mais "), r"\g<head>"),
        (spelled(r"(?P<head>\b(?:est|c'est) )pas (?:[^,]{1,30}),? mais "), r"\g<head>"),
        (spelled(r"^j ?(?=(?:ai|aime|adore|habite|utilise|ai)\b)"), "j'"),
        (spelled(r"^(?:chuis|jsuis|j suis) "), "je suis "),
    ),
    elided=(
        (spelled(r"^pas (?P<rest>(?:le|la|les|l'|de|du|d'|\w{3,20}$).{0,60})$"), r"je n'aime pas \g<rest>"),
    ),
    attributes=spellings(ATTRIBUTES | {"film": "movie", "livre": "book", "couleur": "color", "plat": "food"}),
    values=spellings(DIETS | MARITAL),
    relatives=spellings(_RELATIVES),
)  # fmt: skip
