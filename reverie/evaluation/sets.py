"""The sets that can be evaluated on: where they are published, under which licence, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from reverie.evaluation.conversations import Conversation
from reverie.evaluation.files import Document, documents
from reverie.evaluation.readers import beam, convomem, locomo, longmemeval, realtalk

Reader = Callable[[Sequence[Document]], Iterable[Conversation]]


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A set of others. ``known``: SHA-256 of the versions that figures were published on, and what each is."""

    title: str
    published_at: str
    licence: str
    suffixes: tuple[str, ...]
    reader: Reader
    known: Mapping[str, str] = field(default_factory=dict)


PUBLISHED: Final[Mapping[str, PublishedSet]] = {
    "locomo": PublishedSet(
        "LoCoMo",
        "https://github.com/snap-research/locomo (data/locomo10.json)",
        "CC BY-NC 4.0",
        locomo.SUFFIXES,
        locomo.read,
        {"79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4": "locomo10.json, 10 chats"},
    ),
    "longmemeval": PublishedSet(
        "LongMemEval",
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
        "MIT",
        longmemeval.SUFFIXES,
        longmemeval.read,
        {
            "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442": "longmemeval_s_cleaned.json",
            "9d79e5524794a2e6900a3aa9cb7d9152c5a3e8319c9a87c25494ba1eacee495f": "longmemeval_m_cleaned.json",
            "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c": "longmemeval_oracle.json",
        },
    ),
    "beam": PublishedSet(
        "BEAM",
        "https://github.com/mohammadtavakoli78/BEAM (chats/), https://huggingface.co/datasets/Mohammadta/BEAM",
        "CC BY-SA 4.0",
        beam.SUFFIXES,
        beam.read,
    ),
    "convomem": PublishedSet(
        "ConvoMem",
        "https://huggingface.co/datasets/Salesforce/ConvoMem",
        "CC BY-NC 4.0",
        convomem.SUFFIXES,
        convomem.read,
    ),
    "realtalk": PublishedSet(
        "REALTALK",
        "https://github.com/danny911kr/REALTALK (data/)",
        "as its repository says",
        realtalk.SUFFIXES,
        realtalk.read,
        {
            "4e947998a751a1ba2c3710fc873b90fbcbc234fda7a5e4e75db2b762e0f25a36": "Chat_1_Emi_Elise.json",
            "4ac6e319c206731aa9a025c93325eb1edb43686cf39473f058c87ae7deb2d62a": "Chat_2_Kevin_Elise.json",
            "10c9208016538cbe7a28aafa6cfd72587b072677964c36ec242159fdf58961f2": "Chat_3_Kevin_Paola.json",
            "80aa012ed6a918f5b317bd942b4d4811a158d27a6e07b7a5c6182994107a9367": "Chat_4_Emi_Paola.json",
            "32dd7c45786b1a26861dc1574a1bb698a855196fd2ae3fc0c091f3c9ab2d6d06": "Chat_5_Nicolas_Nebraas.json",
            "9d5ee072ab5a0667ef71d5644d7cd3a4c6777a1e6e2252bf306f310d982e40ac": "Chat_6_Vanessa_Nicolas.json",
            "b5716bb093217980e747dec0d98996829b569febc09587a025efc6b79806e9ce": "Chat_7_Nebraas_Vanessa.json",
            "814f64ad7e8a46f0398f550fe84184e2ba495a292290b9ff96ffc95448280800": "Chat_8_Akib_Muhhamed.json",
            "05b9b4331bf0e25a2a64dc89c404622c83a61ab5e7c935fb7d844449caf6dd39": "Chat_9_Fahim_Akib.json",
            "26135a9e3482f40bea4c71de570a2d994a361848111067e60587be1dd82a0127": "Chat_10_Fahim_Muhhamed.json",
        },
    ),
}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read: its name, its SHA-256, and which known version it is; None where it is none."""

    name: str
    sha256: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Material:
    """What an evaluation runs on."""

    title: str
    files: list[SourceFile]
    conversations: list[Conversation]


def read(name: str, data: Path, only: str | None = None) -> Material:
    """Return a published set from the file, folder or archive as it was downloaded; ``only``: a pattern of its files'
    names.

    Raises InvalidInput where it cannot be read, or has another form.
    """
    known = PUBLISHED[name]
    found = documents(data, known.suffixes, only)
    files = [SourceFile(one.name, digest := one.sha256(), known.known.get(digest)) for one in found]
    return Material(known.title, files, list(_distinct(known.reader(found))))


def _distinct(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """Yield the conversations whose agents were not there before: what a folder and an archive in it hold twice is
    one."""
    seen: set[str] = set()
    for one in conversations:
        if one.agent not in seen:
            seen.add(one.agent)
            yield one
