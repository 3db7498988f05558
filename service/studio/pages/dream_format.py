"""What a dream did, in words."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from markupsafe import Markup, escape

from reverie_client.models import Dream, attribution
from service.studio.components import comparable, difference, joined, tag
from service.studio.formatting import count, seconds_between

Json = dict[str, Any]

DIFF_THRESHOLD = 0.75
CHANGE_LABELS = {
    "created": ("Created", "good"),
    "proposed": ("Proposed", "warn"),
    "reinforced": ("Reinforced", "accent"),
    "superseded": ("Superseded", "warn"),
    "completed": ("Done", "good"),
    "reopened": ("Open again", "accent"),
    "decayed": ("Faded", ""),
    "linked": ("Linked", ""),
    "entity": ("Met", "accent"),
    "bulletin": ("Wrote", "accent"),
    "skipped": ("Skipped", "bad"),
}
STATES = {
    "queued": ("waiting for a worker", "warn"),
    "running": ("dreaming", "accent"),
    "succeeded": ("done", "good"),
    "failed": ("failed", "bad"),
    "undone": ("undone", "warn"),
    "dry_run": ("dry run", "accent"),
}
TRIGGERS = {"api": "asked for", "schedule": "on schedule", "cli": "by hand", "manual": "by hand"}
RELATIONS = {
    "about": "is about", "mentions": "mentions", "supports": "supports", "updates": "updates", "part_of": "is part of",
    "contradicts": "contradicts", "caused_by": "was caused by", "works_at": "works at",
}  # fmt: skip


def state(dream: Dream) -> Markup:
    """The dream's state as a label."""
    words, tone = STATES[dream.status]
    return tag(words, tone)


def progress(dream: Dream) -> tuple[float | None, str]:
    """How far a dream under way has read, 0 to 1 (None: not known yet), and what it is doing in words."""
    read, messages = dream.report.get("read"), dream.report.get("messages")
    doing = STATES[dream.status][0]
    if dream.status != "running" or read is None or not messages:
        return None, doing
    if read < messages:
        return read / messages, f"{doing}: {read:,} of {count(messages, 'message')} read"
    return 1.0, f"{doing}: all {count(messages, 'message')} read, writing down what they mean"


def length(dream: Dream) -> str | None:
    """How long it took."""
    times = dream.model_extra or {}
    if times.get("started_at") and times.get("finished_at"):
        return seconds_between(times["started_at"], times["finished_at"])
    return None


def summary(dream: Dream) -> str:
    """The counts of a dream in one line."""
    report = dream.report
    if dream.status in ("queued", "running"):
        return progress(dream)[1].partition(": ")[2] or "nothing to tell yet"
    parts = [count(report.get("messages", 0), "message") + " read"]
    names = ("created", "reinforced", "superseded", "completed", "reopened", "decayed", "linked", "skipped")
    parts += [f"{report[name]:,} {'faded' if name == 'decayed' else name}" for name in names if report.get(name)]
    return ", ".join(parts) if report else "nothing to tell yet"


def change_tag(op: str) -> Markup:
    """What kind of change it was."""
    words, tone = CHANGE_LABELS.get(op, (op, ""))
    return tag(words, tone)


def change(one: Json, contents: dict[str, str]) -> Markup:
    """One change in words; ``contents`` are what memories of the diff say, by id."""
    before, after = one.get("before") or {}, one.get("after") or {}
    content = contents.get(str(one.get("memory_id")), "a memory")
    match one["op"]:
        case "created" | "proposed":
            about = Markup(' <span class="faint">about {}</span>').format(after["user"]) if after.get("user") else ""
            return Markup('{} <span class="faint">{}</span>{}{}').format(
                after.get("content"), after.get("type"), about, _hearsay(after)
            )
        case "reinforced" | "completed" | "reopened":
            return Markup('{}{} <div class="faint small">{}</div>').format(
                before.get("content"), _hearsay(before), one["reason"]
            )
        case "superseded":
            whose = _hearsay(before)
            return Markup("{}{}").format(
                _replaced(str(before.get("content", "")), str(after.get("content", ""))), whose
            )
        case "decayed":
            fell = (
                f"importance {before.get('effective_importance', 0):.2f} → {after.get('effective_importance', 0):.2f}"
            )
            faded = "; it no longer surfaces" if after.get("faded") and not before.get("faded") else ""
            return Markup('{}<div class="faint small">{}: {}{}</div>').format(content, one["reason"], fell, faded)
        case "linked":
            target = after.get("entity") or contents.get(str(after.get("memory_id")), "another memory")
            relation = RELATIONS.get(after.get("relation", ""), after.get("relation", ""))
            return Markup('{} <span class="faint">{}</span> <b>{}</b>').format(
                after.get("from") or content, relation, target
            )
        case "entity":
            return Markup('<b>{}</b> <span class="faint">{}, first mentioned here</span>').format(
                after.get("name"), after.get("kind")
            )
        case "bulletin":
            return Markup('version {} of the bulletin <span class="faint">{}</span>').format(
                after.get("version"), one["reason"]
            )
        case "skipped":
            kind = "a message" if "message_id" in after else "a memory"
            return Markup('{} <span class="faint">{}</span>').format(kind, one["reason"])
    return escape(one.get("reason") or "")


def _hearsay(memory: Json) -> Markup:
    whose = attribution(memory.get("hearsay_by"), memory.get("user"))
    return Markup(" {}").format(tag(whose, "warn")) if whose else Markup()


def _replaced(old: str, new: str) -> Markup:
    """Word by word where most words stay, else one after the other."""
    before, after = old.split(), new.split()
    if comparable(before, after) and SequenceMatcher(None, before, after, autojunk=False).ratio() > DIFF_THRESHOLD:
        return difference(old, new)
    return Markup("<div><del>{}</del></div><div><ins>{}</ins></div>").format(old, new)


def memory_contents(changes: list[Json]) -> dict[str, str]:
    """What memories say, as far as the diff tells."""
    found: dict[str, str] = {}
    for one in changes:
        content = (one.get("after") if one["op"] == "created" else one.get("before")) or {}
        if one.get("memory_id") and content.get("content"):
            found[str(one["memory_id"])] = str(content["content"])
    return found


def costs(report: Json) -> Markup | None:
    """What the language model took; None where none was asked."""
    usage = report.get("usage") or report.get("llm") or {}
    if not usage.get("calls"):
        return None
    cost = f", ${usage['cost_usd']:.4f}" if usage.get("cost_usd") else ""
    return escape(f"{count(usage['calls'], 'call')} of the model, {usage.get('tokens', 0):,} tokens{cost}")


def change_tags(report: Json) -> Markup:
    """The counts as labels."""
    return joined(
        tag(f"{report[op]:,} {words.lower()}", tone) for op, (words, tone) in CHANGE_LABELS.items() if report.get(op)
    )
