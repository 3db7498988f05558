"""German: what is said how, and what is no statement."""

from __future__ import annotations

import re

from service.domain.word_lists import pairs, word_set
from service.extraction.languages.german_forms import (
    CALENDAR,
    FINITE,
    MONTH,
    NOBODY,
    OWN_VERBS,
    SUBORDINATE,
    canonical,
    third_person,
)  # fmt: skip
from service.extraction.languages.german_statements import ATTRIBUTES, DIETS, MARITAL, PROFESSION, ROWS
from service.extraction.languages.grammar import Language, spelled, spellings

_SEPARATOR = (
    rf";\s|\s[–—-]\s|,?\s(?:aber|jedoch|sondern|dafür|hingegen)\s|,\s(?:und\s)?(?=(?:ich|wir|meine?|unsere?"
    rf"|kein\w{{0,2}}|nicht|{OWN_VERBS})\b)"
    rf"|,?\s(?:und|sowie)\s(?=(?:ich|wir|meine?|unsere?|nicht|{OWN_VERBS})\b"
    rf"|(?!(?:{SUBORDINATE})\b)[\w'-]{{2,20}}\s(?:{FINITE.pattern})\s(?:ich|wir)\b"
    rf"|(?:{OWN_VERBS})\s(?:ich|wir)\b)|,\s(?=(?!(?:{SUBORDINATE})\b)[\w'-]{{2,20}}\s(?:{FINITE.pattern})\s(?:ich"
    rf"|wir)\b)|\s(?=ich\s(?:{OWN_VERBS})\b)"
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
    calendar=CALENDAR,
    inner_stops=re.compile(
        rf"(?:\b\d{{1,2}}\.(?=\s(?:{MONTH})\b)|\b\d{{1,2}}\.\s?\d{{1,2}}\.(?=\s[a-zäöü])"
        r"|\b(?:bzw|ca|nr|str|usw|inkl|evtl|z\.\s?b|d\.\s?h|u\.\s?a)\.)", re.IGNORECASE
    ),
    openings=spelled(
        r"(?:(?:hallo|hi|hey|moin|servus|guten\s(?:morgen|tag|abend)|ja|nein|nee|ok|okay|na\sja|naja|also|übrigens"
        r"|ach|ach\sja"
        r"|oh|ähm|äh|hm|nun|danke|ehrlich\sgesagt|wie\sgesagt|zur\sinfo|fyi|info|kurze\sinfo|notiz|hinweis"
        r"|nur\szur\sinfo|wichtig"
        r"|korrektur|berichtigung|update|achtung|aber|und|eigentlich,|wichtiger\shinweis|kleine\skorrektur|doch"
        r"|ps)\b[\s,:;.!–—-]{0,4}"
        r"|(?:merke?\sdir(?:\sbitte)?|denke?\sdaran|wisse|du\ssolltest\swissen|ich\swollte\snur\ssagen"
        r"|für\sdich\szur\sinfo)\s?[,:]?\s(?:bitte\s)?(?:dass\s)?"
        r"|ich\s(?:glaube|denke|meine)\s?,\s(?=ich\b))"
    ),
    tag=spelled(r",?\s(?:und\s(?:du|sie|selbst)|und\sdir)\s?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:wer|was|wann|wo|wie|warum|wieso|weshalb|welche\w?|woher|wohin|womit|wozu|kannst|könntest|kann|können"
        r"|soll|sollte\sich|hast"
        r"|bist|magst|weißt|gibt\ses|ist\s(?:es|das|mein)|habe\sich|bin\sich|mag\sich|darf\sich|muss\sich|wohne\sich"
        r"|würdest|hättest)\b"
    ),
    unreliable=spelled(
        r"\b(?:wenn|falls|w(?:\u00fc|ue)rde(?!\s(?:gern|sehr\sgern))\w{0,2}|w(?:\u00e4|ae)re\w{0,2}|h(?:\u00e4"
        r"|ae)tte(?!\s(?:gern|ich\sgern))\w{0,2}|k(?:\u00f6|oe)nnte\w{0,2}|vielleicht|eventuell"
        r"|angenommen|stell\sdir\svor|wünschte|möglicherweise|ironie|spaßeshalber|nicht\snur|zum\sbeispiel|z\.b"
        r"|angeblich|nur\sspaß|kleiner\sscherz|als\sob|(?<!ich\s)(?<!wir\s)(?:sagt|sagte|sagen|meint|meinte|behauptet"
        r"|behauptete|erzählte?|schrieb|schreibt|glaubt|denkt"
        r"|fragte?|zitiert|sagten)|laut\s(?=(?-i:[A-Z]))|wie\sman\ssagt|im\s(?:film|lied|buch|roman)"
        r"|als\skind\swollte)\b|🙄|/s$|^[A-ZÄÖÜ][a-z]{1,20}:\s\"?ich"
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
        r"^(?:es|das|dies\w{0,2}|ihn|sie|ihr\w{0,2}|dich|dir|euch|ihnen|mich|mir|uns|alles|nichts|etwas|was|wie|so"
        r"|man|beide[sn]?|hier|da|dort"
        r"|welche\w?|jemand|niemand|ihm|dein\w{0,2}|euer|eure|sehr|auch|ja|nein|dass|wenn|nur|gern|gerne|lieber|zu"
        r"|zum|mehr|weniger)\b"
    ),
    value_ends=spelled(
        r"\s(?:weil|wenn|da|obwohl|und\s(?:ich|das|es)|mit|ohne|in|im|ins|am|an|auf|bei|beim|für|seit|von|vom|zum|zur"
        r"|aus|nach|vor|als|wie|sehr|gern|gerne"
        r"|lieber|überhaupt|gar|wirklich|mehr|jeden|jetzt|heute|total|verschoben|geändert|erhöht|gesenkt|festgelegt"
        r"|gesetzt|angehoben"
        r"|geworden|fließend|statt|anstatt|besonders|besser|zu|tätig|angestellt|dass|die|der|das|bitte|jahre|inzwischen)\s"
    ),
    determiners=spelled(
        r"^(?:de[rmns]|die|das|eine?[nmrs]?|meine?[nmrs]?|unsere?[nmrs]?|etwas|viel|alle|jetzt|nun|auch|nur|sehr"
        r"|mein\sliebes)\s"
    ),
    conjunction=re.compile(r",\s(?:und\s|oder\s|noch\s)?|\s(?:und|oder|sowie|noch|&)\s", re.IGNORECASE),
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
