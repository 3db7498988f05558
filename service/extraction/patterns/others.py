"""What is said of other persons: where they live and work, what they like, who they are."""

from __future__ import annotations

from typing import Any

from service.domain.word_lists import word_set
from service.extraction.candidates import Polarity
from service.extraction.patterns.grammar import ANY_PROFESSION, CAPITALS, DIET, PERSON, PROFESSION, VALUE, row
from service.extraction.rows import Row

_ALSO = (
    r"(?: also| really| still| just| always| only| now| usually| mostly| generally| actually| currently"
    r"| absolutely| secretly)?"
)
_VALUE_NAMED = rf"(?P<value>(?-i:{CAPITALS}))"


def _fact(regex: str, slot: str | None = None, **otherwise: Any) -> Row:
    return row("fact", rf"^{PERSON}{_ALSO}{regex}", slot=slot, **otherwise)


def _taste(regex: str, polarity: Polarity = "positive") -> Row:
    no_thing = r"(?!(?:after|before|at|in|on|with|out|alone|much|enough|late|anything|to see)\b)"
    whole = rf"^{PERSON}{_ALSO} {regex} {no_thing}{VALUE}"
    return row("likes", whole, polarity=polarity, importance=0.6)


ROWS: tuple[Row, ...] = (
    row("fact",
        rf"^(?P<who>(?-i:{CAPITALS}) and (?-i:{CAPITALS})) (?:have |just |recently |finally |are |aren't |are not "
        rf"|got )*"
        r"(?P<value>broke up|broken up|split up|separated|divorced|no longer together|together anymore|together"
        r"|dating|married|engaged)\b", slot="relationship"),
    row("prefers",
        rf"^{PERSON}{_ALSO} (?:prefers|would rather have) (?P<value>[\w '+#.-]{{1,40}}?) (?:to|over|than|instead of"
        rf"|rather than) (?P<other>[\w '+#-]{{1,40}})", importance=0.65),
    _taste(r"(?:hates|dislikes|detests|loathes|avoids|can't stand|cannot stand|doesn't (?:like|love|enjoy|eat|drink)"
        r"|does not (?:like|love|enjoy|eat|drink)|never (?:eats|drinks)|no longer (?:likes|eats|drinks|enjoys)"
        r"|isn't (?:a fan of|into)|is not (?:a fan of|into)|is no longer into|gave up|went off)", "negative"),
    _taste(r"(?:likes|loves|enjoys|adores|prefers|favou?rs|is (?:a (?:big |huge )?fan of|fond of|into|obsessed with"
        r"|keen on|crazy about|passionate about))(?! (?:you|your|when|how|the way|it|that|this)\b)"),
    _fact(rf" (?:lives in|moved (?:back )?to|relocated to|is living in|is based in|is moving to"
        rf"|has moved to) {_VALUE_NAMED}", "lives_in"),
    _fact(r" (?:no longer lives|doesn't live|does not live) in " + _VALUE_NAMED, "lives_in", polarity="negative"),
    _fact(rf" (?:works (?:at|for)|is working (?:at|for)|started (?:working )?at|joined|got a (?:new )?job at"
        rf"|started a new job at) {_VALUE_NAMED}(?! (?:and|for) )", "works_at"),
    _fact(rf" (?:left|quit|no longer works (?:at|for)|doesn't work (?:at|for)|was laid off (?:from|by)|was fired "
        rf"(?:from|by)|resigned from) {_VALUE_NAMED}", "works_at", polarity="negative"),
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
        "birthday",
        grounded=False,
    ),
    _fact(r" was born (?:on|in) (?!a\b)", None, grounded=False),
    _fact(r" (?:speaks|studies|teaches|plays|drives|owns|has|wears|collects|sings|runs|manages|leads|coaches"
        r"|volunteers|commutes|rides|breeds|sells|handles|reports to|takes care of|is responsible for"
        r"|is in charge of|is (?:my|our) |will be|goes to|graduated|retired|died|passed away|gave birth|got "
        r"(?:married|engaged|divorced|promoted|fired|hired)|had a baby|turned \d|is (?:turning )?\d"
        r"|is getting married|is expecting|is learning|is studying|is (?:from|born)|comes from|grew up|used to)\b"
        r"(?=[^.!?]{0,150})"),
    _fact(r" (?:usually|always|never|often|rarely|regularly) [a-z]{2,15}s\b"),
)  # fmt: skip
NOBODY = word_set("""
    it this that there he she what who everyone everybody nobody someone somebody one life nature music love time
    people which here they these those something nothing everything anyone anybody never always sometimes usually
    god if when where how why and but so or""")
