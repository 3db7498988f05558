"""Secrets of every issuer's form are masked wherever they are pasted, and what only looks like one is left alone."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from random import Random

import pytest

from service.privacy.redactor import PiiPolicy, PiiRejected, Redactor
from service.privacy.secrets import find_secrets, has_crc32_suffix, is_age_key, is_base58check, is_jwt
from tests.privacy.secret_corpus import PASSWORDS, TOKENS, harmless, secrets

EACH = 16
HARMLESS_EACH = 120
KINDS_MIN = 45


def _redacted(text: str, policy: PiiPolicy | None = None) -> str:
    policy = policy or PiiPolicy("off", secrets="redact")
    return asyncio.run(Redactor().redact([text], policy))[0].text


def test_every_kind_of_secret_is_found() -> None:
    made, missed = Counter[str](), Counter[str]()
    for kind, _, text in secrets(seed=7, each=EACH):
        made[kind] += 1
        missed[kind] += not find_secrets(text)
    print("\n| kind | found | of |\n| --- | --- | --- |")
    for kind, count in made.items():
        print(f"| {kind} | {count - missed[kind]} | {count} |")
    assert len(TOKENS) > KINDS_MIN
    assert missed.total() <= made.total() * 0.005
    assert max(missed.values()) <= 1


def test_texts_without_a_secret_stay_as_they_are() -> None:
    made, hits = Counter[str](), Counter[str]()
    for kind, text in harmless(seed=7, each=HARMLESS_EACH):
        made[kind] += 1
        hits[kind] += bool(find_secrets(text))
    print("\n| texts | changed | of |\n| --- | --- | --- |")
    for kind, count in made.items():
        print(f"| {kind} | {hits[kind]} | {count} |")
    assert hits.total() <= made.total() * 0.002


@pytest.mark.parametrize("kind", [*TOKENS, *PASSWORDS])
def test_nothing_of_a_secret_is_left(kind: str) -> None:
    """Every run of twelve letters and digits of the secret is gone, in a sentence and in JSON."""
    random = Random(kind)
    secret = {**TOKENS, **PASSWORDS}[kind](random)
    core = max(find_secrets(secret), key=lambda span: span[1] - span[0])
    value = secret[core[0] : core[1]]
    for text in (f"note: {secret} end", json.dumps({"a": [secret]}), f"Привет, {secret}\nдо завтра"):
        masked = _redacted(text)
        assert "[SECRET:" in masked
        assert value not in masked
        assert all(value[at : at + 12] not in masked for at in range(max(1, len(value) - 12)))
        assert _redacted(masked) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            "Use postgres://ann:T4nn#baum@db/app, please.",
            "Use postgres://ann:[SECRET:url_password]@db/app, please.",
        ),
        ("PASSWORT: geh31m!nis und fertig", "PASSWORT: [SECRET:password] und fertig"),
        ("my password is hunter2. ok", "my password is [SECRET:password]. ok"),
        ("contraseña: g4to_negro", "contraseña: [SECRET:password]"),
        ("密码：abc12345。", "密码：[SECRET:password]。"),
        ("das Kennwort lautet Sommer2024!", "das Kennwort lautet [SECRET:password]!"),
        ('{\\"password\\": \\"tr0ub4dor\\"}', '{\\"password\\": \\"[SECRET:password]\\"}'),
        ("set-cookie: sid=a8f5f167f44f4964e6c998dee827110c; Path=/", "set-cookie: [SECRET:cookie]; Path=/"),
        ("password=[SECRET:password]", "password=[SECRET:password]"),
        ("password: ${DB_PASSWORD}", "password: ${DB_PASSWORD}"),
        ("password: str | None = None", "password: str | None = None"),
        ("next_page_token: 9f86d081884c7d659a2feaa0c55ad015", "next_page_token: 9f86d081884c7d659a2feaa0c55ad015"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_masked_of_a_text(text: str, masked: str) -> None:
    assert _redacted(text) == masked


def test_a_secret_that_is_disguised_is_found() -> None:
    token = TOKENS["github_token"](Random(3))
    split = token[:9] + "\u200b" + token[9:]
    wide = "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in token)
    glued = f"x{token}y"
    for text in (split, wide, glued):
        assert "[SECRET:github_token]" in _redacted(f"it is {text} ok")


def test_a_wrong_checksum_is_no_key() -> None:
    token, age = TOKENS["github_token"](Random(4)), TOKENS["age_key"](Random(4))
    bitcoin, jwt = TOKENS["bitcoin_key"](Random(4)), TOKENS["jwt"](Random(4))
    assert has_crc32_suffix(token)
    assert is_age_key(age)
    assert is_base58check(bitcoin)
    assert is_jwt(jwt)
    assert not has_crc32_suffix(token[:-1] + ("0" if token[-1] != "0" else "1"))
    assert not is_age_key(age[:-1] + ("Q" if age[-1] != "Q" else "P"))
    assert not is_base58check(bitcoin[:-1] + ("1" if bitcoin[-1] != "1" else "2"))
    assert not find_secrets(f"x{token[:-1]}{'0' if token[-1] != '0' else '1'}y")
    assert not find_secrets("see ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
    assert not find_secrets("eyJub3QiOiJhIGhlYWRlciJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl")


def test_keys_of_json_speak_for_their_values() -> None:
    given = {
        "args": {
            "dbPassword": "correct horse battery",
            "n": 3,
            "headers": [{"Authorization": "Bearer 0a1b2c3d4e5f6a7b8c"}],
        },
        TOKENS["stripe_key"](Random(5)): True,
        "password": None,
        "password_hint": "the name of my first cat",
        "tokens": 512,
    }
    (masked,) = [asyncio.run(Redactor().redact_json(given, PiiPolicy("off", secrets="redact")))]
    assert masked == {
        "args": {
            "dbPassword": "[SECRET:password]",
            "n": 3,
            "headers": [{"Authorization": "Bearer [SECRET:bearer_token]"}],
        },
        "[SECRET:stripe_key]": True,
        "password": None,
        "password_hint": "the name of my first cat",
        "tokens": 512,
    }


def test_a_refusal_names_the_kind_and_never_the_value() -> None:
    token = TOKENS["slack_token"](Random(6))
    with pytest.raises(PiiRejected) as refused:
        _redacted(f"it is {token}", PiiPolicy("redact", secrets="reject"))
    assert "slack_token" in refused.value.message
    assert token not in refused.value.message


def test_secrets_and_personal_data_are_masked_in_one_pass() -> None:
    text = "Mail bob@ex.com, db is postgres://bob:Xy7_wq2z@mail.ex.com/a"
    masked = _redacted(text, PiiPolicy("redact", secrets="redact"))
    assert masked == "Mail <EMAIL_ADDRESS>, db is postgres://bob:[SECRET:url_password]@mail.ex.com/a"


def test_a_secret_at_any_place_of_a_long_text_is_found() -> None:
    key, token = TOKENS["openssh_key"](Random(8)), TOKENS["discord_token"](Random(8))
    for before in (32_000, 32_760, 33_000, 65_530):
        text = (
            "the gate squeaks. " * (before // 18) + f"{key}\n{token} password=Ab1!xyzq\n" + "the gate squeaks. " * 4000
        )
        assert [kind for _, _, kind in find_secrets(text)] == ["private_key", "discord_token", "password"]


SHAPED = [
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"[:30],
    "ghs_" + "16C7e42F292c6912E7710c838347Ae178B4a" * 2,
    "github_pat_11ABCDEFG0abcdefghij_abcdefghijk",
    "sk-proj-abc123def456ghi789jkl012",
    "sk-proj-0123456789abcdef",
    "sk-ant-api03-abcdefgh12345678",
    "glpat-12345678abcdefgh",
    "xoxb-123456789012-abcdefghijkl",
    "npm_0123456789abcdefghijklmnopqrstuvwxyz",
]


@pytest.mark.parametrize("token", SHAPED)
def test_a_token_of_a_known_beginning_is_one_by_its_form_alone(token: str) -> None:
    for text in (f"use {token}.", f"TOKEN={token}", f"“{token}”", f"- {token}\n- next"):
        assert token not in _redacted(text)
        assert _redacted(text).count("[SECRET:") == 1


@pytest.mark.parametrize(
    "text",
    [
        "see ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "set sk-proj-your-project-key-goes-here first",
        "sk-proj-<your key>", "a key begins with sk-ant-api03- or sk-ant-admin01-", "sk-ant-api03-your-key-goes-here",
        "ghp_ is the prefix of classic tokens since 2021", "github_pat_YOUR_PERSONAL_ACCESS_TOKEN_HERE",
        "the file glpat-runner-settings-for-the-team.yaml", "xoxb-your-bot-token-goes-here",
        "npm_config_registry=https://registry.npmjs.org", "npm_lifecycle_event and npm_package_version are set",
        "we met at the\nhackathon, and sk-proj-\nwas the name of our project group",
    ],
)  # fmt: skip
def test_a_placeholder_or_prose_is_none(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\n  ", "\\\n", "\n> ", "\n\t"])
@pytest.mark.parametrize("kind", ["github_token", "openai_key", "anthropic_key", "stripe_key", "jwt", "google_api_key"])
def test_a_token_broken_by_a_line_break_is_masked_whole(kind: str, break_: str) -> None:
    for seed in range(5):
        token = TOKENS[kind](Random(seed))
        for at in (6, len(token) // 2, len(token) - 8):
            masked = _redacted(f"the key:\n{token[:at]}{break_}{token[at:]}\nand thanks")
            assert re.sub(r"\[SECRET:\w+\]", "", masked).split() == ["the", "key:", "and", "thanks"], (token, masked)
    thrice = break_.join([token[:10], token[10:20], token[20:]])
    assert token[20:] not in _redacted(thrice)


def test_a_sentence_behind_a_whole_token_is_none_of_it() -> None:
    for kind in ("openai_key", "github_token", "stripe_key"):
        token = TOKENS[kind](Random(1))
        for behind in ("The key is mine.", "Thanks for it, Bob", "ok"):
            assert _redacted(f"{token}\n{behind}\n").endswith(f"]\n{behind}\n")
