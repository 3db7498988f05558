"""Where e-mail addresses stand in a folded text: RFC 5322's forms and the usual disguises.

Linear in the text: runs are possessive and begin where no run goes on, everything else is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.privacy.patterns import Span, blank

_MARKS = r"[.!#$%'*+^~\-]"

# In scripts written without spaces a word runs into the address beside it ("メールはa@b.comです"), so an address
# within them is looked for first, and one made of them ("用户@例子.公司") only where that finds nothing.
_SPACED_WORD = (
    r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
_ANY_WORD = r"\w"


def _local(word: str) -> str:
    return rf"(?<!{word})(?<!{_MARKS})(?:{word}|{_MARKS})++"


def _domain(word: str, dot: str = r"\.") -> str:
    label = rf"(?:{word}|-)++"
    return rf"(?:{label}{dot})+(?!\d){word}{label}"


_EMAIL = re.compile(rf"{_local(_SPACED_WORD)}@{_domain(_SPACED_WORD)}")
_EMAIL_ANY_SCRIPT = re.compile(rf"{_local(_ANY_WORD)}@{_domain(_ANY_WORD)}")
_BRACKETED_DOT = r"(?:\.| ?[\[({] ?dot ?[\])}] ?)"
_BRACKETED = re.compile(
    rf"{_local(_SPACED_WORD)} ?[\[({{] ?at ?[\])}}] ?{_domain(_SPACED_WORD, _BRACKETED_DOT)}", re.IGNORECASE
)
_HOST = rf"(?:{_domain(_SPACED_WORD)}|[A-Za-z][A-Za-z0-9-]{{0,62}}(?![\w.]))"
_LITERAL = r"(?:\[[0-9A-Za-z:.]{2,64}\]|(?:\d{1,3}\.){3}\d{1,3}(?![\w.]))"
_QUOTED = re.compile(
    rf"""(?<![^\s<(\[{{:;,=>])["“”„](?:[^"“”„\\\n\x00]|\\[^\n\x00]){{1,64}}["“”]@(?:{_HOST}|{_LITERAL})"""
)
_AT_ADDRESS = re.compile(rf"{_local(_SPACED_WORD)}@{_LITERAL}")
# Not in a path ("actions/checkout@fix") and not before the name of a version ("lodash@latest").
_VERSION = (
    r"(?:v\d|sha\d"
    r"|(?:latest|next|beta|alpha|rc|canary|nightly|stable|edge|main|master|trunk|develop|dev|head)(?![\w-]))"
)
_AT_HOST = re.compile(
    rf"(?<!\w/){_local(_SPACED_WORD)}@(?!{_VERSION})[A-Za-z][A-Za-z0-9-]{{1,62}}(?![\w@-]|\.\w)", re.IGNORECASE
)


def find_emails(text: str) -> Iterator[Span]:
    """Everything shaped ``local@host``, whatever the domain: internal ones are personal data too.

    Also ``"quoted local"@host``, a host without a dot (``root@localhost``; not a version, ``lodash@latest``), an
    address in place of the host, and ``local [at] host [dot] com``.
    """
    if "@" in text:
        for pattern in (_QUOTED, _EMAIL, _EMAIL_ANY_SCRIPT, _AT_ADDRESS):
            for match in pattern.finditer(text):
                yield _without_markup(match)
            text = blank(pattern, text)
        for match in _AT_HOST.finditer(text):
            start, end = _without_markup(match)
            if text[start].isalpha():
                yield start, end
    for match in _BRACKETED.finditer(text):
        yield _without_markup(match)


def _without_markup(match: re.Match[str]) -> Span:
    start = match.end() - len(match[0].lstrip("'*~.-"))
    return (start if match.string[start] != "@" else match.start()), match.end()
