"""What a bulletin is made of: sections of lines, each line tied to the memories it says; and how these are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from service.domain.citations import Sentence
from service.domain.field_types import Text


class BulletinSentence(TypedDict):
    """A clause or sentence, and the ids of the memories it is made of."""

    text: Annotated[Text, Field(max_length=10_000)]
    memories: Annotated[list[str], Field(max_length=500)]


class BulletinPart(TypedDict):
    """A section of a bulletin."""

    title: Annotated[Text, Field(max_length=300)]
    lines: Annotated[list[BulletinSentence], Field(max_length=500)]


@dataclass(frozen=True, slots=True)
class SectionSentence(Sentence):
    """Sentence of a bulletin with its section."""

    section: Annotated[str, Field(description="Title of the section.")]
