import { type ButtonHTMLAttributes, type ReactNode, useRef, useState } from "react";
import css from "./controls.module.css";

type Kind = "primary" | "danger" | "quiet";

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "onClick"> {
  kind?: Kind;
  small?: boolean;
  /** An icon (from lucide-react); alone, it needs an `aria-label`. */
  icon?: ReactNode;
  /** What it does. While a promise of it is pending, further presses do nothing. */
  onClick?: () => unknown;
  /** Shows that it is at work, also where another tab or user began it. */
  pending?: boolean;
}

/** The classes of a button, for links that look like one. */
export function buttonClass(kind?: Kind, small = false, iconOnly = false): string {
  return [css.button, kind && css[kind], small && css.small, iconOnly && css.icon].filter(Boolean).join(" ");
}

/** A button that acts once, however often it is pressed. */
export function Button({ kind, small, icon, onClick, pending, children, className, disabled, ...rest }: Props) {
  const busy = useRef(false);
  const [atWork, setAtWork] = useState(false);
  const isBusy = atWork || pending === true;

  async function press() {
    if (busy.current || isBusy) return;
    busy.current = true;
    const done = onClick?.();
    if (done instanceof Promise) {
      setAtWork(true);
      await done.catch(() => undefined);
      setAtWork(false);
    }
    busy.current = false;
  }

  const label = rest["aria-label"];
  return (
    <button
      type="button"
      title={children === undefined ? label : undefined}
      {...rest}
      className={`${buttonClass(kind, small, children === undefined)} ${className ?? ""}`}
      disabled={disabled}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={rest.type === "submit" ? undefined : press}
    >
      {isBusy ? <span className={css.spinner} aria-hidden="true" /> : icon}
      {children}
    </button>
  );
}
