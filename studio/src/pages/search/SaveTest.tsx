import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import { NumberField } from "@/components/NumberField";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useCall } from "@/data/queries";
import { common } from "@/strings/common";
import { savedSearches } from "@/strings/saved-searches";
import type { Preview } from "./Answer";
import { ExpectedMemories } from "./ExpectedMemories";
import { idOf } from "./Result";
import { previewOf } from "./request";
import { LIMIT_MAX, type SearchAddress } from "./route";

const { save: words } = savedSearches;
const K = 10;
const OFFERED = 8;
/** The options of a search that a saved search keeps. */
export const OPTIONS = [
  "strategy",
  "fusion",
  "min_relevance",
  "max_tokens",
  "include_faded",
  "rerank",
  "types",
  "tags",
  "user",
  "about",
  "session",
  "min_importance",
  "since",
  "until",
  "as_of",
  "where",
];

/** Those of an address. */
function optionsOf(address: SearchAddress, agent: string) {
  const body = previewOf(address, address, agent).body as Record<string, unknown>;
  return Object.fromEntries(OPTIONS.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));
}

/** Asks for the name of a saved search, and which memories it must find: the expected one and the best results. */
export function SaveTest({
  address,
  agent,
  expected,
  results,
  onSaved,
  onClose,
}: {
  address: SearchAddress;
  agent: string;
  expected: string;
  results: Preview["results"];
  onSaved: (id: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(address.q ?? "");
  const [k, setK] = useState<number | undefined>(address.limit ?? K);
  const [chosen, setChosen] = useState<readonly string[]>([expected]);
  const { data: memory } = useCall(calls.getMemory(expected));
  const found = results.filter((result) => result.memory && idOf(result) !== expected).slice(0, OFFERED);
  const offered = [
    { id: expected, label: memory?.content ?? expected },
    ...found.map((result) => ({ id: idOf(result), label: result.memory?.content ?? "" })),
  ];
  const isReady = name.trim() !== "" && chosen.length > 0;

  async function save() {
    await attempt(async () => {
      const fields = { agent, query: address.q ?? "", k: k ?? K, options: optionsOf(address, agent) };
      const made = await api.createSearch(name.trim(), [...chosen], fields);
      await refresh("/v1/searches");
      if (made) onSaved(made.id);
    }, words.saved);
  }

  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={!isReady} onClick={save}>
            {words.confirm}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField label={words.name} value={name} maxLength={200} onChange={setName} />
        <NumberField label={words.k} min={1} max={LIMIT_MAX} placeholder={`${K}`} value={k} onChange={setK} />
        <ExpectedMemories offered={offered} chosen={chosen} onChange={setChosen} />
        {!isReady && <p className="soft small">{words.needed}</p>}
      </div>
    </Dialog>
  );
}
