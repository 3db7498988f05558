"""How well profiles tell what is true of the people of generated lives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from reverie.evaluation.lives.generator import Fact, Life

MEASURED = (
    "name", "home", "work", "family", "diet", "likes", "dislikes", "goals", "language", "time zone", "birthday", "pets",
)  # fmt: skip
_ARTICLES = ("the ", "le ", "la ", "les ", "l'", "el ", "los ", "una ", "un ", "eine ", "einen ", "a ")


def folded(value: str) -> str:
    """Return a value without case, article and full stop."""
    plain = value.casefold().strip(" .!。")
    return next((plain.removeprefix(one) for one in _ARTICLES if plain.startswith(one)), plain)


@dataclass(slots=True)
class Score:
    """Counts over many profiles, and what was wrong or missed."""

    right: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the values shown that are true."""
        return self.right.total() / max(1, self.shown.total())

    @property
    def recall(self) -> float:
        """Share of what is true that is shown."""
        return self.right.total() / max(1, self.true.total())

    def add(self, life: Life, fields: Iterable[dict[str, Any]]) -> None:
        """Count one profile."""
        shown = [(one["name"], folded(one["value"])) for one in fields if one["name"] in MEASURED]
        found: set[Fact] = set()
        for name, value in shown:
            match = next((fact for fact in life.true if fact not in found and _says(fact, name, value)), None)
            self.shown[name] += 1
            if match is None:
                self.wrong.append(f"{life.user} {life.language} {name}: {value}")
            else:
                found.add(match)
                self.right[name] += 1
            if any(_says(fact, name, value) for fact in life.no_more) and match is None:
                self.outdated.append(f"{life.user} {life.language} {name}: {value}")
        for fact in life.true:
            self.true[fact.field] += 1
            if fact not in found:
                self.missed.append(f"{life.language} {fact.field}: {fact.value} ({fact.said})")

    def __str__(self) -> str:
        rows = [f"{name}: {self.right[name]}/{self.shown[name]}/{self.true[name]}" for name in MEASURED]
        return f"precision {self.precision:.3f} recall {self.recall:.3f}; right/shown/true {', '.join(rows)}"


def _says(fact: Fact, name: str, value: str) -> bool:
    if fact.field != name:
        return False
    if name == "goals":
        return all(word in value for word in folded(fact.value).split())
    return folded(fact.value) == value
