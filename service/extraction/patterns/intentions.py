"""What was decided, what is to be done, and what somebody wants to reach."""

from __future__ import annotations

from service.extraction.patterns.grammar import ADVERB, EVENT_NOUN, I_AM, I_DO, I_HAVE, row
from service.extraction.rows import Row

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
    r"call|phone|text|buy|pick up|email|e-mail|mail|send|schedule|book|renew|pay|submit|finish|file|fix|return"
    r"|cancel|order"
    r"|clean|prepare|pack|register|sign up|apply|check (?:in|out)|complete|review|update|write|write up|deliver|get"
    r"|set up"
    r"|make|meet|print|upload|download|deploy|ship|contact|reply|respond|ask|replace|repair|organi[sz]e|plan|see|visit"
    r"|drop off|take|bring|wash|confirm|reschedule|find|look into|stock up|study|practice|start|do|change|create"
    r"|turn in"
    r"|follow up|research|draft|install|reach out|talk|go|move|refill|feed|walk|water|ping|message|invite|transfer"
    r"|sign|migrate|merge"
    r"|rotate|back up|tell|remind|invoice|collect|hand in|top up|cut|mow|paint|measure|vote|rsvp"
)
_ERRANDS = (
    r"ping|call|phone|email|e-mail|text|message|follow up with|check in with|check with|reach out to|get back to"
    r"|talk to"
    r"|buy|pick up|renew|pay|return|cancel|submit|book|reschedule|sign|mail|post|collect|water|feed|drop off|invite"
    r"|invoice|chase"
    r"|order|schedule|refill|rotate|upgrade|deploy|merge|remind|nudge|thank|hand in|top up"
)
_REACHED = (
    r"launch|release|ship|reach|hit|grow|finish|complete|close|publish|deliver|double|triple|hire|raise|win"
    r"|sign|onboard|migrate|cut|reduce|open|get"
)
_DATED = (
    r"(?=[^.!?]{1,120}\b(?:by|before|until|in|on|this|next|end of|q[1-4])\b[^.!?]{0,12}(?:\d|q[1-4]\b|week|month"
    r"|quarter|year|spring|summer"
    r"|autumn|fall|winter|christmas|easter|january|february|march|april|may|june|july|august|september|october"
    r"|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|[^.!?]{1,120}\b(?:tomorrow|tonight)\b)"
)
_NOT_A_COMPOUND = (
    r"(?!(?!(?:the|an?|my|our|his|her|their|if|that|whether|all|every)\b)(?:[\w'-]{1,20} ){1,2}"
    r"(?:is|are|was|were|isn't|aren't|has)\b)"
)
"""Behind a verb that is the first part of a noun: "deploy window is", "call quality is"."""
_NOT_FOR_THE_ASSISTANT = r"(?![^.!?]{0,200}\b(?:me|you|your|below|above|following|attached)\b)"

SPEAKER: tuple[Row, ...] = (
    row("decision",
        rf"{I_HAVE}(?:decided|agreed|opted|resolved|settled|concluded|committed|chosen|voted) (?!with\b|that's\b)"
        rf"(?!on it\b|to it\b)"),
    row("decision",
        rf"{I_DO}(?:chose|picked|went with|selected|finalized|signed off on|settled on|approved) {_NOTHING_NAMED}"
        rf"(?!a (?:fight|few))", importance=0.7),
    row("decision", rf"{I_AM}(?:going|sticking) with (?!the flow|it\b|that\b|this[.!,])"),
    row("decision", rf"{I_AM}(?:switching|migrating|moving (?:everything|all of it|the \w+)) (?:over )?"
        rf"(?:from [\w .+#-]{{1,30}} )?to {_NOTHING_NAMED}", importance=0.7),
    row("decision",
        rf"^(?:we'll|i'll|we will|i will|we're going to|i'm going to) (?:just |then |only |definitely )*(?:go with"
        rf"|stick with|stick to|use|switch to|adopt|keep using|drop support for|deprecate"
        rf"|not use|migrate to|standardi[sz]e on|be using) {_NOTHING_NAMED}(?!these\b|those\b|your\b|the (?:tips"
        rf"|advice|information|suggestions?)\b)", importance=0.7),
    row("decision",
        rf"^(?:we won't|we will not|i won't|i will not|we're not going to|i'm not going to|we are not going to) "
        rf"(?:be )?(?:use|using|ship|shipping|support|supporting|renew|renewing|hire|hiring|adopt|buy|sell|launch"
        rf"|deploy|migrate|attend|raise) {_NOTHING_NAMED}", importance=0.7),
    row("decision", rf"{I_HAVE}made (?:the|a|up my|my|our) (?:mind|decision|choice|final decision) (?:to|on|about) ",
        importance=0.7),
    row("todo", rf"^(?:(?:i|we) {ADVERB}{{0,2}}(?:need|have|must|ought)|(?:i've|we've) {ADVERB}{{0,2}}got"
        rf") (?:to )?(?:remember to )?(?P<todo>{_CHORES})\b(?! (?:more|better|some (?:rest|sleep)|used to|over it"
        rf"|into the habit))"),
    row("todo", rf"^(?:i'll|i will|we'll|we will) (?:then |also |just )*(?:{_CHORES})\b{_DATED}", importance=0.55),
    row("todo", r"^(?:i'm|i am|we're) supposed to ", importance=0.55),
    row("todo",
        r"^(?:i|we) (?:mustn't|must not|can't|cannot|shouldn't|should not) forget (?:to|about|that) (?!what|how)"),
    row("todo",
        r"^(?:i|we) should (?:really |also |probably )?(?:call|buy|email|send|schedule|book|renew|pay|submit|finish"
        r"|file|cancel|ping|return|order) ", importance=0.5),
    row("todo", r"^(?:i|we) still (?:need|have) to (?!know\b|see\b|figure)"),
    row("goal", rf"{I_DO}(?:want|hope|plan|aim|intend|strive|expect) to (?!know\b|hear\b|see it\b|ask\b|say\b|be honest"
        rf"|be sure|make sure|thank"
        rf"|see you|learn more|share\b|mention|point out|add\b|go over|clarify|check\b)"),
    row("goal", rf"{I_DO}dream (?:of|about) (?!a\b|the\b|my\b|it\b)"),
    row("goal",
        rf"{I_AM}(?:planning|hoping|aiming|looking|trying|determined|working|eager|excited|saving|training|preparing"
        rf"|studying"
        rf"|ready|going|thinking|considering|thrilled|prepping) (?:up )?(?:to (?!see you|hear|know|say|learn more"
        rf"|find out)"
        rf"|on |of |about |for (?!some\b|something\b|recommend|advice|tips|ideas|information|inspiration|ways?\b"
        rf"|suggest|help\b|a (?:good|way|few|recipe|new recipe)\b)"
        rf"|towards? |into |my |a )", importance=0.55),
    row("goal",
        r"^(?:i|we)(?:'d| would) (?:really |also |absolutely )?(?:love|like) to (?!know|hear|see (?:it|that|them"
        r"|your)|ask"
        r"|try (?:it|that)|join|talk|chat|help you|learn (?:more|about)|get (?:some|your|more)|discuss|explore "
        r"(?:some|more)|find out|share)", importance=0.5),
)  # fmt: skip
OTHER: tuple[Row, ...] = (
    row("decision",
        rf"^(?:let's|lets|let us) (?:go with|use|stick (?:with|to)|settle on|choose|pick|switch to|make it|adopt"
        rf"|ship|move to"
        rf"|drop|standardi[sz]e on|migrate to|keep using|deploy|not ship|not use) {_NOTHING_NAMED}"),
    row("decision", rf"^{DECISION_LABEL}(?=\w)"),
    row("decision",
        r"^(?:the |our |my |final )?(?:final |team's )?decision (?:is|was) (?!yours|up to|not mine|still|hard|made)"),
    row("decision", r"^it (?:was|is|has been) (?:decided|agreed|settled) "),
    row("decision",
        r"^the (?:team|board|committee|client|group|management) (?:has |have )?(?:decided|agreed|opted|voted|chose"
        r"|settled on|approved) "),
    row("todo", r"^(?:please |can you |could you )?remind me (?:to|about|that|of|on|at|in|tomorrow|next) ",
        importance=0.7),
    row("todo", rf"^{TODO_LABEL}(?=\w)(?!(?:i|we)(?:'m|'ve| am| have|'re)\b|my\b)"),
    row("todo", r"^(?:please )?(?:don't|do not) let me forget (?:to |that (?:i|we) )"),
    row("todo", r"^(?:please )?(?:don't|do not) forget (?:to |that (?:i|we) )", to_assistant=True),
    row("goal", rf"^{GOAL_LABEL}(?=\w)", importance=0.7),
    row("goal",
        r"^(?:my|our|the) (?:\w{2,12} ){0,2}(?:goal|goals|dream|plan|plans|aim|ambition|resolution|target|mission"
        r"|objective|okr)s?\b"
        r"(?: (?:for|this|in) [\w ]{1,25}?)? (?:is|are|has been|for) (?:to |that |now to )?(?!\d)(?=\w)",
        importance=0.7),
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
    rf"^(?:i|we|there|there's)(?:'ve| have| is|'ve got| have got| got)? (?:also |just )?(?:an?|my|our|another|the"
    rf"|two|no) (?:[\w'-]{{2,20}} ){{0,3}}?{EVENT_NOUN}\b"
    rf"[^.!?]{{0,60}}\b(?:(?:on|this|next|at) (?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|on (?:the )?\d|on "
    rf"(?:january|february|march|april|may|june"
    rf"|july|august|september|october|november|december)|tomorrow|tonight|next (?:week|month)|at \d)",
)  # fmt: skip
