"""Secrets that their form gives away: one entry for each form that an issuer gives its keys and tokens.

Every form has a literal part. A text without it is never matched against the pattern, so that ordinary texts cost a
search for some short strings. Every repeat is bounded, so that a match takes bounded time wherever it starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from service.privacy.secret_checks import (
    has_crc32_suffix,
    is_age_key,
    is_base58check,
    is_discord_token,
    is_issued,
    is_jwt,
    is_random,
)

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


_WORDS = re.compile(r"(?>[a-z]*)(?:[-_.](?>[a-z]*))*")


def _random_part(token: str) -> bool:
    part = re.split(r"[-_.]", token, maxsplit=1)[-1]
    return is_random(part) and not _WORDS.fullmatch(part)


def _form(
    kind: str,
    literals: str,
    rest: str,
    certain: Callable[[str], bool] | None = None,
    plausible: Callable[[str], bool] | None = None,
) -> Issuer:
    """A form that begins with one of the ``literals``; without a check of its own, what follows has to look random."""
    ways = tuple(literals.split())
    repeated = re.match(r"\[([^\]]{1,40})\]", rest)
    before = "" if certain else f"(?<![{_W if repeated and repeated[1].startswith(_W) else _B}])"
    pattern = re.compile(f"{before}(?:{'|'.join(map(re.escape, ways))}){rest}")
    if certain is None and plausible is None:
        plausible = _random_part
    return Issuer(kind, ways, pattern, certain=certain, plausible=plausible)


def _known(kind: str, literals: str, rest: str) -> Issuer:
    """A form whose beginning no word has, so that what follows need not look random, nor a checksum fit: tokens that
    were cut, mistyped or made up are masked too, placeholders (``xxxx``, ``your-key-here``) are not."""
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
