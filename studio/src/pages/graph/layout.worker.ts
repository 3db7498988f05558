/** Lays out a graph off the page's thread, and sends where the dots are, now and then. */

import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

/** `places` are x and y of each dot; `lines` are pairs of the numbers of dots, with `weights`. */
export interface Unplaced {
  places: Float32Array;
  lines: Uint32Array;
  weights: Float32Array;
}

const LARGE = 500;
const ITERATIONS = 300;
/** The first places come soon, the later ones rarely: drawing costs the page more than it gains by then. */
const SENT_AFTER_MS = 100;
const TOTAL_MS = 6_000;

function build({ places, lines, weights }: Unplaced): Graph {
  const graph = new Graph({ type: "undirected" });
  for (let at = 0; at < places.length / 2; at++) graph.addNode(at, { x: places[2 * at], y: places[2 * at + 1] });
  weights.forEach((weight, at) => {
    graph.mergeEdge(lines[2 * at], lines[2 * at + 1], { weight });
  });
  return graph;
}

function send(graph: Graph) {
  const places = new Float32Array(graph.order * 2);
  let at = 0;
  graph.forEachNode((_, { x, y }) => {
    places[at++] = x;
    places[at++] = y;
  });
  postMessage(places, { transfer: [places.buffer] });
}

addEventListener("message", ({ data }: MessageEvent<Unplaced>) => {
  const graph = build(data);
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > LARGE };
  const start = performance.now();
  let due = SENT_AFTER_MS;
  for (let done = 0; done < ITERATIONS; done++) {
    forceAtlas2.assign(graph, { iterations: 1, settings, getEdgeWeight: "weight" });
    const spent = performance.now() - start;
    if (spent > TOTAL_MS) break;
    if (spent < due) continue;
    send(graph);
    due = spent * 2;
  }
  send(graph);
  close();
});
