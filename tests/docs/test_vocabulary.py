"""The code is found by the field's terms, and names that were replaced by them do not come back."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

from tests.processes import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
ROW = re.compile(r"^\| ([^|`]+?) \| (`[^|]+`) \|$", re.MULTILINE)
KEY = {
    "deadlock avoidance by lock ordering": "deadlock",
    "GCRA (rate limit)": "gcra",
    "keyset pagination": "keyset",
    "poison message": "poison",
    "idempotency": "idempoten",
    "posting list": "posting lists",
    "read-your-writes": "read-your-writes",
}
"""What of a term is looked for, where it is not the term itself."""

REPLACED = {
    "Changeover": "EmbeddingMigration",
    "Ending": "DeferredCommit",
    "Eyes": "ReaderKey",
    "Feed": "EventNotifier",
    "Holdings": "SubjectData",
    "KnownKey": "CachedCredential",
    "KnownPlaces": "ScopeCache",
    "Lately": "LRUCache",
    "Lookout": "HealthProber",
    "Positions": "LsnTracker",
    "Unconfirmed": "StaleCredential",
    "WatchedEmbedder": "MonitoredEmbedder",
    "WrittenBehind": "WriteBehindBuffer",
    "beat_worker": "heartbeat",
    "failures_told": "translate_db_errors",
    "find_twin": "find_duplicate",
    "held_open": "defer_commit",
    "hold_again": "reinstate",
    "key_looks": "auth_flight",
    "known_places": "find_scopes",
    "let_in_until": "scrape_credentials",
    "look_around": "find_related",
    "look_over_bulletins": "schedule_stale_bulletins",
    "make_all_due": "schedule_all_now",
    "must_administer": "require_admin",
    "must_write": "require_write",
    "pass_on": "notify",
    "post_memory": "insert_postings",
    "keep_doing": "run_forever",
    "tend_large_audiences": "maintain_hnsw",
    "the_lease_runs_out": "expire_leases",
    "unpost_memory": "delete_postings",
    "way_to": "detect_pooler",
}


def identifiers(path: Path) -> set[str]:
    with path.open("rb") as source:
        return {token.string for token in tokenize.tokenize(source.readline) if token.type == tokenize.NAME}


def blocks(path: Path) -> set[str]:
    return set(re.findall(r"^-- (?:name|fragment): (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("folder", ["service", "worker", "clients", "tests", "sql/queries"])
def test_a_replaced_name_does_not_come_back(folder: str) -> None:
    found = {
        (str(path.relative_to(ROOT)), name, REPLACED[name])
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".sql")
        for name in (identifiers(path) if path.suffix == ".py" else blocks(path)) & REPLACED.keys()
    }
    assert not found


TERMS = ROW.findall(GLOSSARY.read_text(encoding="utf-8"))


def test_the_glossary_has_terms() -> None:
    assert {"LRU cache", "single-flight", "fencing token"} <= {term for term, _ in TERMS}


@pytest.mark.parametrize(
    ("term", "place"), [(term, place) for term, places in TERMS for place in re.findall(r"`([^`]+)`", places)]
)
def test_a_term_is_found_at_its_place(term: str, place: str) -> None:
    text = re.sub(r"[\s\-_]+(?:-- )?", " ", (ROOT / place).read_text(encoding="utf-8")).lower()
    assert re.sub(r"[\s\-_]+", " ", KEY.get(term, term)).lower() in text
