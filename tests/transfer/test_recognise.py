"""Which format a file is in."""

from __future__ import annotations

import json

import pytest

from service.memory.transfer.parse import HEAD_BYTES, recognise

MEM0 = {"id": "1", "memory": "Loves tea", "user_id": "ana"}
EXPORT = b'{"record": "export", "version": 1}\n{"record": "memory", "agent": "a", "content": "x"}\n'
LONG = json.dumps({"memories": [MEM0] * 20_000}, indent=2).encode()


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (EXPORT, "reverie"),
        (b'{"agent": "a", "type": "fact", "content": "x", "metadata": {"results": []}}\n', "reverie"),
        (json.dumps([MEM0]).encode(), "mem0"),
        (b"\xef\xbb\xbf \n" + json.dumps({"results": [MEM0], "relations": []}).encode(), "mem0"),
        (json.dumps({"results": [MEM0]}, indent=2).encode(), "mem0"),
        (LONG[:HEAD_BYTES], "mem0"),
        (b"id,user_id,session_id,role,message,created_at\r\n1,ana,s,user,Hi,2025-01-01\r\n", "arkos"),
        (b'"role","user_id","message"\n', "arkos"),
        (b'{"id": 1, "user_id": "ana", "role": "user", "message": "Hi"}\n', "arkos"),
        (b"name,age\nana,3\n", "reverie"),
        (b"", "reverie"),
        (b"{", "reverie"),
        (b'{\n\n"x": ', "reverie"),
        (b"\x00\xff" * 1_000, "reverie"),
    ],
)
def test_by_how_it_begins(head: bytes, expected: str) -> None:
    assert recognise(head) == expected
