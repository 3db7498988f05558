"""Statements of a value in other forms, said again as `<thing> <attribute> is <value>`: "Ann leads Apollo" as "Apollo
lead is Ann"."""

from __future__ import annotations

import re
from typing import Final

_TEXT_MAX: Final = 300
_NAME = r"(?P<v>[^\W\d_]\w{0,30}(?: [^\W\d_]\w{0,30}){0,2})"
_THING = r"(?P<s>[\w'’./&-]{1,40}(?: [\w'’./&-]{1,40}){0,4}?)"
_PRODUCT = r"(?P<p>[A-Z][\w.+#-]{1,30})"
_VERSION = r"(?P<v>v?\d[\w.]{0,20})"
_ROLE = r"(?P<r>lead|owner|manager|head|boss|ceo|cto|cfo|director|maintainer|sponsor)"
_LIMIT = r"(?P<r>budget|limit|target|quota|goal)"
_CHANGES = (
    r"(?:rescheduled|moved|pushed|postponed|shifted|changed|raised|increased|lowered|reduced|cut|bumped"
    r"|brought forward)"
)
_UPGRADES = r"(?:upgraded|downgraded|updated|migrated|switched)"

_FORMS: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (rf"{_THING} (?:is|are)(?P<n> now)? due (?:on|by) (?P<v>[^.;]{{1,60}})", r"\g<s> deadline is\g<n> \g<v>"),
        (rf"{_NAME}(?P<n> now)? leads (?!to\b|the way\b){_THING}", r"\g<s> lead is\g<n> \g<v>"),
        (rf"{_NAME} is(?P<n> now)? (?:the )?{_ROLE} (?:of|for) {_THING}", r"\g<s> \g<r> is\g<n> \g<v>"),
        (rf"{_NAME} (?:has |have )?took over {_THING} from [^.;]{{1,40}}", r"\g<s> lead is now \g<v>"),
        (
            rf"{_NAME} (?:has |have )?(?:replaced|succeeded) [\w ]{{1,60}} as (?:the )?{_ROLE} (?:of|for) {_THING}",
            r"\g<s> \g<r> is now \g<v>",
        ),
        (rf"{_THING} (?P<n>now )?(?:runs on|uses|is on) {_PRODUCT} {_VERSION}", r"\g<s> \g<p> version is \g<n>\g<v>"),
        (
            rf"[\w ]{{1,60}} {_UPGRADES} {_THING} (?:from {_PRODUCT} [\w.]{{1,20}} )?"
            rf"to (?:(?P<q>[A-Z][\w.+#-]{{1,30}}) )?{_VERSION}",
            r"\g<s> \g<product> version is now \g<v>",
        ),
        (
            rf"{_THING} (?:was|were|has been|got) {_UPGRADES} (?:from {_PRODUCT} [\w.]{{1,20}} )?"
            rf"to (?:(?P<q>[A-Z][\w.+#-]{{1,30}}) )?{_VERSION}",
            r"\g<s> \g<product> version is now \g<v>",
        ),
        (
            rf"(?:we|i|[\w-]{{1,40}}(?: and others)?)(?: have| has| got){{1,2}} (?P<v>[^,.;]{{1,40}}) for {_THING}"
            rf"(?:,| -|:| and) (?:and )?(?:that's|that is|it's|which is) (?:the|our|their) {_LIMIT}",
            r"\g<s> \g<r> is \g<v>",
        ),
        (
            rf"(?:we|they|\w{{1,40}}(?: and others)?) (?:have |has )?{_CHANGES} (?:the |our )?{_THING}"
            r"(?: from [^.;]{1,40})? to (?P<v>[^.;]{1,60})",
            r"\g<s> is now \g<v>",
        ),
    )
)


def restated(text: str) -> str:
    """A statement in the plain form, where it is in one of the others; else as it is. Linear in its length."""
    body = text.strip().rstrip(".!")
    if len(body) > _TEXT_MAX:
        return text
    for pattern, said in _FORMS:
        found = pattern.fullmatch(body)
        if found is None:
            continue
        groups = found.groupdict(default="")
        product = groups.get("q") or groups.get("p", "")
        if r"\g<product>" in said and not product:
            continue
        return found.expand(said.replace(r"\g<product>", product))
    return text
