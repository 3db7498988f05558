import Graph from "graphology";
import { Maximize, Minus, Plus } from "lucide-react";
import { useEffect, useRef } from "react";
import Sigma, { DEFAULT_STYLES } from "sigma";
import { Button } from "@/components/Button";
import { graph as texts } from "@/strings/graph";
import { hueOf, useColours } from "./colours";
import css from "./graph.module.css";
import type { Unplaced } from "./layout.worker";

export interface Dot {
  id: string;
  name: string;
  kind: string;
  mentions: number;
}

export interface Line {
  from: string;
  to: string;
  weight: number;
}

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const LARGE = 500;
const SIZE = { least: 3, most: 16 };

/** Where each dot begins: a spiral, the same every time. */
function drawn(dots: Dot[], lines: Line[], colours: Record<string, string>): Graph {
  const drawing = new Graph({ type: "undirected" });
  const most = Math.log1p(Math.max(...dots.map(({ mentions }) => mentions), 1));
  dots.forEach(({ id, name, kind, mentions }, at) => {
    drawing.mergeNode(id, {
      label: name,
      x: Math.sqrt(at) * Math.cos(at * GOLDEN_ANGLE),
      y: Math.sqrt(at) * Math.sin(at * GOLDEN_ANGLE),
      size: SIZE.least + (SIZE.most - SIZE.least) * (Math.log1p(mentions) / most),
      color: colours[hueOf(kind)],
    });
  });
  for (const { from, to, weight } of lines) {
    if (from !== to && drawing.hasNode(from) && drawing.hasNode(to)) {
      drawing.mergeEdge(from, to, { weight, size: Math.min(1 + Math.log1p(weight) / 2, 4), color: colours.line });
    }
  }
  return drawing;
}

/** Moves the dots to where a worker puts them, until it is done. Returns how to stop. */
function layOut(drawing: Graph): () => void {
  const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Float32Array>) => {
    let at = 0;
    drawing.updateEachNodeAttributes((_, dot) => Object.assign(dot, { x: data[at++], y: data[at++] }), {
      attributes: ["x", "y"],
    });
  };
  worker.postMessage(unplaced(drawing));
  return () => worker.terminate();
}

function unplaced(drawing: Graph): Unplaced {
  const numbers = new Map(drawing.nodes().map((id, number) => [id, number]));
  const places = drawing.mapNodes((_, { x, y }) => [x, y]).flat();
  const lines = drawing.mapEdges((_edge, _, from, to) => [numbers.get(from) ?? 0, numbers.get(to) ?? 0]).flat();
  const weights = drawing.mapEdges((_, { weight }) => weight);
  return { places: new Float32Array(places), lines: new Uint32Array(lines), weights: new Float32Array(weights) };
}

/**
 * Leaves the wheel and one finger to the page, which scrolls; the wheel with Ctrl or ⌘, and two fingers, move the graph.
 * The library's `shared` does the same, but shows its hint by an inline style, which the policy of the page refuses.
 * Returns how to stop.
 */
function shareGestures(frame: HTMLElement, shown: Sigma): () => void {
  const toGraph = (isMeant: boolean) => {
    const target = isMeant ? "graph" : "page";
    if (shown.getSetting("gestureTarget") !== target) shown.setSetting("gestureTarget", target);
  };
  const wheel = (event: WheelEvent) => toGraph(event.ctrlKey || event.metaKey);
  const touch = (event: TouchEvent) => toGraph(event.touches.length > 1);
  const options = { capture: true, passive: true };
  frame.addEventListener("wheel", wheel, options);
  frame.addEventListener("touchstart", touch, options);
  return () => {
    frame.removeEventListener("wheel", wheel, options);
    frame.removeEventListener("touchstart", touch, options);
  };
}

/** Entities as dots, sized by their mentions, and what memories name together as lines. */
export function Canvas({
  dots,
  lines,
  chosen,
  onChoose,
}: {
  dots: Dot[];
  lines: Line[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const container = useRef<HTMLDivElement>(null);
  const sigma = useRef<Sigma>(undefined);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const colours = useColours();

  useEffect(() => {
    if (!container.current) return;
    const drawing = drawn(dots, lines, colours);
    const { ink, panel } = colours;
    const shown = new Sigma(drawing, container.current, {
      styles: {
        ...DEFAULT_STYLES,
        nodes: { ...DEFAULT_STYLES.nodes, labelColor: ink ?? "#000", backdropColor: panel ?? "#fff" },
      },
      settings: {
        itemSizesReference: "screen",
        labelRenderedSizeThreshold: 5,
        gestureTarget: "page",
        hideEdgesOnMove: drawing.order > LARGE,
        hideLabelsOnMove: drawing.order > LARGE,
      },
    });
    shown.on("clickNode", ({ node }) => choose.current(node));
    sigma.current = shown;
    const stop = layOut(drawing);
    const stopSharing = shareGestures(container.current, shown);
    return () => {
      stop();
      stopSharing();
      shown.kill();
    };
  }, [dots, lines, colours]);

  useEffect(() => {
    const drawing = sigma.current?.getGraph();
    if (!chosen || !drawing?.hasNode(chosen)) return;
    const former = drawing.getNodeAttribute(chosen, "color");
    drawing.setNodeAttribute(chosen, "color", colours.accent);
    return () => {
      if (drawing.hasNode(chosen)) drawing.setNodeAttribute(chosen, "color", former);
    };
  }, [chosen, colours]);

  const camera = () => sigma.current?.getCamera();
  return (
    <figure className={css.figure}>
      <div ref={container} className={css.canvas} role="img" aria-label={texts.canvas(dots.length, lines.length)} />
      <figcaption className={`small soft ${css.hint}`}>
        <span className={css.byWheel}>{texts.zoomByWheel}</span>
        <span className={css.byTouch}>{texts.zoomByTouch}</span>
      </figcaption>
      <div className={css.zoom}>
        <Button small icon={<Plus />} aria-label={texts.zoomIn} onClick={() => void camera()?.zoomIn()} />
        <Button small icon={<Minus />} aria-label={texts.zoomOut} onClick={() => void camera()?.zoomOut()} />
        <Button small icon={<Maximize />} aria-label={texts.fit} onClick={() => void camera()?.reset()} />
      </div>
    </figure>
  );
}
