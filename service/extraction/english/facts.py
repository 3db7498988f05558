"""Patterns of facts: who the speaker is, their household, where they live and work, things and projects, other persons.

A table is for clauses about the speaker, about something of theirs, or about what has a name.
"""

from __future__ import annotations

import re
from typing import Any

from service.domain.types import MemoryType
from service.domain.word_lists import word_set
from service.extraction.candidates import Polarity
from service.extraction.english.grammar import (
    ADVERB,
    ANY_PROFESSION,
    CAPITALS,
    DIET,
    EMPLOYER,
    EVENT_NOUN,
    I_AM,
    I_DO,
    I_HAVE,
    NAME,
    NO_MORE,
    PASTIME,
    PERSON,
    PLACE,
    PROFESSION,
    VALUE,
    row,
)
from service.extraction.english.lexicon import FIRST_NAMES, MONTH, PRODUCTS, WEEKDAY
from service.extraction.patterns import Pattern, any_case

_LANGUAGES = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|russian|ukrainian|polish|turkish|arabic|hebrew|hindi"
    r"|urdu"
    r"|bengali|tamil|mandarin|cantonese|chinese|japanese|korean|vietnamese|thai|swedish|norwegian|danish|finnish|greek"
    r"|czech|hungarian|romanian|armenian|persian|farsi|swahili|catalan|croatian|serbian|bulgarian|latin|welsh|irish)"
)
_MARRIED_TO_NO_THING = r"(?! to (?:my|the) (?:job|work|laptop|phone|couch|bed|computer|code|sofa|keyboard)\b)"

_SPOKEN = rf"(?P<value>{_LANGUAGES}(?:(?:,| and|, and) {_LANGUAGES}){{0,4}})\b"


_KIN = (
    r"(?P<kin>(?:step|grand|god)?(?:sister|brother|daughter|son|mother|father)(?:-in-law)?|wife|husband|m[uo]m|dad"
    r"|partner|girlfriend|boyfriend|fianc[eé]e?|grandma|grandpa|aunt|uncle|cousin|niece|nephew|dog|cat|parrot|hamster"
    r"|rabbit|horse|puppy|kitten|budgie|turtle|goldfish)"
)
_OLDER = r"(?:(?:little|big|older|younger|elder|oldest|youngest|new|old|twin|baby|late|first|second) ){0,2}"


def _named(regex: str, type_: MemoryType = MemoryType.FACT) -> Pattern:
    return row("named", regex, type=type_, importance=0.65)


_CALLED = rf"(?: an?| one| another)? {_OLDER}{_KIN}(?:,? (?:named|called|whose name is)|,) {NAME}"


_ATTRIBUTE = (
    r"(?P<attribute>deadline|budget|due date|launch date|release date|start date|end date|price|cost|port|version|owner"
    r"|address|e-?mail(?: address)?|phone number|number|timezone|time zone|capital|target|limit|rent|salary|location"
    r"|venue|codename|height|weight|blood type|major|hometown|nickname|quota|headcount|license|hostname|region|password"
    r"|passcode|pin|code|eta|fee|rate|plan|manager|boss|supervisor|landlord|doctor|dentist|gym|car|phone|laptop|editor"
    r"|shell|database|framework|supplier|vendor|provider|theme|colou?r|mascot|headquarters|office|team lead|tech lead"
    r"|lead|sponsor|contact|maintainer|insurance|bank|username|shoe size|shirt size|ring size|desk|room|schedule"
    r"|working hours|office hours|opening hours|hourly rate|revenue|valuation|score|runway|forecast|estimate"
    r"|goal weight|kubernetes version|python version|node version|wifi|ssid|repo|repository|style guide|staging url|url"
    r"|domain|website)"
)
_CHANGED = (
    r"(?:changed|moved|raised|cut|increased|reduced|lowered|updated|set|bumped|revised|pushed|dropped|went up|went down"
    r"|goes up|rose|fell|grew|switched|slashed|trimmed|slipped|rescheduled|postponed|shifted|went|gone|jumped|climbed"
    r"|shrank|doubled|tripled|halved)"
)
_IS_NOW = (
    r"(?:(?:'s| is| are| will be| is going to be)(?: now| currently| actually| now set to| set to| still)?"
    rf"|(?: was| were| has been| have been| got| has| have)?(?: just| now)? {_CHANGED}(?: back| up"
    rf"| down)?(?: from [\w$€£.,% ]{{1,25}}?)? to|(?: has| have)? become)"
)
_NO_VERDICT = (
    r"(?! (?:a|an|not|too|so|very|really|quite|pretty|still|great|good|bad|always|tight|due to|down|up|out|off"
    r"|broken|back|nice|here|there|\w{2,12}ing)\b)"
)
_MODIFIERS = (
    r"(?P<thing>(?:(?!(?:is|are|was|will|has|of|and|that|to|we|i|same|only|best|new|old|current"
    r"|favou?rite) )[\w'’&/-]{1,30} ){0,3}?)"
)
_WHOSE = r"^(?:my|our|the|her|his|their)(?: new| current| updated| final| latest| total)? "

_NO_DEMONYM = (
    r"(?!\w{2,20}(?:ian|ish|ese|nch|can|ean)\b|(?:german|dutch|greek|swiss|thai|arab|asian|muslim|catholic|black|white|vegan"
    r"|great)\b)"
)
_NO_PERSON = rf"(?!(?:{'|'.join(sorted(FIRST_NAMES))})\b)"
DAY = (
    rf"(?:(?:this |next |the )?(?:{WEEKDAY}|mon|tue|tues|wed|thu|thurs|fri)\b|(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?: of)? )?(?:{MONTH}|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\b|the \d{{1,2}}(?:st|nd|rd|th)\b"
    rf"|(?:19|20)\d\d-\d\d-\d\d|tomorrow|today|next (?:week|month|year)|the (?:day|week) after)"
)
_DATE = rf"(?P<value>{DAY}[^,.;!?]{{0,40}})"
_TIME = r"(?:\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)?|noon|midnight|half past \w+)(?![\w:])"
_RESCHEDULED = (
    r"(?:moved|pushed|postponed|rescheduled|brought forward|changed|shifted|delayed|scheduled|set|planned|bumped"
    r"|slipped|put off|pulled forward|moving|booked)(?: back| forward| up| out| again)?"
)
_EVENT = (
    rf"(?P<event>(?:(?!(?:is|was|of|and|that|to|next|last|this) )[\w'’&/-]{{1,30}} ){{0,3}}?{EVENT_NOUN}"
    rf"(?: (?:with|for|about) (?:the )?[\w'’&/ -]{{1,40}}?)?)"
)
_TAKES_PLACE = (
    rf"(?:(?:'s| is| will be| has been| was| got| is being| gets| has)?(?: now| just)* ?"
    rf"(?:{_RESCHEDULED})?(?: (?:from [\w: ]{{1,25}}? )?(?:to|on|for|until|till|at|in))?(?: now)? )"
)


def _when(regex: str) -> tuple[Pattern, ...]:
    """Return rows for the day, and for the time of day, that end a sentence about something that takes place."""
    return (row("event date", regex + _DATE), row("event time", rf"{regex}(?P<value>{_TIME})"))


_PROJECT = r"(?P<of>(?-i:[A-Z])[\w'’-]{1,30}(?: [\w'’-]{1,30}){0,2}?)"
_CLOSES = r"(?= (?:since|as of|from|now|these days|instead|today)\b|[.,!]|$)"
_ROLE_OF = (
    rf"(?:the )?(?P<attribute>lead|owner|manager|maintainer|sponsor|team lead|tech lead) (?:of|for) (?:the )?{_PROJECT}"
)
_LEADS = {
    "lead": ("leads|heads|is(?: now)? (?:responsible for|in charge of|heading|leading)", "led|headed"),
    "owner": ("owns", "owned"),
    "manager": ("manages", "managed"),
}
"""The role, and how it is said in the active and the passive voice."""
_HANDED = r"(?:went|moved|passed|was (?:handed|passed|transferred)(?: over)?)"

_PRODUCT = rf"(?!{DAY})(?P<attribute>(?-i:[A-Z])[\w.+#-]{{1,30}})"
_NUMBER = r"(?P<value>v?\d[\w.]{0,20})\b"
_KNOWN = rf"(?P<attribute>{'|'.join(sorted(map(re.escape, PRODUCTS)))})"
_UPGRADED = r"(?:upgraded|downgraded|updated|migrated|switched|bumped|moved)"
_TO_VERSION = (
    rf"(?: from [\w.+# -]{{1,40}}?)? to {_PRODUCT} {_NUMBER}",
    rf" from {_PRODUCT} [\w.]{{1,20}} to {_NUMBER}",
)

_FIGURE = r"(?P<value>(?:[$€£] ?)?\d[\w.,]{0,20}(?: (?:k|thousand|m|million|euros?|dollars|pounds|usd|eur|gbp))?)"
_LIMIT = r"(?P<attribute>budget|limit|target|quota|goal)"
_LAUNCHES = r"(?:launches|ships|goes live|is (?:launching|shipping|going live)|will (?:launch|ship|go live))"


_ALSO = (
    r"(?: also| really| still| just| always| only| now| usually| mostly| generally| actually| currently"
    r"| absolutely| secretly)?"
)


def _fact(regex: str, slot: str | None = None, **otherwise: Any) -> Pattern:
    return row("fact", rf"^{PERSON}{_ALSO}{regex}", slot=slot, **otherwise)


def _taste(regex: str, polarity: Polarity = "positive") -> Pattern:
    no_thing = r"(?!(?:after|before|at|in|on|with|out|alone|much|enough|late|anything|to see)\b)"
    whole = rf"^{PERSON}{_ALSO} {regex} {no_thing}{VALUE}"
    return row("likes", whole, polarity=polarity, importance=0.6)


NOT_PERSONS = word_set("""
    it this that there he she what who everyone everybody nobody someone somebody one life nature music love time
    people which here they these those something nothing everything anyone anybody never always sometimes usually
    god if when where how why and but so or""")

FORMER_NOW = any_case(
    rf"\bused to (?P<verb>live in|work (?:at|for)|work as|be) (?:an? )?(?P<former>[\w'&. -]{{1,40}}?)"
    rf"(?:[,;.]| (?:and|but)| -)+ ?(?:(?:but|and) )?(?:i |i'm |we )?(?:am )?(?:now|currently|these days) "
    rf"(?:i |i'm |i am |we )?(?:live |living |work |working )?(?:(?:in|at|for|as) )?(?:an? )?(?P<value>(?-i:{CAPITALS})"
    rf"|{PROFESSION.replace('?P<value>', '?:')})"
)
FORMER_SLOTS = {"live in": "lives_in", "work at": "works_at", "work for": "works_at", "work as": "job", "be": "job"}
SWITCHED = any_case(
    r"^(?P<who>i|we)(?:'ve| have|'m| am| are)? (?:just |recently |finally |now |also )*(?:switched"
    r"|migrated) (?:over )?from (?P<former>[\w.+#-]{1,25}(?: [\w.+#-]{1,25})?) to (?:using )?(?P<value>[\w.+#-]{1,25}"
    r"(?: [\w.+#-]{1,25})?)(?= for\b| as\b| at\b| last\b| this\b| in\b| on\b|[.,!;]|$)"
)
LEFT_FOR = any_case(
    r"^(?:(?:i|we)(?:'ve| have)? )?(?:just |recently |finally )*(?:(?:left|quit|resigned from) (?:my job at )?"
    rf"(?-i:{CAPITALS.replace(',?', '')})|(?:switched|changed|got a new) jobs?)(?:, and|,| and| -)(?: then"
    rf"| now)?(?:(?: (?:i'm|i am|we're|i)(?: now)?)?(?: am)?(?: now)? (?:(?P<place>settled(?: down)? in|moved to"
    rf"|relocated to|live in|living in)|joined|at|with|started at|work (?:at|for)|working (?:at|for)) (?P<value>"
    rf"(?-i:{CAPITALS}))| (?P<home>(?-i:{CAPITALS})) is (?:now )?(?:my |our )?(?:new )?home)"
)

SPEAKER: tuple[Pattern, ...] = (
    # who they are
    row("name", rf"^i (?:go by|am called|changed my name to) {NAME}"),
    row("name", rf"^(?:i'm|i am) (?!(?-i:[A-Z]{{2}})|\w{{2,20}}(?:ian|ish|ese|can)\b){NAME},? by the way\b"),
    row("birthday", rf"^i was born on (?:the )?(?!an? )(?=[^.!?]{{0,30}}\d){VALUE}"),
    row("age", rf"{I_AM}(?P<value>\d{{1,3}})(?: years? old\b(?! than)| now\b|[.,!]|$)", grounded=True),
    row("age", rf"{I_HAVE}turned (?P<value>\d{{1,3}})\b(?! (?:degrees|pages|times))", grounded=True),
    row("from", rf"{I_AM}(?:from|a native of) {PLACE}"),
    row("from", rf"^i (?:originally )?come from {PLACE}"),
    row("born_in", rf"^i was (?:actually |originally )?(?:born (?:and raised )?in) {PLACE}"),
    row("grew_up_in", rf"^i (?:grew up|was raised|was brought up) in {PLACE}"),
    row("allergic_to", rf"{I_AM}(?:not|no longer) allergic to {VALUE}", polarity="negative"),
    row("allergic_to", rf"{I_AM}(?:allergic|intolerant) to {VALUE}"),
    row("allergic_to", r"^(?:i|we) (?:do )?(?:have|suffer from) (?:an? )?(?:\w{2,12} )?(?P<value>[\w-]{3,20}(?: "
        r"\w{3,20})?) allerg(?:y|ies)\b"),
    row("identity", r"^(?:i|i've) (?:have |suffer from |got |live with |was (?:just |recently )?diagnosed with )+"
        r"(?:an? |mild |severe |type (?:1|2|one|two) )*(?:asthma|diabetes|epilepsy|adhd|add|dyslexia|arthritis"
        r"|migraines?|celiac disease|coeliac disease|ibs|hypertension|high blood pressure|anxiety|depression|autism"
        r"|lactose intolerance|crohn's|eczema|a pacemaker|tinnitus|dyspraxia|hay fever)\b", importance=0.85),
    row("diet", rf"^(?:i'm|i am) (?:not|no longer) (?:an? )?{DIET}", importance=0.8, polarity="negative"),
    row("diet", r"^(?:i|i've|i have|i'm|i am) (?:now |just |recently |finally )*(?:eat|ate|eating|started (?:eating"
        r"|to eat)|gone back to eating|went back to eating) (?P<value>meat|fish|chicken|beef|dairy|eggs"
        r"|gluten) (?:again|now)\b", importance=0.8, fills="eats {value}"),
    row("diet", rf"{I_AM}{DIET}"),
    row("diet", rf"{I_HAVE}(?:switched|changed|moved) to an? {DIET} diet\b"),
    row("diet", rf"^(?:i've|i have) been (?:an? |strictly ){{0,2}}{DIET}"),
    row("diet", rf"^(?:i (?:now |currently )?(?:follow|eat|keep|have)|i'm (?:now )?on|i am (?:now )?on) an? (?:strict "
        rf"|strictly )?{DIET} diet\b"),
    row("diet", rf"{I_HAVE}(?:went|gone|go|turned|became|become) {DIET}"),
    row("marital_status", rf"{I_AM}(?:happily |newly |recently |back to being )?(?P<value>married{_MARRIED_TO_NO_THING}"
        r"|single(?! (?:minded|handed|most)|-)|divorced|engaged(?! (?:in|with|by))|widowed)\b"),
    row("marital_status", r"^(?:i'm|i am) (?:not|no longer) (?P<value>married|single|engaged)\b", importance=0.7,
        polarity="negative"),
    row("fact", rf"^(?:i was|i used to be|i worked as|i've been|i have been) (?:an? |the )?(?:former |full-time "
        rf"|part-time )?{ANY_PROFESSION}"),
    row("marital_status", rf"{I_HAVE}(?:got|gotten|get) (?P<value>married|divorced|engaged(?! (?:in|with|by)))\b"),
    row("marital_status", r"^(?:(?:my (?:boyfriend|girlfriend|partner|fiancée?|ex|wife|husband)(?: [A-Z]\w{1,20})? and "
        r"i|i|we|i and my \w{3,12})(?: have|'ve)?(?: just| recently| finally)? (?:broke up|broken up|split up|separated"
        r"|are no longer together|aren't together anymore))\b(?! the\b| my\b| into\b)", fills="separated"),
    row("job", rf"^(?:i'm|i am) (?:now |currently |actually |also |just )*(?:working as )?(?:an?|the|our|your) "
        rf"{PROFESSION}{EMPLOYER}"),
    row("job", rf"{I_DO}works? as (?:an? |the )?{ANY_PROFESSION}{EMPLOYER}"),
    row("job", rf"{I_DO}(?:earn|make) (?:my|a) living as (?:an? )?{ANY_PROFESSION}"),
    row("job", rf"{I_HAVE}(?:been )?(?:got |gotten )?(?:promoted to|became|become) (?:an? |the )?{PROFESSION}"),
    row("identity", rf"^(?:i'm|i am) (?:now |currently |actually |also |just )*an? {PASTIME}", importance=0.7),
    row("speaks", rf"^(?:i|we) (?:can |also |only |mostly |fluently |natively |just )*(?:speak|understand) (?:a little "
        rf"|some |fluent |basic |native |only )*{_SPOKEN}", importance=0.8),
    row("speaks", rf"{I_AM}fluent in {_SPOKEN}", importance=0.8),
    row("speaks", rf"^i (?:grew up|was raised) speaking {_SPOKEN}", importance=0.8),
    row("native_language", rf"{I_AM}(?:a native )?(?P<value>{_LANGUAGES}) (?:native )?speaker\b"),
    row("identity", rf"{I_AM}(?:bilingual|a native (?:\w+ )?speaker)\b"),
    row("time_zone", r"^(?:i'm|i am|we're|i live|i work|we are) (?:in|on) (?:the )?(?P<value>(?:[\w/]{2,20} ){0,2}"
        r"(?:time ?zone|standard time|(?:pacific|eastern|central|mountain|greenwich) (?:standard |mean )?time)|(?:utc"
        r"|gmt) ?(?:[+-] ?\d{1,2})?|cet|cest|pst|pdt|est|edt|cst|mst|ist|jst|aest)\b"),
    row("identity", r"^(?:i'm|i am) (?:left|right)-?handed\b|^(?:i'm|i am) (?:colou?r ?blind|deaf|blind)\b"),
    # whom they live with
    _named(rf"^(?:i|we)(?: have|'ve)(?: got)?{_CALLED}"),
    _named(rf"^(?:i|we)(?:'ve| have)? (?:just )?(?:got|adopted){_CALLED}", MemoryType.EVENT),
    # where they live and work, and what takes place
    row("lives_in", rf"{NO_MORE}live in {PLACE}", importance=0.7, polarity="negative"),
    row("left", rf"{NO_MORE}work (?:at|for) {NAME}"),
    row("left", rf"{I_HAVE}(?:left|quit|resigned from|retired from|been laid off (?:from|by)|was laid off (?:from"
        rf"|by)|got laid off (?:from|by)|got fired (?:from|by)|was fired (?:from|by)|was let go (?:from|by)"
        rf"|handed in my notice at|stopped working (?:at|for)|quit my job at|left my job at|left my position at) {NAME}"
        rf"(?! (?:for|to|at) (?:a|the|my|lunch|work)\b)"),
    row("lives_in", rf"{I_DO}(?:live|reside) (?:in|near|at) {PLACE}"),
    row("lives_in", rf"{I_AM}(?:living|based|staying|residing|settled) (?:in|near) {PLACE}", importance=0.7),
    row("lives_in", rf"{I_HAVE}(?:moved|relocated|emigrated)(?: back| home| house| over| out| down| up){{0,2}}"
        rf"(?: from [\w ]{{1,30}}?)? (?:to|into) {PLACE}"),
    row("lives_in", rf"{I_HAVE}been (?:living|based) in {PLACE}", importance=0.7),
    row("lives_in", rf"^(?:i've|i have|we've|we have) {ADVERB}{{0,2}}lived in {PLACE} (?:for|since|all my life"
        rf"|ever since)\b", importance=0.7),
    row("lives_in", rf"{I_HAVE}settled (?:down )?in {PLACE}"),
    row("lives_in", rf"{I_AM}in {PLACE} now,? (?:i |we )?(?:just )?(?:moved|relocated)\b"),
    row("works_at", rf"{I_HAVE}been (?:at|working (?:at|for|with)) {NAME} (?:for|since)\b"),
    row("works_at", rf"{I_HAVE}been with {_NO_PERSON}{NAME} (?:for|since)\b"),
    row("fact", r"^(?:i|i'm|i am|i'm now|i now)(?: now)? (?:weigh|weighing|(?:back )?down to|(?:back )?up to) (?:about "
        r"|around )?(?P<value>\d[\d.,]{0,6} ?(?:kg|kgs|kilos?|lbs?|pounds?|stone))\b", slot="weight"),
    row("works_at", rf"^(?:i'm|i am) (?:now )?at {NAME} these days\b", importance=0.7),
    row("works_at", rf"{I_DO}work (?:at|for|with) {NAME}"),
    row("works_at", rf"{I_AM}(?:working|employed) (?:at|for|by) {NAME}"),
    row("works_at", rf"{I_HAVE}(?:started (?:working )?(?:at|with)|joined(?= [A-Z][\w &.-]{{0,40}} as (?:an?|the"
        rf"|their) )|got hired (?:at|by)|been hired by|was hired by|(?:got|started|accepted|took|landed|found|begun"
        rf"|began|start) (?:a |an |my |the )?(?:new |first )?(?:job|position|role|offer|gig)(?: as (?:an? "
        rf")?[\w -]{{3,30}}?)? (?:at|with|from)) {NAME}"),
    row("fact", rf"{I_AM}(?:starting|joining)(?: (?:a |my )?(?:new )?(?:job|position|role))?(?: at| with)? {NAME}(?= "
        rf"(?:on|in|next|as|soon)|[.!]|$)", importance=0.7),
    row("studies_at", rf"{I_DO}(?:study|go to (?:school|college|university)|am enrolled) at {NAME}"),
    row("studies_at", rf"{I_AM}(?:studying|enrolled) at {NAME}"),
    row("attribute", rf"^(?:i|we)(?:'ve| have)?(?: just| now| had to| have to| need to)* (?:{_CHANGED}|raise"
        rf"|agreed to raise|agreed to cut) (?:my|our|the) {_MODIFIERS}{_ATTRIBUTE}(?: (?:for|of) (?:the )?"
        rf"(?P<of>[\w'’ -]{{1,40}}?))?(?: from [\w$€£.,% ]{{1,25}}?)? to {VALUE}"),
    *_when(
        rf"^(?:i|we)(?:'ve| have|'ll| will|'re)?(?: just| now| had to| have to| need to| going to)* "
        rf"(?:{_RESCHEDULED}|push|move|postpone|shift|reschedule|delay)(?: back)? (?:my|our|the) {_EVENT} "
        rf"(?:from [\w: ]{{1,25}}? )?(?:to|for|until|till) "
    ),
    # projects
    *(
        row("version", rf"^(?:i|we)(?:'ve| have)?(?: just| now)? {_UPGRADED} (?:the |our )?{_PROJECT}{to}")
        for to in _TO_VERSION
    ),
    row("attribute", rf"^(?:i|we)(?:'ve| have)?(?: got| now have)? {_FIGURE} for (?:the )?{_PROJECT}(?:,| -|:"
        rf"| and) (?:and )?(?:that's|that is|it's|this is|which is) (?:the|our|my) (?:whole |total |full )?{_LIMIT}\b"),
    row("fact", rf"^we(?:'re|'ll| are| will)? (?:now )?(?:launch|launching|ship|shipping) {_PROJECT} on {_DATE}",
        slot="launch date"),
)  # fmt: skip
"""Of clauses whose subject is the speaker."""
IDENTITY: tuple[Pattern, ...] = (
    row("name", rf"^my (?:full |first |real |last |new )?name(?:'s| is)(?: now)? (?P<value>(?!on\b|in\b|not\b|the\b|a\b"
        rf"|an\b|too\b|also\b|pronounced|spelled|now\b)\w[\w'’-]{{0,30}}(?: (?-i:{CAPITALS}))?)"),
    row("name", rf"^(?:please |you can |just |everyone |people |friends |my friends ){{0,2}}calls? me {NAME}"),
    row("pronouns", r"^my pronouns are (?P<value>[\w/]{2,20})"),
    row("birthday", rf"^my (?:birthday|bday)(?:'s| is)(?! (?:coming|next|this|so|almost|soon|today|tomorrow|over|not|a"
        rf"|party)\b)(?: on)?(?: the)? {VALUE}"),
    row("native_language", rf"^my (?:native|first|mother) (?:language|tongue) is {NAME}"),
    row("time_zone", rf"^my (?:time ?zone|tz)(?:'s| is)(?: now)? {VALUE}"),
    row("job", r"^my (?:job|job title|title|role|occupation|profession)(?:'s| is)(?: now)?(?: an?| the)? "
        r"(?P<value>[\w -]{3,40})"),
    row("identity", r"^my (?:food |drug |known )?allerg(?:y|ies)(?: is| are|:) (?:to )?(?P<value>[\w ,-]{3,60})",
        importance=0.9),
)  # fmt: skip
"""Who the speaker is, said by a command or of something of theirs: "call me", "my name is"."""
_HOUSEHOLD: tuple[Pattern, ...] = (
    _named(rf"^(?:my|our) {_OLDER}{_KIN}(?:['’]s name is| is (?:named|called)|['’]s (?:named|called)) {NAME}"),
)  # fmt: skip
THINGS: tuple[Pattern, ...] = (
    # projects
    row("fact", rf"^(?:the |our |my )?{_PROJECT} (?:is|are)(?: now)? due (?:on|by) {_DATE}", slot="deadline"),
    row("fact", rf"^(?:the |our )?{_PROJECT}(?: now)? {_LAUNCHES}(?: now)? (?:on|by) {_DATE}", slot="launch date"),
    *(
        row("fact", rf"^{NAME}(?: now)? (?:{active}) (?:the |our )?{_PROJECT}{_CLOSES}", slot=role)
        for role, (active, _) in _LEADS.items()
    ),
    *(
        row("fact", rf"^(?:the |our )?{_PROJECT} is(?: now)? (?:{passive})(?: now)? by {NAME}", slot=role)
        for role, (_, passive) in _LEADS.items()
    ),
    row("fact", rf"^{NAME} (?:has |have )?(?:just )?(?:took|taken) over {_PROJECT} from ", slot="lead"),
    row("fact", rf"^(?:the )?ownership of {_PROJECT} {_HANDED}(?: from (?-i:{CAPITALS}))? to {NAME}", slot="owner"),
    row("attribute", rf"^{NAME} is(?: now)? {_ROLE_OF}{_CLOSES}"),
    row("attribute", rf"^{NAME} (?:has |have )?(?:replaced|succeeded) [\w ]{{1,60}}? as {_ROLE_OF}{_CLOSES}"),
    row("attribute", rf"^(?:they|management|the \w{{3,15}}|(?-i:{CAPITALS})) (?:have |has |just )*"
        rf"(?:approved|confirmed|granted|agreed on) {_FIGURE} as (?:the |our )?(?:new )?{_PROJECT} {_LIMIT}\b"),
    *(
        row("version", rf"^(?:they(?:'ve| have)?(?: just)? {_UPGRADED} (?:the |our )?{_PROJECT}|(?:the "
            rf"|our )?{_PROJECT.replace('<of>', '<owner>')} (?:was |has been |got |has |just |now )*{_UPGRADED})" + to)
        for to in _TO_VERSION
    ),
    row("version", rf"^(?:the |our )?{_PROJECT}(?: now| still)? (?:runs on|uses)(?: now)? {_PRODUCT} {_NUMBER}"),
    row("version", rf"^(?:the |our )?{_PROJECT} is(?: now| still)? on(?: now)? {_KNOWN} {_NUMBER}"),
    # attributes, and what takes place
    row("lives_in", rf"^(?:my|our) (?:new )?(?:flat|apartment|house|home|place) is in {PLACE}", importance=0.7),
    row("works_at", rf"^(?:my|our) (?:new |current )?employer(?:'s| is)(?: now)? {NAME}"),
    row("attribute",
        r"^(?:my|our)(?: new)? (?P<attribute>phone|car|laptop|bike|camera|tablet|watch) is(?: now)? (?:an? )?(?P<value>"
        r"(?:[\w-]{1,20} ){0,2}?[\w-]{0,20}(?-i:[A-Z0-9])[\w-]{0,20}(?: [A-Z0-9][\w-]{0,20}){0,2})(?= now\b|[.,!]|$)"),
    row("attribute", rf"^my(?: new)? (?P<attribute>girlfriend|boyfriend|partner|wife|husband|fianc[eé]e?|boss|flatmate"
        rf"|roommate|therapist|coach|trainer)(?:'s| is)(?: now)? {_NO_DEMONYM}{NAME}(?= now\b|[.,!]|$)"),
    *_when(rf"{_WHOSE}{_EVENT}{_TAKES_PLACE}"),
    row("attribute", rf"{_WHOSE}{_MODIFIERS}{_ATTRIBUTE}(?: (?:for|of|at|in) (?:the )?"
        rf"(?P<of>[\w'’ -]{{1,40}}?))?{_IS_NOW}{_NO_VERDICT} {VALUE}"),
    row("attribute", rf"^(?P<owner>(?:(?:the|our|my) )?[\w-]{{2,30}}(?: [\w-]{{2,30}})?)['’]s? "
        rf"(?:new )?{_ATTRIBUTE}{_IS_NOW}{_NO_VERDICT} {VALUE}"),
    row("attribute", rf"^(?:they|the \w{{3,15}}|finance|management|(?-i:{CAPITALS})) (?:have |has |just )*{_CHANGED} "
        rf"(?:my|our|the) {_MODIFIERS}{_ATTRIBUTE}(?: (?:for|of) (?:the )?(?P<of>[\w'’ -]{{1,40}}?))?(?: from "
        rf"[\w$€£.,% ]{{1,25}}?)? to {VALUE}"),
)  # fmt: skip
"""Of clauses about projects and other things."""
OTHERS: tuple[Pattern, ...] = (
    row("fact", rf"^(?P<who>(?-i:{CAPITALS}) and (?-i:{CAPITALS})) (?:have |just |recently |finally |are |aren't "
        rf"|are not |got )*(?P<value>broke up|broken up|split up|separated|divorced|no longer together|together anymore"
        rf"|together|dating|married|engaged)\b", slot="relationship"),
    row("prefers", rf"^{PERSON}{_ALSO} (?:prefers|would rather have) (?P<value>[\w '+#.-]{{1,40}}?) (?:to|over|than"
        rf"|instead of|rather than) (?P<other>[\w '+#-]{{1,40}})", importance=0.65),
    _taste(r"(?:hates|dislikes|detests|loathes|avoids|can't stand|cannot stand|doesn't (?:like|love|enjoy|eat|drink)"
        r"|does not (?:like|love|enjoy|eat|drink)|never (?:eats|drinks)|no longer (?:likes|eats|drinks|enjoys)"
        r"|isn't (?:a fan of|into)|is not (?:a fan of|into)|is no longer into|gave up|went off)", "negative"),
    _taste(r"(?:likes|loves|enjoys|adores|prefers|favou?rs|is (?:a (?:big |huge )?fan of|fond of|into|obsessed with"
        r"|keen on|crazy about|passionate about))(?! (?:you|your|when|how|the way|it|that|this)\b)"),
    _fact(rf" (?:lives in|moved (?:back )?to|relocated to|is living in|is based in|is moving to"
        rf"|has moved to) {NAME}", "lives_in"),
    _fact(r" (?:no longer lives|doesn't live|does not live) in " + NAME, "lives_in", polarity="negative"),
    _fact(rf" (?:works (?:at|for)|is working (?:at|for)|started (?:working )?at|joined|got a (?:new )?job at"
        rf"|started a new job at) {NAME}(?! (?:and|for) )", "works_at"),
    _fact(rf" (?:left|quit|no longer works (?:at|for)|doesn't work (?:at|for)|was laid off (?:from|by)|was fired "
        rf"(?:from|by)|resigned from) {NAME}", "works_at", polarity="negative"),
    _fact(rf"(?: works as| is|'s)(?: now| still)?(?: an?| the| our| my) (?:new )?{ANY_PROFESSION}", "job"),
    _fact(rf" (?:was promoted to|got promoted to|became|has become)(?: an?| the| our)? {PROFESSION}", "job"),
    _fact(rf" is(?: now)?(?: an?| strictly)? {DIET}", "diet"),
    _fact(rf" is (?:not|no longer) (?:an? )?{DIET}", "diet", polarity="negative"),
    _fact(rf" is (?:severely |deathly |very )?(?:allergic|intolerant) to {VALUE}", "allergic_to", several=True,
        importance=0.75),
    _fact(r"(?:'s| is)(?: now| still| happily)? (?P<value>married|single|divorced|engaged|widowed|pregnant|retired)\b"
        r"(?! in\b)", "status"),
    _fact(
        r"(?:'s birthday| 's bday) is(?! (?:coming|next|this|so|almost|soon|today|tomorrow))(?: on)?(?: the)? " + VALUE,
        "birthday", grounded=False),
    _fact(r" was born (?:on|in) (?!a\b)", None, grounded=False),
    _fact(r" (?:speaks|studies|teaches|plays|drives|owns|has|wears|collects|sings|runs|manages|leads|coaches|volunteers"
        r"|commutes|rides|breeds|sells|handles|reports to|takes care of|is responsible for|is in charge of|is (?:my"
        r"|our) |will be|goes to|graduated|retired|died|passed away|gave birth|got (?:married|engaged|divorced|promoted"
        r"|fired|hired)|had a baby|turned \d|is (?:turning )?\d|is getting married|is expecting|is learning|is studying"
        r"|is (?:from|born)|comes from|grew up|used to)\b(?=[^.!?]{0,150})"),
    _fact(r" (?:usually|always|never|often|rarely|regularly) [a-z]{2,15}s\b"),
)  # fmt: skip
"""Of clauses about other persons."""
_NAMED: tuple[Pattern, ...] = (
    row("native_language", rf"^(?P<value>{_LANGUAGES}) is my (?:mother tongue|(?:native|first) (?:language|tongue))\b"),
    _named(rf"^(?!(?:it|this|that|he|she|here|there|who|what|which) ){NAME} is (?:my|our) {_OLDER}{_KIN}\b(?!['’]s)"),
    row("lives_in", rf"^home is (?:now )?{PLACE}(?: for (?:me|us))?\b"),
    row("lives_in", rf"^(?!(?:this|that|it|there|here) ){PLACE} is (?:now )?(?:my |our )?(?:new )?home(?: now"
        rf"| these days)?(?=[.!]*$)"),
    row("works_at", rf"^{NAME} (?:has |have )?(?:just |now )?hired (?:me|us)\b"),
)  # fmt: skip
POSSESSED: tuple[Pattern, ...] = (*IDENTITY, *_HOUSEHOLD, *THINGS)
"""Of clauses about something of the speaker's."""
NAMED: tuple[Pattern, ...] = (*_NAMED, *THINGS)
"""Of clauses that open with a name."""
