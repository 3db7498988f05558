"""A dream in words, for a person to read: what it did as a whole, and each of its changes in a line."""

from __future__ import annotations

from service.domain.dreams import ChangedFields, DreamAction, DreamStatus
from service.domain.hearsay import attributed
from service.domain.json import JsonObject

_COUNTED = (
    ("created", "memory made", "memories made"),
    ("proposed", "statement proposed", "statements proposed"),
    ("reinforced", "confirmed", "confirmed"),
    ("superseded", "replaced", "replaced"),
    ("completed", "todo done", "todos done"),
    ("reopened", "todo open again", "todos open again"),
    ("linked", "link drawn", "links drawn"),
    ("decayed", "changed weight with time", "changed weight with time"),
    ("skipped", "text left out", "texts left out"),
)


def summarize_dream(status: DreamStatus, report: JsonObject, error: str | None) -> str:
    """Put a dream into one or two sentences."""
    if status == "queued":
        return "Waiting for a worker."
    if status == "running":
        return f"Running: {report.get('read', 0)} of {report['messages']} messages read." if report else "Running."
    if status == "failed":
        return f"Failed after {_seconds(report)}; its messages stay due. {error}"
    return {"undone": "Undone. ", "dry_run": "Nothing was written. "}.get(status, "") + _done(report)


def _said(memory: ChangedFields) -> str:
    return attributed(memory["content"], memory.get("hearsay_by"), memory.get("user"))


def describe_change(op: DreamAction, before: ChangedFields | None, after: ChangedFields | None, reason: str) -> str:
    """Put a change into one line: a sign for what was done, and what it was done to."""
    before, after = before or {}, after or {}
    match op:
        case "created":
            return f"+ {after['type']}: {_said(after)}"
        case "proposed":
            return f"? {after['type']}: {_said(after)}"
        case "superseded":
            return f"~ {_said(before)} → {_said(after)}"
        case "reinforced":
            return f"= {_said(before)}"
        case "completed":
            return f"✓ {_said(before)}"
        case "reopened":
            return f"○ {_said(before)}"
        case "decayed":
            was, now = before["effective_importance"], after["effective_importance"]
            return f"{'↓' if now < was else '↑'} importance {was:.2g} → {now:.2g}"
        case "linked":
            source = f"{after['from']} " if "from" in after else ""
            return f"→ {source}{after['relation']} {after.get('entity') or after.get('memory_id')}"
        case "entity":
            return f"+ {after['kind']}: {after['name']}"
        case "bulletin":
            return f"+ bulletin, version {after['version']}"
        case "skipped":
            kind = "message" if "message_id" in after else "memory"
            return f"! left out {kind} {after[f'{kind}_id']}: {reason}"
    return f"{op}: {reason}"


def _done(report: JsonObject) -> str:
    read, sessions = report.get("messages", 0), report.get("sessions", 0)
    did = [
        f"{count} {one if count == 1 else many}" for name, one, many in _COUNTED if (count := report.get(name, 0)) > 0
    ]
    saved = report.get("memories", 0)
    also = f" and {saved} saved memor{'y' if saved == 1 else 'ies'}" if saved else ""
    text = (
        f"Read {read} message{'' if read == 1 else 's'} of {sessions} session{'' if sessions == 1 else 's'}{also}"
        f" by {report.get('extractor', 'rules')} in {_seconds(report)}: {', '.join(did) or 'nothing to change'}."
    )
    if report.get("bulletin_version"):
        text += f" Bulletin {report['bulletin_version']} written."
    llm = report.get("llm") or {}
    if llm.get("calls"):
        text += f" {llm['calls']} calls to the model, {llm['tokens']:,} tokens, ${llm['cost_usd']:.4f}."
    if report.get("stopped"):
        text += f" Stopped early: {report['stopped']}"
    if errors := report.get("errors"):
        times = sum(error["times"] for error in errors)
        text += f" {times} failed attempt{'' if times == 1 else 's'} survived, such as: {errors[0]['error']}"
    return text


def _seconds(report: JsonObject) -> str:
    return f"{report.get('duration_s', 0):.1f} s"
