import { useEffect, useId, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { common } from "@/strings/common";
import { Button } from "./Button";
import css from "./Chart.module.css";
import { dayOf } from "./text";

export interface Series {
  label: string;
  /** One number for each time; null where there is none. */
  values: (number | null)[];
  /** A token of styles/tokens.css, such as `--accent`. */
  color: string;
  /** Default: a line. */
  kind?: "line" | "area" | "bars";
}

const HEIGHT_PX = 160;

/** A colour of a token as it is now, for what is drawn on a canvas. */
export function tokenColor(token: string, element: Element = document.documentElement): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  probe.style.setProperty("forced-color-adjust", "none");
  element.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

function series({ label, color, kind = "line" }: Series): uPlot.Series {
  const stroke = tokenColor(color);
  const faded = stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.14)");
  const bars = uPlot.paths.bars?.({ size: [0.7, 24] });
  return {
    label,
    stroke,
    width: kind === "bars" ? 0 : 1.75,
    fill: kind === "bars" ? stroke : kind === "area" ? faded : undefined,
    paths: kind === "bars" ? bars : undefined,
    points: { show: false },
  };
}

/**
 * Series over time. `times`: moments, ascending. `summary` says in words what the picture shows; a button shows the
 * same numbers as a table.
 */
export function Chart({
  title,
  summary,
  times,
  lines,
  format = (value) => value.toLocaleString("en"),
  height = HEIGHT_PX,
}: {
  title: string;
  summary: string;
  times: string[];
  lines: Series[];
  format?: (value: number) => string;
  height?: number;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [isTable, setIsTable] = useState(false);
  const id = useId();

  useEffect(() => {
    const element = frame.current;
    if (!element || isTable) return;
    const axis = {
      stroke: tokenColor("--faint"),
      grid: { stroke: tokenColor("--line"), width: 1 },
      ticks: { show: false },
    };
    const font = `11px ${getComputedStyle(element).fontFamily}`;
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      legend: { live: false, show: lines.length > 1 },
      cursor: { drag: { x: false, y: false } },
      axes: [
        { ...axis, font, grid: { show: false } },
        { ...axis, font, size: 52, values: (_, ticks) => ticks.map(format) },
      ],
      scales: { y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.08 : 1] } },
      series: [{}, ...lines.map(series)],
    };
    const seconds = times.map((time) => new Date(time).getTime() / 1_000);
    const plot = new uPlot(options, [seconds, ...lines.map(({ values }) => values)] as uPlot.AlignedData, element);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, lines, height, isTable, format]);

  return (
    <figure className={css.chart} aria-labelledby={id}>
      <figcaption className={css.head} id={id}>
        <h3>{title}</h3>
        <Button kind="quiet" small onClick={() => setIsTable(!isTable)}>
          {isTable ? common.asChart : common.asTable}
        </Button>
      </figcaption>
      {isTable ? (
        <div className={css.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{common.time.day}</th>
                {lines.map(({ label }) => (
                  <th scope="col" key={label}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, at) => (
                <tr key={time}>
                  <th scope="row">{dayOf(time)}</th>
                  {lines.map(({ label, values }) => (
                    <td key={label} className="num">
                      {values[at] === null || values[at] === undefined ? "–" : format(values[at])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <div ref={frame} role="img" aria-label={`${title}: ${summary}`} />
      )}
    </figure>
  );
}
