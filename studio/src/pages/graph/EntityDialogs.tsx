import type { Entity, MemoryRecord } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Checkbox, TextField } from "@/components/Field";
import { attempt } from "@/components/Toast";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { api, calls } from "@/data/client";
import { refresh, useList } from "@/data/queries";
import { graph as texts } from "@/strings/graph";
import css from "./graph.module.css";

const OFFERED = 8;

/** Reads again what shows entities. */
const refreshGraph = () => refresh("/v1/entities", "/v1/graph");

export function Rename({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const [name, setName] = useState(entity.name);

  async function save() {
    if (await attempt(() => api.updateEntity(entity.id, { name: name.trim() }), texts.renamed)) onClose();
    await refreshGraph();
  }

  return (
    <Dialog
      title={texts.rename}
      isDirty={name !== entity.name}
      onClose={onClose}
      actions={
        <Button kind="primary" disabled={!name.trim()} onClick={save}>
          {texts.save}
        </Button>
      }
    >
      <TextField label={texts.name} value={name} onChange={setName} />
    </Dialog>
  );
}

export function Merge({
  entity,
  onClose,
  onMerged,
}: {
  entity: Entity;
  onClose: () => void;
  onMerged: (into: string) => void;
}) {
  const agent = useAgent();
  const [query, setQuery] = useState("");
  const [typed, setTyped] = useTyped(query, setQuery);
  const { items } = useList(calls.listEntities({ agent, q: query || undefined, sort: "mentions" }), {
    keepPrevious: true,
  });
  const others = items.filter(({ id }) => id !== entity.id).slice(0, OFFERED);

  async function merge(into: string) {
    const undo = async () => {
      await attempt(() => api.unmergeEntity(entity.id));
      await refreshGraph();
    };
    if (await attempt(() => api.mergeEntity(entity.id, into), texts.merged, undo)) onMerged(into);
    await refreshGraph();
  }

  return (
    <Dialog title={texts.mergeTitle(entity.name)} onClose={onClose}>
      <p className="soft">{texts.mergeText}</p>
      <TextField label={texts.find} type="search" value={typed} onChange={setTyped} />
      <ul className="stack">
        {others.map((other) => (
          <li key={other.id} className="row">
            <span className="grow words">
              {other.name} <span className="faint small">{other.kind}</span>
            </span>
            <Button small aria-label={texts.mergeInto(other.name)} onClick={() => merge(other.id)}>
              {texts.merge}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

export function Split({
  entity,
  memories,
  onClose,
}: {
  entity: Entity;
  memories: readonly MemoryRecord[];
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [name, setName] = useState("");

  async function split() {
    if (await attempt(() => api.splitEntity(entity.id, [...chosen], name.trim()), texts.splitDone)) onClose();
    await refreshGraph();
  }

  return (
    <Dialog
      title={texts.splitTitle(entity.name)}
      isDirty={chosen.size > 0}
      onClose={onClose}
      actions={
        <Button kind="primary" disabled={!name.trim() || chosen.size === 0} onClick={split}>
          {texts.split}
        </Button>
      }
    >
      <p className="soft">{texts.splitText}</p>
      <TextField label={texts.splitName} value={name} onChange={setName} />
      <div className={`stack ${css.choices}`}>
        {memories.map((memory) => (
          <Checkbox
            key={memory.id}
            label={memory.content}
            checked={chosen.has(memory.id)}
            onChange={(on) =>
              setChosen(new Set(on ? [...chosen, memory.id] : [...chosen].filter((id) => id !== memory.id)))
            }
          />
        ))}
      </div>
    </Dialog>
  );
}
