"""The graph: who and what memories speak of, drawn; a click walks on."""

from __future__ import annotations

from collections import Counter
from functools import partial
from math import log2
from typing import Any

from markupsafe import Markup
from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from reverie_client import Ambiguous, calls
from reverie_client.models import Entity, MemoryRecord
from service.studio.components import box, button, empty, html, joined, kind, notify_errors, row, tag, text
from service.studio.formatting import count
from service.studio.layout import Layout, PageContext, heading
from service.studio.pages.memory_panel import open_memory
from service.studio.paging import first_items

TYPING_MS = 300
LISTED = 60
DRAWN_MAX = 60
"""Entities drawn, and memories, those first that connect the most; more would be a ball of wool."""
WIDEST = 8.0
HUES = {
    "person": "#b0567f", "project": "#7a5bb5", "company": "#4a6fa5", "product": "#2f8a83", "place": "#3f8f4f",
}  # fmt: skip
OTHER_HUE = "#7d8590"
MEMORY_HUE = "#b9a06a"
DEPTHS = {1: "One step", 2: "Two steps", 3: "Three steps", 4: "Four steps"}
LABEL_CHARS = 28


def add(frame: Layout) -> None:
    """The page at ``/graph``."""

    @frame.page("/graph", "Graph")
    async def page(desk: PageContext) -> None:
        with heading("Graph", "The people, projects and places that memories speak of. Click one to walk on."):
            pass
        await _Graph(desk).build()


class _Graph:
    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._path: list[Entity] = []
        self._depth = 2
        self._limit = LISTED
        self._asked = 0

    async def build(self) -> None:
        with box("beside narrow-first"):
            with box("column-of"):
                self._search = ui.input("Find an entity").props(f"outlined dense clearable debounce={TYPING_MS}")
                self._search.on_value_change(notify_errors(self._list))
                with box("card flush"):
                    self._rows = box("rows entities")
            with box("column-of"):
                self._walked = box("row-of")
                self._drawing = box("card flush")
                self._beside = box("card flush")
        await self._list()

    async def _list(self, _: object = None) -> None:
        self._asked += 1
        asked = self._asked
        words = (self._search.value or "").strip() or None
        call = calls.graph.list_entities(q=words, agent=self._desk.agent, sort="mentions")
        page = await first_items(self._desk.reverie, call, self._limit)
        if asked != self._asked:
            return
        self._rows.clear()
        with self._rows:
            for entity in page.items:
                here = bool(self._path) and entity.id == self._path[-1].id
                with row(entity.id, partial(self._walk, entity), "item here" if here else "item"):
                    html(_line(entity))
            if page.next_cursor is not None:
                button("More entities", self._more, "quiet")
        if not page.items and words:
            with self._rows:
                empty("search_off", "Nobody of that name", "Aliases are searched too.")
        elif not page.items:
            self._explain_emptiness()
        elif not self._path:
            await self._walk(page.items[0])

    async def _more(self) -> None:
        self._limit += LISTED
        await self._list()

    def _explain_emptiness(self) -> None:
        self._drawing.clear()
        with self._drawing:
            empty(
                "hub",
                "Nothing to draw yet",
                "Dreams link what they learn to the people and things it is about. A memory can be saved with links.",
            )

    async def _walk(self, entity: Entity) -> None:
        known = [one.id for one in self._path]
        self._path = self._path[: known.index(entity.id)] if entity.id in known else self._path
        self._path.append(entity)
        await self._draw()
        await self._list()

    async def _go_to(self, position: int) -> None:
        self._path = self._path[: position + 1]
        await self._draw()
        await self._list()

    async def _look_further(self, depth: int) -> None:
        self._depth = depth
        await self._draw()

    async def _draw(self) -> None:
        centre = self._path[-1]
        try:
            found = await self._desk.reverie.entity_graph(centre.id, depth=self._depth, agent=self._desk.agent)
        except Ambiguous as error:
            names = ", ".join(f"{one.get('name')} ({one.get('kind')})" for one in error.candidates)
            self._drawing.clear()
            with self._drawing:
                text(f"Several go by this name: {names}. Choose one on the left.", "note")
            return
        entities = [Entity.model_validate(one) for one in (found["entity"], *found["entities"])]
        memories = [MemoryRecord.model_validate(one) for one in found["memories"]]
        self._trail()
        self._drawing.clear()
        with self._drawing:
            drawn, dots = _related_most(entities, found["related"]), _connecting(memories, found["edges"])
            with box("pager").style("border-top: 0"):
                text(
                    f"{count(len(entities), 'entity', 'entities')}, {count(len(memories), 'memory', 'memories')}"
                    + (", the nearest of more" if found.get("truncated") else "")
                    + ("" if len(drawn) + len(dots) == len(entities) + len(memories)
                       else f"; drawn are {len(drawn)} and {len(dots)}")
                )  # fmt: skip
                steps = ui.select(
                    DEPTHS, value=self._depth, on_change=notify_errors(lambda event: self._look_further(event.value))
                )
                steps.props('outlined dense options-dense aria-label="How far"').style("min-width: 120px")
            ui.echart(_chart(drawn, dots, found["edges"], found["related"]), renderer="svg",
                      on_point_click=notify_errors(partial(self._clicked, entities))).classes("chart")  # fmt: skip
        self._list_memories(memories)

    def _trail(self) -> None:
        self._walked.clear()
        with self._walked:
            for position, entity in enumerate(self._path[-6:], start=max(0, len(self._path) - 6)):
                if position:
                    text("›", "faint", "span")
                button(entity.name, partial(self._go_to, position), "quiet").classes("step")

    def _list_memories(self, memories: list[MemoryRecord]) -> None:
        self._beside.clear()
        with self._beside:
            for memory in memories[:LISTED]:
                with row(memory.id, partial(open_memory, self._desk, memory.id)):
                    html(
                        Markup('<div class="text">{}</div><div class="about">{}{}</div>').format(
                            memory.content, kind(memory.type), joined(tag(one) for one in memory.tags[:3])
                        )
                    )
            if not memories:
                empty("notes", "No memories here", "Nothing that you may read speaks of it now.")

    async def _clicked(self, entities: list[Entity], event: EChartPointClickEventArguments) -> None:
        if event.data_type != "node" or not isinstance(event.data, dict):
            return
        chosen = str(event.data.get("id"))
        entity = next((one for one in entities if str(one.id) == chosen), None)
        if entity is not None:
            await self._walk(entity)
        else:
            await open_memory(self._desk, chosen)


def _connecting(memories: list[MemoryRecord], edges: list[dict[str, Any]]) -> list[MemoryRecord]:
    """The memories to draw: those with the most edges, and of them the first."""
    ends = Counter(end for edge in edges for end in (edge["source_id"], edge["target_id"]))
    return sorted(memories, key=lambda one: ends[str(one.id)], reverse=True)[:DRAWN_MAX]


def _related_most(entities: list[Entity], related: list[dict[str, Any]]) -> list[Entity]:
    """The entities to draw: the one in the middle, and those that share most memories with others."""
    shared: Counter[str] = Counter()
    for pair in related:
        for end in (pair["source_id"], pair["target_id"]):
            shared[end] += pair["memories"]
    centre, *others = entities
    return [centre, *sorted(others, key=lambda one: shared[str(one.id)], reverse=True)[: DRAWN_MAX - 1]]


def _mentions(entity: Entity) -> int:
    return int((entity.model_extra or {}).get("mentions", 0))


def _line(entity: Entity) -> Markup:
    aliases = ", ".join(str(one) for one in entity.aliases if str(one).casefold() != entity.name.casefold())
    return Markup(
        '<div class="top"><b>{}</b><span class="faint small still">{}</span></div><div class="about">{}</div>'
    ).format(
        entity.name,
        count(_mentions(entity), "mention"),
        Markup("<span>{}</span>{}").format(
            entity.kind, Markup("<span>also {}</span>").format(aliases) if aliases else ""
        ),
    )


def _nodes(entities: list[Entity], memories: list[MemoryRecord]) -> list[dict[str, Any]]:
    centre = entities[0].id
    nodes = [
        {
            "id": str(one.id),
            "name": one.name,
            "value": 1,
            "symbolSize": 44 if one.id == centre else 18 + min(16, 3 * _mentions(one)),
            "itemStyle": {"color": HUES.get(one.kind, OTHER_HUE)},
            "label": {"show": True, "fontSize": 13, "fontWeight": "bold" if one.id == centre else "normal"},
            "tooltip": {"formatter": f"{_plain(one.name)} ({_plain(one.kind)})"},
        }
        for one in entities
    ]
    nodes += [
        {
            "id": str(one.id),
            "name": str(one.id),
            "value": 0,
            "symbolSize": 9,
            "itemStyle": {"color": MEMORY_HUE},
            "label": {"show": False},
            "tooltip": {"formatter": _plain(one.content)},
        }
        for one in memories
    ]
    return nodes


def _links(edges: list[dict[str, Any]], related: list[dict[str, Any]], drawn: set[str]) -> list[dict[str, Any]]:
    links = [
        {"source": edge["source_id"], "target": edge["target_id"], "tooltip": {"formatter": _plain(edge["relation"])}}
        for edge in edges
        if edge["source_id"] in drawn and edge["target_id"] in drawn
    ]
    links += [
        {
            "source": pair["source_id"],
            "target": pair["target_id"],
            "lineStyle": {"width": min(WIDEST, 1.2 + log2(pair["memories"]))},
            "tooltip": {"formatter": count(pair["memories"], "memory in common", "memories in common")},
        }
        for pair in related
        if pair["source_id"] in drawn and pair["target_id"] in drawn
    ]
    return links


def _chart(
    entities: list[Entity], memories: list[MemoryRecord], edges: list[dict[str, Any]], related: list[dict[str, Any]]
) -> dict[str, Any]:
    """The options of the drawing: entities as named circles, the wider linked the more memories they share, and
    memories as small circles between them."""
    nodes = _nodes(entities, memories)
    links = _links(edges, related, {node["id"] for node in nodes})
    return {
        "tooltip": {"confine": True, "extraCssText": "max-width: 320px; white-space: normal"},
        "animationDurationUpdate": 400,
        "series": [
            {
                "type": "graph",
                "layout": "force",
                "roam": True,
                "draggable": True,
                "scaleLimit": {"min": 0.4, "max": 4},
                "force": {"repulsion": [35, 420], "edgeLength": 70, "gravity": 0.18},
                "label": {"position": "bottom", "overflow": "truncate", "width": 8 * LABEL_CHARS},
                "lineStyle": {"color": "#8a8598", "opacity": 0.55, "width": 1.2},
                "emphasis": {"focus": "adjacency"},
                "data": nodes,
                "links": links,
            }
        ],
    }


def _plain(words: str) -> str:
    """Text as ECharts shows it: its formatters take markup, and braces are templates to them."""
    return str(Markup.escape(words)).replace("{", "&#123;").replace("}", "&#125;")
