"""Where secrets stand in a text: keys, tokens, passwords, cookies, private keys; and in stored values, with copies.

Needs nothing but the standard library and is quick to load. Takes time linear in the text: every repeat is bounded, or
possessive behind what cannot be part of it.

Some are given away by their form: one entry for each form that an issuer gives its keys and tokens. Every form has a
literal part, without which a text is never matched against the pattern: ordinary texts cost a search for some short
strings. Others only by what stands around them: ``password: …``, ``Cookie: …``, ``scheme://user:…@host``, in code,
configuration, JSON (escaped or not), headers, URLs and sentences.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from service.domain.encodings import decoded_base64
from service.domain.placeholders import PLACEHOLDER, SECRET
from service.privacy.patterns import BARRIER, CORE_CHARS, INVISIBLE_MARKS, blank, to_ascii, windows

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE58 = {sign: place for place, sign in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}
_BECH32 = {sign: place for place, sign in enumerate("qpzry9x8gf2tvdw0s3jn54khce6mua7l")}
_BECH32_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BEGINNING = re.compile(r"(?>[A-Za-z]{2,8}[-_](?:pat_|[a-z]{2,8}[0-9]{0,2}-(?:v1-)?)?)")
_WORDS = re.compile(r"(?>[A-Za-z]*[0-9]{0,4})(?:[-_.](?>[A-Za-z]*[0-9]{0,4}))*")
_AGE_PREFIX = "age-secret-key-"
_CRC_DIGITS = 6
_BASE58_CHARS_MAX = 120
_JWT_HEADER_MAX = 4_096
_HEX = frozenset("0123456789abcdefABCDEF-")


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


def is_random(value: str) -> bool:
    """Return whether a value looks drawn at random rather than written as an example (``xxxx…``, ``1234…``,
    ``your-token``): its entropy is at least 0.62 of what its length and alphabet allow, which 999 of 1,000 random ones
    reach, and its characters do not count up."""
    signs = 16 if _HEX.issuperset(value) else 64
    possible = math.log2(max(2, min(len(value), signs)))
    return len(value) > 1 and entropy(value) >= 0.62 * possible and not _counts_up(value)


def is_issued(token: str) -> bool:
    """Return whether a token of a known beginning is more than a placeholder: it has at least two digits and eight
    different characters behind the beginning, not only words with signs between them."""
    secret = _BEGINNING.sub("", token)
    return sum(map(str.isdigit, secret)) >= 2 and len(set(secret)) >= 8 and not _WORDS.fullmatch(secret)


def _counts_up(value: str) -> bool:
    steps = [ord(later) - ord(former) for former, later in itertools.pairwise(value)]
    return sum(step == 1 for step in steps) > len(steps) * 0.6


def has_crc32_suffix(token: str) -> bool:
    """GitHub's and npm's tokens: after the prefix and ``_``, the last six characters are the CRC-32 of those before
    in base 62, padded with zeros (github.blog, "Behind GitHub's new authentication token formats", 2021)."""
    _, _, secret = token.partition("_")
    body, given = secret[:-_CRC_DIGITS], secret[-_CRC_DIGITS:]
    rest, digits = zlib.crc32(body.encode()), ""
    while rest:
        rest, digit = divmod(rest, 62)
        digits = _BASE62[digit] + digits
    return bool(body) and digits.rjust(_CRC_DIGITS, "0") == given


def is_base58check(value: str) -> bool:
    """Return whether the last four bytes are the doubled SHA-256 of those before them: Bitcoin's private keys."""
    if len(value) > _BASE58_CHARS_MAX:
        return False
    number = 0
    for sign in value:
        if sign not in _BASE58:
            return False
        number = number * 58 + _BASE58[sign]
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(data) > 4 and hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def is_age_key(value: str) -> bool:
    """Return whether the Bech32 checksum (BIP 173) of an ``AGE-SECRET-KEY-1…`` is right."""
    signs = value.lower().removeprefix(f"{_AGE_PREFIX}1")
    if any(sign not in _BECH32 for sign in signs):
        return False
    expanded = [ord(sign) >> 5 for sign in _AGE_PREFIX] + [0] + [ord(sign) & 31 for sign in _AGE_PREFIX]
    check = 1
    for each in [*expanded, *(_BECH32[sign] for sign in signs)]:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ each
        for bit, generator in enumerate(_BECH32_GENERATORS):
            check ^= generator if top >> bit & 1 else 0
    return check == 1


def is_jwt(value: str) -> bool:
    """Return whether the first part is a JOSE header: a JSON object with ``alg`` or ``enc`` (RFC 7515, 7516)."""
    header = decoded_base64(value.partition(".")[0][:_JWT_HEADER_MAX])
    try:
        parsed = orjson.loads(header) if header else None
    except orjson.JSONDecodeError:
        return False
    return isinstance(parsed, dict) and ("alg" in parsed or "enc" in parsed)


def is_discord_token(value: str) -> bool:
    """Return whether the first part is a user's number in base64."""
    number = decoded_base64(value.partition(".")[0])
    return number is not None and number.isdigit()


def is_basic_auth(value: str) -> bool:
    """Return whether a value is ``user:password`` in base64 (RFC 7617)."""
    pair = decoded_base64(value)
    return pair is not None and b":" in pair and all(0x20 <= byte != 0x7F for byte in pair)


_END = r"(?![A-Za-z0-9])"
_B = "A-Za-z0-9"
"""Letters and digits."""
_W = r"A-Za-z0-9_\-"
"""Those of URL-safe base64."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """A form of secrets. ``literals``: one of them is in each secret, at its start unless it is ``inside``.

    ``certain``: a checksum, which decides even where the secret is glued to other letters. ``plausible``: has to hold
    as well.
    """

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    inside: bool = False
    certain: Callable[[str], bool] | None = None
    plausible: Callable[[str], bool] | None = None


_WORDS_ALONE = re.compile(r"(?>[a-z]*)(?:[-_.](?>[a-z]*))*")


def _random_part(token: str) -> bool:
    part = re.split(r"[-_.]", token, maxsplit=1)[-1]
    return is_random(part) and not _WORDS_ALONE.fullmatch(part)


def _form(
    kind: str,
    literals: str,
    rest: str,
    certain: Callable[[str], bool] | None = None,
    plausible: Callable[[str], bool] | None = None,
) -> Issuer:
    """Return a form that begins with one of the ``literals``; without a check of its own, what follows has to look
    random."""
    ways = tuple(literals.split())
    repeated = re.match(r"\[([^\]]{1,40})\]", rest)
    before = "" if certain else f"(?<![{_W if repeated and repeated[1].startswith(_W) else _B}])"
    pattern = re.compile(f"{before}(?:{'|'.join(map(re.escape, ways))}){rest}")
    if certain is None and plausible is None:
        plausible = _random_part
    return Issuer(kind, ways, pattern, certain=certain, plausible=plausible)


def _known(kind: str, literals: str, rest: str) -> Issuer:
    """Return a form whose beginning no word has, so that what follows need not look random, nor a checksum fit: tokens
    that were cut, mistyped or made up are masked too, placeholders (``xxxx``, ``your-key-here``) are not."""
    return _form(kind, literals, rest + _END, plausible=is_issued)


def _inner(kind: str, literal: str, pattern: str, plausible: Callable[[str], bool] = is_random) -> Issuer:
    return Issuer(kind, (literal,), re.compile(pattern), inside=True, plausible=plausible)


_PEM = (
    r"-----BEGIN (?:[A-Z0-9]{2,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?>(?:[^-\x00]|-(?!----))*)(?:-----END (?:[A-Z0-9]{2,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
)

_PUTTY = (
    r"PuTTY-User-Key-File-[23]: (?>(?:[^P\x00]|P(?!uTTY-User-Key-File-|rivate-MAC: ))*)"
    r"Private-MAC: [a-f0-9]{40,64}"
)

ISSUERS: tuple[Issuer, ...] = (
    # Clouds
    _form("aws_access_key_id", "AKIA ASIA ABIA ACCA", rf"[A-Z2-7]{{16}}{_END}"),
    _form("aws_bedrock_key", "ABSK", rf"[{_B}+/]{{109,260}}={{0,2}}"),
    _form("google_api_key", "AIza", rf"[{_W}]{{35}}{_END}"),
    _form("google_client_secret", "GOCSPX-", rf"[{_W}]{{28}}{_END}"),
    _form("google_access_token", "ya29.", rf"[{_W}.]{{20,512}}"),
    _form("google_refresh_token", "1//0", rf"[{_W}]{{40,256}}"),
    _inner("azure_client_secret", "Q~", rf"(?<![{_W}.~])[{_B}_~.]{{3}}[0-9]Q~[{_B}_~.-]{{31,34}}{_END}"),
    _inner("azure_key", "JQQJ99", rf"(?<![{_B}])[{_B}]{{52}}JQQJ99[{_B}]{{26}}={{0,2}}{_END}"),
    _form("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", rf"[a-f0-9]{{64}}{_END}"),
    _form("heroku_key", "HRKU-", rf"[{_W}]{{36,80}}"),
    _form("alibaba_key_id", "LTAI", rf"[{_B}]{{12,24}}{_END}"),
    _form("tencent_secret_id", "AKID", rf"[{_B}]{{32}}{_END}"),
    _form("cloudflare_origin_key", "v1.0-", rf"[a-f0-9]{{24}}-[a-f0-9]{{146}}{_END}"),
    _form("fly_token", "fm1r_ fm1a_ fm2_", rf"[{_W}+/]{{40,600}}={{0,2}}"),
    _form("supabase_token", "sbp_ sb_secret_", rf"[{_W}]{{31,44}}{_END}"),
    _form("planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_", rf"[{_W}.=]{{32,64}}{_END}"),
    _form("databricks_token", "dapi", rf"[a-f0-9]{{32}}(?:-\d)?{_END}"),
    _form("netlify_token", "nfp_", rf"[{_B}]{{36}}{_END}"),
    # Code and packages
    _form(
        "github_token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"[{_B}]{{36}}", certain=has_crc32_suffix, plausible=_random_part
    ),
    _known("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"[{_B}]{{16,255}}"),
    _form("github_token", "github_pat_", rf"[{_B}]{{22}}_[{_B}]{{59}}"),
    _known("github_token", "github_pat_", rf"[{_B}_]{{20,255}}"),
    _known("gitlab_token", "glpat-", rf"[{_W}.]{{16,300}}"),
    _form(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        rf"[{_W}.]{{20,300}}",
    ),
    _known("npm_token", "npm_", rf"[{_B}]{{30,64}}"),
    _form("npm_token", "npm_", rf"[{_B}]{{36}}", certain=has_crc32_suffix, plausible=_random_part),
    _form("pypi_token", "pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", rf"[{_W}]{{50,600}}"),
    _form("rubygems_key", "rubygems_", rf"[a-f0-9]{{48}}{_END}"),
    _form("crates_token", "cio", rf"[{_B}]{{32}}{_END}"),
    _form("docker_token", "dckr_pat_ dckr_oat_", rf"[{_W}]{{27,36}}"),
    _form("atlassian_token", "ATATT3 ATCTT3 ATBB", rf"[{_W}]{{24,280}}(?:=[A-F0-9]{{8}})?"),
    _form("postman_key", "PMAK-", rf"[a-f0-9]{{24}}-[a-f0-9]{{34}}{_END}"),
    _form("vault_token", "hvs. hvb. hvr.", rf"[{_W}]{{24,300}}"),
    _inner("terraform_token", ".atlasv1.", rf"(?<![{_B}])[{_B}]{{14}}\.atlasv1\.[{_W}]{{60,80}}"),
    _form("doppler_token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", rf"[{_B}._-]{{40,80}}"),
    _form("pulumi_token", "pul-", rf"[a-f0-9]{{40}}{_END}"),
    _form("age_key", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", certain=is_age_key),
    _form("onepassword_token", "ops_eyJ", rf"[{_W}]{{200,2000}}"),
    _form("sentry_token", "sntrys_eyJ sntryu_", rf"[{_B}+/=_]{{64,400}}"),
    # Models
    _form("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"[{_W}]{{20,300}}"),
    _known("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"[{_W}]{{16,300}}"),
    _known("anthropic_key", "sk-ant-", rf"[{_W}]{{16,300}}"),
    _known("openrouter_key", "sk-or-v1-", rf"[{_B}]{{16,300}}"),
    _inner("openai_key", "T3BlbkFJ", rf"(?<![{_B}])sk-[{_W}]{{16,100}}T3BlbkFJ[{_W}]{{16,100}}"),
    _form("anthropic_key", "sk-ant-", rf"[a-z]{{3,8}}[0-9]{{2}}-[{_W}]{{60,130}}"),
    _form("openrouter_key", "sk-or-v1-", rf"[a-f0-9]{{64}}{_END}"),
    _form("langfuse_key", "sk-lf-", rf"[a-f0-9]{{8}}(?:-[a-f0-9]{{4}}){{3}}-[a-f0-9]{{12}}{_END}"),
    _form("model_api_key", "sk-", rf"(?:[a-f0-9]{{32}}|(?=[A-Za-z]{{0,63}}[0-9])[{_B}]{{40,64}}){_END}"),
    _form("huggingface_token", "hf_ api_org_", rf"[A-Za-z]{{34}}{_END}"),
    _form("groq_key", "gsk_", rf"[{_B}]{{52}}{_END}"),
    _form("xai_key", "xai-", rf"[{_B}]{{80}}{_END}"),
    _form("perplexity_key", "pplx-", rf"[{_B}]{{48,56}}{_END}"),
    _form("replicate_token", "r8_", rf"[{_B}]{{37}}{_END}"),
    _form("nvidia_key", "nvapi-", rf"[{_W}]{{60,80}}"),
    _form("langsmith_key", "lsv2_pt_ lsv2_sk_", rf"[a-f0-9]{{32}}_[a-f0-9]{{10}}{_END}"),
    _form("tavily_key", "tvly-", rf"[{_W}]{{24,64}}"),
    _form("reverie_key", "rv_", rf"[{_W}]{{65}}(?![{_W}])"),
    # Messages
    _form(
        "slack_token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe.xoxb- xoxe.xoxp- xoxd- xoxc-", rf"[{_B}%-]{{20,300}}"
    ),
    _known("slack_token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe-", rf"[{_B}-]{{16,300}}"),
    _form("slack_token", "xapp-", r"[0-9]-[A-Z0-9]{8,14}-[0-9]{10,15}-[a-f0-9]{40,72}"),
    _form(
        "slack_webhook",
        "https://hooks.slack.com/services/ https://hooks.slack.com/workflows/",
        rf"T[A-Z0-9]{{6,14}}/[A-Z0-9]{{6,14}}/[{_B}/]{{20,64}}",
    ),
    _form(
        "discord_webhook",
        "https://discord.com/api/webhooks/ https://discordapp.com/api/webhooks/",
        rf"[0-9]{{15,20}}/[{_W}]{{60,80}}",
    ),
    _inner(
        "discord_token",
        ".",
        rf"(?<![{_W}])[MNO][{_B}]{{23,27}}\.[{_W}]{{6}}\.[{_W}]{{27,40}}(?![{_W}])",
        is_discord_token,
    ),
    _inner("telegram_token", ":AA", rf"(?<![{_B}])[0-9]{{8,10}}:AA[{_W}]{{33}}(?![{_W}])"),
    _form("sendgrid_key", "SG.", rf"[{_W}]{{22}}\.[{_W}]{{43}}(?![{_W}])"),
    _form("mailgun_key", "key-", rf"[a-f0-9]{{32}}{_END}"),
    _inner("mailchimp_key", "-us", rf"(?<![{_B}])[a-f0-9]{{32}}-us[0-9]{{1,2}}{_END}"),
    _form("twilio_key", "SK", rf"[a-f0-9]{{32}}{_END}"),
    # Money and shops
    _form("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", rf"[{_B}]{{16,128}}{_END}"),
    _form("webhook_secret", "whsec_", rf"[{_B}+/=]{{24,80}}"),
    _form("square_token", "sq0atp- sq0csp-", rf"[{_W}]{{22,43}}{_END}"),
    _form("square_token", "EAAA", rf"[{_W}]{{60}}{_END}"),
    _form("shopify_token", "shpat_ shpca_ shppa_ shpss_", rf"[a-fA-F0-9]{{32}}{_END}"),
    _form("paypal_token", "access_token$production$ access_token$sandbox$", r"[a-z0-9]{16}\$[a-f0-9]{32}"),
    _inner("bitcoin_key", "", rf"(?<![{_B}])[5KL][1-9A-HJ-NP-Za-km-z]{{50,51}}{_END}", is_base58check),
    _form("bitcoin_key", "xprv zprv yprv", r"[1-9A-HJ-NP-Za-km-z]{107}", certain=is_base58check),
    # Other services
    _form("newrelic_key", "NRAK-", rf"[A-Z0-9]{{27}}{_END}"),
    _form("grafana_token", "glsa_", rf"[{_B}]{{32}}_[a-fA-F0-9]{{8}}{_END}"),
    _form("grafana_token", "glc_eyJ", rf"[{_B}+/=]{{40,400}}"),
    _form("linear_key", "lin_api_ lin_oauth_", rf"[{_B}]{{40,64}}{_END}"),
    _form("notion_token", "ntn_ secret_", rf"[{_B}]{{43,50}}{_END}"),
    _form("figma_token", "figd_ figo_ figr_", rf"[{_W}]{{40,60}}"),
    _inner("airtable_token", "pat", rf"(?<![{_B}])pat[{_B}]{{14}}\.[a-f0-9]{{64}}{_END}"),
    _inner("asana_token", ":", rf"(?<![0-9/])[12]/[0-9]{{15,17}}(?:/[0-9]{{15,17}})?:[a-f0-9]{{32}}{_END}"),
    _form("dropbox_token", "sl.u. sl.", rf"[{_W}]{{130,1200}}"),
    _form("posthog_key", "phx_", rf"[{_W}]{{40,60}}"),
    _form("facebook_token", "EAA", rf"[{_B}]{{90,400}}{_END}"),
    _form("mapbox_token", "sk.eyJ", rf"[{_W}]{{60,200}}\.[{_W}]{{20,30}}"),
    # Forms of many issuers
    Issuer("private_key", ("-----BEGIN ",), re.compile(_PEM), certain=bool),
    Issuer("private_key", ("PuTTY-User-Key-File-",), re.compile(_PUTTY), certain=bool),
    _form("jwt", "eyJ", rf"[{_W}]{{8,2000}}(?:\.[{_W}]{{2,4000}}){{1,4}}(?:\.[{_W}]{{0,1000}})?", plausible=is_jwt),
    _form("password_hash", "$2a$ $2b$ $2y$", r"[0-9]{2}\$[./A-Za-z0-9]{53}"),
    _form(
        "password_hash",
        "$argon2id$ $argon2i$",
        r"v=[0-9]{1,3}\$[a-z0-9=,]{8,40}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{20,180}",
    ),
    _form("password_hash", "$6$ $5$", r"(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{4,16}\$[./A-Za-z0-9]{43,86}"),
)


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
    """Yield every secret that a name, a header or a URL gives away; they may overlap."""
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
    """Return the kind of secret that a whole ``value`` is by its ``name``, as the key of a JSON object; None for
    none."""
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
    """Return whether a word outside of quotes is a password: letters with digits or signs in them, and no
    expression."""
    if len(value) < 4 or value.startswith(("/", "./", "http")) or _EXPRESSION.match(value) or _is_example(value):
        return False
    letters = any(map(str.isalpha, value))
    return (letters and (any(map(str.isdigit, value)) or not _SIGNS.isdisjoint(value[:-1]))) or (
        value.isdigit() and len(value) >= 6
    )


def _is_credential(value: str) -> bool:
    """Return whether a value looks like a key: one word, with digits, drawn at random."""
    if _NUMBER.fullmatch(value):
        return False
    path = value.startswith(("/", "./", "http")) and not value.endswith("=")
    if path or _VALUE.fullmatch(value) is None or _is_example(value):
        return False
    digits = sum(map(str.isdigit, value))
    return digits > 0 and is_random(value) and (digits >= 3 or len(value) >= 24)


# What hides inside of a token: characters that nobody sees, and full-width letters.
_DISGUISES = INVISIBLE_MARKS.union(
    *(
        map(chr, range(first, last + 1))
        for first, last in (
            (0xAD, 0xAD), (0x180E, 0x180E), (0x200B, 0x200F), (0x2060, 0x2064), (0xFEFF, 0xFEFF), (0xFF01, 0xFF5E),
            (0xE0000, 0xE007F),
        )
    )
)  # fmt: skip
_ESCAPED_SIGN = re.compile(r"\\u00[2-7]")


# A line break inside of a token, as mail, terminals and pasted tables make it: with the signs that quote and continue
# lines. Lines of a private key are one secret anyway.
_BREAK = re.compile(r"(?<=[A-Za-z0-9_+/=.-])\\?\r?\n[ \t]{0,16}(?:> ?)?(?=[A-Za-z0-9_+/=.-])")
_RUN = re.compile(r"[A-Za-z0-9_+/=.-]{1,4000}")
_LINE_ENDS = re.compile(r"[\"'`,;)\\]{0,4}[ \t]{0,16}(?:\r?\n|\Z)")
_CONTINUED_MIN = 6


# Every form of an issuer has a run of so many characters, which words in sentences seldom have.
_LONG_RUN = re.compile(r"\S{16}")
_SHORTEST = 8
"""``pwd=a1b2``."""
_LITERALS = [(literal, issuer) for issuer in ISSUERS for literal in issuer.literals]


def find_secrets(text: str) -> list[NamedSpan]:
    """Disjoint spans of secrets, each with its kind, in order."""
    if len(text) < _SHORTEST:
        return []
    if not _is_disguised(text):
        return _merged(_found(text))
    folded = to_ascii(text)
    return _merged((*folded.span(start, end), kind) for start, end, kind in _found(folded.text) if end > start)


def _is_disguised(text: str) -> bool:
    """Return whether a text has invisible characters, full-width letters or escaped signs (``\\u003d``, ``&#61;``).

    A regular expression for the same takes 30 times as long, and no other thread runs meanwhile: 0.2 s for 900,000.
    """
    if "&#" in text or not _DISGUISES.isdisjoint(text):
        return True
    return "\\u00" in text and _ESCAPED_SIGN.search(text) is not None


def _found(text: str) -> Iterator[NamedSpan]:
    if _LONG_RUN.search(text):
        issued = [*_issued(text), *_broken(text)]
        yield from issued
        text = _without(text, issued)
    yield from _in_windows(text, find_named)


def _issued(text: str) -> list[NamedSpan]:
    return [
        span
        for literal, issuer in _LITERALS
        if literal in text
        for span in (_inside(text, issuer) if issuer.inside else _beginning(text, literal, issuer))
    ]


def _broken(text: str) -> Iterator[NamedSpan]:
    """Tokens that go on in the next lines: what an issuer's form finds once these breaks are gone."""
    breaks = [match.span() for match in _BREAK.finditer(text) if _continues(text, match.end())]
    if not breaks:
        return
    ends = [0, *(end for _, end in breaks)]
    pieces = [text[start:end] for start, end in zip(ends, [*(start for start, _ in breaks), len(text)], strict=True)]
    places = [0, *itertools.accumulate(map(len, pieces))]
    for start, end, kind in _issued("".join(pieces)):
        first, last = bisect_right(places, start) - 1, bisect_left(places, end) - 1
        if last > first:
            yield ends[first] + start - places[first], ends[last] + end - places[last], kind


def _continues(text: str, at: int) -> bool:
    """Return whether a line begins with what may be the rest of a token: all of the line, or with a digit in it. A
    sentence behind a whole token is none of it."""
    run = _RUN.match(text, at)
    if run is None or len(run[0]) < _CONTINUED_MIN:
        return False
    return _LINE_ENDS.match(text, run.end()) is not None or any(map(str.isdigit, run[0]))


def _without(text: str, spans: list[NamedSpan]) -> str:
    pieces, done = [], 0
    for start, end, _ in _merged(spans):
        pieces += [text[done:start], BARRIER * (end - start)]
        done = end
    return "".join([*pieces, text[done:]])


def _in_windows(text: str, find: Callable[[str], Iterator[NamedSpan]]) -> Iterator[NamedSpan]:
    if len(text) <= CORE_CHARS:
        yield from find(text)
        return
    for window in windows(text):
        for start, end, kind in find(text[window.start : window.end]):
            if start + window.start < window.core_end and end + window.start > window.core_start:
                yield start + window.start, end + window.start, kind


def _inside(text: str, issuer: Issuer) -> Iterator[NamedSpan]:
    def find(part: str) -> Iterator[NamedSpan]:
        return ((*match.span(), issuer.kind) for match in issuer.pattern.finditer(part) if _holds(match, issuer))

    return _in_windows(text, find)


def _beginning(text: str, literal: str, issuer: Issuer) -> Iterator[NamedSpan]:
    at = text.find(literal)
    while at >= 0:
        found = issuer.pattern.match(text, at)
        if found is not None and _holds(found, issuer):
            yield *found.span(), issuer.kind
        at = text.find(literal, max(at + 1, found.end() if found else 0))


def _holds(match: re.Match[str], issuer: Issuer) -> bool:
    if issuer.certain is not None:
        if issuer.certain(match[0]):
            return True
        before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
        if issuer.plausible is None or before.isalnum() or after.isalnum():
            return False
    return issuer.plausible is None or issuer.plausible(match[0])


def _merged(found: Iterable[NamedSpan]) -> list[NamedSpan]:
    """Disjoint, in order, covering all: of overlapping ones the first names the whole."""
    merged: list[NamedSpan] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, kind))
    return merged


_COPY_MIN = 8
"""A shorter value may be a word or a number of its own elsewhere."""


def secrets_in(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield each secret in a text or a JSON value at any depth, with its kind."""
    if isinstance(value, str):
        spans = find_secrets(blank(PLACEHOLDER, value))
        yield from ((value[start:end], kind) for start, end, kind in spans)
        named = named_secret(key, value) if key and not PLACEHOLDER.search(value) else None
        if named is not None and not spans:
            yield value, named
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from secrets_in(name)
            yield from secrets_in(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from secrets_in(item, key)


class Copies:
    """Replaces known secrets by what stands for each, wherever they are copied to."""

    def __init__(self, found: Mapping[str, str]) -> None:
        """``found``: each secret with its kind. Values under 8 characters are left to what gives them away."""
        labels = " ".join({f"{SECRET}{kind}" for kind in found.values()})
        kinds = {value: kind for value, kind in found.items() if len(value) >= _COPY_MIN and value not in labels}
        kinds = {value.lower(): kind for value, kind in kinds.items()} | kinds
        self._longest_first = sorted(kinds.items(), key=lambda known: len(known[0]), reverse=True)

    def replaced(self, value: Any, mask: Callable[[str, str], str], spared: frozenset[str] = frozenset()) -> Any:
        """Return the value with ``mask(kind, secret)`` for each secret in its texts and keys, but those ``spared``."""
        if isinstance(value, str):
            for secret, kind in self._longest_first:
                if secret in value and secret not in spared:
                    value = value.replace(secret, mask(kind, secret))
            return value
        if isinstance(value, dict):
            return {self.replaced(n, mask, spared): self.replaced(item, mask, spared) for n, item in value.items()}
        if isinstance(value, list):
            return [self.replaced(item, mask, spared) for item in value]
        return value
