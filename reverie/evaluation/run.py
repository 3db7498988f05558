"""An evaluation: every system takes in every conversation once and is asked every question once, over kills too."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.evaluation.answers import PaidModel, answered, judged, probes
from reverie.evaluation.conversations import Conversation, Question
from reverie.evaluation.plan import Folder, Plan
from reverie.evaluation.records import Lines
from reverie.evaluation.sets import Material
from reverie.evaluation.systems.base import Context, System, SystemUnavailable
from reverie.evaluation.systems.opened import Place, opened
from reverie.evaluation.wrong_keys import wrong_keys

DEPTH = 50
WHOLE = 10**9
"""Tokens of the context of a system that has no memory to choose from."""

Progress = Callable[[str], None]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers and who judges."""

    answerer: PaidModel
    judge: PaidModel


@dataclass(slots=True)
class Outcome:
    """What was found out: the records of each system, what it says of itself, who was left out and why, and whether
    the judge accepted each wrong answer."""

    records: dict[str, list[Json]]
    described: dict[str, str]
    skipped: dict[str, str]
    probed: list[Json]


def chosen(plan: Plan, material: Material) -> list[Conversation]:
    """Return the conversations and questions of a plan: LoCoMo's without its wrong keys where that is wished."""
    left_out = wrong_keys() if plan.without_wrong_keys else frozenset()
    return [one.without(left_out) for one in material.conversations[: plan.conversations_max]]


def evaluate(
    plan: Plan, folder: Folder, conversations: Sequence[Conversation], place: Place, models: Models | None,
    progress: Progress,
) -> Outcome:  # fmt: skip
    """Run what is left to run. Raises Unavailable when a model that is needed refuses."""
    outcome = Outcome({}, {}, {}, [])
    for name in plan.systems:
        lines = Lines(folder.path / name / "questions.jsonl")
        done = {one["question"]: one for one in lines.read()}
        wanted = [one.id for chat in conversations for one in chat.questions]
        notes = Lines(folder.path / name / "system.jsonl")
        try:
            if not done.keys() >= set(wanted):
                with opened(name, place) as system:
                    notes.append(system.described())
                    asking = _Asking(plan, name, system, models, lines, done, progress)
                    asking.all(conversations)
        except SystemUnavailable as error:
            outcome.skipped[name] = str(error)
            continue
        outcome.records[name] = [done[id_] for id_ in wanted]
        for one in notes.read():
            outcome.described |= one
    if models is not None and plan.answering is not None:
        outcome.probed = _probed(plan, folder.path, conversations, models, progress)
    return outcome


@dataclass(frozen=True, slots=True)
class _Asking:
    plan: Plan
    name: str
    system: System
    models: Models | None
    lines: Lines
    done: dict[str, Json]
    progress: Progress

    def all(self, conversations: Sequence[Conversation]) -> None:
        """Take in each conversation that has questions left, and ask them."""
        for number, chat in enumerate(conversations, 1):
            left = [one for one in chat.questions if one.id not in self.done]
            if not left:
                continue
            self.progress(f"{self.name}: taking in {chat.agent} ({number} of {len(conversations)})")
            self.system.ingest(chat)
            for position, question in enumerate(left, 1):
                self.progress(f"{self.name}: {chat.agent}, question {position} of {len(left)}")
                record = self.record(chat, question)
                self.lines.append(record)
                self.done[question.id] = record

    def record(self, chat: Conversation, question: Question) -> Json:
        """Return what the system finds and shows for a question, and what comes of it."""
        began = time.perf_counter()
        found = self.system.search(chat, question, DEPTH)
        ms = (time.perf_counter() - began) * 1000
        ranked = list(dict.fromkeys(turn for one in found for turn in one.turns))
        session_of = {turn.id: turn.session for turn in chat.turns}
        record: Json = {
            "question": question.id,
            "conversation": chat.agent,
            "category": question.category,
            "evidence": sorted(question.evidence),
            "evidence_sessions": sorted(question.sessions),
            "retrieved": ranked,
            "sessions": list(dict.fromkeys(session_of[turn] for turn in ranked if turn in session_of)),
            "ranks": {turn: ranked.index(turn) + 1 for turn in sorted(question.evidence) if turn in ranked},
            "ms": ms,
            "contexts": {str(budget): self.shown(chat, question, budget) for budget in self.plan.budgets},
        }
        if self.models is not None:
            record |= self.answer(self.models, chat, question)
        return record

    def shown(self, chat: Conversation, question: Question, budget: int) -> Json:
        began = time.perf_counter()
        context = self.system.context(chat, question, budget)
        ms = (time.perf_counter() - began) * 1000
        return {"shown": sorted(question.evidence & context.turns), "tokens": context.tokens, "ms": ms}

    def answer(self, models: Models, chat: Conversation, question: Question) -> Json:
        """Nothing is asked about questions without a published answer."""
        if not question.answer and not question.refusal:
            return {}
        assert self.plan.answering is not None
        whole = self.name == "full-context"
        context: Context = self.system.context(chat, question, WHOLE if whole else self.plan.answering.tokens_max)
        reply = answered(models.answerer, question, context)
        return {
            "answer": reply.text,
            "verdict": judged(models.judge, question, reply.text),
            "answer_tokens": {"prompt": reply.prompt_tokens, "completion": reply.completion_tokens},
            "answer_cost_usd": reply.cost_usd,
            "answer_ms": reply.ms,
        }


def _probed(
    plan: Plan, folder: Path, conversations: Sequence[Conversation], models: Models, progress: Progress
) -> list[Json]:
    assert plan.answering is not None
    lines = Lines(folder / "probes.jsonl")
    done = {one["question"]: one for one in lines.read()}
    found = []
    for question, wrong in probes(conversations, plan.answering.probes, plan.seed):
        if question.id not in done:
            progress(f"probing the judge: {question.id}")
            line = {"question": question.id, "wrong": wrong, "verdict": judged(models.judge, question, wrong)}
            lines.append(line)
            done[question.id] = line
        found.append(done[question.id])
    return found
