import type { Call } from "@reverie/client/call";
import { Code, Copy } from "lucide-react";
import { common } from "@/strings/common";
import { Button } from "./Button";
import { asCurl, asPython } from "./copy";
import { Menu, MenuItem } from "./Menu";
import { toast, toastError } from "./Toast";

/** Copies a text; browsers offer that on pages of the own machine or over TLS alone. */
export async function copyText(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast(common.copied);
  } catch (error) {
    toastError(error);
  }
}

/** A button that copies a text. */
export function CopyButton({ text, label = common.copy }: { text: string; label?: string }) {
  return <Button kind="quiet" small icon={<Copy />} aria-label={label} onClick={() => copyText(text)} />;
}

/** What a view shows, as curl and Python. `python`: the method of the Python client, and its arguments by name. */
export function CopyMenu({ call, python }: { call: Call<unknown>; python: [method: string, given: object] }) {
  return (
    <Menu label={common.copy} icon={<Code />}>
      <MenuItem onSelect={() => copyText(asCurl(call))}>{common.copyCurl}</MenuItem>
      <MenuItem onSelect={() => copyText(asPython(...python))}>{common.copyPython}</MenuItem>
    </Menu>
  );
}
