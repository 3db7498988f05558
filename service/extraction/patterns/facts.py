"""Where the speaker lives and works, what the attributes of things are, and when and where things take place."""

from __future__ import annotations

from service.extraction.mentions import FIRST_NAMES
from service.extraction.patterns.grammar import (
    ADVERB,
    CAPITALS,
    EVENT_NOUN,
    I_AM,
    I_DO,
    I_HAVE,
    NAME,
    NO_MORE,
    PLACE,
    VALUE,
    row,
)
from service.extraction.rows import Row

_ATTRIBUTE = (
    r"(?P<attribute>deadline|budget|due date|launch date|release date|start date|end date|price|cost|port|version|owner"
    r"|address|e-?mail(?: address)?|phone number|number|timezone|time zone|capital|target|limit|rent|salary|location"
    r"|venue"
    r"|codename|height|weight|blood type|major|hometown|nickname|quota|headcount|license|hostname|region|password"
    r"|passcode|pin|code|eta|fee|rate|plan|manager|boss|supervisor|landlord|doctor|dentist|gym|car|phone|laptop"
    r"|editor|shell|database|framework|supplier|vendor|provider|theme|colou?r|mascot|headquarters|office|team lead"
    r"|tech lead"
    r"|lead|sponsor|contact|maintainer|insurance|bank|username|shoe size|shirt size|ring size|desk|room|schedule"
    r"|working hours|office hours|opening hours|hourly rate|revenue|valuation|score|runway|forecast|estimate"
    r"|goal weight"
    r"|kubernetes version|python version|node version|wifi|ssid|repo|repository|style guide|staging url|url|domain"
    r"|website)"
)
_CHANGED = (
    r"(?:changed|moved|raised|cut|increased|reduced|lowered|updated|set|bumped|revised|pushed|dropped|went up|went down"
    r"|goes up|rose|fell|grew|switched|slashed|trimmed|slipped|rescheduled|postponed|shifted|went|gone|jumped|climbed"
    r"|shrank|doubled|tripled|halved)"
)
_IS_NOW = (
    rf"(?:(?:'s| is| are| will be| is going to be)(?: now| currently| actually| now set to| set to| still)?"
    rf"|(?: was| were| has been| have been| got| has| have)?(?: just| now)? {_CHANGED}(?: back| up| down)?"
    rf"(?: from [\w$€£.,% ]{{1,25}}?)? to"
    r"|(?: has| have)? become)"
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
    r"(?:(?:this |next |the )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|tues|wed|thu|thurs"
    r"|fri)\b"
    r"|(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:january|february|march|april|may|june|july|august|september"
    r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\b|the \d{1,2}(?:st|nd|rd|th)\b"
    r"|(?:19|20)\d\d-\d\d-\d\d|tomorrow|today|next (?:week|month|year)|the (?:day|week) after)"
)
_TIME = r"(?:\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)?|noon|midnight|half past \w+)(?![\w:])"
_RESCHEDULED = (
    r"(?:moved|pushed|postponed|rescheduled|brought forward|changed|shifted|delayed|scheduled|set|planned|bumped"
    r"|slipped|put off"
    r"|pulled forward|moving|booked)(?: back| forward| up| out| again)?"
)
_EVENT = (
    rf"(?P<event>(?:(?!(?:is|was|of|and|that|to|next|last|this) )[\w'’&/-]{{1,30}} ){{0,3}}?{EVENT_NOUN}"
    rf"(?: (?:with|for|about) (?:the )?[\w'’&/ -]{{1,40}}?)?)"
)
_TAKES_PLACE = (
    rf"(?:(?:'s| is| will be| has been| was| got| is being| gets| has)?(?: now| just)* ?"
    rf"(?:{_RESCHEDULED})?(?: (?:from [\w: ]{{1,25}}? )?(?:to|on|for|until|till|at|in))?(?: now)? )"
)


def _when(regex: str) -> tuple[Row, ...]:
    """Rows for the day, and for the time of day, that end a sentence about something that takes place."""
    day = rf"(?P<value>{DAY}[^,.;!?]{{0,40}})"
    time = rf"(?P<value>{_TIME})"
    return (
        row("event date", regex + day),
        row("event time", regex + time),
    )


SPEAKER: tuple[Row, ...] = (
    row("lives_in", rf"{NO_MORE}live in {PLACE}", importance=0.7, polarity="negative"),
    row("works_at", rf"{NO_MORE}work (?:at|for) {NAME}", importance=0.7, polarity="negative"),
    row("works_at",
        rf"{I_HAVE}(?:left|quit|resigned from|retired from|been laid off (?:from|by)|was laid off (?:from|by)"
        rf"|got laid off (?:from|by)"
        rf"|got fired (?:from|by)|was fired (?:from|by)|was let go (?:from|by)|handed in my notice at"
        rf"|stopped working (?:at|for)"
        rf"|quit my job at|left my job at|left my position at) {NAME}(?! (?:for|to|at) (?:a|the|my|lunch|work)\b)",
        importance=0.7, polarity="negative"),
    row("lives_in", rf"{I_DO}(?:live|reside) (?:in|near|at) {PLACE}"),
    row("lives_in", rf"{I_AM}(?:living|based|staying|residing|settled) (?:in|near) {PLACE}", importance=0.7),
    row("lives_in", rf"{I_HAVE}(?:moved|relocated|emigrated)(?: back| home| house| over| out| down| up){{0,2}}"
        rf"(?: from [\w ]{{1,30}}?)? (?:to|into) {PLACE}"),
    row("lives_in", rf"{I_HAVE}been (?:living|based) in {PLACE}", importance=0.7),
    row("lives_in",
        rf"^(?:i've|i have|we've|we have) {ADVERB}{{0,2}}lived in {PLACE} (?:for|since|all my life|ever since)\b",
        importance=0.7),
    row("lives_in", rf"{I_HAVE}settled (?:down )?in {PLACE}"),
    row("lives_in", rf"{I_AM}in {PLACE} now,? (?:i |we )?(?:just )?(?:moved|relocated)\b"),
    row("works_at", rf"{I_HAVE}been (?:at|working (?:at|for|with)) {NAME} (?:for|since)\b"),
    row("works_at", rf"{I_HAVE}been with {_NO_PERSON}{NAME} (?:for|since)\b"),
    row("fact", r"^(?:i|i'm|i am|i'm now|i now)(?: now)? (?:weigh|weighing|(?:back )?down to|(?:back )?up to) "
        r"(?:about |around )?"
        r"(?P<value>\d[\d.,]{0,6} ?(?:kg|kgs|kilos?|lbs?|pounds?|stone))\b", slot="weight"),
    row("works_at", rf"^(?:i'm|i am) (?:now )?at {NAME} these days\b", importance=0.7),
    row("works_at", rf"{I_DO}work (?:at|for|with) {NAME}"),
    row("works_at", rf"{I_AM}(?:working|employed) (?:at|for|by) {NAME}"),
    row("works_at",
        rf"{I_HAVE}(?:started (?:working )?(?:at|with)|joined(?= [A-Z][\w &.-]{{0,40}} as (?:an?|the|their) )"
        rf"|got hired (?:at|by)|been hired by|was hired by"
        rf"|(?:got|started|accepted|took|landed|found|begun|began|start) (?:a |an |my |the )?(?:new |first )?(?:job"
        rf"|position|role|offer|gig)"
        rf"(?: as (?:an? )?[\w -]{{3,30}}?)? (?:at|with|from)) {NAME}"),
    row("fact",
        rf"{I_AM}(?:starting|joining)(?: (?:a |my )?(?:new )?(?:job|position|role))?(?: at| with)? {NAME}(?= (?:on"
        rf"|in|next|as|soon)|[.!]|$)", importance=0.7),
    row("studies_at", rf"{I_DO}(?:study|go to (?:school|college|university)|am enrolled) at {NAME}"),
    row("studies_at", rf"{I_AM}(?:studying|enrolled) at {NAME}"),
    row("attribute", rf"^(?:i|we)(?:'ve| have)?(?: just| now| had to| have to| need to)* "
        rf"(?:{_CHANGED}|raise|agreed to raise|agreed to cut) "
        rf"(?:my|our|the) {_MODIFIERS}{_ATTRIBUTE}"
        rf"(?: (?:for|of) (?:the )?(?P<of>[\w'’ -]{{1,40}}?))?(?: from [\w$€£.,% ]{{1,25}}?)? to {VALUE}"),
    *_when(
        rf"^(?:i|we)(?:'ve| have|'ll| will|'re)?(?: just| now| had to| have to| need to| going to)* "
        rf"(?:{_RESCHEDULED}|push|move|postpone|shift|reschedule|delay)(?: back)? (?:my|our|the) {_EVENT} "
        rf"(?:from [\w: ]{{1,25}}? )?(?:to|for|until|till) "
    ),
)  # fmt: skip
NAMED: tuple[Row, ...] = (
    row("lives_in", rf"^home is (?:now )?{PLACE}(?: for (?:me|us))?\b"),
    row("lives_in",
        rf"^(?!(?:this|that|it|there|here) ){PLACE} is (?:now )?(?:my |our )?(?:new )?home(?: now| these days)?"
        r"(?=[.!]*$)"),
    row("works_at", rf"^{NAME} (?:has |have )?(?:just |now )?hired (?:me|us)\b"),
)  # fmt: skip
OTHER: tuple[Row, ...] = (
    row("lives_in", rf"^(?:my|our) (?:new )?(?:flat|apartment|house|home|place) is in {PLACE}", importance=0.7),
    row("works_at", rf"^(?:my|our) (?:new |current )?employer(?:'s| is)(?: now)? {NAME}"),
    row("attribute",
        r"^(?:my|our)(?: new)? (?P<attribute>phone|car|laptop|bike|camera|tablet|watch) is(?: now)? (?:an? )?"
        r"(?P<value>(?:[\w-]{1,20} ){0,2}?[\w-]{0,20}(?-i:[A-Z0-9])[\w-]{0,20}(?: [A-Z0-9][\w-]{0,20}){0,2})"
        r"(?= now\b|[.,!]|$)"),
    row("attribute",
        rf"^my(?: new)? (?P<attribute>girlfriend|boyfriend|partner|wife|husband|fianc[eé]e?|boss|flatmate|roommate"
        rf"|therapist|coach|trainer)(?:'s| is)(?: now)? {_NO_DEMONYM}{NAME}(?= now\b|[.,!]|$)"),
    *_when(rf"{_WHOSE}{_EVENT}{_TAKES_PLACE}"),
    row("attribute", rf"{_WHOSE}{_MODIFIERS}{_ATTRIBUTE}(?: (?:for|of|at|in) (?:the )?"
        rf"(?P<of>[\w'’ -]{{1,40}}?))?{_IS_NOW}{_NO_VERDICT} {VALUE}"),
    row("attribute", rf"^(?P<owner>(?:(?:the|our|my) )?[\w-]{{2,30}}(?: [\w-]{{2,30}})?)['’]s? "
        rf"(?:new )?{_ATTRIBUTE}{_IS_NOW}{_NO_VERDICT} {VALUE}"),
    row("attribute",
        rf"^(?:they|the \w{{3,15}}|finance|management|(?-i:{CAPITALS})) (?:have |has |just )*{_CHANGED} (?:my|our"
        rf"|the) {_MODIFIERS}{_ATTRIBUTE}"
        rf"(?: (?:for|of) (?:the )?(?P<of>[\w'’ -]{{1,40}}?))?(?: from [\w$€£.,% ]{{1,25}}?)? to {VALUE}"),
)  # fmt: skip
