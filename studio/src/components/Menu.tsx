import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { buttonClass } from "./Button";
import css from "./surfaces.module.css";

const GAP_PX = 4;
const EDGE_PX = 8;

/** Places what a button opens below it, or above it where there is no room. */
export function placeAt(anchor: HTMLElement, popover: HTMLElement) {
  const from = anchor.getBoundingClientRect();
  const size = popover.getBoundingClientRect();
  const below = from.bottom + GAP_PX;
  const top = below + size.height > window.innerHeight - EDGE_PX ? from.top - GAP_PX - size.height : below;
  const left = Math.min(from.left, window.innerWidth - size.width - EDGE_PX);
  popover.style.top = `${Math.max(EDGE_PX, top)}px`;
  popover.style.left = `${Math.max(EDGE_PX, left)}px`;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** A button that opens a list of actions. Its children are MenuItems. */
export function Menu({
  label,
  icon,
  children,
  showLabel = false,
  small = true,
}: {
  label: string;
  icon?: ReactNode;
  children: ReactNode;
  showLabel?: boolean;
  small?: boolean;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent) {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not([disabled])") ?? [])];
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  }

  return (
    <>
      <button
        type="button"
        ref={button}
        className={buttonClass("quiet", small, !showLabel)}
        aria-label={showLabel ? undefined : label}
        title={showLabel ? undefined : label}
        aria-haspopup="menu"
        popoverTarget={id}
      >
        {icon}
        {showLabel && label}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className={css.menu}
        onKeyDown={move}
        onToggle={(event) => {
          if (event.newState !== "open" || !button.current || !menu.current) return;
          placeAt(button.current, menu.current);
          menu.current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
        }}
        onClick={() => menu.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}

/** One action of a Menu. */
export function MenuItem({
  icon,
  danger = false,
  disabled = false,
  onSelect,
  children,
}: {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      role="menuitem"
      className={`${css.item} ${danger ? css.bad : ""}`}
      disabled={disabled}
      onClick={onSelect}
    >
      {icon}
      {children}
    </button>
  );
}
