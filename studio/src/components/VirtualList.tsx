import { Link, type LinkProps, useElementScrollRestoration, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { common } from "@/strings/common";
import type { Selection } from "./selection";
import { useHeld } from "./useHeld";
import { useKeys } from "./useKeys";
import css from "./VirtualList.module.css";

interface Props<T> {
  /** What the list is of, for screen readers. */
  label: string;
  items: readonly T[];
  /** The identity of a row; a function that stays the same. */
  keyOf: (item: T) => string;
  /** Where a row leads: the same page with the row in its address. */
  linkOf: (item: T) => LinkProps;
  /** What a row shows: no links or buttons inside. */
  children: (item: T) => ReactNode;
  /** The key of the row that is open. */
  chosen?: string;
  /** About how high a row is, px. */
  rowHeight?: number;
  /** Called when the end comes into view. */
  onEnd?: () => void;
  /** What stands above the first row, such as how many there are. */
  summary?: ReactNode;
  /** What stands below the last row. */
  end?: ReactNode;
  /** Whether the list is another one now (other filters): rows are then not held. */
  of?: string;
  /** Whether `items` are those of the former list, until the ones of the present one are there. */
  isPrevious?: boolean;
  /** Lets rows be selected: by a box beside each, by x, and with Shift up to the last one selected. */
  selection?: Selection;
  /** The name of a row, for the box beside it. */
  labelOf?: (item: T) => string;
}

function isOfAnotherRow(target: EventTarget, index: number): boolean {
  const row = target instanceof HTMLAnchorElement ? target.closest("[data-index]") : null;
  return row !== null && row.getAttribute("data-index") !== `${index}`;
}

const STEPS: Record<string, number> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/**
 * A list of any length, of which only what is in view is drawn. j and k go through it, Enter opens. While the pointer is
 * over it, or it is scrolled or focused, rows that come wait behind a button, so that none moves.
 */
export function VirtualList<T>(props: Props<T>) {
  const { label, items, keyOf, linkOf, children, chosen, rowHeight = 64, onEnd, summary, end } = props;
  const { selection, labelOf } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [isScrolled, setIsScrolled] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const [lastOf, setLastOf] = useState(props.of);
  const of = props.isPrevious ? lastOf : props.of;
  const isSame = lastOf === of;
  const { shown, waiting, release } = useHeld(items, keyOf, isSame && (isOver || isScrolled || hasFocus));
  const [active, setActive] = useState<string>();

  useEffect(() => {
    if (lastOf === of) return;
    setLastOf(of);
    setActive(undefined);
    scroll.current?.scrollTo({ top: 0 });
  }, [of, lastOf]);

  const scrollId = `list ${label}`;
  const before = useElementScrollRestoration({ id: scrollId });
  const virtual = useVirtualizer({
    initialOffset: before?.scrollY ?? 0,
    count: shown.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => (shown[index] === undefined ? index : keyOf(shown[index])),
    overscan: 8,
  });
  const rows = virtual.getVirtualItems();
  const lastIndex = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (lastIndex >= shown.length - 1 && shown.length > 0) onEnd?.();
  }, [lastIndex, shown.length, onEnd]);

  const navigate = useNavigate();
  const place = useRef(0);
  const found = shown.findIndex((item) => keyOf(item) === (active ?? chosen));
  const isGone = found < 0 && (active ?? chosen) !== undefined;
  useEffect(() => {
    place.current = Math.max(found, isGone ? place.current : 0);
  }, [found, isGone]);
  const activeIndex = isGone ? Math.min(place.current, Math.max(shown.length - 1, 0)) : Math.max(found, 0);

  function focusRow(index: number) {
    const item = shown[index];
    if (item === undefined) return;
    setActive(keyOf(item));
    virtual.scrollToIndex(index, { align: "auto" });
    const focus = () => {
      const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
      row?.focus({ preventScroll: true });
      return row !== undefined && row !== null;
    };
    // At once where it is drawn, so that the next key finds it.
    if (!focus()) requestAnimationFrame(focus);
  }

  function move(step: number) {
    const begun = hasFocus || chosen !== undefined;
    // Where the row is gone, the one that took its place comes next.
    const steps = isGone && step > 0 ? step - 1 : step;
    focusRow(begun ? Math.min(Math.max(activeIndex + steps, 0), shown.length - 1) : 0);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "x" && selection) {
      event.stopPropagation();
      return select(activeIndex, false);
    }
    const item = shown[activeIndex];
    if (event.key === "Enter" && item !== undefined && isOfAnotherRow(event.target, activeIndex)) {
      // The focus follows a jump a frame later: what opens is the row that was jumped to.
      event.preventDefault();
      void navigate(linkOf(item) as Parameters<typeof navigate>[0]);
      return;
    }
    const step = STEPS[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? shown.length - 1 : undefined;
    if (step === undefined && to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    to === undefined ? move(step ?? 0) : focusRow(to);
  }

  function select(index: number, isRange: boolean) {
    const item = shown[index];
    if (item === undefined || !selection) return;
    const last = isRange ? shown.findIndex((one) => keyOf(one) === selection.last) : -1;
    const [from, to] = last < 0 ? [index, index] : [Math.min(last, index), Math.max(last, index)];
    selection.toggle(
      keyOf(item),
      shown.slice(from, to + 1).map((one) => keyOf(one)),
    );
  }

  useKeys({ j: () => move(1), k: () => move(-1), x: () => select(activeIndex, false) });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go to the links in it
    <div
      className={`${css.frame} ${props.isPrevious ? css.previous : ""}`}
      onPointerEnter={() => setIsOver(true)}
      onPointerLeave={() => setIsOver(false)}
      onFocus={() => setHasFocus(true)}
      onBlur={(event) => setHasFocus(event.currentTarget.contains(event.relatedTarget))}
      onKeyDown={onKeyDown}
    >
      <div className={css.bar}>
        <span className="grow">{summary}</span>
        {waiting > 0 && (
          <button
            type="button"
            className={css.waiting}
            onClick={() => {
              release();
              scroll.current?.scrollTo({ top: 0 });
            }}
          >
            {common.newRows(waiting)}
          </button>
        )}
      </div>
      <div
        ref={scroll}
        data-scroll-restoration-id={scrollId}
        className={css.scroll}
        onScroll={(event) => setIsScrolled(event.currentTarget.scrollTop > 0)}
      >
        <ul
          aria-label={label}
          aria-busy={props.isPrevious || undefined}
          className={css.list}
          style={{ height: virtual.getTotalSize() }}
        >
          {rows.map((row) => {
            const item = shown[row.index];
            if (item === undefined) return null;
            const key = keyOf(item);
            return (
              <li
                key={row.key}
                ref={virtual.measureElement}
                data-index={row.index}
                aria-setsize={shown.length}
                aria-posinset={row.index + 1}
                style={{ transform: `translateY(${row.start}px)` }}
              >
                {selection && (
                  <label className={css.select}>
                    <input
                      type="checkbox"
                      tabIndex={row.index === activeIndex ? 0 : -1}
                      aria-label={common.select(labelOf?.(item) ?? key)}
                      checked={selection.keys.has(key)}
                      onFocus={() => setActive(key)}
                      onChange={(event) => select(row.index, (event.nativeEvent as MouseEvent).shiftKey)}
                    />
                  </label>
                )}
                <Link
                  {...linkOf(item)}
                  className={css.row}
                  aria-current={key === chosen ? "true" : undefined}
                  tabIndex={row.index === activeIndex ? 0 : -1}
                  onFocus={() => setActive(key)}
                >
                  {children(item)}
                </Link>
              </li>
            );
          })}
        </ul>
        {end && <div className={css.end}>{end}</div>}
      </div>
    </div>
  );
}
