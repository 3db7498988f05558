"""What the redactor finds in texts with annotated personal data, and what it takes for some."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

from service.privacy.redactor import DEFAULT_ENTITIES, PiiPolicy, Redactor


def test_recall_and_false_hits_on_the_evaluation_texts(redactor: Redactor, shared: Path) -> None:
    cases = json.loads(gzip.decompress((shared / "bench" / "pii_dev.json.gz").read_bytes()))
    results = asyncio.run(redactor.redact([case["text"] for case in cases], PiiPolicy("redact")))
    total, masked = Counter[str](), Counter[str]()
    clean = false_hits = 0
    for case, result in zip(cases, results, strict=True):
        wanted = [span for span in case["spans"] if span["type"] in DEFAULT_ENTITIES]
        for span in wanted:
            total[span["type"]] += 1
            masked[span["type"]] += span["value"] not in result.text and _digit_runs(span).isdisjoint(
                result.text.split()
            )
        clean += not wanted
        false_hits += not wanted and result.text != case["text"]
    recall = {entity: masked[entity] / total[entity] for entity in DEFAULT_ENTITIES}
    assert recall.pop("IBAN_CODE") >= 0.99
    assert recall == dict.fromkeys(recall, 1.0)
    assert false_hits / clean < 0.01
    assert sum(total.values()) > 300
    assert clean > 1000


def _digit_runs(span: dict[str, Any]) -> set[str]:
    return {part for part in span["value"].split() if len(part) > 3}
