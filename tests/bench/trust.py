"""What is found of secrets, and what is taken for one, by kind of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from service.privacy.secrets import find_secrets
from tests.bench.environment import Place
from tests.bench.report import Cell, show
from tests.privacy.pasted_corpus import ordinary, pasted
from tests.privacy.secret_corpus import harmless, secrets

EACH = 50


def run(_: Place) -> None:
    """Print misses and false hits, by the two corpora: issuers' forms, and files and terminals."""
    show(
        "Secrets that are found",
        ["corpus", "kind", "found", "of"],
        [*_found("issuers", secrets(29, EACH)), *_found("files", pasted(29, EACH))],
    )
    show(
        "Texts without a secret that are changed",
        ["corpus", "kind", "changed", "of"],
        [*_changed("issuers", harmless(29, EACH)), *_changed("files", ordinary(29, EACH))],
    )


def _found(corpus: str, made: list[tuple[str, str, str]]) -> list[list[Cell]]:
    return _by_kind(corpus, ((kind, bool(find_secrets(text))) for kind, _, text in made))


def _changed(corpus: str, made: list[tuple[str, str]]) -> list[list[Cell]]:
    return _by_kind(corpus, ((kind, bool(find_secrets(text))) for kind, text in made))


def _by_kind(corpus: str, found: Iterable[tuple[str, bool]]) -> list[list[Cell]]:
    of, hits = Counter[str](), Counter[str]()
    for kind, hit in found:
        of[kind] += 1
        hits[kind] += hit
    rows: list[list[Cell]] = [[corpus, kind, hits[kind], count] for kind, count in of.items()]
    return [*rows, [corpus, "all", hits.total(), of.total()]]
