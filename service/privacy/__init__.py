"""Keeping personal data out of storage, embeddings, logs and prompts."""

from service.privacy.redactor import (
    DEFAULT_ENTITIES,
    NAME_ENTITIES,
    PiiPolicy,
    PiiRejected,
    Redaction,
    Redactor,
    RedactorUnavailable,
)

__all__ = [
    "DEFAULT_ENTITIES",
    "NAME_ENTITIES",
    "PiiPolicy",
    "PiiRejected",
    "Redaction",
    "Redactor",
    "RedactorUnavailable",
]
