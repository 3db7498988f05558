"""How it works: what happens to what agents say, in a page, with the way to where each of it is seen."""

from __future__ import annotations

from markupsafe import Markup

from service.studio.components import box, definition_list, html, joined, kind, text
from service.studio.endpoint import PATH
from service.studio.layout import Layout, PageContext, heading, place_of

STEPS = (
    (
        "Agents write",
        "An agent saves memories, and appends the turns of its conversations. Every word is kept, page by page, as the "
        "permanent history. The last turns of a session are its window: they go to the model verbatim. What a window "
        "has no room for is folded into a summary.",
        "/sessions", "Sessions",
    ),
    (
        "Dreams make memories of it",
        "A worker reads what was said since the last dream and takes statements from it: facts, preferences, "
        "decisions, goals. It merges what says the same, replaces what has changed, and links people and things. A "
        "dream is one commit with a diff, and it can be undone. With a language model it asks the model; without one "
        "it goes by built-in rules.",
        "/dreams", "Dreams",
    ),
    (
        "Memories are found again",
        "A search looks for the words (BM25) and for the meaning (vectors), and mixes the two lists into one order. "
        "Importance, time and the session add bounded boosts. Where something was missing, such as the embedder, the "
        "answer says so.",
        "/playground", "Playground",
    ),
    (
        "A context goes to the model",
        "Before the model answers, the agent asks for a context: instructions, who it is, what the speaker prefers, "
        "the bulletin, memories that bear on the message, and the window, within a budget of tokens. The bulletin "
        "is the agent's own summary of what it knows now.",
        "/bulletins", "Bulletins",
    ),
    (
        "What nobody asks for fades",
        "Events and observations lose half of their importance in each period in which nobody recalls them, until "
        "they no longer surface. Nothing is lost by that: a search can be told to look at faded ones too. What is "
        "deleted can be restored for a while; what a person asks to be forgotten is purged for good.",
        "/", "Memories",
    ),
)  # fmt: skip
TYPES = {
    "fact": "Something that is so. Never fades.",
    "preference": "What somebody likes or wants; shown whenever that person talks.",
    "decision": "What was settled. Never fades.",
    "identity": "Who the agent or a person is; part of every context.",
    "event": "Something that happened; fades.",
    "observation": "Something noticed; fades.",
    "goal": "What is to be reached; shown with planning.",
    "todo": "Something to be done; lives until it is marked as done.",
    "insight": "What a dream concluded from several memories; falls when one of them does.",
}
SCOPES = {
    "agent": "The agent alone",
    "team": "All agents of a team",
    "task": "Whoever works on a task",
    "session": "The agent, within one conversation",
    "prime": "The agent, and prime agents of the workspace",
}


def add(frame: Layout) -> None:
    """The page at ``/how-it-works``."""

    @frame.page("/how-it-works", "How it works")
    async def page(desk: PageContext) -> None:
        with heading("How it works", "What becomes of what your agents say, from the first word to the last recall."):
            pass
        for number, (title, words, target, place) in enumerate(STEPS, start=1):
            with box("card"):
                text(f"{number}. {title}", tag="h2")
                text(words, "soft", tag="p")
                html(Markup('<a href="{}{}">Open {}</a>').format(PATH, place_of(desk, target), place))
        with box("tiles"):
            with box("card"):
                text("Types of memories", tag="h2")
                html(_types())
            with box("card"):
                text("Who may read one", tag="h2")
                html(definition_list(SCOPES))


def _types() -> Markup:
    rows = (Markup("<dt>{}</dt><dd>{}</dd>").format(kind(name), words) for name, words in TYPES.items())
    return Markup('<dl class="facts">{}</dl>').format(joined(rows))
