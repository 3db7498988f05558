"""Pattern tables: which first-person clause states what, and which slot it fills.

A pattern is tried at the start of one clause, without regard to case. Its group ``value`` is what fills the slot.
Slots are exclusive: ``lives_in`` holds one value per subject, ``likes/{value}`` holds one polarity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.types import MemoryType
from worker.dreaming.candidates import Polarity

_ADVERB = (
    r"(?:(?:really|also|just|always|still|absolutely|totally|truly|definitely|actually|personally|particularly"
    r"|especially"
    r"|mostly|usually|generally|now|currently|recently|finally|already|do|only|simply|honestly|so|much|deeply"
    r"|kinda|highly"
    r"|originally|both|all|even|ever|quite|very|rather)\s)"
)
_I = rf"^(?:i|we)\s{_ADVERB}{{0,2}}"
_AM = rf"^(?:i'm|i\sam|we're|we\sare)\s{_ADVERB}{{0,2}}(?:an?\s)?(?:big\s|huge\s|real\s)?"
_HAVE = rf"^(?:i|we|i've|i\shave|we've|we\shave)\s{_ADVERB}{{0,2}}"
_NOT = rf"^(?:i|we)\s{_ADVERB}{{0,1}}(?:don't|do\snot|never)\s{_ADVERB}{{0,2}}"
_NO_MORE = r"^(?:i|we)\s(?:no\slonger|don't|do\snot)\s"
_VALUE = r"(?P<value>(?!\s)(?:[^,.;:!?()–—]|[.,](?=\w)){1,80})"
_CAPITALS = r"[A-Z][\w'’.&-]{0,30}(?:,?\s[A-Z][\w'’.&-]{0,30}){0,3}"
_NAME = rf"(?P<value>(?-i:{_CAPITALS}))"
_PLACE = rf"(?P<value>(?:the\s)?(?-i:{_CAPITALS}))"
_LIKE = r"(?:love|like|enjoy|adore|prefer|favou?r|cherish|treasure)"
_HATE = r"(?:hate|dislike|detest|loathe|despise|avoid|can't\sstand|cannot\sstand|can't\sbear)"
_PROFESSION = (
    r"(?P<value>(?:(?!(?:of|for|with|to|the|an?|my|our|and|or|not|by|in|at|on|as)\s)[\w-]{1,20}\s){0,3}?(?:nurse"
    r"|teacher|engineer|developer|doctor|designer|student|lawyer"
    r"|attorney|accountant"
    r"|architect|artist|musician|writer|author|journalist|scientist|researcher|professor|programmer|manager"
    r"|director|founder"
    r"|ceo|cto|consultant|analyst|chef|baker|barista|driver|pilot|mechanic|plumber|electrician|carpenter|farmer"
    r"|dentist"
    r"|therapist|psychologist|counsell?or|pharmacist|paramedic|firefighter|soldier|veteran|officer|librarian|editor"
    r"|photographer|dancer|actor|actress|singer|coach|trainer|athlete|banker|screenwriter|filmmaker|gamer"
    r"|streamer|intern"
    r"|freelancer|entrepreneur|biologist|chemist|physicist|mathematician|statistician|economist|translator"
    r"|interpreter"
    r"|veterinarian|surgeon|physician|midwife|marketer|recruiter|tutor|educator|pianist|guitarist|violinist"
    r"|painter|sculptor"
    r"|cashier|waiter|waitress|technician|operator|administrator|secretary|clerk|salesperson|realtor|plumber))\b"
)
_ATTRIBUTE = (
    r"deadline|budget|due\sdate|launch\sdate|release\sdate|start\sdate|end\sdate|price|cost|port|version|owner"
    r"|address|email"
    r"|phone\snumber|timezone|time\szone|capital|target|limit|rent|salary|location|venue|codename|height|weight"
    r"|blood\stype|major|hometown|nickname|quota|headcount|license|hostname|region"
)
_DIET = (
    r"(?P<value>vegan|vegetarian|pescatarian|lactose\sintolerant|gluten[\s-]free|celiac|diabetic|halal|kosher"
    r"|keto)\b"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of the table.

    ``exclusive`` slots end in their name and hold a value; the others end in the value and hold a polarity.
    ``grounded`` is False where a date in the text recurs (a birthday) and must stay as said.
    """

    type: MemoryType
    regex: re.Pattern[str]
    slot: str | None
    polarity: Polarity
    importance: float
    exclusive: bool
    grounded: bool


def _row(
    type_: MemoryType,
    regex: str,
    slot: str | None = None,
    *,
    polarity: Polarity = "positive",
    importance: float = 0.6,
    exclusive: bool = True,
    grounded: bool = True,
) -> Pattern:
    return Pattern(type_, re.compile(regex, re.IGNORECASE), slot, polarity, importance, exclusive, grounded)


def _likes(regex: str, polarity: Polarity = "positive") -> Pattern:
    return _row(MemoryType.PREFERENCE, regex + _VALUE, "likes", polarity=polarity, importance=0.65, exclusive=False)


_IDENTITY = (
    _row(
        MemoryType.IDENTITY,
        rf"^my\s(?:full\s|first\s|real\s|last\s)?name(?:'s|\sis)\s(?P<value>(?!on\b|in\b"
        rf"|not\b|the\b|a\b|an\b|too\b|also\b|pronounced|spelled)\w[\w'’-]{{0,30}}(?:\s(?-i:{_CAPITALS}))?)",
        "name",
        importance=0.9,
    ),
    _row(
        MemoryType.IDENTITY,
        rf"^(?:please\s|you\scan\s|just\s|everyone\s){{0,2}}calls?\sme\s{_NAME}",
        "name",
        importance=0.9,
    ),
    _row(MemoryType.IDENTITY, rf"^i\s(?:go\sby|am\scalled)\s{_NAME}", "name", importance=0.9),
    _row(MemoryType.IDENTITY, r"^my\spronouns\sare\s(?P<value>[\w/]{2,20})", "pronouns", importance=0.9),
    _row(
        MemoryType.IDENTITY,
        rf"^my\sbirthday(?:'s|\sis)\s(?:on\s)?{_VALUE}",
        "birthday",
        importance=0.85,
        grounded=False,
    ),
    _row(MemoryType.IDENTITY, rf"{_AM}(?P<value>\d{{1,3}})(?:\syears?\sold\b|\snow\b|[.,!]|$)", "age", importance=0.8),
    _row(MemoryType.IDENTITY, rf"{_AM}(?:from|born\sin|a\snative\sof)\s{_PLACE}", "from", importance=0.8),
    _row(
        MemoryType.IDENTITY,
        rf"^i\s(?:come\sfrom|was\sborn\sin|grew\sup\sin|was\sraised\sin)\s{_PLACE}",
        "from",
        importance=0.8,
    ),
    _row(
        MemoryType.IDENTITY,
        rf"{_AM}(?:allergic|intolerant)\sto\s{_VALUE}",
        "allergic_to",
        importance=0.9,
        exclusive=False,
    ),
    _row(
        MemoryType.IDENTITY,
        rf"^(?:i'm|i\sam)\s(?:not|no\slonger)\s(?:a\s)?{_DIET}",
        "diet",
        polarity="negative",
        importance=0.8,
    ),
    _row(MemoryType.IDENTITY, rf"{_AM}{_DIET}", "diet", importance=0.85),
    _row(
        MemoryType.IDENTITY,
        rf"{_AM}(?P<value>married|single(?!-)|divorced|engaged(?!\s(?:in|with|by))|widowed)\b",
        "marital_status",
        importance=0.8,
    ),
    _row(
        MemoryType.IDENTITY,
        rf"^(?:i'm|i\sam)\s{_ADVERB}{{0,2}}(?:working\sas\s)?(?:an?|the|our|your)\s{_PROFESSION}",
        "job",
        importance=0.8,
    ),
    _row(MemoryType.IDENTITY, rf"{_I}works?\sas\s(?:an?\s|the\s)?{_PROFESSION}", "job", importance=0.8),
    _row(MemoryType.IDENTITY, rf"^my\s(?:native|first)\slanguage\sis\s{_NAME}", "native_language", importance=0.8),
)

_FACTS = (
    _row(MemoryType.FACT, rf"{_NO_MORE}live\sin\s{_PLACE}", "lives_in", polarity="negative", importance=0.7),
    _row(MemoryType.FACT, rf"{_NO_MORE}work\s(?:at|for)\s{_NAME}", "works_at", polarity="negative", importance=0.7),
    _row(MemoryType.FACT, rf"{_I}(?:live|reside)\s(?:in|near|at)\s{_PLACE}", "lives_in", importance=0.75),
    _row(
        MemoryType.FACT, rf"{_AM}(?:living|based|staying|residing)\s(?:in|near)\s{_PLACE}", "lives_in", importance=0.7
    ),
    _row(
        MemoryType.FACT,
        rf"{_HAVE}(?:moved|relocated)\s(?:back\s)?(?:from\s[\w\s]{{1,30}}?\s)?to\s{_PLACE}",
        "lives_in",
        importance=0.75,
    ),
    _row(MemoryType.FACT, rf"{_I}work\s(?:at|for)\s{_NAME}", "works_at", importance=0.75),
    _row(MemoryType.FACT, rf"{_AM}(?:working|employed)\s(?:at|for|by)\s{_NAME}", "works_at", importance=0.75),
    _row(
        MemoryType.FACT,
        rf"{_HAVE}(?:started\s(?:working\s)?at|got\sa\s(?:new\s)?job\s(?:at|with))\s{_NAME}",
        "works_at",
        importance=0.7,
    ),
    _row(
        MemoryType.FACT,
        rf"^(?:my|our|the)\s(?P<attribute>{_ATTRIBUTE})(?:'s|\s(?:is|was\smoved\sto"
        rf"|was\schanged\sto|moved\sto"
        rf"|(?:has\s)?changed\sto|will\sbe|has\sbeen\smoved\sto))\s(?:now\s)?{_VALUE}",
        "{attribute}",
    ),
    _row(
        MemoryType.FACT,
        rf"^the\s(?P<attribute>(?:{_ATTRIBUTE})\s(?:of|for)\s[\w\s'-]{{1,40}}?)\s(?:is"
        rf"|(?:was\s)?moved\sto|will\sbe"
        rf"|(?:has\s)?changed\sto)\s(?:now\s)?{_VALUE}",
        "{attribute}",
    ),
    _row(
        MemoryType.FACT,
        rf"^(?P<attribute>(?:the\s|our\s"
        rf"|my\s)?[\w'-]{{2,30}}(?:\s[\w'-]{{2,30}})?'s?\s(?:{_ATTRIBUTE}))\s(?:is|will\sbe"
        rf"|was\smoved\sto|(?:has\s)?changed\sto)\s(?:now\s)?{_VALUE}",
        "{attribute}",
    ),
)

_PREFERENCES = (
    _row(
        MemoryType.PREFERENCE,
        r"^my\s(?:all-time\s)?fav(?:ou?rite|e)?\s(?P<attribute>(?!part|thing|way"
        r"|memory)\w{2,20}(?:\s\w{2,20})?)\s(?:is|are|has\sto\sbe|would\sbe)\s(?:definitely\s|probably\s)?" + _VALUE,
        "favorite {attribute}",
        importance=0.7,
    ),
    _row(
        MemoryType.PREFERENCE,
        r"^(?P<value>[\w'’]{2,30}(?:\s[\w'’]{2,30}){0,3}?)(?:'s|\sis"
        r"|\sare)\s(?:definitely\s|still\s)?my\s(?:all-time\s)?fav(?:ou?rite|e)?(?:\s(?P<attribute>\w{3,20})"
        r"|[.!,]|$)",
        "favorite {attribute}",
        importance=0.7,
    ),
    _row(
        MemoryType.PREFERENCE,
        rf"^(?:i|we)(?:'d|\swould|\sdo)?\s{_ADVERB}{{0,2}}(?:prefer"
        rf"|rather)\s(?P<value>[\w\s'+#.-]{{1,40}}?)\s(?:to|over|than|instead\sof"
        rf"|rather\sthan)\s(?P<other>[\w\s'+#-]{{1,40}})",
        "prefers",
        importance=0.7,
    ),
    _likes(rf"{_NOT}(?:like|love|enjoy|care\sfor|fancy|eat|drink)\s", "negative"),
    _likes(
        rf"{_AM}not\s(?:really\s|much\sof\s)?(?:an?\s)?(?:big\s|huge\s)?(?:fan\sof|into|fond\sof|keen\son"
        rf"|crazy\sabout|comfortable\swith)\s",
        "negative",
    ),
    _likes(rf"{_AM}(?:no\slonger|not)\s(?:a\sfan\sof|into|drinking|eating)\s", "negative"),
    _likes(rf"^(?:i|we)\s{_ADVERB}{{0,2}}{_HATE}\s", "negative"),
    _likes(rf"^(?:i|we)\sused\sto\s{_LIKE}\s", "negative"),
    _likes(rf"^(?:i|we)\sno\slonger\s(?:{_LIKE}|eat|drink|use)\s", "negative"),
    _likes(
        rf"{_HAVE}(?:quit|gave\sup|given\sup|stopped|cut\sout|went\soff|gone\soff|sworn\soff"
        rf"|swore\soff)\s(?!my\b|the\b|at\b|by\b|to\b|trying|working|school|college|it\b|on\b|in\b"
        rf"|for\b)(?:drinking\s|eating\s|using\s|liking\s|playing\s|having\s)?",
        "negative",
    ),
    _likes(rf"{_I}{_LIKE}\s(?!to\ssee\b|hearing|seeing|how|the\sway)"),
    _likes(
        rf"{_AM}(?:fan\sof|fond\sof|keen\son|crazy\sabout|obsessed\swith|addicted\sto|passionate\sabout|into"
        rf"|loving|enjoying)\s(?!my\stime|it\b)"
    ),
    _likes(
        r"^(?:i|we)(?:'ve|\shave)\salways\s(?:loved|liked|enjoyed|been\s(?:passionate\sabout|into|a\sfan\sof"
        r"|fond\sof))\s"
    ),
    _likes(r"^(?:i|we)\s(?:only|just)\s(?:drink|eat|use|like|wear|buy|listen\sto)\s"),
    _row(
        MemoryType.PREFERENCE,
        r"^(?:please\s(?:always|never|use|keep|do\snot|don't|call|answer|reply|respond"
        r"|write|address|give\sme)|always\s(?:use|answer|reply|respond|write|give\sme|address)"
        r"|never\s(?:use|answer|reply|respond|write|address)|from\snow\son,?|i\s(?:want|need|would\slike"
        r"|prefer)\syou\sto|i'd\s(?:like|prefer)\syou\sto)\s",
        importance=0.7,
    ),
)

_DECISIONS = (
    _row(
        MemoryType.DECISION,
        rf"{_HAVE}(?:decided|agreed|opted|resolved|settled|concluded|committed|chosen"
        rf"|voted)\s(?!with\b)",
        importance=0.75,
    ),
    _row(
        MemoryType.DECISION,
        rf"{_I}(?:chose|picked|went\swith|selected|finalized|signed\soff\son)\s(?!it\b"
        rf"|them\b|up\b|this\b)",
        importance=0.7,
    ),
    _row(MemoryType.DECISION, rf"{_AM}(?:going|sticking)\swith\s(?!the\sflow)", importance=0.75),
    _row(
        MemoryType.DECISION,
        r"^(?:let's|lets|let\sus)\s(?:go\swith|use|stick\s(?:with|to)|settle\son|choose"
        r"|pick|switch\sto|make\sit|adopt|ship|move\sto)\s(?!it\b|this\b|that\b)",
        importance=0.75,
    ),
    _row(
        MemoryType.DECISION,
        r"^(?:we'll|i'll|we\swill|i\swill)\s(?:go\swith|stick\swith|use|switch\sto"
        r"|adopt)\s(?!it\b|this\b|that\b|them\b)",
        importance=0.7,
    ),
    _row(MemoryType.DECISION, r"^(?:the\s|our\s|my\s|final\s)?(?:final\s)?decision(?:\sis|\swas|:)\s", importance=0.75),
    _row(MemoryType.DECISION, r"^it\swas\s(?:decided|agreed)\s", importance=0.75),
    _row(
        MemoryType.DECISION,
        rf"{_HAVE}made\s(?:the|a|up\smy|my|our)\s(?:mind|decision|choice)\s(?:to|on"
        rf"|about)\s",
        importance=0.7,
    ),
)

_GOALS = (
    _row(
        MemoryType.GOAL,
        r"^(?:my|our)\s(?:\w{2,12}\s){0,2}(?:goal|goals|dream|plan|plans|aim|ambition"
        r"|resolution|target|mission)s?\b(?:\s(?:for|this|in)\s[\w\s]{1,25}?)?\s(?:is|are|has\sbeen|for)\s",
        importance=0.7,
    ),
    _row(
        MemoryType.GOAL,
        rf"{_I}(?:want|hope|plan|aim|intend|strive|expect)\sto\s(?!know\b|hear\b|see\sit\b"
        rf"|ask\b|say\b|be\shonest|thank|see\syou)",
        importance=0.6,
    ),
    _row(MemoryType.GOAL, rf"{_I}dream\s(?:of|about)\s", importance=0.6),
    _row(
        MemoryType.GOAL,
        rf"{_AM}(?:planning|hoping|aiming|looking|trying|determined|working|eager|excited"
        rf"|saving|training|preparing|studying|ready|going|thinking|considering|thrilled"
        rf"|prepping)\s(?:up\s)?(?:to\s(?!see\byou|hear|know|say)|on\s|of\s|about\s|for\s|towards?\s|into\s|my\s"
        rf"|a\s)",
        importance=0.55,
    ),
    _row(
        MemoryType.GOAL,
        r"^(?:i|we)(?:'d|\swould)\s(?:really\s|also\s|absolutely\s)?(?:love|like)\sto\s(?!know"
        r"|hear|see\s(?:it|that|them|your)|ask|try\s(?:it|that)|join|talk|chat|help\syou)",
        importance=0.5,
    ),
    _row(
        MemoryType.GOAL,
        r"^(?:it's|it\shas|it)\s(?:been\s)?(?:always\s)?(?:a|my)\sdream\s(?:of\smine\s)?(?:to"
        r"|of)\s",
        importance=0.6,
    ),
)

_TODOS = (
    _row(
        MemoryType.TODO,
        r"^(?:please\s|can\syou\s|could\syou\s)?remind\sme\s(?:to|about|that|of|on|at|in"
        r"|tomorrow|next)\s",
        importance=0.7,
    ),
    _row(MemoryType.TODO, r"^(?:to-?\s?do|action\sitem|reminder)\s?:\s", importance=0.65),
    _row(
        MemoryType.TODO,
        r"^(?:please\s)?(?:don't|do\snot)\s(?:let\sme\s)?forget\s(?:to\s|that\s(?:i|we)\s)",
        importance=0.65,
    ),
    _row(
        MemoryType.TODO,
        rf"^(?:(?:i|we)\s{_ADVERB}{{0,2}}(?:need|have|must|ought)|(?:i've|we've)\s{_ADVERB}{{0,2}}got"
        rf")\s(?:to\s)?(?P<todo>call|phone|text|buy|pick\sup|email|e-mail|mail|send|schedule|book|renew|pay"
        rf"|submit|finish|file|fix|return|cancel|order|clean|prepare|pack|register|sign\sup|apply|check\s(?:in"
        rf"|out)|complete|review|update|write|write\sup|deliver|get|set\sup|make|meet|print|upload|download"
        rf"|deploy|ship|contact|reply|respond|ask|replace|repair|organi[sz]e|plan|see|visit|drop\soff|take|bring"
        rf"|wash|confirm|reschedule|find|look\sinto|stock\sup|study|practice|start|do|change|create|turn\sin"
        rf"|follow\sup|research|draft|install|reach\sout|talk|go|move|refill|feed|walk|water|return)\b",
        importance=0.65,
    ),
    _row(MemoryType.TODO, r"^(?:i'm|i\sam|we're)\ssupposed\sto\s", importance=0.55),
    _row(
        MemoryType.TODO,
        r"^(?:i|we)\sshould\s(?:call|buy|email|send|schedule|book|renew|pay|submit|finish|file"
        r"|cancel)\s",
        importance=0.5,
    ),
)

# Order matters: a goal such as "I plan to" is not a habit, a negated preference is no preference.
SLOTTED: tuple[Pattern, ...] = _IDENTITY + _FACTS + _PREFERENCES
STATED: tuple[Pattern, ...] = SLOTTED + _DECISIONS + _TODOS + _GOALS

THIRD_PARTY = re.compile(
    rf"^(?P<who>(?:my|our)\s[a-z]{{2,20}}(?:\s(?-i:[A-Z]\w{{1,20}}))?"
    rf"|(?-i:[A-Z]\w{{1,20}}(?:\s[A-Z]\w{{1,20}})?))\s(?:now\s|currently\s)?"
    rf"(?:(?P<lives_in>lives\sin|moved\sto|is\sliving\sin|is\sbased\sin)|(?P<works_at>works\s(?:at|for)"
    rf"|is\sworking\s(?:at|for))"
    rf"|(?P<job>works\sas|is)(?=\s(?:an?|the)\s))\s(?:an?\s|the\s)?(?P<value>(?-i:{_CAPITALS})"
    rf"|{_PROFESSION.replace('?P<value>', '?:')})",
    re.IGNORECASE,
)
FORMER_NOW = re.compile(
    rf"\bused\sto\s(?P<verb>live\sin|work\s(?:at|for)|work\sas|be)\s(?:an?\s)?(?P<former>[\w'&.\s-]{{1,40}}?)"
    rf"(?:[,;.]|\s(?:and|but)|\s-)+\s?(?:(?:but|and)\s)?(?:i\s|i'm\s|we\s)?(?:am\s)?(?:now|currently|these\sdays)\s"
    rf"(?:i\s|i'm\s|i\sam\s|we\s)?(?:live\s|living\s|work\s|working\s)?(?:(?:in|at|for"
    rf"|as)\s)?(?:an?\s)?(?P<value>(?-i:{_CAPITALS})|{_PROFESSION.replace('?P<value>', '?:')})",
    re.IGNORECASE,
)
FORMER_SLOTS = {"live in": "lives_in", "work at": "works_at", "work for": "works_at", "work as": "job", "be": "job"}
