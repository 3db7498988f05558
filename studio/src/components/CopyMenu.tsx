import type { Call, Listing } from "@reverie/client/call";
import { Code, Copy } from "lucide-react";
import { api } from "@/data/client";
import { common } from "@/strings/common";
import { Button } from "./Button";
import { asCurl, asPython } from "./copy";
import { saveFile } from "./download";
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

/** Saves what a call answers to a file of JSON: of a list all items, page by page. */
async function saveAnswer(call: Call<unknown>, name: string) {
  try {
    const items: unknown[] = [];
    if ("isList" in call) for await (const item of api.items(call as Listing<unknown>)) items.push(item);
    const answer = "isList" in call ? items : await api.send(call);
    saveFile(`${name}.json`, JSON.stringify(answer, null, 2), "application/json");
  } catch (error) {
    toastError(error);
  }
}

/** What a view shows, as curl, Python and JSON. `python`: the method of the Python client, and its arguments by name. */
export function CopyMenu({ call, python }: { call: Call<unknown>; python: [method: string, given: object] }) {
  return (
    <Menu label={common.copy} icon={<Code />}>
      <MenuItem onSelect={() => copyText(asCurl(call))}>{common.copyCurl}</MenuItem>
      <MenuItem onSelect={() => copyText(asPython(...python))}>{common.copyPython}</MenuItem>
      <MenuItem onSelect={() => saveAnswer(call, python[0].split(".").at(-1) ?? "answer")}>{common.saveJson}</MenuItem>
    </Menu>
  );
}
