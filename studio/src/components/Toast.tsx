import { X } from "lucide-react";
import { Store, useStore } from "@/data/store";
import { common } from "@/strings/common";
import { Button } from "./Button";
import css from "./surfaces.module.css";
import { errorMessage } from "./text";

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
  undo?: () => unknown;
}

const SHOWN_MS = 8_000;
const toasts = new Store<readonly Toast[]>([]);
let last = 0;

function dismiss(id: number) {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

function add(toast: Omit<Toast, "id">) {
  const id = ++last;
  toasts.set([...toasts.get(), { ...toast, id }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Says that something was done, with a way to take it back. */
export function toast(text: string, undo?: () => unknown) {
  add({ text, undo, isBad: false });
}

/** Says that something failed. */
export function toastError(error: unknown) {
  add({ text: errorMessage(error), isBad: true });
}

/** Does something, saying what failed; whether it succeeded. */
export async function attempt(action: () => Promise<unknown>, done?: string, undo?: () => unknown): Promise<boolean> {
  try {
    await action();
  } catch (error) {
    toastError(error);
    return false;
  }
  if (done) toast(done, undo);
  return true;
}

/** Where toasts are shown: once, in the frame. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div className={css.toasts} role="status">
      {shown.map(({ id, text, isBad, undo }) => (
        <div key={id} className={`${css.toast} ${isBad ? css.bad : ""}`}>
          <span className="grow words">{text}</span>
          {undo && (
            <Button
              small
              onClick={async () => {
                await attempt(async () => undo());
                dismiss(id);
              }}
            >
              {common.undo}
            </Button>
          )}
          <Button kind="quiet" small icon={<X />} aria-label={common.close} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
