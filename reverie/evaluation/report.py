"""The report of an evaluation: Markdown, the same for the same figures; what depends on the machine comes last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reverie.evaluation import metrics
from reverie.evaluation.metrics import Estimate, estimate, quantile
from reverie.evaluation.plan import Plan
from reverie.evaluation.run import Outcome
from reverie.evaluation.sets import Material
from reverie.evaluation.wrong_keys import wrong_keys

TIMES = "## Times and cost"
"""Begins the part that differs between two runs."""
SESSIONS_FIRST = 5
FILES_LISTED = 20

Json = dict[str, Any]
Table = list[list[str]]


def report(plan: Plan, material: Material, questions: int, outcome: Outcome) -> str:
    """Return the whole report."""
    parts = [
        f"# {material.title}: {', '.join(outcome.records) or 'no system'}",
        _about(plan, material, questions, outcome),
        "## Retrieval",
        "Means over questions with annotated evidence, with 95 % bootstrap intervals over questions.",
        table(_retrieval(plan, outcome.records)),
        "## Evidence in a context",
        "Share of a question's evidence that a context of so many tokens shows.",
        table(_contexts(plan, outcome.records)),
        *_by_category(plan, outcome.records),
        *(_answers(plan, outcome) if plan.answering else ()),
        TIMES,
        table(_times(plan, outcome.records)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def table(rows: Table) -> str:
    """Return a Markdown table; the first row is its head. Empty without other rows."""
    if len(rows) < 2:
        return "None."
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body))


def _about(plan: Plan, material: Material, questions: int, outcome: Outcome) -> str:
    lines = [f"- {questions:,} questions; k {', '.join(map(str, plan.ks))}; embedding model `{plan.embedding_model}`"]
    for one in material.files[:FILES_LISTED]:
        version = f"known: {one.version}" if one.version else "**not a version that is known here**"
        lines.append(f"- `{one.name}`, SHA-256 `{one.sha256}`: {version}")
    if len(material.files) > FILES_LISTED:
        unknown = sum(one.version is None for one in material.files)
        lines.append(f"- and {len(material.files) - FILES_LISTED:,} more files; {unknown:,} of all are not known here")
    if plan.set == "locomo":
        wrong = len(wrong_keys())
        lines.append(
            f"- {wrong} answers of LoCoMo's key are known to be wrong: "
            + ("their questions are left out" if plan.without_wrong_keys else "their questions are counted")
        )
    lines += [f"- {name}: {what}" for name, what in sorted(outcome.described.items())]
    lines += [f"- {name} is left out: {why}" for name, why in sorted(outcome.skipped.items())]
    return "\n".join(lines)


def _retrieval(plan: Plan, records: Mapping[str, Sequence[Json]]) -> Table:
    last = max(plan.ks)
    names = [*(f"recall@{k}" for k in plan.ks), f"all@{last}", f"nDCG@{last}", "MRR"]
    session = [f"session any@{SESSIONS_FIRST}", f"session all@{SESSIONS_FIRST}"]
    rows = [["system", "questions", *names, *session]]
    for name, lines in records.items():
        found = [one for one in lines if one["evidence"]]
        ranking = any(one["retrieved"] for one in lines)
        if not found or not ranking:
            continue
        scores = [metrics.of_turns(one["retrieved"], set(one["evidence"]), plan.ks) for one in found]
        asked = [one for one in lines if one["evidence_sessions"]]
        cells = [share([row[figure] for row in scores]) for figure in names]
        for worth in (metrics.any_session, metrics.all_sessions):
            cells.append(share([_of_sessions(worth, one) for one in asked]))
        rows.append([name, f"{len(found):,}", *cells])
    return rows


def _of_sessions(worth: Callable[..., float], line: Json) -> float:
    return worth(line["sessions"], set(line["evidence_sessions"]), SESSIONS_FIRST)


def _contexts(plan: Plan, records: Mapping[str, Sequence[Json]]) -> Table:
    rows = [["system", *(f"{budget:,} tokens" for budget in plan.budgets)]]
    for name, lines in records.items():
        found = [one for one in lines if one["evidence"]]
        if found:
            rows.append([name, *(share([_part(one, budget) for one in found]) for budget in plan.budgets)])
    return rows


def _part(line: Json, budget: int) -> float:
    return len(line["contexts"][str(budget)]["shown"]) / len(line["evidence"])


def _by_category(plan: Plan, records: Mapping[str, Sequence[Json]]) -> Iterable[str]:
    last = max(plan.ks)
    categories = sorted({one["category"] for lines in records.values() for one in lines if one["evidence"]})
    if len(categories) < 2:
        return
    ranking = {name: lines for name, lines in records.items() if any(one["retrieved"] for one in lines)}
    rows = [["category", "questions", *ranking]]
    for category in categories:
        cells = []
        asked = 0
        for lines in ranking.values():
            found = [one for one in lines if one["evidence"] and one["category"] == category]
            asked = max(asked, len(found))
            recall = [metrics.of_turns(one["retrieved"], set(one["evidence"]), plan.ks) for one in found]
            cells.append(f"{metrics.mean(recall)[f'recall@{last}']:.3f}" if recall else "–")
        rows.append([category or "–", f"{asked:,}", *cells])
    yield f"## recall@{last} by category"
    yield table(rows)


def _answers(plan: Plan, outcome: Outcome) -> Iterable[str]:
    assert plan.answering is not None
    judged = plan.answering.judge.model
    accepted = [float(one["verdict"] == "correct") for one in outcome.probed]
    rate = share(accepted) if accepted else "not probed"
    rows = [["system", "questions", "correct", "judge's false accepts", "wrong", "refused", "unreadable",
             "tokens per answer"]]  # fmt: skip
    for name, lines in outcome.records.items():
        found = [one for one in lines if "verdict" in one]
        if not found:
            continue
        counts = Counter(one["verdict"] for one in found)
        correct = share([float(one["verdict"] == "correct") for one in found])
        tokens = sum(sum(one["answer_tokens"].values()) for one in found) / len(found)
        others = [f"{counts[kind] / len(found):.3f}" for kind in ("wrong", "refused", "unreadable")]
        rows.append([name, f"{len(found):,}", correct, rate, *others, f"{tokens:,.0f}"])
    yield "## Answers"
    yield (
        f"Answered by `{plan.answering.answerer.model}` from contexts of {plan.answering.tokens_max:,} tokens, judged "
        f"by `{judged}`. False accepts: the share of {len(accepted)} deliberately wrong answers (right ones to other "
        "questions of the same category) that the judge calls correct; a score is to be read beside it."
    )
    yield table(rows)


def _times(plan: Plan, records: Mapping[str, Sequence[Json]]) -> Table:
    middle = str(plan.budgets[len(plan.budgets) // 2])
    rows = [["system", "search p50 ms", "p95 ms", f"context of {middle} tokens p50 ms", "p95 ms", "answer p50 ms",
             "cost of answers, USD"]]  # fmt: skip
    for name, lines in records.items():
        contexts = [one["contexts"][middle]["ms"] for one in lines]
        answers = [one["answer_ms"] for one in lines if "answer_ms" in one]
        costs = [one["answer_cost_usd"] for one in lines if "answer_cost_usd" in one]
        cost = "–" if not costs or None in costs else f"{sum(costs):.4f}"
        searches = _p50_p95([one["ms"] for one in lines])
        rows.append([name, *searches, *_p50_p95(contexts), _p50_p95(answers)[0], cost])
    return rows


def _p50_p95(values: Sequence[float]) -> list[str]:
    return [f"{quantile(values, share):.1f}" for share in (0.5, 0.95)] if values else ["–", "–"]


def share(values: Sequence[float]) -> str:
    """Return a mean with its interval; a dash without values."""
    return _text(estimate(values)) if values else "–"


def _text(one: Estimate) -> str:
    return f"{one.mean:.3f} ({one.low:.3f}–{one.high:.3f})"
