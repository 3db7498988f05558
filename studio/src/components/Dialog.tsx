import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { common } from "@/strings/common";
import { Button } from "./Button";
import css from "./surfaces.module.css";

/**
 * A modal dialog; rendering it opens it, `onClose` is to take it away. Escape and the cross close it; where `isDirty`,
 * they ask first. Focus goes to the first field and returns to where it was.
 */
export function Dialog({
  title,
  onClose,
  isDirty = false,
  wide = false,
  actions,
  children,
}: {
  title: string;
  onClose: () => void;
  isDirty?: boolean;
  wide?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  function leave() {
    if (!isDirty || window.confirm(common.discardDraft)) onClose();
  }

  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={`${css.dialog} ${wide ? css.wide : ""}`}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <header className={css.dialogHead}>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" small icon={<X />} aria-label={common.close} onClick={leave} />
      </header>
      <div className={css.dialogBody}>{children}</div>
      {actions && <footer className={css.dialogFoot}>{actions}</footer>}
    </dialog>
  );
}

/** Asks before what cannot be undone, or concerns much. */
export function Confirm({
  title,
  action,
  danger = false,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  action: string;
  danger?: boolean;
  onConfirm: () => unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind={danger ? "danger" : "primary"} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
