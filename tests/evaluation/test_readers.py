"""Every set is read in the form in which its authors publish it, from files, folders and archives."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.evaluation import sets
from reverie.evaluation.conversations import Conversation
from reverie.evaluation.files import documents
from reverie.evaluation.readers import longmemeval as longmemeval_reader
from service.errors import InvalidInput
from tests.evaluation import published
from tests.evaluation.beam_parquet import write_beam_parquet
from tests.evaluation.published import write


def only_one(name: str, data: Path) -> Conversation:
    (conversation,) = sets.read(name, data).conversations
    return conversation


def test_locomo(tmp_path: Path) -> None:
    chat = only_one("locomo", write(tmp_path / "locomo10.json", published.locomo()))
    assert chat.agent == "locomo-conv-7"
    assert [turn.id for turn in chat.turns] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2", "D2:3", "D10:1"]
    assert chat.turns[1].content == "Piet: No way! Look at mine [shares a cat on a sofa]"
    assert chat.turns[1].said == "No way! Look at mine [shares a cat on a sofa]"
    assert chat.turns[1].at == datetime(2024, 3, 3, 9, 5, 30, tzinfo=UTC)
    asked = {one.id: one for one in chat.questions}
    assert [sorted(one.evidence) for one in chat.questions] == [["D1:1"], ["D1:3", "D2:2"], ["D2:3"], ["D1:2"], []]
    assert asked["conv-7/1"].sessions == {"1", "2"}
    assert [one.category for one in chat.questions] == [
        "single-hop", "multi-hop", "temporal", "adversarial", "open-domain",
    ]  # fmt: skip
    assert (asked["conv-7/2"].answer, asked["conv-7/3"].answer) == ("2024", "")
    assert [one.refusal for one in chat.questions] == [False, False, False, True, False]
    assert {one.now for one in chat.questions} == {datetime(2024, 5, 2, 13, tzinfo=UTC)}


def test_realtalk_skips_other_files_and_empty_messages(tmp_path: Path) -> None:
    write(tmp_path / "data" / "Chat_1_Ana_Bo.json", published.realtalk())
    write(tmp_path / "data" / "speakers.json", {"Ana": "them"})
    chat = only_one("realtalk", tmp_path)
    assert [turn.content for turn in chat.turns] == ["Ana: heyy r u up", "Bo:  [shares a bowl of ramen]"]
    assert chat.turns[1].at == datetime(2023, 12, 29, 20, 11, tzinfo=UTC)
    assert [(one.id, one.evidence) for one in chat.questions] == [("Chat_1_Ana_Bo/0", {"D1:2"})]


def test_longmemeval(tmp_path: Path) -> None:
    path = write(tmp_path / "longmemeval_s_cleaned.json", published.longmemeval())
    haystack = only_one("longmemeval", path)
    assert [turn.content for turn in haystack.turns] == ["How tall is K2?", "I went with Triodos in the end."]
    (question,) = haystack.questions
    assert question.evidence == {"1:answer_2:0"}
    assert (question.sessions, question.answer) == ({"answer_2"}, "Triodos")
    assert question.now == datetime(2023, 6, 1, 10, tzinfo=UTC)
    (with_assistant,) = longmemeval_reader.read(documents(path, (".json",)), assistant=True)
    assert [turn.role for turn in with_assistant.turns] == ["user", "assistant", "user", "assistant"]


def test_a_question_that_nothing_answers_wants_a_refusal(tmp_path: Path) -> None:
    haystack = only_one("longmemeval", write(tmp_path / "l.json", published.longmemeval("_abs")))
    assert haystack.questions[0].refusal


@pytest.mark.parametrize("form", ["folder", "rows", "lines", "literal", "parquet"])
def test_beam_as_the_repository_and_the_data_set_hold_it(form: str, tmp_path: Path) -> None:
    chat, asked = published.beam_chat(), published.beam_questions()
    row: dict[str, Any] = {"conversation_id": "1", "chat": [b["turns"] for b in chat], "probing_questions": asked}
    if form == "folder":
        write(tmp_path / "chats/100K/1/chat.json", chat)
        write(tmp_path / "chats/100K/1/topic.json", {"topic": "budgets"})
        write(tmp_path / "chats/100K/1/probing_questions/probing_questions.json", asked)
    elif form == "parquet":
        write_beam_parquet(tmp_path / "100K-00000-of-00001.parquet")
    elif form == "lines":
        (tmp_path / "100K.jsonl").write_text(json.dumps(row) + "\n\n", encoding="utf-8")
    else:
        stored = repr(asked) if form == "literal" else json.dumps(asked)
        write(tmp_path / "100K.json", [row | {"probing_questions": stored}])
    conversation = only_one("beam", tmp_path)
    assert [(turn.id, turn.role, turn.content) for turn in conversation.turns] == [
        ("0", "user", "The sprint ends on March 29."),
        ("1", "assistant", "Noted."),
        ("2", "user", "Ship it with Flask 2.3.1"),
    ]
    assert conversation.turns[0].at.date() == conversation.turns[2].at.date() == datetime(2024, 3, 15).date()  # noqa: DTZ001
    assert conversation.turns[0].session == conversation.turns[1].session != conversation.turns[2].session
    found = {one.category: one for one in conversation.questions}
    assert {name: sorted(one.evidence) for name, one in found.items()} == {
        "abstention": [],
        "information_extraction": ["0"],
        "contradiction_resolution": ["0", "2"],
        "instruction_following": [],
    }
    assert [one.answer for one in found.values()] == ["It was not said.", "March 29", "2.3.1", "With versions"]
    assert [one.refusal for one in found.values()] == [True, False, False, False]


def test_parquet_without_the_extra_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_beam_parquet(tmp_path / "100K.parquet")
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    with pytest.raises(InvalidInput, match=r'100K.parquet: parquet needs the extra eval: .*"reverie-server\[eval\]"'):
        sets.read("beam", path)


def test_broken_parquet_is_refused_by_name(tmp_path: Path) -> None:
    path = write_beam_parquet(tmp_path / "100K.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(InvalidInput, match=r"100K.parquet: not a parquet file, or not all of one"):
        sets.read("beam", path)
    path.write_bytes(whole[:4] + bytes(200) + whole[204:])
    with pytest.raises(InvalidInput, match=r"100K.parquet: unreadable parquet"):
        sets.read("beam", path)


@pytest.mark.parametrize("mixed", [False, True])
def test_convomem(mixed: bool, tmp_path: Path) -> None:
    content: Any = published.convomem()
    if mixed:
        item = content["evidence_items"][0]
        content = [{"evidenceItems": [item | {"conversations": []}], "conversations": item["conversations"]}]
    write(tmp_path / "evidence_questions/changing_evidence/2_evidence/p1.json", content)
    conversation = only_one("convomem", tmp_path)
    (question,) = conversation.questions
    assert [turn.role for turn in conversation.turns] == ["user", "assistant", "user"]
    assert question.evidence == {"1:1"}
    assert (question.category, question.answer) == ("changing_evidence", "7k")


def archived(folder: Path, form: str) -> Path:
    content = json.dumps(published.locomo()).encode()
    path = folder / f"locomo10.json.{form}"
    match form:
        case "gz":
            path.write_bytes(gzip.compress(content))
        case "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("locomo/data/", b"")
                archive.writestr("locomo/data/locomo10.json", content)
                archive.writestr("locomo/README.md", b"# read me")
        case "tar.gz" | "tar":
            with tarfile.open(path, "w:gz" if form == "tar.gz" else "w") as archive:
                member = tarfile.TarInfo("locomo10.json.gz")
                packed = gzip.compress(content)
                member.size = len(packed)
                archive.addfile(member, io.BytesIO(packed))
    return path


@pytest.mark.parametrize("form", ["gz", "zip", "tar", "tar.gz"])
def test_archives_are_read_as_they_were_downloaded(form: str, tmp_path: Path) -> None:
    plain = sets.read("locomo", write(tmp_path / "plain" / "locomo10.json", published.locomo()))
    packed = sets.read("locomo", archived(tmp_path, form))
    assert packed.conversations == plain.conversations
    assert packed.files[0].sha256 == plain.files[0].sha256
    assert packed.files[0].version is None


def test_what_a_folder_holds_packed_and_unpacked_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", published.locomo())
    archived(tmp_path, "zip")
    assert len(sets.read("locomo", tmp_path).conversations) == 1


def test_a_pattern_chooses_files(tmp_path: Path) -> None:
    for name in ("100K", "1M"):
        write(tmp_path / f"chats/{name}/1/chat.json", published.beam_chat())
        write(tmp_path / f"chats/{name}/1/probing_questions/probing_questions.json", published.beam_questions())
    read = sets.read("beam", tmp_path, "chats/1M/*")
    assert [one.agent for one in read.conversations] == ["beam-chats-1M-1"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("locomo", {"a": 1}, "not a list of conversations"),
        ("locomo", [{"sample_id": "x", "conversation": {}, "qa": []}], "entry 0"),
        ("longmemeval", [{"question_id": "x"}], "not the form of LongMemEval"),
        ("beam", [{"chat": 3}], "no chat.json"),
        ("beam", [{"chat": [[]], "probing_questions": "{'a': ["}], "not the form of BEAM"),
        ("convomem", {"items": []}, "evidence_items"),
        ("realtalk", [1, 2], "no file has sessions"),
    ],
)
def test_another_form_is_refused_by_name(name: str, content: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=said):
        sets.read(name, write(tmp_path / "set.json", content))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b"{", "malformed JSON"),
        ("a.zip", b"PK not really", "unreadable archive"),
        ("a.tar", b"no tar", "unreadable archive"),
        ("a.json.gz", b"no gzip", "unreadable archive"),
        ("a.txt", b"text", "no .json files"),
    ],
)
def test_a_broken_file_is_refused_by_name(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=said):
        sets.read("locomo", tmp_path)


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        sets.read("locomo", tmp_path / "nothing")
