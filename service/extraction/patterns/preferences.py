"""What the speaker likes, dislikes and prefers, and what they do as a habit."""

from __future__ import annotations

from service.extraction.patterns.grammar import ADVERB, HATE, I_AM, I_DO, I_DO_NOT, I_HAVE, LIKE, VALUE, likes, row
from service.extraction.rows import Row

_FAVORITE = r"(?:all-time )?fav(?:ou?rite|e|s)?"
_NO_HABIT = (
    r"(?!(?:know|knew|feel|felt|think|thought|wonder|wondered|want|wanted|love|like|hate|enjoy|prefer|need|mean"
    r"|meant|get|got|see|saw|hear"
    r"|heard|been|had|have|has|was|were|am|are|said|say|forget|expected|realized|did|would|will|could|can|should"
    r"|knowing|imagined"
    r"|dreamed|dreamt|hope|hoped|believed|wish|wished|seem|end up|find myself|found|noticed|understood|tried|went"
    r"|met|liked|loved|came|told"
    r"|ask|thank|agree|be|gave|made|took|used|saw|bought|owned|learned|received|heard|got)\b)"
)
_FREQUENCY = (
    r"(?:usually|always|never|often|typically|normally|generally|rarely|hardly ever|seldom|regularly|mostly|tend to"
    r"|try to always"
    r"|make sure to always|make a point of)"
)

SPEAKER: tuple[Row, ...] = (
    row("prefers", rf"^(?:i|we)(?:'d| would| do)? {ADVERB}{{0,2}}(?:prefer|rather)(?: have)? (?!not\b)"
        rf"(?P<value>[\w '+#.-]{{1,40}}?) (?:to|over|than|instead of"
        rf"|rather than) (?P<other>[\w '+#-]{{1,40}})"),
    row("abstains",
        r"^(?:i|we) (?:really |just |also )*(?:never|don't|do not|no longer) (?P<value>smoke|vape|gamble|drink"
        r"|drive)(?: anymore| any ?more| at all| ever)?[.!]*$"),
    row("abstains",
        r"^(?:i|we)(?:'ve| have)? (?:recently |finally )?(?:quit|stopped|gave up|given up) (?P<value>smok|vap|gambl"
        r"|drink|driv)ing\b"),
    likes(rf"{I_DO_NOT}(?:like|love|enjoy|care for|fancy|eat|drink) ", "negative"),
    likes(rf"{I_AM}not (?:really |much of )?(?:an? )?(?:big |huge )?(?:fan of|into|fond of|keen on|crazy about"
        rf"|comfortable with) ", "negative"),
    likes(rf"{I_AM}(?:no longer|not) (?:a fan of|into|drinking|eating) ", "negative"),
    likes(rf"{I_AM}(?:sick of|tired of|done with|so over) (?!it\b|this\b|that\b)", "negative"),
    likes(rf"^(?:i|we) {ADVERB}{{0,2}}{HATE} ", "negative"),
    likes(rf"^(?:i|we) used to {LIKE} ", "negative"),
    likes(rf"^(?:i|we) no longer (?:{LIKE}|eat|drink|use) ", "negative"),
    likes(rf"{I_HAVE}(?:quit|gave up|given up|stopped|cut out|went off|gone off|sworn off|swore off|stopped liking) "
        rf"(?!my\b|the\b|at\b|by\b|to\b|trying|working|school|college|it\b|on\b|in\b|for\b)"
        rf"(?:drinking |eating |using |liking |playing |having )?", "negative"),
    likes(r"^(?:i|we)(?:'ve| have)? never (?:really )?(?:liked|loved|enjoyed|cared for"
        r"|been (?:a fan of|into|fond of)) ", "negative"),
    likes(r"^(?:i'm|i am) (?:so |totally |completely )?over (?!\d|the (?:moon|age|hill)|here|there|it\b|that\b|this\b)",
        "negative"),
    likes(r"^(?:i|we) (?:just |really )?(?:can't|cannot) get enough of "),
    likes(rf"{I_DO}{LIKE} (?!to see\b|hearing|seeing|how|the way)"),
    likes(rf"{I_AM}(?:fan of|fond of|keen on|crazy about|obsessed with|addicted to|passionate about|into"
        rf"|loving|enjoying) (?!my time|it\b)"),
    likes(r"^(?:i|we)(?:'ve| have) always (?:loved|liked|enjoyed|been (?:passionate about|into|a fan of|fond of)) "),
    likes(r"^(?:i|we) (?:only|just) (?:drink|eat|use|like|wear|buy|listen to) "),
    row("fact", rf"^(?:i|we) (?:also |still |now |almost |nearly |just )*{_FREQUENCY} {_NO_HABIT}(?=[a-z])"),
    row("fact", rf"^as a rule,? (?:i|we) |^(?:every|each) (?:day|morning|evening|night|week|month|sunday|monday|tuesday"
        rf"|wednesday|thursday|friday|saturday|weekend),? (?:i|we) {_NO_HABIT}", importance=0.55),
)  # fmt: skip
OTHER: tuple[Row, ...] = (
    row("likes", r"^(?P<value>(?!it\b|this\b|that\b|he\b|she\b|they\b|these\b|those\b|my\b"
        r"|your\b)[\w'’-]{2,30}(?: [\w'’-]{2,30}){0,2}?)"
        r"(?: is| are|'s)(?: just| really| simply)? not for me[.!]*$", polarity="negative"),
    row("favorite",
        rf"^my {_FAVORITE} (?P<attribute>(?!part|thing|way|memory|moment)[\w-]{{2,20}}(?: [\w-]{{2,20}})?) (?:is|are"
        rf"|has to be"
        rf"|would be|has always been|used to be [\w' ]{{1,30}}, (?:but )?(?:now )?it's)(?: now)? "
        r"(?:definitely |probably |still |by far )?" + VALUE),
    row("favorite",
        rf"^(?P<value>(?!it\b|this\b|that\b|he\b|she\b)[\w'’]{{2,30}}(?: [\w'’]{{2,30}}){{0,3}}?)(?:'s| is| are)"
        rf"(?: now)? (?:definitely |still "
        rf"|probably |by far )?my {_FAVORITE}(?: (?P<attribute>\w{{3,20}})|[.!,]|$)"),
)  # fmt: skip
