"""What rows are made of: pronouns with their verbs, values, names, professions.

A row is tried at the start of one clause, without regard to case; white space is a single blank. Its group ``value`` is
what fills the slot, ``who``, ``kin`` or ``thing`` whose attribute that is (the speaker's without), ``attribute`` which.
"""

from __future__ import annotations

import re
from typing import Any

from service.extraction.candidates import Polarity
from service.extraction.rows import Row, stating

ADVERB = (
    r"(?:(?:really|also|just|always|still|absolutely|totally|truly|definitely|actually|personally|particularly"
    r"|especially|mostly|usually|generally|now|currently|recently|finally|already|do|only|simply|honestly|so|much"
    r"|deeply|kinda|highly|originally|both|all|even|ever|quite|very|rather|pretty|severely|strictly) )"
)
I_DO = rf"^(?:i|we) {ADVERB}{{0,2}}"
I_AM = rf"^(?:i'm|i am|we're|we are) {ADVERB}{{0,2}}(?:an? )?(?:big |huge |real )?"
I_HAVE = rf"^(?:i|we|i've|i have|we've|we have) {ADVERB}{{0,2}}"
I_DO_NOT = rf"^(?:i|we) {ADVERB}{{0,1}}(?:don't|do not|never) {ADVERB}{{0,2}}"
NO_MORE = r"^(?:i|we) (?:no longer|don't|do not) "
VALUE = r"(?P<value>(?!\s)(?:[^,.;:!?()–—]|[.,](?=\w)){1,80})"
CAPITALS = r"[A-Z][\w'’.&-]{0,30}(?:,? [A-Z][\w'’.&-]{0,30}){0,3}"
NAME = rf"(?P<value>(?-i:{CAPITALS}))"
PLACE = rf"(?P<value>(?:the )?(?-i:{CAPITALS}))"
PERSON = r"(?P<who>(?:my|our) [a-z-]{2,20}(?: (?-i:[A-Z]\w{1,20}))?|(?-i:[A-Z][\w-]{1,20}(?: [A-Z][\w-]{1,20}){0,2}))"
LIKE = r"(?:love|like|enjoy|adore|prefer|favou?r|cherish|treasure)"
HATE = r"(?:hate|dislike|detest|loathe|despise|avoid|can't stand|cannot stand|can't bear)"
DIET = (
    r"(?P<value>vegan|vegetarian|pescatarian|lactose intolerant|gluten[ -]free|celiac|coeliac|diabetic|halal|kosher"
    r"|keto)\b(?! (?:food|restaurants?|recipes?|options?|dish(?:es)?|cafes?))"
)
_CALLINGS = (
    r"nurse|teacher|engineer|developer|doctor|designer|lawyer|attorney|accountant|architect|journalist|scientist"
    r"|researcher|professor|programmer|manager|director|ceo|cto|cfo|coo|consultant|analyst|chef|baker|barista|driver"
    r"|pilot"
    r"|mechanic|plumber|electrician|carpenter|farmer|dentist|therapist|psychologist|counsell?or|pharmacist|paramedic"
    r"|firefighter|soldier|officer|librarian|editor|banker|screenwriter|filmmaker|intern|biologist|chemist|physicist"
    r"|mathematician|statistician|economist|translator|interpreter|veterinarian|vet|surgeon|physician|midwife|marketer"
    r"|recruiter|educator|cashier|waiter|waitress|technician|operator|administrator|secretary|clerk|salesperson|realtor"
    r"|student|freelancer|product owner|scrum master|team lead|tech lead|receptionist|welder|bartender|optician"
)
_PASTIMES = (
    r"artist|musician|writer|author|founder|veteran|photographer|dancer|actor|actress|singer|coach|trainer|athlete"
    r"|gamer|streamer|entrepreneur|tutor|pianist|guitarist|violinist|painter|sculptor|runner|volunteer|collector"
    r"|gardener"
)
_BEFORE_PROFESSION = (
    r"(?:(?!(?:of|for|with|to|the|an?|my|our|and|or|not|by|in|at|on|as|good|bad|terrible) )[\w-]{1,20} ){0,3}?"
)
PROFESSION = rf"(?P<value>{_BEFORE_PROFESSION}(?:{_CALLINGS}))\b(?!'s)"
ANY_PROFESSION = rf"(?P<value>{_BEFORE_PROFESSION}(?:{_CALLINGS}|{_PASTIMES}))\b(?!'s)"
EMPLOYER = (
    r"(?: (?:at|for) (?P<employer>(?-i:[A-Z][\w&-]{1,30}(?: [A-Z][\w&-]{1,30}){0,2}))(?= now\b| since\b|[.,!]|$))?"
)
PASTIME = rf"(?P<value>{_BEFORE_PROFESSION}(?:{_PASTIMES}))\b(?!'s)"
EVENT_NOUN = (
    r"(?:meeting|standup|stand-up|sync|retro|demo|review|call|interview|appointment|check-?up|exam|test|party|wedding"
    r"|launch|release|go-live|flight|train|trip|vacation|holiday|concert|dinner|lunch|lesson|class|course|workshop"
    r"|conference|webinar|session|kick-?off|surgery|operation|delivery|audit|inspection|hearing|game|match|race"
    r"|marathon"
    r"|rehearsal|offsite|onboarding|presentation|closing|viewing|reservation|booking|graduation|recital|picnic"
    r"|barbecue|bbq|date night|move|deploy(?:ment)?|migration|sprint planning)"
)


def row(what: str, regex: str, **otherwise: Any) -> Row:
    """A row from its regular expression; see ``rows.stating``."""
    return stating(what, re.compile(regex, re.IGNORECASE), **otherwise)


def likes(regex: str, polarity: Polarity = "positive") -> Row:
    """A row for a liking or a dislike of what follows it."""
    return row("likes", regex + VALUE, polarity=polarity)
