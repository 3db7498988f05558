"""Calibrations of decision models as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

Threshold = Literal["merge_at", "replace_at", "distinct_at"]
DecidedKind = Literal["stood", "undone", "reverted", "accepted", "edited", "rejected"]


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """Quality of the verdicts from a threshold on."""

    setting: Annotated[
        Threshold, Field(description="Setting of the threshold: `merge_at`, `replace_at` or `distinct_at`.")
    ]
    threshold: Annotated[float, Field(description="Minimum probability of the verdicts.")]
    said: Annotated[int, Field(description="Number of pairs with such a verdict.")]
    precision: Annotated[float | None, Field(description="Share of these verdicts that are right; null without one.")]
    recall: Annotated[
        float | None, Field(description="Share of the pairs so labelled with such a verdict; null without one.")
    ]
    contradictions: Annotated[
        int, Field(description="Number of contradictions among the merges; 0 for other settings.")
    ]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds of the decision model, found on pairs labelled by what people decided."""

    by: Annotated[str, Field(description="Judge of the pairs: the decision model, or the embedder without one.")]
    pairs: Annotated[int, Field(description="Number of labelled pairs.")]
    kinds: Annotated[
        dict[DecidedKind, int],
        Field(
            description="Number of pairs by what people decided: `stood`, `undone` and `reverted` changes of dreams; "
            "`accepted`, `edited` and `rejected` proposals."
        ),
    ]
    by_guards: Annotated[int, Field(description="Number of pairs settled by rules and not judged.")]
    unusable: Annotated[int, Field(description="Number of judged pairs without a usable verdict.")]
    rows: Annotated[list[CalibrationRow], Field(description="Precision and recall by setting and threshold.")]
    recommended: Annotated[
        dict[str, float], Field(description="Recommended thresholds by setting; settings without one are missing.")
    ]
    too_few: Annotated[
        list[str],
        Field(description="Settings with fewer than 30 judged pairs labelled so, for which nothing is recommended."),
    ]
    written: Annotated[bool, Field(description="Storage of the recommended thresholds in the settings of the agent.")]
