"""Generated secrets of every kind in the surroundings in which they are pasted, and texts that only look like them.

Every value is made from a seeded generator, by the form that its issuer documents; none was ever issued.
"""

from __future__ import annotations

import base64
import hashlib
import json
import string
import uuid
import zlib
from collections.abc import Callable
from random import Random

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
WORD = ALNUM + "_-"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

Make = Callable[[Random], str]


def run(random: Random, length: int, alphabet: str = ALNUM) -> str:
    """Random characters, digits among them where the alphabet has any."""
    return "".join(random.choice(alphabet) for _ in range(length))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _with_crc(prefix: str, random: Random) -> str:
    """GitHub's and npm's form: 30 characters and the CRC-32 of them in base 62."""
    secret = run(random, 30, BASE62)
    rest, digits = zlib.crc32(secret.encode()), ""
    while rest:
        rest, digit = divmod(rest, 62)
        digits = BASE62[digit] + digits
    return prefix + secret + digits.rjust(6, "0")


def _jwt(random: Random) -> str:
    header = {"alg": random.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    claims = {"sub": run(random, 12), "iat": random.randrange(10**9, 2 * 10**9), "admin": True}
    parts = [_encoded(json.dumps(part).encode()) for part in (header, claims)]
    return ".".join([*parts, _encoded(random.randbytes(32))])


def _pem(random: Random, label: str = "RSA PRIVATE KEY", size: int = 600) -> str:
    body = base64.encodebytes(random.randbytes(size)).decode().replace("\n", "")
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


def _service_account(random: Random) -> str:
    return json.dumps(
        {
            "type": "service_account",
            "project_id": "demo-1",
            "private_key_id": run(random, 40, HEX),
            "private_key": _pem(random, "PRIVATE KEY") + "\n",
            "client_email": "robot@demo-1.iam.gserviceaccount.com",
        }
    )


def _base58check(payload: bytes) -> str:
    data = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, out = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        out = BASE58[digit] + out
    return out


def _age(random: Random) -> str:
    values = [random.randrange(32) for _ in range(51)] + [random.choice([0, 16])]
    prefix = [ord(one) >> 5 for one in "age-secret-key-"] + [0] + [ord(one) & 31 for one in "age-secret-key-"]
    check = 1
    for value in [*prefix, *values, 0, 0, 0, 0, 0, 0]:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= generator if top >> bit & 1 else 0
    check ^= 1
    checksum = [check >> 5 * (5 - place) & 31 for place in range(6)]
    return "AGE-SECRET-KEY-1" + "".join(BECH32[value] for value in [*values, *checksum]).upper()


TOKENS: dict[str, Make] = {
    "aws_access_key_id": lambda r: r.choice(["AKIA", "ASIA"]) + run(r, 16, BASE32),
    "aws_secret_access_key": lambda r: f"aws_secret_access_key = {run(r, 40, ALNUM + '+/')}",
    "github_token": lambda r: _with_crc(r.choice(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]), r),
    "github_fine_grained": lambda r: f"github_pat_{run(r, 22)}_{run(r, 59)}",
    "gitlab_token": lambda r: r.choice(["glpat-", "gldt-", "glrt-", "glptt-"]) + run(r, 20, WORD[:-2]),
    "npm_token": lambda r: _with_crc("npm_", r),
    "pypi_token": lambda r: "pypi-AgEIcHlwaS5vcmc" + run(r, 150, WORD[:-2]),
    "rubygems_key": lambda r: "rubygems_" + run(r, 48, HEX),
    "crates_token": lambda r: "cio" + run(r, 32),
    "docker_token": lambda r: "dckr_pat_" + run(r, 27, ALNUM),
    "slack_token": lambda r: f"xoxb-{run(r, 12, '123456789')}-{run(r, 13, '123456789')}-{run(r, 24)}",
    "slack_app_token": lambda r: f"xapp-1-A{run(r, 10, UPPER)}-{run(r, 13, '123456789')}-{run(r, 64, HEX)}",
    "slack_webhook": lambda r: f"https://hooks.slack.com/services/T{run(r, 9, UPPER)}/B{run(r, 9, UPPER)}/{run(r, 24)}",
    "discord_webhook": lambda r: f"https://discord.com/api/webhooks/{run(r, 18, '123456789')}/{run(r, 68)}",
    "discord_token": lambda r: f"{_encoded(run(r, 18, '123456789').encode())}.{run(r, 6)}.{run(r, 38)}",
    "telegram_token": lambda r: f"{run(r, 10, '123456789')}:AA{run(r, 33, ALNUM)}",
    "stripe_key": lambda r: r.choice(["sk_live_", "rk_live_", "sk_test_"]) + run(r, r.choice([24, 99])),
    "stripe_webhook_secret": lambda r: "whsec_" + run(r, 32),
    "square_token": lambda r: "sq0csp-" + run(r, 43, ALNUM),
    "shopify_token": lambda r: r.choice(["shpat_", "shpss_", "shpca_"]) + run(r, 32, HEX),
    "openai_key": lambda r: f"sk-proj-{run(r, 74)}T3BlbkFJ{run(r, 74)}",
    "openai_legacy_key": lambda r: f"sk-{run(r, 20)}T3BlbkFJ{run(r, 20)}",
    "anthropic_key": lambda r: f"sk-ant-api03-{run(r, 93)}AA",
    "openrouter_key": lambda r: "sk-or-v1-" + run(r, 64, HEX),
    "huggingface_token": lambda r: "hf_" + run(r, 34, string.ascii_letters),
    "groq_key": lambda r: "gsk_" + run(r, 52),
    "xai_key": lambda r: "xai-" + run(r, 80),
    "perplexity_key": lambda r: "pplx-" + run(r, 48),
    "replicate_token": lambda r: "r8_" + run(r, 37),
    "langsmith_key": lambda r: f"lsv2_pt_{run(r, 32, HEX)}_{run(r, 10, HEX)}",
    "google_api_key": lambda r: "AIza" + run(r, 35, ALNUM),
    "google_client_secret": lambda r: "GOCSPX-" + run(r, 28, ALNUM),
    "google_access_token": lambda r: "ya29.a0" + run(r, 160, ALNUM),
    "gcp_service_account": _service_account,
    "azure_storage_key": lambda r: (
        "DefaultEndpointsProtocol=https;AccountName=demo;AccountKey=" + base64.b64encode(r.randbytes(64)).decode()
    ),
    "azure_shared_access_key": lambda r: (
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=root;"
        f"SharedAccessKey={base64.b64encode(r.randbytes(32)).decode()}"
    ),
    "azure_client_secret": lambda r: f"{run(r, 3)}8Q~{run(r, 34)}",
    "azure_sas": lambda r: (
        "https://demo.blob.core.windows.net/a?sv=2022-11-02&sr=b&se=2026-01-01&sig="
        + base64.b64encode(r.randbytes(32)).decode().replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    ),
    "digitalocean_token": lambda r: "dop_v1_" + run(r, 64, HEX),
    "sendgrid_key": lambda r: f"SG.{run(r, 22)}.{run(r, 43)}",
    "mailgun_key": lambda r: "key-" + run(r, 32, HEX),
    "mailchimp_key": lambda r: run(r, 32, HEX) + "-us12",
    "twilio_key": lambda r: "SK" + run(r, 32, HEX),
    "newrelic_key": lambda r: "NRAK-" + run(r, 27, UPPER),
    "grafana_token": lambda r: f"glsa_{run(r, 32)}_{run(r, 8, HEX)}",
    "sentry_token": lambda r: "sntryu_" + run(r, 64, HEX),
    "linear_key": lambda r: "lin_api_" + run(r, 40),
    "notion_token": lambda r: "ntn_" + run(r, 46),
    "figma_token": lambda r: "figd_" + run(r, 40, ALNUM),
    "postman_key": lambda r: f"PMAK-{run(r, 24, HEX)}-{run(r, 34, HEX)}",
    "atlassian_token": lambda r: f"ATATT3xFfGF0{run(r, 170)}={run(r, 8, HEX).upper()}",
    "airtable_token": lambda r: f"pat{run(r, 14)}.{run(r, 64, HEX)}",
    "vault_token": lambda r: "hvs." + run(r, 95, ALNUM),
    "terraform_token": lambda r: f"{run(r, 14)}.atlasv1.{run(r, 67)}",
    "databricks_token": lambda r: "dapi" + run(r, 32, HEX),
    "doppler_token": lambda r: "dp.pt." + run(r, 43),
    "pulumi_token": lambda r: "pul-" + run(r, 40, HEX),
    "planetscale_token": lambda r: "pscale_tkn_" + run(r, 43, ALNUM),
    "supabase_token": lambda r: "sbp_" + run(r, 40, HEX),
    "alibaba_key_id": lambda r: "LTAI5t" + run(r, 18),
    "age_key": _age,
    "bitcoin_key": lambda r: _base58check(b"\x80" + r.randbytes(32) + b"\x01"),
    "jwt": _jwt,
    "private_key": _pem,
    "openssh_key": lambda r: _pem(r, "OPENSSH PRIVATE KEY", 2000),
    "pgp_key": lambda r: _pem(r, "PGP PRIVATE KEY BLOCK", 900),
}
"""A form for each issuer."""

PASSWORDS: dict[str, Make] = {
    "connection_string": lambda r: f"postgresql://ann:{_password(r)}@db.example.com:5432/app",
    "redis_url": lambda r: f"redis://:{_password(r)}@cache:6379/0",
    "mongodb_url": lambda r: f"mongodb+srv://app:{_password(r)}@c0.abcde.mongodb.net/app?retryWrites=true",
    "ado_string": lambda r: f"Server=db;Database=app;User Id=sa;Password={_password(r)};Encrypt=true",
    "basic_auth_url": lambda r: f"git clone https://ann:{_password(r)}@git.example.com/a.git",
    "bearer_header": lambda r: f"Authorization: Bearer {run(r, 40)}",
    "basic_header": lambda r: "Authorization: Basic " + base64.b64encode(f"ann:{_password(r)}".encode()).decode(),
    "cookie_header": lambda r: f"Cookie: session={run(r, 32)}; theme=dark",
    "set_cookie_header": lambda r: f"Set-Cookie: sid={run(r, 32)}; Path=/; HttpOnly",
    "env_password": lambda r: f"DB_PASSWORD={_password(r)}",
    "yaml_password": lambda r: f"database:\n  user: app\n  password: {_password(r)}\n  port: 5432",
    "code_password": lambda r: f'connect(host="db", password="{_password(r)}")',
    "said_password": lambda r: f"my password is {_password(r)}, keep it for me",
    "json_api_key": lambda r: json.dumps({"service": "maps", "api_key": run(r, 32)}),
    "escaped_json": lambda r: json.dumps({"arguments": json.dumps({"user": "ann", "password": _password(r)})}),
    "client_secret": lambda r: f"client_secret: {run(r, 40)}",
    "query_token": lambda r: f"https://api.example.com/v1/items?access_token={run(r, 32)}&page=2",
    "curl_user": lambda r: f"curl -u ann:{_password(r)} https://api.example.com",
    "totp_uri": lambda r: f"otpauth://totp/Example:ann?secret={run(r, 32, BASE32)}&issuer=Example",
}
"""Secrets that only what stands around them gives away."""


def _password(random: Random) -> str:
    return (
        run(random, random.randint(6, 9), string.ascii_letters)
        + run(random, 2, string.digits)
        + run(random, 2, "!#$%+")
    )


AROUND = (
    "{}", "Please remember this for later: {} thanks!", "here it is:\n{}\nand the gate is at noon", "`{}`",
    "Ann schrieb: »{}« und ging.", '{{"note": "{}"}}', "令牌是{}。", "export X='{}'",
)  # fmt: skip
"""What a secret is pasted into."""


def _code(random: Random) -> str:
    name = random.choice(["token", "secret", "password", "api_key", "cookie", "session"])
    return random.choice(
        [
            f"def check_{name}({name}: str) -> bool:\n    return hash_of({name}) == stored.{name}_hash",
            f'{name} = os.environ["{name.upper()}"]',
            f"const {name} = await getSecret('{name}-name');",
            f"{name}: Optional[str] = None",
            f"if not user.{name}:\n    raise ValueError('{name} is required')",
            f'<input type="password" name="{name}" autocomplete="current-password">',
            f"{name} = ${{{name.upper()}}}",
            f"{name.upper()}=<your-{name}-here>",
            f"self.{name} = {name}",
            f"kubectl get secret {name} -o yaml",
            f"tokens_max = {random.randrange(100, 9000)}; token_count: {random.randrange(10**6)}",
        ]
    )


def _lockfile(random: Random) -> str:
    digest = base64.b64encode(random.randbytes(64)).decode()
    return random.choice(
        [
            f'"node_modules/left-pad": {{"version": "1.3.0", "integrity": "sha512-{digest}"}}',
            f"requests==2.32.3 \\\n    --hash=sha256:{run(random, 64, HEX)}",
            f'checksum = "{run(random, 64, HEX)}"',
            f"github.com/a/b v1.2.3 h1:{base64.b64encode(random.randbytes(32)).decode()}",
        ]
    )


HARMLESS: dict[str, Make] = {
    "code": _code,
    "hashes": lambda r: f"commit {run(r, 40, HEX)}, sha256 {run(r, 64, HEX)}, md5 {run(r, 32, HEX)}",
    "UUIDs": lambda r: f"session {uuid.UUID(bytes=r.randbytes(16))} of user {uuid.UUID(bytes=r.randbytes(16))}",
    "base64 images": lambda r: (
        "![a](data:image/png;base64,iVBORw0KGgo" + base64.b64encode(r.randbytes(3000)).decode() + ")"
    ),
    "ids": lambda r: (
        f"order {run(r, 12, UPPER)}, msg_{run(r, 24)}, call_{run(r, 24)}, req {run(r, 26, UPPER)}, "
        f"acct_{run(r, 16)}, pk_live_{run(r, 24)}, chatcmpl-{run(r, 29)}"
    ),
    "lockfiles": _lockfile,
    "long URLs": lambda r: (
        f"https://www.example.com/{run(r, 20)}/{run(r, 30, WORD)}?utm_source=mail&id={run(r, 40)}&page=2"
        f"&gclid={run(r, 60, WORD)}#{run(r, 12)}"
    ),
    "prose": lambda r: r.choice(
        [
            "The password is required on the second page.",
            "She forgot her password again and wrote to support.",
            "Our token budget is 2,000 tokens; the secret of good bread is time.",
            "Ann's secret: she never liked the gate.",
            "API key rotation is due on Friday, says Bo.",
            "the cookie recipe: flour, butter, sugar",
            "Passwort: steht im Tresor. Das Geheimnis ist gut gehütet.",
            "Password reset emails go out at 09:30.",
            "Authorization: needed from the manager before Tuesday",
            "He sells skis (sk-1200 model) and bindings.",
            "密码是必填项，请联系管理员。",
        ]
    ),
    "public keys": lambda r: (
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{run(r, 43)} ann@host\n-----BEGIN PUBLIC KEY-----\n"
        f"{run(r, 64)}\n-----END PUBLIC KEY-----"
    ),
    "addresses": lambda r: (
        f"0x{run(r, 40, HEX)} and bc1q{run(r, 38, BECH32)} and arn:aws:iam::123456789012:role/{run(r, 20)}"
    ),
}
"""Texts without a secret."""


def secrets(seed: int, each: int) -> list[tuple[str, str, str]]:
    """``(kind, secret, text)``, ``each`` of every kind, in changing surroundings."""
    random = Random(seed)
    made = []
    for kind, make in {**TOKENS, **PASSWORDS}.items():
        for number in range(each):
            secret = make(random)
            around = AROUND[number % len(AROUND)] if kind in TOKENS else "{}"
            made.append((kind, secret, around.replace("{{", "{").replace("}}", "}").replace("{}", secret)))
    return made


def harmless(seed: int, each: int) -> list[tuple[str, str]]:
    """``(kind, text)``, ``each`` of every kind."""
    random = Random(seed)
    return [(kind, make(random)) for kind, make in HARMLESS.items() for _ in range(each)]
