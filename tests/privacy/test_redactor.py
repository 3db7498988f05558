"""The redactor against real presidio: what is masked, what is kept, and that it fails closed and offline."""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from service.errors import ReverieError
from service.privacy import redactor as redactor_module
from service.privacy.patterns import to_ascii
from service.privacy.recognizers import Finding
from service.privacy.redactor import (
    DEFAULT_ENTITIES,
    NAME_ENTITIES,
    PiiPolicy,
    PiiRejected,
    Redaction,
    Redactor,
    RedactorUnavailable,
)

REDACT = PiiPolicy("redact")
REJECT = PiiPolicy("reject")
WITH_NAMES = PiiPolicy("redact", (*DEFAULT_ENTITIES, *NAME_ENTITIES))
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


async def redacted(redactor: Redactor, text: str, policy: PiiPolicy = REDACT) -> str:
    return (await redactor.redact([text], policy))[0].text


MASKED = {
    "EMAIL_ADDRESS": """
        bob+x@ex.co.uk|o'brien@ex.ie|x@internal.corp|bob@xn--80ak6aa92e.com|用户@例子.公司|bob＠ex.com|bob@ｅｘ.com
        2023-05-08@x.com|550e8400-e29b-41d4-a716-446655440000@relay.example.com|b\u200bob@ex\u2060ample.com
        "john doe"@ex.com|"john \\" doe"@ex.com|"ann"@localhost|root@localhost|bob@intranet|ops@SRV-01|bob＠localhost
        bob%40ex.com|bob%2540ex.com|bob%40localhost|%22john%20doe%22%40ex.com|bob&#64;ex.com|bob&#064;ex.com
        bob&#x40;ex.com|bob&#X0040;ex.com|bob&commat;ex.com|bob&commat;ex&period;com|bob&amp;#64;ex.com|bob\\u0040ex.com
        bob\\x40ex.com|bob﹫ex.com|bob@[192.168.1.1]|bob@10.0.0.1|bob [at] ex [dot] com|bob(at)ex.com""",
    "PHONE_NUMBER": """
        +4915112345678|+1 (555) 123-4567|(+44) 20 7946 0958|+44 (0)20 7946 0958|0044 20 7946 0958|212-555-1234
        (555)867-5309|555.867.5309|1-800-555-0199|345-899-3560x4587|0490 75 40 81|03.93.92.16.85|(37) 788-063
        0961-7596216|4155550132|＋４９１５１１２３４５６７８|٠١٢٣٤٥٦٧٨٩|+46 (0)8 928 571 38|%2B4915112345678
        138 0013 8000|13800138000|138-0013-8000|138 00138000|+86 138 0013 8000|86 138 0013 8000|8613800138000
        (+86)13800138000|0086 138 0013 8000|１３８ ００１３ ８０００""",
    "CREDIT_CARD": """
        4111111111111111|4111 1111 1111 1111|4111-1111-1111-1111|3782 822463 10005|5555 5555 5555 4444|30569309025904
        2223003122003222|4131034282458809939|630427373398|213176828496175|４１１１１１１１１１１１１１１１
        4111%201111%201111%201111|4111&nbsp;1111&nbsp;1111&#32;1111""",
    "US_SSN": "123-45-6789|460-89-9847|987-65-4320|123–45–6789|１２３-４５-６７８９|123 45 6789|123.45.6789",
    "IBAN_CODE": """
        DE89370400440532013000|DE89 3704 0044 0532 0130 00|gb42nawi04454264788619|GB82 WEST 1234 5698 7654 32
        NO93 8601 1117 947|MT84MALT011000012345MTLCAST001S""",
    "IP_ADDRESS": "192.168.1.1|10.0.0.0/8|2001:db8::1|fe80::1%eth0|::1|::ffff:192.0.2.1|6e40:4041:c617:e898:c11:4:9:2",
}
MASKED_CASES = [
    (entity, value.strip())
    for entity, values in MASKED.items()
    for value in values.replace("\n", "|").split("|")
    if value.strip()
]


@pytest.mark.parametrize(("entity", "value"), MASKED_CASES)
@pytest.mark.parametrize("frame", ["{}", "Note: {}, then more.", "a\n{}\nb"])
async def test_a_value_is_masked_whole_and_named_rightly(
    redactor: Redactor, entity: str, value: str, frame: str
) -> None:
    [result] = await redactor.redact([frame.format(value)], REDACT)
    assert result == Redaction(frame.format(f"<{entity}>"), (entity,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Can someone call me on 9472 7916? Thanks", "Can someone call me on <PHONE_NUMBER>? Thanks"),
        ("Phone:\n467 3395", "Phone:\n<PHONE_NUMBER>"),
        ("28-64-66-98 office\n416 60 039 fax", "<PHONE_NUMBER> office\n<PHONE_NUMBER> fax"),
        ("(call +49 30 901820)", "(call <PHONE_NUMBER>)"),
        ("电话13812345678", "电话<PHONE_NUMBER>"),
        ("my SSN is 123456789", "my SSN is <US_SSN>"),
        ("iban: DE88370400440532013000", "iban: <IBAN_CODE>"),
        ("IBANDE89370400440532013000", "IBAN<IBAN_CODE>"),
        ("card 4111 1111 1111 1111 12/25", "card <CREDIT_CARD> 12/25"),
        ("4111 1111 1111 1111 212-555-1234", "<CREDIT_CARD> <PHONE_NUMBER>"),
        ("212-555-1234,415-555-9999 (212) 555-1111", "<PHONE_NUMBER>,<PHONE_NUMBER> <PHONE_NUMBER>"),
        ("from 10.0.0.1:8080 and [2001:db8::1]:80", "from <IP_ADDRESS>:8080 and [<IP_ADDRESS>]:80"),
        ("DE89 3704 0044\n0532 0130 00", "<IBAN_CODE>"),
        ("> DE89 3704 0044\r\n> 0532 0130 00 ok", "> <IBAN_CODE> ok"),
        ("IBAN DE893704004405\n    32013000.", "IBAN <IBAN_CODE>."),
        ("4111 1111\n1111 1111", "<CREDIT_CARD>"),
        ("at http://3232235777/ or http://3232235777", "at http://<IP_ADDRESS>/ or http://<IP_ADDRESS>"),
        (
            "http://0xC0A80101/x http://0300.0250.1.1 http://127.1/",
            "http://<IP_ADDRESS>/x http://<IP_ADDRESS> http://<IP_ADDRESS>/",
        ),
        ("http://bob:pw@3232235777:8080/", "http://bob:pw@<IP_ADDRESS>:8080/"),
        ("IP address: 3232235777", "IP address: <IP_ADDRESS>"),
        (
            "https://x.com/?to=bob%40ex.com&from=ann%40localhost",
            "https://x.com/?to=<EMAIL_ADDRESS>&from=<EMAIL_ADDRESS>",
        ),
        ("手机:13800138000。", "手机:<PHONE_NUMBER>。"),
        ("メールはbob@ex.comです", "メールは<EMAIL_ADDRESS>です"),
        ("[a@b.de](mailto:a@b.de), **c@d.fr**", "[<EMAIL_ADDRESS>](mailto:<EMAIL_ADDRESS>), **<EMAIL_ADDRESS>**"),
    ],
)
async def test_the_words_around_decide_and_stay(redactor: Redactor, text: str, expected: str) -> None:
    assert await redacted(redactor, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2023-05-08 and 08/05/2023, 05.08.2023, 20230508",
        "2023-05-08T10:00:00Z, 2023-05-08 10:00:00.123456+00:00, 20230508T101112Z",
        "1683554400 1683554400000 1683554400000000",
        "v1.2.3, v1.2.3.4, version 10.0.19045.3803, Chrome 120.0.6099.109",
        "550e8400-e29b-41d4-a716-446655440000 and 550e8400-e29b-41d4-a716-586504118293",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "50,000 and $50,000.00 and 1,234,567.89 EUR and 50 000 and 1 234 567",
        "order 1234 5678 9012 3456",
        "order number 1234567890123456; my order number is 4673395; ticket 9472 7916",
        "call me at 10:30 on 2023-05-08, or after 2019 2020",
        "40.7128, -74.0060; 3.14159265358979; 0.4111111111111111; x=.6011111111111117",
        "2147483647 4294967295 9007199254740993",
        "std::vector a[1::2] x[::2] 12:34:56:78:9a:bc 10:20:30",
        "@bob pkg@1.2.3 react@18.2.0-beta lodash@latest actions/checkout@v4 org/repo@fix-it image@sha256:abc 3pm@Joes",
        '["foo", "@acme.com"] and "a","@x.com"',
        "from 100%40 to 50%20, 20%25 off; R&D; AT&T; a &amp; b &#8364;5 C:\\u00e9 \\x00",
        "http://8080/ http://1 //3232235777 3232235777 bytes; see //0x7f000001",
        "order 13800138000; id=13800138000; $13800138000; 13800138000%; 12800138000",
        "2001\n2002\n2003\n2004\n2005 4111\n1111\n1111\n1111",
        "ISBN 978-3-16-148410-0, 12-3456789, zip 94107-1234, 5 + 1234567",
        "Billing: 03262 2437 Main St Suite 442; 17151 2450 Crown St; 370 3911 Fourth Avenue",
        "ES110 are excellent choices",
        "10² m, ½, ①②③, ﬁn, naïve, e\u0301; the call cost 123456² m",
        "<PHONE_NUMBER> and 9472 7916",
    ],
)
async def test_ordinary_numbers_are_kept(redactor: Redactor, text: str) -> None:
    assert await redactor.redact([text], REDACT) == [Redaction(text, ())]


RAW = st.sampled_from([value for _, value in MASKED_CASES])
GLUE = st.sampled_from(
    ["", " ", "-", ".", ",", ":", "/", "@", "x", "1", "+", "(", ")", "\n", "call ", "<", "\u200b", "<IP_ADDRESS>"]
)
TEXTS = st.lists(st.one_of(RAW, GLUE, st.text("0123456789 +-.()@:/aZ<>_", max_size=12)), max_size=10).map("".join)


@settings(max_examples=300)
@given(texts=st.lists(st.one_of(TEXTS, st.text()), max_size=4))
def test_redacting_again_changes_nothing(redactor: Redactor, texts: list[str]) -> None:
    once = asyncio.run(redactor.redact(texts, REDACT))
    twice = asyncio.run(redactor.redact([result.text for result in once], REDACT))
    assert [result.text for result in twice] == [result.text for result in once]
    assert all(result.found == () for result in twice)


@settings(max_examples=200)
@given(
    before=st.text(st.characters(exclude_categories=["Nd", "Cs"]), max_size=20),
    entity_and_value=st.sampled_from(MASKED_CASES),
    after=st.text(st.characters(exclude_categories=["Nd", "Cs"]), max_size=20),
)
def test_only_the_value_goes(redactor: Redactor, before: str, entity_and_value: tuple[str, str], after: str) -> None:
    entity, value = entity_and_value
    expected = f"{before}; \n<{entity}>\n {after}"
    [plain_before] = asyncio.run(redactor.redact([before], REDACT))
    [result] = asyncio.run(redactor.redact([f"{before}; \n{value}\n {after}"], REDACT))
    if not plain_before.found and "@" not in before + after and ":" not in before + after:
        assert result.text == expected
    assert value not in result.text


async def test_overlapping_findings_leave_nothing_raw(redactor: Redactor) -> None:
    text = "4155550132@mail.com and +4915112345678 and ::ffff:192.0.2.1"
    assert await redacted(redactor, text) == "<EMAIL_ADDRESS> and <PHONE_NUMBER> and <IP_ADDRESS>"
    partly = [Finding(5, 12, "PHONE_NUMBER"), Finding(0, 6, "US_SSN"), Finding(12, 13, "US_SSN")]
    assert redactor_module._merged(partly) == [Finding(0, 12, "PHONE_NUMBER"), Finding(12, 13, "US_SSN")]


async def test_only_the_policy_s_entities_are_looked_for(redactor: Redactor) -> None:
    policy = PiiPolicy("redact", ("US_SSN",))
    assert await redacted(redactor, "a@b.com 123-45-6789", policy) == "a@b.com <US_SSN>"


async def test_reject_names_kinds_and_index_but_never_the_value(redactor: Redactor) -> None:
    with pytest.raises(PiiRejected) as caught:
        await redactor.redact(["fine", "ssn 123-45-6789 of a@b.com"], REJECT)
    assert (caught.value.entities, caught.value.index) == (("EMAIL_ADDRESS", "US_SSN"), 1)
    assert isinstance(caught.value, ReverieError)
    assert "6789" not in str(caught.value)
    assert "a@b" not in str(caught.value)
    clean = ["fine", "on 2023-05-08", "<US_SSN>"]
    assert [result.text for result in await redactor.redact(clean, REJECT)] == clean


def test_a_policy_with_a_typo_is_refused() -> None:
    with pytest.raises(ValueError, match="mode"):
        PiiPolicy("redakt")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="E_MAIL"):
        PiiPolicy("redact", ("E_MAIL",))


async def test_json_is_redacted_throughout_and_keeps_its_shape(redactor: Redactor) -> None:
    value = {
        "user": {"a@b.com": 1, "c@d.com": [None, True, 2.5, "10.0.0.1", ("x", "123-45-6789")]},
        "phone": "467 3395",
        "mobilePhone": 5403926876,
        "card": 4111111111111111,
        "created_at": 1683554400000,
        "order_number": "4673395",
        "id": 1234567890123456789,
        "count": 2125551234,
        7: "kept",
    }
    assert await redactor.redact_json(value, REDACT) == {
        "user": {
            "<EMAIL_ADDRESS>": 1,
            "<EMAIL_ADDRESS>_2": [None, True, 2.5, "<IP_ADDRESS>", ["x", "<US_SSN>"]],
        },
        "phone": "<PHONE_NUMBER>",
        "mobilePhone": "<PHONE_NUMBER>",
        "card": "<CREDIT_CARD>",
        "created_at": 1683554400000,
        "order_number": "4673395",
        "id": 1234567890123456789,
        "count": 2125551234,
        7: "kept",
    }
    with pytest.raises(PiiRejected):
        await redactor.redact_json({"deep": [{"a@b.com": 1}]}, REJECT)
    assert await redactor.redact_json({"a@b.com": 1}, PiiPolicy("off")) == {"a@b.com": 1}


async def test_json_too_deep_to_check_is_refused(redactor: Redactor) -> None:
    value: list[Any] = []
    for _ in range(sys.getrecursionlimit() + 100):
        value = [value]
    with pytest.raises(RedactorUnavailable):
        await redactor.redact_json(value, REDACT)


@Language.component("quoting_failure")
def quoting_failure(doc: Doc) -> Doc:
    """A step of a model that fails with the text in its message, as libraries do."""
    raise ValueError(f"invalid literal: {doc.text!r}")


async def test_any_failure_refuses_and_quotes_nothing(tmp_path: Path) -> None:
    broken = spacy.blank("en")
    broken.add_pipe("quoting_failure")
    broken.to_disk(tmp_path)
    redactor = Redactor(str(tmp_path))
    assert (await redactor.redact(["a@b.com"], REDACT))[0].text == "<EMAIL_ADDRESS>"
    with pytest.raises(RedactorUnavailable, match="ValueError") as caught:
        await redactor.redact(["the number 123-45-6789"], WITH_NAMES)
    assert isinstance(caught.value, ReverieError)
    assert "6789" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


async def test_a_failed_load_refuses_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor = Redactor()
    with monkeypatch.context() as missing:
        missing.setitem(sys.modules, "service.privacy.recognizers", None)  # Python's word for what cannot be imported
        with pytest.raises(RedactorUnavailable, match="ModuleNotFoundError"):
            await redactor.redact(["a@b.com"], REDACT)
        assert await redactor.redact(["a@b.com"], PiiPolicy("off")) == [Redaction("a@b.com")]
    assert await redacted(redactor, "a@b.com") == "<EMAIL_ADDRESS>"


async def test_a_model_that_is_not_there_refuses_until_it_is(name_model: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    redactor = Redactor(str(folder))
    with pytest.raises(RedactorUnavailable):
        await redactor.redact(["Ada Lovelace"], WITH_NAMES)
    shutil.copytree(name_model, folder)
    assert await redacted(redactor, "Ada Lovelace", WITH_NAMES) == "<PERSON>"


async def test_long_texts_are_redacted_off_the_event_loop() -> None:
    threads: set[int] = set()
    redactor = Redactor(on_secret=lambda _, __: threads.add(threading.get_ident()))
    policy = PiiPolicy("redact", secrets="redact")
    await redactor.warm()
    await asyncio.gather(*(redactor.redact([f"{TOKEN} {'a@b.com ' * 200}"], policy) for _ in range(5)))
    assert threads
    assert threading.get_ident() not in threads
    threads.clear()
    await redactor.redact([TOKEN], policy)
    assert threads == {threading.get_ident()}


async def test_a_long_text_is_redacted_as_a_whole_one_would_be() -> None:
    said = [
        "Write to john.smith@example.com or call +49 30 901820. ", "IBAN DE89 3704 0044 0532 0130 00. ",
        "SSN 123-45-6789, 10.0.0.1. ", "4111 1111 1111 1111, ", "1234 5678 9012 3456 " * 20, "x" * 900,
        f"{'a' * 70}@example.com ", "Nobody called. " * 9, "我们昨天在北京 467-3395 ", "\n\n",
    ]  # fmt: skip
    draw = random.Random(1)
    text = "".join(draw.choice(said) for _ in range(100))
    window_chars = 2_000
    whole, in_windows = Redactor(window_chars=len(text)), Redactor(window_chars=window_chars)
    cuts = range(window_chars, len(text), window_chars)
    assert len(cuts) > 5
    assert any(text[cut - 1 : cut + 1].isalnum() for cut in cuts)
    assert await in_windows.redact([text], REDACT) == await whole.redact([text], REDACT)


async def test_concurrent_calls_do_not_mix(redactor: Redactor) -> None:
    texts = [f"user{number}@ex{number}.com wrote {number}" for number in range(200)]
    results = await asyncio.gather(*(redactor.redact([text], REDACT) for text in texts))
    assert [result[0].text for result in results] == [f"<EMAIL_ADDRESS> wrote {number}" for number in range(200)]


@pytest.fixture(scope="module")
def name_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny spaCy model on disk that knows two names, in the place of en_core_web_*."""
    pipeline = spacy.blank("en")
    rules = [
        {"label": "PERSON", "pattern": "Ada Lovelace"},
        {"label": "GPE", "pattern": "London"},
        {"label": "PERSON", "pattern": "PERSON"},
    ]
    pipeline.add_pipe("entity_ruler").add_patterns(rules)  # type: ignore[attr-defined]
    folder = tmp_path_factory.mktemp("model")
    pipeline.to_disk(folder)
    return str(folder)


async def test_names_and_places_where_a_model_is_installed_and_asked_for(name_model: str) -> None:
    redactor = Redactor(name_model)
    text = "Ada Lovelace of London, ada@ex.com"
    assert await redacted(redactor, text, WITH_NAMES) == "<PERSON> of <LOCATION>, <EMAIL_ADDRESS>"
    assert await redacted(redactor, text) == "Ada Lovelace of London, <EMAIL_ADDRESS>"
    assert await redacted(redactor, "Ada Lovelace <PERSON> London", WITH_NAMES) == "<PERSON> <PERSON> <LOCATION>"
    assert redactor.entities == (*DEFAULT_ENTITIES, *NAME_ENTITIES)


async def test_without_a_model_names_are_kept_and_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in ("sm", "md", "lg"):
        monkeypatch.setitem(sys.modules, f"en_core_web_{size}", None)
    redactor = Redactor()
    assert redactor.entities == DEFAULT_ENTITIES
    assert await redacted(redactor, "Ada a@b.com", PiiPolicy("redact", NAME_ENTITIES)) == "Ada a@b.com"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a@",
        "a@b.",
        "1",
        "1 ",
        "4111 ",
        "467 3395 ",
        "call 12345678 ",
        "a:",
        "::",
        "1.",
        "DE89 ",
        "(",
        "+1",
        '"',
        '"a',
        '"a"@',
        'a"@b',
        "%25",
        "%40",
        "&amp;",
        "a&#64;",
        "DE89\n",
        "1\n",
        "http://1.",
        "http://a@",
        "a[at]",
        "a@b[dot]",
        "ip ",
        "86 1",
        "138 0013 ",
    ],
)
async def test_hostile_text_takes_no_more_than_linear_time(redactor: Redactor, unit: str) -> None:
    """Quadratic matching would take the processor minutes here, so the bound needs no exact clock."""
    began = time.process_time()
    await redactor.redact([unit * (200_000 // len(unit))], REDACT)
    assert time.process_time() - began < 20


def test_folding_remembers_where_everything_came_from() -> None:
    text = "ａ\u200b\u200bﬃ１x"
    folded = to_ascii(text)
    assert folded.text == "affi1x"
    assert folded.span(0, 1) == (0, 1)
    assert folded.span(1, 5) == (3, 5)
    assert folded.span(0, 2) == (0, 4)
