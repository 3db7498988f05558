"""Entities named by a statement, with a kind from simple cues."""

from __future__ import annotations

import re
from collections.abc import Collection

from service.domain.word_lists import word_set
from service.extraction.candidates import Mention
from service.extraction.lexicon import BASE_VERBS, MONTHS, STOPWORDS, WEEKDAYS, gerund_base, is_past

_MENTIONS_MAX = 12

_TOKEN = re.compile(r"[^\W_](?:[\w.&+#'’/-]{0,40}[\w+#])?")
_TITLE = re.compile(r"[\"“]([A-Z][^\"“”\n]{1,60})[\"”]")
PLACES = word_set("""
    africa america argentina asia athens atlanta auckland australia austin austria bali bangkok barcelona beijing
    belgium bergen berlin bogota boston brazil britain brooklyn brussels budapest cairo california canada chicago
    chile china colombia colorado copenhagen croatia cuba dallas delhi denmark denver detroit dubai dublin
    edinburgh egypt england europe finland florence florida france geneva georgia germany greece hamburg hawaii
    helsinki houston hungary iceland india indonesia iran ireland israel istanbul italy japan jakarta kenya korea
    kyoto lisbon london lyon madrid malaysia manhattan manchester melbourne mexico miami milan minnesota montreal
    morocco moscow mumbai munich nairobi nashville nepal netherlands nevada norway nyc oregon orlando osaka oslo
    ottawa paris peru philadelphia philippines phoenix poland portland porto portugal prague rome russia scotland
    seattle seoul shanghai singapore spain stockholm sweden switzerland sydney taiwan tampa texas thailand tokyo
    toronto turkey uk ukraine usa vancouver vermont vienna vietnam wales warsaw washington yerevan zurich""") | {
    "new york", "new york city", "los angeles", "san francisco", "san diego", "las vegas", "new zealand", "costa rica",
    "south africa", "hong kong", "buenos aires", "cape town", "united states", "united kingdom", "rio de janeiro",
    "new orleans", "new jersey", "new mexico", "north carolina", "south carolina", "saudi arabia", "sri lanka",
}  # fmt: skip
PRODUCTS = word_set("""
    airtable android angular ansible aws azure bigquery bitbucket bigtable c c# c++ celery chatgpt chrome claude
    clickhouse dbt django docker dynamodb elasticsearch excel fastapi figma firefox flask gcp gemini git github
    gitlab gmail go golang grafana haskell instagram ios ipad iphone java javascript jenkins jira jupyter kafka
    kotlin kubernetes langchain laravel linux macbook macos mongodb mysql netflix nginx node.js notion numpy
    obsidian ollama openai oracle outlook pandas photoshop php playstation postgres postgresql powerpoint
    prometheus python pytorch rabbitmq rails react redis redshift ruby rust salesforce scala shopify slack
    snowflake spark spotify sqlite stripe supabase svelte swift tableau tensorflow terraform tiktok trello twitter
    typescript ubuntu vercel vim vscode vue windows xbox youtube zapier zig zoom""")
FIRST_NAMES = word_set("""
    aaron adam alan albert alex alexander alice alison amanda amy andrea andrew angela anna anne anthony arthur
    ashley barbara ben benjamin bob brandon brian bruce caleb carl carlos carol caroline catherine charles charlie
    chloe chris christina christopher claire clara daniel dave david deborah dennis diana donna dorothy dylan
    edward elena elizabeth ella ellen emily emma eric ethan eva evan evelyn frank gabriel gary george gina grace
    greg hannah harry heather helen henry isaac isabella jack jacob jake james jamie jane janet jason jean jeff
    jennifer jeremy jerry jesse jessica jim joan joanna joe john jon jonathan jose joseph joshua juan julia julie
    justin karen kate katherine kathleen keith kelly ken kevin kim kyle larry laura lauren leo liam linda lisa
    logan louis lucas lucy luis luke maria marie mark martha martin mary matt matthew megan melanie melissa mia
    michael michelle miguel mike nancy natalie nate nathan nicholas nick nicole noah nora olivia omar oscar pamela
    patricia patrick paul pedro peter philip rachel raymond rebecca richard rob robert roger rosa ruth ryan sam
    samantha samuel sandra sara sarah scott sean sharon simon sofia sophia sophie stephanie stephen steve steven
    susan taylor teresa thomas tigran tim timothy tina tom tony tyler vanessa victor victoria vincent walter wendy
    william zach zoe""")
_NOT_ENTITIES = (
    frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | word_set("""
        i ok okay wow lol haha omg btw asap faq tbh imo diy tv am pm christmas halloween thanksgiving easter
        internet mom dad mum grandma grandpa god english spanish french german italian chinese japanese american
        european asian african yes no thanks hey hi oh tldr ps todo""")
)
_COMPANY_SUFFIX = word_set("inc corp ltd llc gmbh ag plc co labs technologies systems bank university institute")
_PLACE_SUFFIX = word_set("""
    street avenue park beach lake mountain mountains river island city valley canyon county road bridge""")
_WORKPLACE = re.compile(
    r"\b(?:work(?:s|ed|ing)?|job|intern(?:s|ed)?|internship|employed|hired|career|position"
    r"|role|offer) (?:at|for|with|by|from) $|\bjoin(?:s|ed|ing)? $",
    re.I,
)
_PLACE_CUE = re.compile(
    r"\b(?:in|to|from|near|around|visit(?:s|ed|ing)?|across|through|toward|towards|outside|leave|left|explore[ds]?) $",
    re.I,
)
_KIN_CUE = re.compile(
    r"\b(?:friend|sister|brother|wife|husband|partner|son|daughter|cousin|boss|manager|colleague|coworker|teacher"
    r"|mentor|aunt|uncle"
    r"|girlfriend|boyfriend|neighbor|neighbour|roommate|doctor|coach|teammate|mr\.|mrs\.|ms\.|dr\.|professor),? $"
    r"|(?:married|engaged) to $",
    re.IGNORECASE,
)
_PROJECT_BEFORE = re.compile(r"\b(?:project|codename|code-named|initiative|repo|repository) $", re.IGNORECASE)
_PROJECT_AFTER = re.compile(r"^ (?:project|initiative|repo|repository|migration|launch|app)\b", re.IGNORECASE)


def mentions(text: str, people: Collection[str] = (), subject: str | None = None) -> tuple[Mention, ...]:
    """The entities named in ``text``, in order, each once, at most twelve.

    ``people`` are names known to be persons (the speakers). ``subject`` is left out: a statement's own subject
    needs no link by name. A capitalised word that merely opens the sentence is not an entity.
    """
    found: dict[str, Mention] = {}
    known = {name.lower() for name in people}
    for name, start, end in _names(text):
        bare = name.removesuffix("'s").removesuffix("’s")
        key = bare.lower()
        if subject is not None and f" {key}".endswith(f" {subject.lower()}"):
            continue
        kind = "person" if key in known else _kind(bare, text[max(0, start - 40) : start], text[end : end + 20])
        opens = start == 0 or text[max(0, start - 2) : start].rstrip()[-1:] in (".", "!", "?", ":", '"', "“")
        if opens and kind == "thing" and " " not in bare:
            continue
        found.setdefault(key, Mention(bare, kind))
        if len(found) == _MENTIONS_MAX:
            break
    return tuple(found.values())


def _names(text: str) -> list[tuple[str, int, int]]:
    """Runs of capitalised words with their places; connecting "of" and "the" stay inside a run."""
    runs = [(match[1], match.start(1), match.end(1)) for match in _TITLE.finditer(text)]
    if runs:
        text = _TITLE.sub(lambda match: "_" * len(match[0]), text)
    start = end = -1
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip("'’.")
        joined = end >= 0 and text[end : match.start()] == " "
        if _is_name_word(word) or (
            joined and word[:1].isupper() and word.lower() not in STOPWORDS and word.lower() not in _NOT_ENTITIES
        ):
            if joined and not text[start:end].endswith(("'s", "’s")):
                end = match.start() + len(word)
                continue
            if end >= 0:
                runs.append((text[start:end], start, end))
            start, end = match.start(), match.start() + len(word)
        elif end >= 0:
            runs.append((text[start:end], start, end))
            start = end = -1
    if end >= 0:
        runs.append((text[start:end], start, end))
    return [
        run for run in sorted(runs, key=lambda run: run[1]) if run[0].lower().removesuffix("'s") not in _NOT_ENTITIES
    ]


def _is_name_word(word: str) -> bool:
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    if not word[:1].isupper() and not (len(word) > 2 and word[0].islower() and word[1].isupper()):
        return False
    if lower in PRODUCTS or lower in PLACES:
        return True
    if lower in STOPWORDS or lower in _NOT_ENTITIES or (len(word) == 1):
        return False
    return not (lower in BASE_VERBS or is_past(lower) or gerund_base(lower))


def _kind(name: str, before: str, after: str) -> str:
    words = name.lower().split()
    last = words[-1].rstrip(".")
    if (words[0] == "project" and len(words) > 1) or _PROJECT_BEFORE.search(before) or _PROJECT_AFTER.match(after):
        return "project"
    if name.lower() in PLACES or (len(words) > 1 and last in _PLACE_SUFFIX):
        return "place"
    if (last in _COMPANY_SUFFIX and len(words) > 1) or _WORKPLACE.search(before):
        return "company"
    if name.lower() in PRODUCTS:
        return "product"
    titled = words[0].rstrip(".") in ("mr", "mrs", "ms", "dr", "prof")
    if titled or _KIN_CUE.search(before) or (words[0] in FIRST_NAMES and len(words) <= 3):
        return "person"
    if name.isupper() and len(name) <= 6:
        return "thing"
    if re.search(r"\b(?:is|are|comes?|originally|born|grew up|raised) (?:originally )?(?:from|in) $", before):
        return "place"
    if re.search(
        r"\b(?:lives?|living|lived|moved?|moving|born|trip|travel(?:l?ed|l?ing)?|flew|fly|flight|went"
        r"|based|vacation|raised|stay(?:ed|ing)?|visit(?:ed|ing)?)\b[^.,;]{0,20}$",
        before,
        re.I,
    ) and _PLACE_CUE.search(before):
        return "place"
    return "thing"
