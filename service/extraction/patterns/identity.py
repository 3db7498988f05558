"""Who the speaker is: name, origin, health, family status, profession, languages, time zone."""

from __future__ import annotations

from service.extraction.patterns.grammar import (
    ANY_PROFESSION,
    CAPITALS,
    DIET,
    EMPLOYER,
    I_AM,
    I_DO,
    I_HAVE,
    NAME,
    PASTIME,
    PLACE,
    PROFESSION,
    VALUE,
    row,
)
from service.extraction.rows import Row

_LANGUAGES = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|russian|ukrainian|polish|turkish|arabic|hebrew|hindi"
    r"|urdu"
    r"|bengali|tamil|mandarin|cantonese|chinese|japanese|korean|vietnamese|thai|swedish|norwegian|danish|finnish|greek"
    r"|czech|hungarian|romanian|armenian|persian|farsi|swahili|catalan|croatian|serbian|bulgarian|latin|welsh|irish)"
)
_MARRIED_TO_NO_THING = r"(?! to (?:my|the) (?:job|work|laptop|phone|couch|bed|computer|code|sofa|keyboard)\b)"

_SPOKEN = rf"(?P<value>{_LANGUAGES}(?:(?:,| and|, and) {_LANGUAGES}){{0,4}})\b"


SPEAKER: tuple[Row, ...] = (
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
    row("allergic_to",
        r"^(?:i|we) (?:do )?(?:have|suffer from) (?:an? )?(?:\w{2,12} )?(?P<value>[\w-]{3,20}(?: \w{3,20})?) allerg"
        r"(?:y|ies)\b"),
    row("identity",
        r"^(?:i|i've) (?:have |suffer from |got |live with |was (?:just |recently )?diagnosed with )+(?:an? |mild "
        r"|severe "
        r"|type (?:1|2|one|two) )*(?:asthma|diabetes|epilepsy|adhd|add|dyslexia|arthritis|migraines?|celiac disease"
        r"|coeliac disease|ibs|hypertension|high blood pressure|anxiety|depression|autism|lactose intolerance"
        r"|crohn's|eczema|a pacemaker|tinnitus|dyspraxia|hay fever)\b", importance=0.85),
    row("diet", rf"^(?:i'm|i am) (?:not|no longer) (?:an? )?{DIET}", importance=0.8, polarity="negative"),
    row("diet",
        r"^(?:i|i've|i have|i'm|i am) (?:now |just |recently |finally )*(?:eat|ate|eating|started (?:eating|to eat)"
        r"|gone"
        r" back to eating|went back to eating) (?P<value>meat|fish|chicken|beef|dairy|eggs|gluten) (?:again|now)\b",
        importance=0.8, fills="eats {value}"),
    row("diet", rf"{I_AM}{DIET}"),
    row("diet", rf"{I_HAVE}(?:switched|changed|moved) to an? {DIET} diet\b"),
    row("diet", rf"^(?:i've|i have) been (?:an? |strictly ){{0,2}}{DIET}"),
    row("diet", rf"^(?:i (?:now |currently )?(?:follow|eat|keep|have)|i'm (?:now )?on|i am (?:now )?on) an? (?:strict "
        rf"|strictly )?"
        rf"{DIET} diet\b"),
    row("diet", rf"{I_HAVE}(?:went|gone|go|turned|became|become) {DIET}"),
    row("marital_status", rf"{I_AM}(?:happily |newly |recently |back to being )?(?P<value>married{_MARRIED_TO_NO_THING}"
        r"|single(?! (?:minded|handed|most)|-)|divorced|engaged(?! (?:in|with|by))|widowed)\b"),
    row("marital_status", r"^(?:i'm|i am) (?:not|no longer) (?P<value>married|single|engaged)\b", importance=0.7,
        polarity="negative"),
    row("fact", rf"^(?:i was|i used to be|i worked as|i've been|i have been) (?:an? |the )?(?:former |full-time "
        rf"|part-time )?{ANY_PROFESSION}"),
    row("marital_status", rf"{I_HAVE}(?:got|gotten|get) (?P<value>married|divorced|engaged(?! (?:in|with|by)))\b"),
    row("marital_status",
        r"^(?:(?:my (?:boyfriend|girlfriend|partner|fiancée?|ex|wife|husband)(?: [A-Z]\w{1,20})? and i|i|we"
        r"|i and my \w{3,12})"
        r"(?: have|'ve)?(?: just| recently| finally)? (?:broke up|broken up|split up|separated|are no longer together"
        r"|aren't together anymore))\b(?! the\b| my\b| into\b)", fills="separated"),
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
    row("time_zone",
        r"^(?:i'm|i am|we're|i live|i work|we are) (?:in|on) (?:the )?(?P<value>(?:[\w/]{2,20} ){0,2}(?:time ?zone"
        r"|standard time"
        r"|(?:pacific|eastern|central|mountain|greenwich) (?:standard |mean )?time)|(?:utc|gmt) ?(?:[+-] ?\d{1,2})?"
        r"|cet|cest|pst|pdt|est|edt|cst|mst|ist|jst|aest)\b"),
    row("identity", r"^(?:i'm|i am) (?:left|right)-?handed\b|^(?:i'm|i am) (?:colou?r ?blind|deaf|blind)\b"),
)  # fmt: skip
OTHER: tuple[Row, ...] = (
    row("name",
        rf"^my (?:full |first |real |last |new )?name(?:'s| is)(?: now)? (?P<value>(?!on\b|in\b|not\b|the\b|a\b|an\b"
        rf"|too\b"
        rf"|also\b|pronounced|spelled|now\b)\w[\w'’-]{{0,30}}(?: (?-i:{CAPITALS}))?)"),
    row("name", rf"^(?:please |you can |just |everyone |people |friends |my friends ){{0,2}}calls? me {NAME}"),
    row("pronouns", r"^my pronouns are (?P<value>[\w/]{2,20})"),
    row("birthday",
        rf"^my (?:birthday|bday)(?:'s| is)(?! (?:coming|next|this|so|almost|soon|today|tomorrow|over|not|a|party)\b)"
        rf"(?: on)?(?: the)? {VALUE}"),
    row("native_language", rf"^my (?:native|first|mother) (?:language|tongue) is {NAME}"),
    row("time_zone", rf"^my (?:time ?zone|tz)(?:'s| is)(?: now)? {VALUE}"),
    row("job", r"^my (?:job|job title|title|role|occupation|profession)(?:'s| is)(?: now)?(?: an?| the)? "
        r"(?P<value>[\w -]{3,40})"),
    row("identity", r"^my (?:food |drug |known )?allerg(?:y|ies)(?: is| are|:) (?:to )?(?P<value>[\w ,-]{3,60})",
        importance=0.9),
)  # fmt: skip
NAMED: tuple[Row, ...] = (
    row("native_language", rf"^(?P<value>{_LANGUAGES}) is my (?:mother tongue|(?:native|first) (?:language|tongue))\b"),
)  # fmt: skip
