import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import css from "./controls.module.css";

export interface TabOf<T extends string> {
  value: T;
  label: ReactNode;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs over one panel. The chosen one belongs into the address. */
export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
  children,
}: {
  label: string;
  tabs: readonly TabOf<T>[];
  value: T;
  onChange: (value: T) => void;
  children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.value === value);
    const step = STEPS[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step && at + step;
    if (to === undefined) return;
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChange(next.value);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[tabs.indexOf(next)]?.focus();
  }

  return (
    <>
      <div role="tablist" aria-label={label} className={css.tabs} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            type="button"
            key={tab.value}
            role="tab"
            id={`${id}-${tab.value}`}
            className={css.tab}
            aria-selected={tab.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className="stack">
        {children}
      </div>
    </>
  );
}
