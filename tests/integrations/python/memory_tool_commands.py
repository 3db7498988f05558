"""Run by the test with Anthropic's package: the same commands to its own store of files and to Reverie's tool.

Prints what differs, without the sizes of directories, which a file system has and memories have not.
"""

from __future__ import annotations

import re
import tempfile

from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

from reverie_client.integrations import AgentMemory
from reverie_client.integrations.anthropic import ReverieMemoryTool

FILE, FOLDER = "/memories/a.txt", "/memories/d"
COMMANDS = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": FILE, "file_text": "one\ntwo\nthree\n"},
    {"command": "create", "path": FILE, "file_text": "again"},
    {"command": "view", "path": FILE},
    {"command": "view", "path": FILE, "view_range": [2, 3]},
    {"command": "view", "path": FILE, "view_range": [2, -1]},
    {"command": "str_replace", "path": FILE, "old_str": "two", "new_str": "zwei\nzwo"},
    {"command": "str_replace", "path": FILE, "old_str": "zz", "new_str": "x"},
    {"command": "str_replace", "path": FILE, "old_str": "o", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/none", "old_str": "o", "new_str": "x"},
    {"command": "insert", "path": FILE, "insert_line": 0, "insert_text": "zero\n"},
    {"command": "insert", "path": FILE, "insert_line": 99, "insert_text": "far"},
    {"command": "insert", "path": FILE, "insert_line": 5, "insert_text": "end"},
    {"command": "view", "path": FILE},
    {"command": "create", "path": f"{FOLDER}/e/f.txt", "file_text": ""},
    {"command": "create", "path": f"{FOLDER}/g.txt", "file_text": "x" * 1536},
    {"command": "create", "path": "/memories/.hidden", "file_text": "h"},
    {"command": "create", "path": FOLDER, "file_text": "a directory"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": FOLDER},
    {"command": "view", "path": f"{FOLDER}/e/f.txt"},
    {"command": "view", "path": "/memories/none"},
    {"command": "str_replace", "path": FOLDER, "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": "/memories/none", "insert_line": 0, "insert_text": "b"},
    {"command": "rename", "old_path": FOLDER, "new_path": "/memories/z"},
    {"command": "rename", "old_path": "/memories/none", "new_path": "/memories/other"},
    {"command": "rename", "old_path": FILE, "new_path": "/memories/z"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/other"},
    {"command": "view", "path": "/memories"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/none"},
    {"command": "delete", "path": "/memories/z"},
    {"command": "create", "path": "/memories/z/x", "file_text": "back"},
    {"command": "view", "path": "/memories/z/../z/x"},
    {"command": "view", "path": "/memories/../etc/passwd"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories"},
]


def said(tool: ReverieMemoryTool | BetaLocalFilesystemMemoryTool, command: dict[str, object]) -> str:
    try:
        answer = str(tool.call(dict(command)))
    except ToolError as error:
        answer = f"error: {error}"
    return re.sub(r"^[\d.]+[BKMG](?=\t\S*(/|/memories|/d|/z)$)", "", answer, flags=re.MULTILINE)


ours = ReverieMemoryTool(AgentMemory("helper", user="ana"))
theirs = BetaLocalFilesystemMemoryTool(tempfile.mkdtemp())
for one in COMMANDS:
    answers = said(ours, one), said(theirs, one)
    if answers[0] != answers[1]:
        print(one, *answers, sep="\n")
print(len(COMMANDS), "commands")
