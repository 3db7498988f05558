"""Secrets that only what stands around them gives away: ``password: …``, ``Cookie: …``, ``scheme://user:…@host``.

Names are read in code, configuration, JSON (escaped or not), headers, URLs and sentences. Every pattern is linear: runs
are bounded, or possessive behind what cannot be part of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.privacy.secret_checks import is_basic_auth, is_random

NamedSpan = tuple[int, int, str]
"""Start, end, kind."""

_PASSWORD = (
    r"pass(?:word|wd|phrase|code|wort|wrd|ord)s?|passsword|pas(?:word|swor)|psswd|(?<![a-z])pass|(?<![a-z])pwd?"
    r"|kennwort|contrase(?:ñ|n)a|mot[ _-]de[ _-]passe"
    r"|(?<![a-z])senha|пароль|密码|密碼|パスワード|비밀번호"
)
_CREDENTIAL = (
    r"(?<!public[ _-])(?:api|access|account|auth|encryption|signing|signature|master|storage|subscription"
    r"|shared[ _-]?access|secret|private|service|app|application)[ _-]?key"
    r"|(?<!next[ _-])(?<!page[ _-])(?<!sync[ _-])(?<!nextPage)(?<!nextSync)(?<!continuation[ _-])tokens?"
    r"|secrets?|credentials?|(?<=[?&])sig|x-amz-signature|x-goog-signature|secret[ _-]?access[ _-]?key|bearer"
)
_HINTS = (
    "pass", "pasw", "pssw", "pw", "kennwort", "contrase", "senha", "пароль", "密码", "密碼", "パスワード", "비밀번호",
    "key", "token", "secret", "credential", "sig=", "signature", "bearer",
)  # fmt: skip
_GAP = r"(?:\\{0,7}[\"'`])?\]?\s{0,8}(?::=|=>|:|=|：)\s{0,8}"
_SAID = r"\s{1,3}(?:is|was|are|ist|war|lautet|est|était|es|era|è|é|is:|is now)\s{1,3}|(?:是|为|は)\s{0,2}"
_OF_WHAT = (
    r"\s{1,2}(?:for|of|to|on|at|für|zum|zur|von|vom|de|del|du|pour|para|от|для|на)(?:\s{1,2}[\w'-]{1,24}){1,4}"
    r"\s{0,2}(?:[:：=]|\s(?:is|ist|lautet|es|est))\s{1,3}"
)
_QUOTED = r"(?P<quote>\\{0,7}[\"'`])(?P<quoted>[^\"'`\r\n\x00]{1,256}?)(?=\\{0,7}[\"'`])"
_BARE = r"(?P<bare>[^\s\"'`<>,;&\x00\\«»“”„‘’「」『』（）。，、]{4,512})"
_ASSIGNED = re.compile(
    rf"(?:(?P<password>{_PASSWORD})|(?P<credential>{_CREDENTIAL}))(?:{_GAP}|(?P<said>{_SAID}|{_OF_WHAT}))(?:{_QUOTED}|{_BARE})",
    re.IGNORECASE,
)
_NAME = re.compile(rf"(?:(?P<password>{_PASSWORD})|(?P<credential>{_CREDENTIAL}))[\W_]{{0,8}}\Z", re.IGNORECASE)
_NOT_WORD = re.compile(r"[\W_]+")

_URL_PASSWORD = re.compile(r"://[^\s:@/\"'<>`\x00]{0,128}:([^\s/\"'<>`\x00]{1,256})@(?=[\w\[.-])")
_AUTHORIZATION = re.compile(
    r"authorization(?:\\{0,7}[\"'])?\s{0,4}[:=]\s{0,4}(?:\\{0,7}[\"'])?"
    r"(?:(?P<scheme>bearer|token|basic|bot|apikey|api-key|key)\s{1,4})?(?P<value>[\w.~+/=:-]{8,4096}+)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(?<![\w-])(?P<scheme>bearer|basic)\s{1,4}(?P<value>[\w.~+/=:-]{16,4096}+)", re.IGNORECASE)
_COOKIE = re.compile(
    r"(?P<set>set-)?cookie(?:\\{0,7}[\"'])?\s{0,4}[:=]\s{0,4}(?:\\{0,7}[\"'])?"
    r"(?P<pairs>[\w.!#$%&*+^|~-]{1,128}=[^\r\n\"'`<>\\\x00]{1,4096}+)",
    re.IGNORECASE,
)
_CURL_USER = re.compile(r"(?<!\S)(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"'\x00]{1,64}:([^\s\"'\x00]{1,128})")
_NETRC = re.compile(r"\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8}([^\s\x00]{1,128})")

_NAMED_BY_SYNTAX = (
    ("</", re.compile(rf"<[\w.:-]{{0,40}}(?:{_PASSWORD})[\w.-]{{0,20}}>([^\s<>\x00]{{4,256}})</", re.IGNORECASE)),
    (
        "value=",
        re.compile(
            rf"name=[\"'][\w.\[\]-]{{0,40}}(?:{_PASSWORD})[\w.\]-]{{0,20}}[\"'][^<>\x00]{{0,200}}?"
            r"value=[\"']([^\s\"'<>\x00]{4,256})[\"']",
            re.IGNORECASE,
        ),
    ),
    ("(", re.compile(rf"(?:{_PASSWORD})\(\s{{0,4}}[\"'`]([^\s\"'`\x00]{{4,256}})[\"'`]\s{{0,4}}\)", re.IGNORECASE)),
    (
        "'",
        re.compile(rf"(?:\b(?:{_PASSWORD})|\bidentified by)\s{{1,4}}'([^\s'\x00]{{4,256}})'", re.IGNORECASE),
    ),
    ("sshpass", re.compile(r"\bsshpass\s{1,4}-p\s{0,4}[\"']?([^\s\"'\x00]{4,128})")),
    ("redis-cli", re.compile(r"\bredis-cli\b[^\r\n\x00]{0,120}?\s(?:-a|--pass)\s{1,4}[\"']?([^\s\"'\x00]{4,128})")),
    ("mysql", re.compile(r"\bmysql\w{0,8}\b[^\r\n\x00]{0,120}?\s-p[\"']?([^\s\"'\x00]{4,128})")),
    ("WIFI:", re.compile(r"\bWIFI:[^\r\n\x00]{0,128}?\bP:([^\s;\x00]{4,128});")),
)
"""What has to be in the text, and where the password stands: markup, calls, SQL, arguments of commands."""

_ELIDED = re.compile(r"\$\{|\{\{|\(\)|\[[\"']|\*{3}|•{3}|xxxx|\.\.\.|\x00", re.IGNORECASE)
_EXAMPLE = re.compile(
    rf"[$%{{<\[(*#@].*|[x.*•_-]+|{_PASSWORD}"
    r"|(?:none|null|nil|true|false|undefined|required|optional|string|str|text|bytes|int|integer|number|any|object|hidden"
    r"|masked|redacted|removed|empty|unset|unknown|password|passwd|pass|pwd|secret|token|key|changeme|change[_-]?it|example"
    r"|test|todo|tbd|n/?a|env|process\.env.*|os\.environ.*|os\.getenv.*|getenv.*|var\..*|vault:.*|secrets?\..*|config\..*"
    r"|settings\..*|self\..*|this\..*|your[ _-].*|my[_-].*|the|a|an|not|no|yes|in|on|at|to)",
    re.IGNORECASE | re.DOTALL,
)
_EXPRESSION = re.compile(r"(?<![A-Za-z_.])[A-Za-z_.]++(?:[(\[]|[?:!]*\Z)")
_NUMBER = re.compile(r"[0-9.,:eE+-]+")
_SIGNS = frozenset("!#$%&*+@^~")
_VALUE_END = ").]}:,;!?。，"
_VALUE = re.compile(r"[\w.~+/=%|:-]{12,512}")
_COOKIE_VALUE_MIN = 12


def find_named(text: str) -> Iterator[NamedSpan]:
    """Every secret that a name, a header or a URL gives away; they may overlap."""
    lowered = text.lower()
    if "://" in text:
        yield from _in_urls(text)
    if "uthorization" in lowered or "bearer" in lowered or "basic" in lowered:
        yield from _in_headers(text)
    if "cookie" in lowered:
        yield from _in_cookies(text)
    if "-u" in text or "login" in text:
        for pattern in (_CURL_USER, _NETRC):
            yield from ((*match.span(1), "password") for match in pattern.finditer(text) if not _is_example(match[1]))
    for sign, pattern in _NAMED_BY_SYNTAX:
        if sign in text:
            yield from ((*match.span(1), "password") for match in pattern.finditer(text) if _is_password(match[1]))
    if any(hint in lowered for hint in _HINTS):
        yield from _assigned(text)


def named_secret(name: str, value: str) -> str | None:
    """The kind of secret that a whole ``value`` is by its ``name``, as the key of a JSON object; None for none."""
    named = _NAME.search(_NOT_WORD.sub(" ", name[-64:]).strip())
    if named is None or not 3 <= len(value) <= 512 or "\n" in value:
        return None
    if named["password"]:
        return None if _is_example(value) else "password"
    return "credential" if _is_credential(value) else None


def _in_urls(text: str) -> Iterator[NamedSpan]:
    for match in _URL_PASSWORD.finditer(text):
        if not _is_example(match[1]):
            yield *match.span(1), "url_password"


def _in_headers(text: str) -> Iterator[NamedSpan]:
    for pattern in (_AUTHORIZATION, _SCHEME):
        for match in pattern.finditer(text):
            scheme, value = (match["scheme"] or "").lower(), match["value"]
            if scheme == "basic":
                if is_basic_auth(value):
                    yield *match.span("value"), "basic_auth"
            elif _is_credential(value) or (scheme and len(value) >= 8 and any(map(str.isdigit, value))):
                yield *match.span("value"), "bearer_token"


def _in_cookies(text: str) -> Iterator[NamedSpan]:
    for match in _COOKIE.finditer(text):
        start = match.start("pairs")
        pairs = match["pairs"].split(";", 1)[0] if match["set"] else match["pairs"]
        values = [pair.partition("=")[2].strip() for pair in pairs.split(";")]
        if any(len(value) >= _COOKIE_VALUE_MIN and is_random(value) for value in values):
            yield start, start + len(pairs.rstrip()), "cookie"


def _assigned(text: str) -> Iterator[NamedSpan]:
    for match in _ASSIGNED.finditer(text):
        group = "quoted" if match["quoted"] is not None else "bare"
        value = match[group]
        start = match.start(group)
        if group == "bare":
            value = value.rstrip(_VALUE_END) if "(" not in value else value
        if match["password"]:
            quoted = group == "quoted" and not match["said"] and match["password"].lower() != "pass"
            if not _is_example(value) and (quoted or _is_password(value)):
                yield start, start + len(value), "password"
        elif _is_credential(value):
            yield start, start + len(value), "credential"


def _is_example(value: str) -> bool:
    return not value or _ELIDED.search(value) is not None or _EXAMPLE.fullmatch(value) is not None


def _is_password(value: str) -> bool:
    """Whether a word outside of quotes is a password: letters with digits or signs in them, and no expression."""
    if len(value) < 4 or value.startswith(("/", "./", "http")) or _EXPRESSION.match(value) or _is_example(value):
        return False
    letters = any(map(str.isalpha, value))
    return (letters and (any(map(str.isdigit, value)) or not _SIGNS.isdisjoint(value[:-1]))) or (
        value.isdigit() and len(value) >= 6
    )


def _is_credential(value: str) -> bool:
    """Whether a value looks like a key: one word, with digits, drawn at random."""
    if _NUMBER.fullmatch(value):
        return False
    path = value.startswith(("/", "./", "http")) and not value.endswith("=")
    if path or _VALUE.fullmatch(value) is None or _is_example(value):
        return False
    digits = sum(map(str.isdigit, value))
    return digits > 0 and is_random(value) and (digits >= 3 or len(value) >= 24)
