"""French: what is said how, and what is no statement."""

from __future__ import annotations

import re

from service.domain.word_lists import word_set
from service.extraction.languages.french_forms import CALENDAR, NOBODY, TIME, canonical, third_person
from service.extraction.languages.french_statements import ATTRIBUTES, DIETS, MARITAL, ROWS
from service.extraction.languages.grammar import Language, meanings, spelled, spellings

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
    calendar=CALENDAR,
    inner_stops=re.compile(r"\b(?:m|mme|mlle|dr|pr|p\. ?ex|env|cf|av|bd)\.", re.IGNORECASE),
    openings=spelled(
        r"(?:(?:bonjour|salut|coucou|bonsoir|oui|non,|ok|okay|d'accord|bon|ben|bah|alors|donc|eh\sbien|ah|oh|euh"
        r"|au\sfait|en\sfait|en\sréalité|honnêtement|à\svrai\sdire|franchement|pour\sinfo"
        r"|info|note|petite\snote|important|attention|correction|rectification|erratum|pardon|mise\sà\sjour|du\scoup"
        r"|merci|sinon|et|mais|d'ailleurs|ps)\b[\s,:;.!–—-]{0,4}"
        r"|(?:désormais|dorénavant),?\s(?=(?:je|on|nous)\b|j')"
        r"|(?:souviens-toi|retiens|note|rappelle-toi|sache|n'oublie\spas|il\sfaut\ssavoir)\s(?:bien\s)?(?:que\s"
        r"|qu')(?=(?:je|j'|mon|ma|nous)\b|j'|on\b)"
        r"|je\s(?:crois|pense)\sque\s(?=je\b|j'))"
    ),
    tag=spelled(r",?\s(?:et\stoi|et\svous|n'est-ce\spas)\s?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:est-ce|qu'est|que\s|quoi|qui\s|quand\sest|quand\s(?:est|vais)|où\b|comment|pourquoi|quel(?:le)?s?\b"
        r"|combien|peux-tu|pouvez-vous|pourrais-tu|sais-tu|as-tu|es-tu|aimes-tu|ai-je|suis-je|dois-je|puis-je"
        r"|y\sa-t-il|tu\s(?:peux|sais))"
    ),
    unreliable=re.compile(
        r"\bsi\s(?:j'|je\s|on\s|nous\s|tu\s|vous\s|jamais)|\bs'il\s(?!te\b|vous\b)|\b(?:peut-être|peut-etre|imagine"
        r"|imaginons|supposons|admettons|par\sexemple|pour\srire|je\splaisante|comme\ssi|non\sseulement|selon"
        r"|habiterais|vivrais|serais|aurais|pourrais|ferais|achèterais|dirait|soi-disant)\b|\b(?:dit|disait|raconte"
        r"|affirme|prétend|croit|pense|trouve|écrit|demande)\s(?:que\s|qu'|:)"
        r"|\ba\s(?:dit|écrit|raconté|affirmé)\b|(?:^|,\s)(?:dit|dit-il|dit-elle|disait)\b|🙄|/s$"
        r"|^(?-i:[A-ZÉ])[a-zéèêç]{1,20}\s?:\s\"?(?:je|j'|moi)\b|\bdans\s(?:le\sfilm|la\schanson|le\slivre)\b",
        re.IGNORECASE,
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
    conjunction=re.compile(r",\s(?:et\s|ou\s|ni\s)?|\s(?:et|ou|ni|&)\s", re.IGNORECASE),
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
