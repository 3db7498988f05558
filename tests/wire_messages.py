"""Messages as the clients and exports of many systems write them: what a user says, what a model calls, what a tool
answers."""

from __future__ import annotations

from typing import Any

DATA = "iVBORw0KGgo" * 300
CALL = {"city": "Oslo"}
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


SAID = "I live in Oslo."
PART = {"type": "text", "text": SAID}
INLINE = {"type": "base64", "media_type": "image/png", "data": DATA}
USER: dict[str, Any] = {
    "text": user(SAID),
    "chat completions": user([PART]),
    "responses": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SAID}]},
    "assistants": user([{"type": "text", "text": {"value": SAID, "annotations": []}}]),
    "anthropic": user(
        [
            {"type": "image", "source": INLINE},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a report"}},
            PART | {"cache_control": {"type": "ephemeral"}},
        ]
    ),
    "google": {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": DATA}}, {"text": SAID}]},
    "bedrock": user([{"text": SAID}, {"image": {"format": "png", "source": {"bytes": DATA}}}]),
    "cohere": {"role": "USER", "message": SAID},
    "ollama": user(SAID) | {"images": [DATA]},
    "langchain": {"type": "human", "data": {"content": SAID, "type": "human"}},
    "langchain constructor": {
        "lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
        "kwargs": {"content": SAID},
    },
    "llamaindex": {"role": "user", "blocks": [{"block_type": "text", "text": SAID}]},
    "ai sdk": {"id": "m1", "role": "user", "parts": [PART]},
    "mcp": user(PART),
    "mcp resource": user([{"type": "resource", "resource": {"uri": "file:///a", "text": "a file"}}, PART]),
    "chatgpt export": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [SAID]}},
    "claude export": {"sender": "human", "text": SAID},
    "sharegpt": {"from": "human", "value": SAID},
    "unknown part": user([{"type": "hologram", "data": 1}, PART]),
    "texts": user([SAID]),
}  # fmt: skip
ARGUMENTS = '{"city":"Oslo"}'
CALLS: dict[str, Any] = {
    "chat completions": {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
    "functions": {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": ARGUMENTS}},
    "responses": {"type": "function_call", "id": "fc", "call_id": "c1", "name": "weather", "arguments": ARGUMENTS},
    "anthropic": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "c1", "name": "weather", "input": CALL},
        ],
    },
    "google": {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": CALL}}]},
    "bedrock": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "weather", "input": CALL}}]},
    "langchain": {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "weather", "args": CALL, "id": "c1"}]}},
    "ai sdk": {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": CALL}],
    },
    "ai sdk messages": {
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "tool-weather", "toolCallId": "c1", "state": "input-available", "input": CALL},
        ],
    },
    "cohere": {"role": "CHATBOT", "tool_calls": [{"name": "weather", "parameters": CALL}], "message": ""},
}
OUTPUT = {"type": "text", "value": "rain"}
RESULTS: dict[str, Any] = {
    "chat completions": {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    "functions": {"role": "function", "name": "weather", "content": "rain"},
    "responses": {"type": "function_call_output", "call_id": "c1", "output": "rain"},
    "anthropic": user([{"type": "tool_result", "tool_use_id": "c1", "content": "rain"}]),
    "blocks": user([{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "rain"}]}]),
    "google": {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": "rain"}}]},
    "bedrock": user([{"toolResult": {"toolUseId": "c1", "content": [{"text": "rain"}]}}]),
    "langchain": {"type": "tool", "data": {"content": "rain", "tool_call_id": "c1"}},
    "ai sdk": {
        "role": "tool",
        "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "weather", "output": OUTPUT}],
    },
    "list": {"role": "toolResult", "content": [{"type": "text", "text": "rain"}]},
}
