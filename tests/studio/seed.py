"""What two agents have lived through before the tests look at it: conversations, two dreams, memories of every type."""

from __future__ import annotations

from typing import Any

from tests.processes import ServerProcess

Json = dict[str, Any]

MEMORIES: tuple[Json, ...] = (
    {"type": "decision", "content": "We agreed to use tiered pricing with a free starter plan", "tags": ["pricing"]},
    {"type": "fact", "content": "The staging database runs Postgres 18 in Frankfurt", "tags": ["infra"]},
    {"type": "preference", "content": "Maya wants release notes in short sentences, without jargon", "user": "Maya"},
    {"type": "identity", "content": "You are Ada, the assistant of the platform team", "importance": 0.9},
    {"type": "event", "content": "The search service was down for eleven minutes on Tuesday", "tags": ["incident"]},
    {"type": "observation", "content": "Deploys after four in the afternoon are rolled back more often"},
    {"type": "goal", "content": "Bring the median search below ten milliseconds by spring", "tags": ["search"]},
    {"type": "todo", "content": "Ask legal about the retention of support transcripts", "tags": ["privacy", "legal"]},
    {
        "type": "fact",
        "content": "Project Apollo ships its beta on the third of March",
        "scope": "team",
        "team": "platform",
    },
)
MONDAY = (
    ("user", "Hi, I'm Maya Lindqvist. I moved to Bergen last week."),
    ("assistant", "Welcome to Bergen! How can I help?"),
    ("user", "I do not like Python, but I love Go. I work on Project Apollo with Tigran at Northwind."),
    ("assistant", "Noted. Shall I write the examples in Go?"),
    ("user", "Yes. My favorite editor is Helix, and I prefer short answers."),
    ("user", "We decided to ship Apollo's beta on 3 March."),
)
TUESDAY = (
    ("user", "I moved from Bergen to Oslo yesterday."),
    ("assistant", "That was quick. I will remember Oslo."),
    ("user", "I love Go. Tigran leads Project Apollo now, and I have to send the invoice to Northwind by Friday."),
)


async def seed_story(server: ServerProcess) -> None:
    """Live through it, over the API."""

    async def post(path: str, body: Json) -> Json:
        answer = await server.call("POST", path, json=body, timeout=600)
        assert answer.is_success, answer.text
        told: Json = answer.json()
        return told

    await server.call("PUT", "/v1/agents/ada", json={"name": "Ada", "teams": ["platform"]})
    await post("/v1/memories/batch", {"items": [{"agent": "ada", **memory} for memory in MEMORIES]})
    await post("/v1/memories", {"agent": "ben", "type": "fact", "content": "The office plants are watered on Mondays"})
    for session, turns in (("monday", MONDAY), ("tuesday", TUESDAY)):
        messages = [{"role": role, "content": content} for role, content in turns]
        await post(f"/v1/sessions/{session}/messages", {"agent": "ada", "user": "Maya", "messages": messages})
        dream = await post("/v1/agents/ada/dream", {"wait": True})
        assert dream["status"] == "succeeded", dream
    await post("/v1/memories/search", {"agent": "ada", "query": "what did we decide about pricing?"})
