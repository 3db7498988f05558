import type { MemoryRecord } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Plus, Unlink } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Dialog } from "@/components/Dialog";
import { Select, TextField } from "@/components/Field";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useCall } from "@/data/queries";
import { common } from "@/strings/common";
import { memories as texts } from "@/strings/memories";
import { MemoryLink } from "./MemoryLink";
import css from "./memories.module.css";

const RELATIONS = [
  "supports",
  "updates",
  "contradicts",
  "about",
  "mentions",
  "part_of",
  "caused_by",
  "works_at",
] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const { links } = texts;
const reread = () => refresh("/v1/memories", "/v1/entities", "/v1/graph");
const readable = (relation: string) => relation.replaceAll("_", " ");

/** What a memory is linked to: entities, and memories that it supersedes, supports or rests on. */
export function Links({ memory, canWrite }: { memory: MemoryRecord; canWrite: boolean }) {
  const { data, error, isPending, refetch } = useCall(calls.listMemoryLinks(memory.id));
  const [isAdding, setIsAdding] = useState(false);
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !data) return <Skeleton />;
  const entities = new Map(data.entities.map((entity) => [entity.id, entity]));
  const contents = new Map(data.memories.map(({ id, content }) => [id, content]));
  return (
    <>
      {data.edges.length === 0 && <EmptyState title={links.none} text={links.noneText} />}
      <ul className="stack" aria-label={texts.tabs.links}>
        {data.edges.map((edge) => {
          const isOut = edge.source_id === memory.id;
          const other = isOut ? edge.target_id : edge.source_id;
          const entity = entities.get(other);
          const name = entity?.name ?? contents.get(other) ?? other;
          return (
            <li key={edge.id} className={css.link}>
              <Chip>{isOut ? readable(edge.relation) : links.incoming(readable(edge.relation))}</Chip>
              {entity ? (
                <Link to="/graph" search={{ agent: memory.agent, entity: entity.id }} className={css.oneLine}>
                  {entity.name} <span className="faint small">{entity.kind}</span>
                </Link>
              ) : (
                <MemoryLink id={other} />
              )}
              {canWrite && (
                <Button
                  kind="quiet"
                  small
                  icon={<Unlink />}
                  aria-label={links.remove(name)}
                  onClick={async () => {
                    await attempt(() => api.deleteEdge(edge.id), links.removed);
                    await reread();
                  }}
                />
              )}
            </li>
          );
        })}
      </ul>
      {canWrite && (
        <div>
          <Button small icon={<Plus aria-hidden="true" />} onClick={() => setIsAdding(true)}>
            {links.add}
          </Button>
        </div>
      )}
      {isAdding && <AddLink memory={memory} onClose={() => setIsAdding(false)} />}
    </>
  );
}

function AddLink({ memory, onClose }: { memory: MemoryRecord; onClose: () => void }) {
  const [relation, setRelation] = useState<(typeof RELATIONS)[number]>("about");
  const [target, setTarget] = useState("");
  const [kind, setKind] = useState("person");
  const isMemory = UUID.test(target.trim());

  async function add() {
    const end = isMemory ? { memory_id: target.trim() } : { entity: { name: target.trim(), kind: kind.trim() } };
    const edge = { agent: memory.agent, relation, source: { memory_id: memory.id }, target: end };
    if (await attempt(() => api.createEdge(edge), links.added)) onClose();
    await reread();
  }

  return (
    <Dialog
      title={links.add}
      isDirty={target !== ""}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={!target.trim() || (!isMemory && !kind.trim())} onClick={add}>
            {links.add}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Select
          label={links.relation}
          options={RELATIONS.map((value) => ({ value, label: readable(value) }))}
          value={relation}
          onChange={setRelation}
        />
        <TextField label={links.target} value={target} onChange={setTarget} />
        {!isMemory && <TextField label={links.kind} value={kind} onChange={setKind} />}
      </div>
    </Dialog>
  );
}
