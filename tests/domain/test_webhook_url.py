"""Which addresses webhooks may be sent to."""

from __future__ import annotations

import pytest

from service.domain.webhook_url import find_url_problem, is_public

INSIDE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:169.254.169.254", "64:ff9b::a00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:db8::1",
    "::127.0.0.1", "::7f00:1", "::10.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b:1::7f00:1", "fec0::1",
    "2001:0:7f00:1::1", "fe80::1%lo", "::1%lo", "::ffff:127.0.0.1%lo", "100::1", "4000::1", "ff0e::1", "0.1.2.3",
    "192.0.0.1", "198.18.0.1", "240.0.0.1", "203.0.113.5",
]  # fmt: skip
OUTSIDE = ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"]


@pytest.mark.parametrize("address", INSIDE)
def test_inside_a_network(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_outside(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a", "not an address", "http://", "https:///path", "file:///etc/passwd", "http://[::1",
        "https://user:secret@example.org/", "https://example.org/#part", "https://example.org:port/", "https://a b/",
        "https://example.org/\nx",
    ],
)  # fmt: skip
def test_what_is_no_address_for_a_webhook(url: str) -> None:
    assert find_url_problem(url, private=False)
    assert find_url_problem(url, private=True)


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000/", "http://LOCALHOST./", "http://a.localhost/", "http://127.0.0.1/", "http://[::1]:80/",
     "http://169.254.169.254/latest/meta-data", "http://192.168.0.10/hook", "http://0x7f.1/", "http://0x7f000001/",
     "http://2130706433/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1./", "http://0/", "http://10.1/",
     "http://\uff11\uff12\uff17.0.0.1/", "http://127\u30020\u30020\u30021/", "http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/",
     "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
     "http://[fe80::1%25lo]/", "http://[fe80::1%lo]/", "http://localhost./", "http://x.localhost./"],
)  # fmt: skip
def test_what_only_an_operator_allows(url: str) -> None:
    assert find_url_problem(url, private=False)
    assert find_url_problem(url, private=True) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/hook?a=b",
        "http://example.org:8080",
        "https://[2606:4700::1]/",
        "https://134744072/",
        "https://0x08.0x08.0x08.0x08/",
        "https://localhost.example.org/",
    ],
)
def test_what_is_one(url: str) -> None:
    assert find_url_problem(url, private=False) is None
