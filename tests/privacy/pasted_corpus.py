"""Secrets as they stand in files, dumps and terminals that people paste, and files that hold none.

``secret_corpus`` goes by issuers; this one goes by file formats and tools, with values drawn by other rules.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable
from random import Random

from tests.privacy.secret_corpus import ALNUM, HEX, UPPER, run

Make = Callable[[Random], tuple[str, str]]
"""The secret value, and the text that holds it."""

_SYLLABLES = ("ka", "lo", "mir", "ten", "vu", "sop", "ber", "dax", "fin", "gul")


def _phrase(random: Random) -> str:
    """A password as people choose it: syllables, a year, a sign."""
    words = "".join(random.choice(_SYLLABLES) for _ in range(3)).capitalize()
    return f"{words}{random.randrange(1970, 2030)}{random.choice('!?#*')}"


def _key(random: Random) -> str:
    return base64.urlsafe_b64encode(random.randbytes(30)).decode()


def _in(template: str, value: Callable[[Random], str] = _phrase) -> Make:
    def make(random: Random) -> tuple[str, str]:
        secret = value(random)
        return secret, template.replace("@@", secret)

    return make


def _har(random: Random) -> tuple[str, str]:
    secret = _key(random)
    headers = [{"name": "Accept", "value": "*/*"}, {"name": "Authorization", "value": f"Bearer {secret}"}]
    return secret, json.dumps({"log": {"entries": [{"request": {"method": "GET", "headers": headers}}]}})


def _notebook(random: Random) -> tuple[str, str]:
    secret = _key(random)
    source = ["import os\n", f'os.environ["SERVICE_API_KEY"] = "{secret}"\n']
    return secret, json.dumps({"cells": [{"cell_type": "code", "source": source, "outputs": []}], "nbformat": 4})


def _kubernetes(random: Random) -> tuple[str, str]:
    secret = base64.b64encode(_phrase(random).encode()).decode()
    return secret, f"apiVersion: v1\nkind: Secret\ndata:\n  password: {secret}\n  username: YW5u\n"


def _key_block(random: Random) -> tuple[str, str]:
    body = base64.b64encode(random.randbytes(90)).decode()
    text = f"key: |\n  -----BEGIN EC PRIVATE KEY-----\n  {body[:64]}\n  {body[64:]}\n  -----END EC PRIVATE KEY-----\n"
    return body[:64], text


PASTED: dict[str, Make] = {
    "HTTP archive": _har,
    "notebook": _notebook,
    "Kubernetes secret": _kubernetes,
    "key in YAML": _key_block,
    ".npmrc": _in("registry=https://npm.example.org/\n//npm.example.org/:_authToken=@@\n", _key),
    ".pgpass": _in("PGHOST=db PGUSER=ann PGPASSWORD=@@ psql -c 'select 1'"),
    "compose file": _in("services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=@@\n      - POSTGRES_USER=a\n"),
    "properties file": _in("spring.datasource.username=ann\nspring.datasource.password=@@\nserver.port=8080\n"),
    "XML": _in("<server><id>central</id><username>ann</username><password>@@</password></server>"),
    "HTML form": _in('<input type="password" name="password" value="@@">'),
    "JDBC": _in("jdbc:mysql://db.example.org:3306/app?user=ann&password=@@&useSSL=true"),
    "PowerShell": _in('$env:ACCESS_TOKEN = "@@"; ./deploy.ps1', _key),
    "Terraform": _in('variable "db_password" {}\n# terraform.tfvars\ndb_password = "@@"\n'),
    "Python repr": _in("headers={'User-Agent': 'x/1', 'Authorization': 'Bearer @@'}", _key),
    "curl header": _in("curl -H 'X-Api-Key: @@' https://api.example.org/v1/things", _key),
    "OAuth redirect": _in("https://app.example.org/cb#access_token=@@&token_type=bearer&expires_in=3600", _key),
    "sshpass": _in("sshpass -p '@@' ssh ann@host uptime"),
    "Redis": _in("redis-cli -h cache -a @@ ping"),
    "MySQL": _in("mysql -h db -u root --password=@@ shop < dump.sql"),
    "CSV": _in("user,password,role\nann,@@,admin\n"),
    "SQL": _in("ALTER USER ann WITH PASSWORD '@@';"),
    "Go": _in('cfg := Config{User: "ann", Password: "@@"}'),
    "Java": _in('ds.setUsername("ann"); ds.setPassword("@@");'),
    "tool arguments": lambda random: (
        (secret := _key(random)),
        json.dumps({"arguments": json.dumps({"body": json.dumps({"client_secret": secret})})}),
    ),
    "wireless QR code": _in("WIFI:T:WPA;S:Home;P:@@;;"),
    "chat, informal": _in("hey the wifi pw is @@ btw"),
    "chat, misspelt": _in("so the pasword: @@ pls dont share"),
    "chat, German": _in("das passwort lautet @@ bitte merken"),
    "chat, Spanish": _in("mi contraseña es @@, guárdala"),
    "chat, French": _in("le mot de passe est @@ merci"),
    "chat, Russian": _in("пароль от почты: @@"),
    "chat, Chinese": _in("我的密码是 @@ 请记住"),
}  # fmt: skip
"""A form for each file format, tool and way of saying it."""


def _ulid(random: Random) -> str:
    return "01" + run(random, 24, "0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def _hexdump(random: Random) -> str:
    data = random.randbytes(64)
    return "\n".join(f"{at:08x}  {data[at : at + 16].hex(' ')}  |{'.' * 16}|" for at in range(0, 64, 16))


def _minified(random: Random) -> str:
    names = [run(random, 2, "abcdefghijklmnop") for _ in range(40)]
    return "!function(e,t){" + "".join(f"var {one}=e.{one}(t,{random.randrange(999)});" for one in names) + "}(this);"


def _translations(random: Random) -> str:
    words = random.choice(
        [
            {"password": "Passwort", "token": "Zeichen", "forgot": "Passwort vergessen?"},
            {"login.password": "Mot de passe", "login.secret": "Question secrète"},
            {"passwordHint": "At least eight characters, one of them a digit", "tokenExpired": "Please sign in again"},
        ]
    )
    return json.dumps(words, ensure_ascii=False)


ORDINARY: dict[str, Callable[[Random], str]] = {
    "identifiers": lambda r: (
        f"ulid {_ulid(r)} ksuid {run(r, 27)} nanoid {run(r, 21, ALNUM + '_-')} v7 {uuid.UUID(bytes=r.randbytes(16))} "
        f"cus_{run(r, 14)} pi_{run(r, 24)} price_{run(r, 24)} resp_{run(r, 48, HEX)} toolu_{run(r, 24)}"
    ),
    "links": lambda r: (
        f"https://docs.google.com/document/d/{run(r, 44, ALNUM + '_-')}/edit https://youtu.be/{run(r, 11, ALNUM)} "
        f"https://a.slack.com/archives/C{run(r, 10, UPPER)}/p{run(r, 16, '123456789')}"
    ),
    "traces": lambda r: (
        f"traceparent: 00-{run(r, 32, HEX)}-{run(r, 16, HEX)}-01\nETag: W/\"{run(r, 32, HEX)}\"\n"
        f"level=info token_count={r.randrange(9999)} cache_key=user:{r.randrange(99)}:page"
    ),
    "images": lambda r: (
        f"<img src='data:image/jpeg;base64,/9j/4AAQSkZJRg{base64.b64encode(r.randbytes(900)).decode()}'>"
        f"<svg><path d='M{r.randrange(99)} {r.randrange(99)}L{r.randrange(99)} {r.randrange(99)}z'/></svg>"
    ),
    "digests": lambda r: (
        f"image: app@sha256:{run(r, 64, HEX)}\nintegrity sha384-{base64.b64encode(r.randbytes(48)).decode()}\n"
        f"tx 0x{run(r, 64, HEX)}\ngit diff {run(r, 7, HEX)}..{run(r, 7, HEX)}"
    ),
    "hexadecimal dumps": _hexdump,
    "minified code": _minified,
    "translations": _translations,
    "forms": lambda r: r.choice(
        [
            '<el-input v-model="form.password" type="password" :placeholder="t(\'password\')" />',
            "const { password, token } = useForm({ password: '', token: null })",
            "SELECT id, password_hash, token FROM users WHERE token = $1",
            "password = getpass.getpass('Password: ')",
            "type Login = { password: string; token?: string; apiKey: ApiKey }",
            "expect(screen.getByLabelText('Password')).toBeVisible()",
            "if (!req.headers.authorization) return res.status(401)",
            "def refresh(token: Token, *, secret: SecretStr) -> Cookie: ...",
            "token = next(tokens); keyword = token.value",
        ]
    ),
    "prose": lambda r: r.choice(
        [
            "Tokens are counted per model, and the secret ingredient is butter.",
            "The key is under the mat; the password policy asks for twelve characters.",
            "Password managers: 1Password, Bitwarden, KeePass",
            "My secret: I am afraid of moths.",
            "the wifi password is on the fridge",
            "die Parole lautet Frieden und Freiheit für alle",
            "Bo is the bearer of bad news, a basic misunderstanding.",
            "Her access key is a brass one with a red tag.",
            "she said the password was changed yesterday",
            "密码已经改过了，不用再问。",
            "el token de la lavadora cuesta dos euros",
            "cookie: crisp, chewy, with sea salt",
        ]
    ),
    "sequences": lambda r: f">seq\n{run(r, 300, 'ACGT')}\n1. e4 e5 2. Nf3 Nc6 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP",
    "network": lambda r: f"mac {run(r, 12, HEX)} 2001:db8:{run(r, 4, HEX)}::1 SHA256:{run(r, 43)} RSA 4096",
}  # fmt: skip
"""Files and messages without a secret."""


def pasted(seed: int, each: int) -> list[tuple[str, str, str]]:
    """``(kind, secret, text)``, ``each`` of every kind."""
    random = Random(seed)
    return [(kind, *make(random)) for kind, make in PASTED.items() for _ in range(each)]


def ordinary(seed: int, each: int) -> list[tuple[str, str]]:
    """``(kind, text)``, ``each`` of every kind."""
    random = Random(seed)
    return [(kind, make(random)) for kind, make in ORDINARY.items() for _ in range(each)]
