"""Who leads a project, what it may cost, when it is due, and which version of what it runs on."""

from __future__ import annotations

import re

from service.extraction.mentions import PRODUCTS
from service.extraction.patterns.facts import DAY
from service.extraction.patterns.grammar import CAPITALS, NAME, row
from service.extraction.rows import Row

_PROJECT = r"(?P<of>(?-i:[A-Z])[\w'’-]{1,30}(?: [\w'’-]{1,30}){0,2}?)"
_CLOSES = r"(?= (?:since|as of|from|now|these days|instead|today)\b|[.,!]|$)"
_ROLE_OF = (
    r"(?:the )?(?P<attribute>lead|owner|manager|maintainer|sponsor|team lead|tech lead) (?:of|for) (?:the )?"
    rf"{_PROJECT}"
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
_DATE = rf"(?P<value>{DAY}[^,.;!?]{{0,40}})"

SPEAKER: tuple[Row, ...] = (
    *(
        row("version", rf"^(?:i|we)(?:'ve| have)?(?: just| now)? {_UPGRADED} (?:the |our )?{_PROJECT}{to}")
        for to in _TO_VERSION
    ),
    row("attribute",
        rf"^(?:i|we)(?:'ve| have)?(?: got| now have)? {_FIGURE} for (?:the )?{_PROJECT}(?:,| -|:| and) (?:and )?"
        rf"(?:that's|that is|it's|this is|which is) (?:the|our|my) (?:whole |total |full )?{_LIMIT}\b"),
    row("fact", rf"^we(?:'re|'ll| are| will)? (?:now )?(?:launch|launching|ship|shipping) {_PROJECT} on {_DATE}",
        slot="launch date"),
)  # fmt: skip
OTHER: tuple[Row, ...] = (
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
        row("version", rf"^(?:they(?:'ve| have)?(?: just)? {_UPGRADED} (?:the |our )?{_PROJECT}"
            rf"|(?:the |our )?{_PROJECT.replace('<of>', '<owner>')} (?:was |has been |got |has |just |now )*"
            rf"{_UPGRADED})" + to)
        for to in _TO_VERSION
    ),
    row("version", rf"^(?:the |our )?{_PROJECT}(?: now| still)? (?:runs on|uses)(?: now)? {_PRODUCT} {_NUMBER}"),
    row("version", rf"^(?:the |our )?{_PROJECT} is(?: now| still)? on(?: now)? {_KNOWN} {_NUMBER}"),
)  # fmt: skip
