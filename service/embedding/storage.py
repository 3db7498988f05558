"""How vectors are kept in the database, as part of their embedder's signature."""

from __future__ import annotations

from typing import Final, Literal, get_args

Storage = Literal["halfvec", "float32", "binary"]
"""- ``halfvec``: 2 bytes a dimension, and so in the index of very large audiences.
- ``float32``: 4 bytes a dimension, as the model gave them; 2 in the index.
- ``binary``: as ``halfvec``, but the index holds signs, one bit a dimension; the whole vectors rank what it finds.
"""

DEFAULT: Final[Storage] = "halfvec"


def with_storage(signature: str, storage: Storage) -> str:
    """An embedder's signature with how its vectors are kept; the default is not said."""
    return signature if storage == DEFAULT else f"{signature}:{storage}"


def storage_of(signature: str) -> Storage:
    """How vectors of this signature are kept."""
    said = signature.rpartition(":")[2]
    return next((storage for storage in get_args(Storage) if storage == said), DEFAULT)


def vector_bytes(storage: Storage, dim: int) -> int:
    """What one vector takes in its row, as pgvector has it."""
    return (4 if storage == "float32" else 2) * dim + 8


def base_signature(signature: str) -> str:
    """The signature of the embedder alone."""
    storage = storage_of(signature)
    return signature if storage == DEFAULT else signature.removesuffix(f":{storage}")


def can_convert_in_place(signature: str, former: str) -> bool:
    """Whether vectors of a former signature are those of this one, once they are kept as this one says."""
    return base_signature(signature) == base_signature(former) and storage_of(signature) != "float32"
