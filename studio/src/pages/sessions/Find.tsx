import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { useKeys } from "@/components/useKeys";
import { useTyped } from "@/components/useTyped";
import { sessions as texts } from "@/strings/sessions";
import css from "./sessions.module.css";

/** Finds a text in the conversation, and leads to a message by its number. */
export function Find({
  find,
  places,
  at,
  onFind,
  onMark,
  onJump,
  first,
  last,
}: {
  find: string | undefined;
  /** Indexes of the messages that have it. */
  places: readonly number[];
  /** The index of the marked message; less than 0 for none. */
  at: number;
  onFind: (text: string | undefined) => void;
  onMark: (index: number) => void;
  onJump: (seq: number) => void;
  first: number | undefined;
  last: number;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(find ?? "", (text) => onFind(text || undefined));
  const [number, setNumber] = useState("");
  useKeys({ f: () => field.current?.focus(), g: () => onJump(first ?? 0), G: () => onJump(last) });

  function step(by: 1 | -1) {
    const next = by > 0 ? places.find((place) => place > at) : places.findLast((place) => place < at || at < 0);
    const to = next ?? (by > 0 ? places[0] : places.at(-1));
    if (to !== undefined) onMark(to);
  }

  function jump(event: FormEvent) {
    event.preventDefault();
    if (/^\d+$/.test(number)) onJump(Number(number));
  }

  return (
    <search className={css.find}>
      <TextField
        ref={field}
        label={texts.find}
        hideLabel
        type="search"
        placeholder={`${texts.find}  f`}
        value={typed}
        onChange={setTyped}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      {find && (
        <>
          <span className="small num" role="status">
            {texts.found(Math.max(0, places.indexOf(at) + 1), places.length)}
          </span>
          <Button kind="quiet" small icon={<ArrowUp />} aria-label={texts.previous} onClick={() => step(-1)} />
          <Button kind="quiet" small icon={<ArrowDown />} aria-label={texts.next} onClick={() => step(1)} />
        </>
      )}
      <span className="grow" />
      <form onSubmit={jump} className={css.jump}>
        <TextField
          label={texts.jump}
          hideLabel
          inputMode="numeric"
          placeholder="#"
          value={number}
          onChange={setNumber}
        />
      </form>
      <Button
        kind="quiet"
        small
        icon={<ArrowUpToLine />}
        aria-label={texts.first}
        aria-keyshortcuts="g"
        onClick={() => onJump(first ?? 0)}
      />
      <Button
        kind="quiet"
        small
        icon={<ArrowDownToLine />}
        aria-label={texts.last}
        aria-keyshortcuts="Shift+g"
        onClick={() => onJump(last)}
      />
    </search>
  );
}
