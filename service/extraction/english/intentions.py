"""Patterns of tastes, decisions, todos and goals, and of what the assistant is told to do."""

from __future__ import annotations

from functools import lru_cache

from service.domain.word_lists import word_set
from service.extraction.english.grammar import (
    ADVERB,
    EVENT_NOUN,
    HATE,
    I_AM,
    I_DO,
    I_DO_NOT,
    I_HAVE,
    LIKE,
    VALUE,
    likes,
    row,
)
from service.extraction.english.lexicon import BASE_VERBS, MONTH, WEEKDAY, first_word
from service.extraction.patterns import Pattern, any_case

_FAVORITE = r"(?:all-time )?fav(?:ou?rite|e|s)?"
_NO_HABIT = (
    r"(?!(?:know|knew|feel|felt|think|thought|wonder|wondered|want|wanted|love|like|hate|enjoy|prefer|need|mean|meant"
    r"|get|got|see|saw|hear|heard|been|had|have|has|was|were|am|are|said|say|forget|expected|realized|did|would|will"
    r"|could|can|should|knowing|imagined|dreamed|dreamt|hope|hoped|believed|wish|wished|seem|end up|find myself|found"
    r"|noticed|understood|tried|went|met|liked|loved|came|told|ask|thank|agree|be|gave|made|took|used|saw|bought|owned"
    r"|learned|received|heard|got)\b)"
)
_FREQUENCY = (
    r"(?:usually|always|never|often|typically|normally|generally|rarely|hardly ever|seldom|regularly|mostly|tend to"
    r"|try to always|make sure to always|make a point of)"
)


_NOTHING_NAMED = r"(?!it\b|them\b|this[.!, ]|that\b|up\b)"
TODO_LABEL = (
    r"(?:to-?\s?do|action item|task|reminder to self|note to self|reminder|next step)(?: for (?:me|us|today"
    r"|tomorrow))?\s?[:–-] "
)
DECISION_LABEL = (
    r"(?:decided|agreed|resolved|settled|confirmed|approved|final call|verdict|conclusion|(?:final "
    r"|team )?decision)\s?[:–-] "
)
GOAL_LABEL = (
    r"(?:(?:my |our |main |new |q[1-4] )*(?:goal|objective|okr|target|aim|milestone))(?: for [\w ]{1,25})?\s?[:–-] "
)
_CHORES = (
    r"call|phone|text|buy|pick up|email|e-mail|mail|send|schedule|book|renew|pay|submit|finish|file|fix|return|cancel"
    r"|order|clean|prepare|pack|register|sign up|apply|check (?:in|out)|complete|review|update|write|write up|deliver"
    r"|get|set up|make|meet|print|upload|download|deploy|ship|contact|reply|respond|ask|replace|repair|organi[sz]e|plan"
    r"|see|visit|drop off|take|bring|wash|confirm|reschedule|find|look into|stock up|study|practice|start|do|change"
    r"|create|turn in|follow up|research|draft|install|reach out|talk|go|move|refill|feed|walk|water|ping|message"
    r"|invite|transfer|sign|migrate|merge|rotate|back up|tell|remind|invoice|collect|hand in|top up|cut|mow|paint"
    r"|measure|vote|rsvp"
)
_ERRANDS = (
    r"ping|call|phone|email|e-mail|text|message|follow up with|check in with|check with|reach out to|get back to"
    r"|talk to|buy|pick up|renew|pay|return|cancel|submit|book|reschedule|sign|mail|post|collect|water|feed|drop off"
    r"|invite|invoice|chase|order|schedule|refill|rotate|upgrade|deploy|merge|remind|nudge|thank|hand in|top up"
)
_REACHED = (
    r"launch|release|ship|reach|hit|grow|finish|complete|close|publish|deliver|double|triple|hire|raise|win"
    r"|sign|onboard|migrate|cut|reduce|open|get"
)
_DATED = (
    r"(?=[^.!?]{1,120}\b(?:by|before|until|in|on|this|next|end of|q[1-4])\b[^.!?]{0,12}(?:\d|q[1-4]\b|week|month"
    rf"|quarter|year|spring|summer|autumn|fall|winter|christmas|easter|{MONTH}|{WEEKDAY})"
    r"|[^.!?]{1,120}\b(?:tomorrow|tonight)\b)"
)
_NOT_A_COMPOUND = (
    r"(?!(?!(?:the|an?|my|our|his|her|their|if|that|whether|all|every)\b)(?:[\w'-]{1,20} ){1,2}"
    r"(?:is|are|was|were|isn't|aren't|has)\b)"
)
"""Behind a verb that is the first part of a noun: "deploy window is", "call quality is"."""
_NOT_FOR_THE_ASSISTANT = r"(?![^.!?]{0,200}\b(?:me|you|your|below|above|following|attached)\b)"


_STYLE = (
    r"(?:units?|spelling|english|german|french|spanish|italian|portuguese|chinese|japanese|formats?|formatting|tones?"
    r"|bullet points?|bullets|tabs|spaces|indentation|quotes|semicolons|emojis?|emoticons|headings?|headers?|markdown"
    r"|tables?|currency|euros?|dollars?|pounds|celsius|fahrenheit|kilomet(?:er|re)s|miles|kilos|clock|time|dates?"
    r"|type hints|type annotations|docstrings?|comments|snake_case|camelcase|camel case|snake case|language|sentences"
    r"|paragraphs|words|abbreviations|jargon|slang|acronyms|latex|json|yaml|code blocks?|citations?|sources|references"
    r"|links|footnotes|examples|disclaimers|apologies|apologizing|small talk|exclamation (?:marks?|points?)|filler"
    r"|preambles?|introductions?|summar(?:y|ies)|pronouns|nicknames?|em dashes|oxford comma|passive voice|metaphors"
    r"|titles?|numbered lists?|lists?|prose|pep ?8|style|conventions?|fonts?|themes?|mode)"
)
_TELLING = r"(?:answer|reply|respond|write|speak|talk|explain|summari[sz]e|format|address|text|message)"
_MANNER = (
    r"(?:in|with|using|as|like|only|always|more|less|briefly|concisely|short|shortly|formally|casually|honestly"
    r"|directly|politely|step by step|to me (?:in|with|as|like))"
)
_TEMPER = (
    r"(?:concise|brief|direct|blunt|formal|informal|casual|honest|specific|polite|terse|succinct|short|friendly"
    r"|critical"
    r"|sarcastic|precise|patient|kind|encouraging|professional|clear|simple|verbose|detailed|strict|neutral|funny)"
)
_WHENEVER = (
    r"(?:whenever|every time|each time|any time|anytime|when) (?:i|we|you)\b[^.!?]{3,80}, (?:please |always |never )*"
)
_STANDING = (
    r"(?:from now on|going forward|from here on|from today on|in (?:the )?future|by default|for future (?:reference"
    r"|conversations|chats|answers)"
    r"|in (?:all )?(?:your|every) (?:answers?|replies|responses)|at all times|as a rule|moving forward)"
)
_THINGS_DONE = (
    r"(?:use|using|include|including|add|adding|give|giving|answer|reply|respond|write|writing|address|start|starting"
    r"|end|ending|mention|mentioning|ask|asking|suggest|suggesting|recommend|recommending|put|cite|format|show|keep"
    r"|call|calling|speak|translate|check|confirm|explain|list|send|sending|schedule|scheduling|book|booking|contact"
    r"|email|round|convert|apologi[sz]e|apologi[sz]ing|repeat|repeating|assume|assuming|remind|wake|text|refer|provide"
    r"|be|tell|double-check|round|prefix|sign|commit|push|deploy|run|delete|share|sharing|order|cc|copy)"
)
_HIJACK = any_case(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,40}\b(?:instruction|rule|prompt|guideline|polic|safety"
    r"|filter|everything|above|previous|told)|\bsystem prompt|\bjailbreak|\bdeveloper mode|\bDAN\b|\bact as\b"
    r"|\bpretend\b|\brole-?play|\breveal\b|\bpassword|\bapi key|\bcredentials?\b|\bwithout (?:any )?(?:restrictions?"
    r"|limits|filters?)\b|\byou are (?:now )?(?:a|an|the)\b|\bno longer bound\b"
)
_ONE_OFF = any_case(
    r"\b(?:following|below|above|attached|this (?:text|code|paragraph|sentence|email|essay|function|article|data|image"
    r"|poem|story)|that you (?:just )?|the previous|your (?:last|previous)|these (?:words|sentences|numbers))\b"
)


def _told(regex: str) -> Pattern:
    return row("instruction", regex, to_assistant=True)


_INSTRUCTIONS: tuple[Pattern, ...] = (
    _told(r"^(?:i|we) (?:want|need|would like|prefer|expect) you to (?!(?:act|pretend|help|write|generate|create|give"
        r"|explain|make|tell|imagine|rewrite|provide|answer the|play|summari[sz]e|do|come up|analy[sz]e|read|review"
        r"|become|develop|list|translate|continue|find|edit|be (?:a|an|my)|design|check|correct|look|compare"
        r"|describe|suggest|respond as|reply as)\b)"),
    _told(r"^i'd (?:like|prefer) (?:it if )?you (?:to )?(?:always|never|only|not|use|used|answer|answered|call|called"
        r"|keep|kept|stop|stopped|speak|reply|replied)\b"),
    _told(r"^(?:i|we)(?:'d| would)? (?:always |only |also |now )*(?:want|need|like|prefer|expect)(?: to have"
        r"| to get)? (?:all (?:of )?)?(?:my|your|all|every|any|the) (?:\w+ ){0,2}?(?:answers?|replies|responses"
        r"|summaries|explanations|invoices|reports|emails|messages|notifications|reminders|updates|documents|code"
        r"|tests|meetings|calls|quotes|prices|numbers|dates|receipts|orders|deliveries|packages|files|bills"
        r"|statements|lists|recipes|examples|tables)\b"),
)  # fmt: skip
_COMMANDED: tuple[Pattern, ...] = (
    _told(rf"^(?:(?:also|and|so),? )?{_STANDING},? (?=[^.!?]{{4,200}})"),
    _told(rf"^(?:please )?(?:always|never) (?:please )?{_THINGS_DONE}\b"),
    _told(rf"^(?:please )?remember to (?:always |never )?{_THINGS_DONE}\b"),
    _told(rf"^(?:please )?{_WHENEVER}(?:{_THINGS_DONE}|{_TELLING}|i (?:want|need|expect|prefer|mean))\b"),
    _told(rf"^(?:please )?(?:{_THINGS_DONE}|{_TELLING})\b[^.!?]{{2,120}}\b(?:whenever|every time|each time|any time"
        rf"|anytime|when) (?:i|we) (?:ask|say|talk|write|send|mention|request|give|post|paste)\b"),
    _told(rf"^(?:please )?(?:{_THINGS_DONE}|{_TELLING})\b[^.!?]{{2,100}}[ ,]{_STANDING}[.!]*$"),
    _told(rf"^(?:please,? )?(?:no|avoid|skip|omit|drop|leave out|go easy on|stop (?:using|adding|with)|less|fewer"
        rf"|more) (?:more |the |any |using |all |so many |your )?(?:[\w-]{{2,20}} ){{0,2}}?{_STYLE}\b[^.!?]{{0,60}}"
        rf"(?:[.!]|$)"),
    _told(rf"^(?:please )?(?:don't|do not|stop|never|quit) {_THINGS_DONE} (?!(?:it|that|this"
        rf"|them)[.! ])[^.!?]{{2,140}}"),
    _told(rf"^(?:please )?(?:use|prefer|stick to|stick with|default to|go for|switch to) (?:only |the |a |an |more "
        rf"|shorter |my )?(?:[\w/-]{{1,20}} ){{0,3}}?{_STYLE}\b(?! (?:below|above|to (?:write|solve"
        rf"|answer)))[^.!?]{{0,80}}(?:[.!]|$)"),
    _told(rf"^(?:please )?{_TELLING} (?:to me |me )?(?:only |always |everything |things |it )?{_MANNER}\b"
        rf"(?![^.!?]{{0,60}}\b(?:why|how|what|who|about)\b)[^.!?]{{0,60}}(?:[.!]|$)"),
    _told(rf"^(?:please )?(?:keep (?:it|things)|(?:keep|make) (?:your |the |all |all your |every )?(?:answers?|repl"
        rf"(?:y|ies)|responses?|explanations?|messages?|summaries|code|emails?)) (?:as )?(?:\w+ )?{_TEMPER}"),
    _told(r"^(?:please )?keep (?:your |the |all |all your )?(?:answers?|repl(?:y|ies)|responses?|explanations?"
        r"|messages?|summaries|emails?) (?:to|under|below|within|in|at) "),
    _told(rf"^(?:please )?(?:try to )?be (?:a bit |a little |much |as )?(?:more |less "
        rf"|very )?{_TEMPER}\b[^.!?]{{0,60}}(?:[.!]|$)"),
    _told(r"^(?:please )?(?:address|refer to) me (?:as|by|with|using) "),
    _told(r"^(?:please )?limit (?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?|messages?|summaries) "),
    _told(r"^(?:please )?(?:don't|do not) (?:ever )?(?:call|text|email|contact|message|phone|disturb|wake|book"
        r"|schedule|invite) (?:me|us|meetings|calls|anything)\b"),
    row("instruction", r"^(?:please )?(?:call|text|email|contact|message|reach) me (?:on|at|by|via|only|in|before"
        r"|after) ", importance=0.65, to_assistant=True),
)  # fmt: skip
_PREFERENCES: tuple[Pattern, ...] = (
    row("likes", r"^(?P<value>(?!it\b|this\b|that\b|he\b|she\b|they\b|these\b|those\b|my\b|your\b)[\w'’-]{2,30}(?: "
        r"[\w'’-]{2,30}){0,2}?)(?: is| are|'s)(?: just| really| simply)? not for me[.!]*$", polarity="negative"),
    row("favorite",
        rf"^my {_FAVORITE} (?P<attribute>(?!part|thing|way|memory|moment)[\w-]{{2,20}}(?: [\w-]{{2,20}})?) (?:is|are"
        rf"|has to be|would be|has always been|used to be [\w' ]{{1,30}}, (?:but )?(?:now )?it's)(?: now)? "
        r"(?:definitely |probably |still |by far )?" + VALUE),
    row("favorite", rf"^(?P<value>(?!it\b|this\b|that\b|he\b|she\b)[\w'’]{{2,30}}(?: [\w'’]{{2,30}}){{0,3}}?)(?:'s| is"
        rf"| are)(?: now)? (?:definitely |still |probably |by far )?my {_FAVORITE}(?: (?P<attribute>\w{{3,20}})|[.!,]"
        rf"|$)"),
)  # fmt: skip
_INTENTIONS: tuple[Pattern, ...] = (
    row("decision", rf"^(?:let's|lets|let us) (?:go with|use|stick (?:with|to)|settle on|choose|pick|switch to|make it"
        rf"|adopt|ship|move to|drop|standardi[sz]e on|migrate to|keep using|deploy|not ship|not use) {_NOTHING_NAMED}"),
    row("decision", rf"^{DECISION_LABEL}(?=\w)"),
    row("decision",
        r"^(?:the |our |my |final )?(?:final |team's )?decision (?:is|was) (?!yours|up to|not mine|still|hard|made)"),
    row("decision", r"^it (?:was|is|has been) (?:decided|agreed|settled) "),
    row("decision", r"^the (?:team|board|committee|client|group|management) (?:has |have )?(?:decided|agreed|opted"
        r"|voted|chose|settled on|approved) "),
    row("todo", r"^(?:please |can you |could you )?remind me (?:to|about|that|of|on|at|in|tomorrow|next) ",
        importance=0.7),
    row("todo", rf"^{TODO_LABEL}(?=\w)(?!(?:i|we)(?:'m|'ve| am| have|'re)\b|my\b)"),
    row("todo", r"^(?:please )?(?:don't|do not) let me forget (?:to |that (?:i|we) )"),
    row("todo", r"^(?:please )?(?:don't|do not) forget (?:to |that (?:i|we) )", to_assistant=True),
    row("aim", rf"^{GOAL_LABEL}(?=\w)"),
    row("aim", r"^(?:my|our|the) (?:\w{2,12} ){0,2}(?:goal|goals|dream|plan|plans|aim|ambition|resolution|target"
        r"|mission|objective|okr)s?\b(?: (?:for|this|in) [\w ]{1,25}?)? (?:is|are|has been|for) (?:to |that "
        r"|now to )?(?!\d)(?=\w)"),
    row("goal", r"^(?:it's|it has|it) (?:been )?(?:always )?(?:a|my) dream (?:of mine )?(?:to|of) "),
    row("todo", rf"^(?:please )?(?:{_ERRANDS}) (?!(?:of|for|is|are|was|in|on|to|and|or|more|center|option"
        rf"|number)\b){_NOT_A_COMPOUND}{_NOT_FOR_THE_ASSISTANT}(?=[^?]{{3,160}}$)", importance=0.6, to_assistant=True),
    row("goal", rf"^(?:{_REACHED}) (?!(?:is|are|was|of|and|or)\b){_NOT_FOR_THE_ASSISTANT}{_DATED}(?=[^.!?]{{3,160}})",
        importance=0.65, to_assistant=True),
    row("event", rf"^(?:an? )?(?:[\w'-]{{2,20}} )?{EVENT_NOUN} (?:with [\w'. ]{{1,40}} )?(?:on|at|tomorrow|next|this"
        rf"|today) [^?]{{0,80}}$", importance=0.55, to_assistant=True),
)  # fmt: skip
APPOINTMENT = row(
    "event",
    rf"^(?:i|we|there|there's)(?:'ve| have| is|'ve got| have got| got)? (?:also |just )?(?:an?|my|our|another|the|two"
    rf"|no) (?:[\w'-]{{2,20}} ){{0,3}}?{EVENT_NOUN}\b[^.!?]{{0,60}}\b(?:(?:on|this|next|at) (?:the )?(?:{WEEKDAY})"
    rf"|on (?:the )?\d|on (?:{MONTH})|tomorrow|tonight|next (?:week|month)|at \d)",
)  # fmt: skip
_SPEAKER: tuple[Pattern, ...] = (
    # likes, dislikes and habits
    row("prefers", rf"^(?:i|we)(?:'d| would| do)? {ADVERB}{{0,2}}(?:prefer|rather)(?: have)? (?!not\b)"
        rf"(?P<value>[\w '+#.-]{{1,40}}?) (?:to|over|than|instead of|rather than) (?P<other>[\w '+#-]{{1,40}})"),
    row("abstains", r"^(?:i|we) (?:really |just |also )*(?:never|don't|do not|no longer) (?P<value>smoke|vape|gamble"
        r"|drink|drive)(?: anymore| any ?more| at all| ever)?[.!]*$"),
    row("abstains", r"^(?:i|we)(?:'ve| have)? (?:recently |finally )?(?:quit|stopped|gave up|given up) (?P<value>smok"
        r"|vap|gambl|drink|driv)ing\b"),
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
    row("fact", rf"^as a rule,? (?:i|we) |^(?:every|each) (?:day|morning|evening|night|week|month|weekend"
        rf"|{WEEKDAY}),? (?:i|we) {_NO_HABIT}", importance=0.55),
    # decisions, todos and goals
    row("decision", rf"{I_HAVE}(?:decided|agreed|opted|resolved|settled|concluded|committed|chosen|voted) (?!with\b"
        rf"|that's\b)(?!on it\b|to it\b)"),
    row("choice", rf"{I_DO}(?:chose|picked|went with|selected|finalized|signed off on|settled on"
        rf"|approved) {_NOTHING_NAMED}(?!a (?:fight|few))"),
    row("decision", rf"{I_AM}(?:going|sticking) with (?!the flow|it\b|that\b|this[.!,])"),
    row("choice", rf"{I_AM}(?:switching|migrating|moving (?:everything|all of it|the \w+)) (?:over )?"
        rf"(?:from [\w .+#-]{{1,30}} )?to {_NOTHING_NAMED}"),
    row("choice", rf"^(?:we'll|i'll|we will|i will|we're going to|i'm going to) (?:just |then |only "
        rf"|definitely )*(?:go with|stick with|stick to|use|switch to|adopt|keep using|drop support for|deprecate"
        rf"|not use|migrate to|standardi[sz]e on|be using) {_NOTHING_NAMED}(?!these\b|those\b|your\b|the (?:tips|advice"
        rf"|information|suggestions?)\b)"),
    row("choice", rf"^(?:we won't|we will not|i won't|i will not|we're not going to|i'm not going to"
        rf"|we are not going to) (?:be )?(?:use|using|ship|shipping|support|supporting|renew|renewing|hire|hiring|adopt"
        rf"|buy|sell|launch|deploy|migrate|attend|raise) {_NOTHING_NAMED}"),
    row("choice", rf"{I_HAVE}made (?:the|a|up my|my|our) (?:mind|decision|choice|final decision) (?:to|on|about) "),
    row("todo", rf"^(?:(?:i|we) {ADVERB}{{0,2}}(?:need|have|must|ought)|(?:i've|we've) {ADVERB}{{0,2}}got"
        rf") (?:to )?(?:remember to )?(?P<todo>{_CHORES})\b(?! (?:more|better|some (?:rest|sleep)|used to|over it"
        rf"|into the habit))"),
    row("todo", rf"^(?:i'll|i will|we'll|we will) (?:then |also |just )*(?:{_CHORES})\b{_DATED}", importance=0.55),
    row("todo", r"^(?:i'm|i am|we're) supposed to ", importance=0.55),
    row("todo",
        r"^(?:i|we) (?:mustn't|must not|can't|cannot|shouldn't|should not) forget (?:to|about|that) (?!what|how)"),
    row("todo", r"^(?:i|we) should (?:really |also |probably )?(?:call|buy|email|send|schedule|book|renew|pay|submit"
        r"|finish|file|cancel|ping|return|order) ", importance=0.5),
    row("todo", r"^(?:i|we) still (?:need|have) to (?!know\b|see\b|figure)"),
    row("goal", rf"{I_DO}(?:want|hope|plan|aim|intend|strive|expect) to (?!know\b|hear\b|see it\b|ask\b|say\b|be honest"
        rf"|be sure|make sure|thank|see you|learn more|share\b|mention|point out|add\b|go over|clarify|check\b)"),
    row("goal", rf"{I_DO}dream (?:of|about) (?!a\b|the\b|my\b|it\b)"),
    row("goal", rf"{I_AM}(?:planning|hoping|aiming|looking|trying|determined|working|eager|excited|saving|training"
        rf"|preparing|studying|ready|going|thinking|considering|thrilled|prepping) (?:up )?(?:to (?!see you|hear|know"
        rf"|say|learn more|find out)|on |of |about |for (?!some\b|something\b|recommend|advice|tips|ideas|information"
        rf"|inspiration|ways?\b|suggest|help\b|a (?:good|way|few|recipe|new recipe)\b)|towards? |into |my |a )",
        importance=0.55),
    row("goal", r"^(?:i|we)(?:'d| would) (?:really |also |absolutely )?(?:love|like) to (?!know|hear|see (?:it|that"
        r"|them|your)|ask|try (?:it|that)|join|talk|chat|help you|learn (?:more|about)|get (?:some|your|more)|discuss"
        r"|explore (?:some|more)|find out|share)", importance=0.5),
)  # fmt: skip
SPEAKER: tuple[Pattern, ...] = (APPOINTMENT, *_INSTRUCTIONS, *_SPEAKER)
"""Of clauses whose subject is the speaker."""
OTHER: tuple[Pattern, ...] = (*_PREFERENCES, *_INTENTIONS)
"""Of all other clauses but commands."""
COMMANDS: tuple[Pattern, ...] = (*_COMMANDED, *_INTENTIONS, *_PREFERENCES)

_COMMANDING = word_set("""
    please always never no avoid less fewer more stop don't dont do default going from by in at as whenever every
    each any anytime when moving and also so for remember just you everyone people friends let's lets let remind
    can could limit try be address text email mail cc reply respond follow check reach get back pick""")


def commands(first_word: str) -> bool:
    """Return whether a sentence that opens with this word, in lower case, may be a command."""
    return first_word in _COMMANDING or first_word in BASE_VERBS


@lru_cache(maxsize=64)
def is_instruction(sentence: str) -> bool:
    """Return whether the sentence tells the assistant how to behave from now on, and is no attempt to take it over."""
    word = first_word(sentence)
    rows = _INSTRUCTIONS if word.partition("'")[0] in ("i", "we") else _COMMANDED if commands(word) else ()
    return any(pattern.regex.match(sentence) for pattern in rows) and not is_takeover(sentence)


def is_takeover(sentence: str) -> bool:
    """Return whether it tries to change what the assistant is, or is about a text at hand and not about what is to
    come."""
    return bool(_HIJACK.search(sentence) or _ONE_OFF.search(sentence))
