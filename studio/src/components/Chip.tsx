import type { ReactNode } from "react";
import css from "./controls.module.css";

export type Tone = "good" | "warn" | "bad" | "accent";

/** A short mark: a state, a tag, a kind. */
export function Chip({
  tone,
  dot,
  hue,
  children,
  title,
}: {
  tone?: Tone;
  dot?: boolean;
  /** The token that colours the dot. */
  hue?: string;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span className={`${css.chip} ${tone ? css[tone] : ""}`} title={title}>
      {dot && <i aria-hidden="true" style={hue ? { color: `var(--${hue}, var(--faint))` } : undefined} />}
      <span>{children}</span>
    </span>
  );
}

/** The type of a memory, with its hue. Types of a workspace's own have a plain one. */
export function TypeChip({ type }: { type: string }) {
  return (
    <Chip dot hue={type}>
      {type}
    </Chip>
  );
}
