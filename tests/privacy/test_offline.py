"""The redactor in a process of its own: what it loads when, and that it asks nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ALONE = """
import asyncio, sys
heavy = ("presidio_analyzer", "spacy", "tldextract", "phonenumbers")
from service.privacy.redactor import PiiPolicy, Redactor
redactor = Redactor()
assert asyncio.run(redactor.redact(["a@b.com"], PiiPolicy("off")))[0].text == "a@b.com"
assert not [name for name in heavy if name in sys.modules], "loaded too early"

attempts = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request"):
        attempts.append(event)
        raise OSError("no network in this test")
sys.addaudithook(watch)
try:
    __import__("socket").create_connection(("127.0.0.1", 9))
except OSError:
    pass
assert attempts, "the watch does not work"
attempts.clear()

async def main():
    await redactor.warm()
    text = "a@b.co.uk x@new.tld 123-45-6789 +4915112345678 4111111111111111 DE89370400440532013000 10.0.0.1"
    return await redactor.redact([text], PiiPolicy("redact", redactor.entities))
print(asyncio.run(main())[0].text)
assert not attempts, attempts
"""


def test_nothing_is_loaded_early_and_nothing_asks_the_network(tmp_path: Path) -> None:
    """In a process of its own, with an empty home (no caches), every connection and look-up watched and refused."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=Path(__file__).parents[2],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (
        "<EMAIL_ADDRESS> <EMAIL_ADDRESS> <US_SSN> <PHONE_NUMBER> <CREDIT_CARD> <IBAN_CODE> <IP_ADDRESS>"
    )
