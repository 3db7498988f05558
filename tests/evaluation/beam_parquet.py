"""BEAM as its data set holds it, in parquet."""

from __future__ import annotations

import itertools
from pathlib import Path

from arro3.core import Array, DataType, Field, Table, list_array, struct_array
from arro3.io import write_parquet

from tests.evaluation.published import beam_chat, beam_questions


def write_beam_parquet(path: Path) -> Path:
    """A split of the data set: a row whose chat is lists of messages with null for what is missing, and whose questions
    are a Python literal."""
    messages = [[message for turn in batch["turns"] for message in turn] for batch in beam_chat()]
    said = [message for batch in messages for message in batch]
    types = {"content": DataType.utf8(), "id": DataType.int64(), "index": DataType.utf8(),
             "question_type": DataType.utf8(), "role": DataType.utf8(), "time_anchor": DataType.utf8()}  # fmt: skip
    flat = struct_array(
        [Array([message.get(name) for message in said], type_) for name, type_ in types.items()],
        fields=[Field(name, type_, nullable=True) for name, type_ in types.items()],
    )
    ends = [0, *itertools.accumulate(len(batch) for batch in messages)]
    batches = list_array(Array(ends, DataType.int32()), flat)
    columns = {
        "conversation_id": Array(["1"], DataType.utf8()),
        "chat": list_array(Array([0, len(messages)], DataType.int32()), batches),
        "probing_questions": Array([repr(beam_questions())], DataType.utf8()),
    }
    write_parquet(Table.from_pydict(columns), path, compression="snappy")
    return path
