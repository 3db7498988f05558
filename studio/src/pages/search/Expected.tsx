import { X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { TypeChip } from "@/components/Chip";
import { TextField } from "@/components/Field";
import { Skeleton } from "@/components/States";
import { errorMessage } from "@/components/text";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { isMissing, useCall, useList } from "@/data/queries";
import { search as texts } from "@/strings/search";
import css from "./search.module.css";

const { expected: words } = texts;
const OFFERED = 8;

/** Finds the memory that a search should have found, deleted and superseded ones too: that may be why it was not. */
function Finder({ onChoose }: { onChoose: (id: string) => void }) {
  const agent = useAgent();
  const [query, setQuery] = useState("");
  const [typed, setTyped] = useTyped(query, setQuery);
  const found = useList(calls.listMemories({ agent, q: query, include: "deleted,superseded,expired" }), {
    enabled: query !== "",
    keepPrevious: true,
  });
  return (
    <div className="stack">
      <TextField
        label={words.find}
        hideLabel
        type="search"
        placeholder={words.find}
        value={typed}
        onChange={setTyped}
      />
      {query !== "" && !found.isPending && (
        <ul className={css.offered} aria-label={words.find}>
          {found.items.slice(0, OFFERED).map((memory) => (
            <li key={memory.id}>
              <button type="button" onClick={() => onChoose(memory.id)}>
                <TypeChip type={memory.type} />
                <span>{memory.content}</span>
              </button>
            </li>
          ))}
          {found.items.length === 0 && <li className="soft">{words.none}</li>}
        </ul>
      )}
    </div>
  );
}

function Chosen({ id }: { id: string }) {
  const { data, error } = useCall(calls.getMemory(id));
  if (error) return <p role="alert">{isMissing(error) ? words.missing : errorMessage(error)}</p>;
  if (!data) return <Skeleton lines={1} />;
  return (
    <p className="row">
      <TypeChip type={data.type} />
      <span className="words">{data.content}</span>
    </p>
  );
}

/** The memory that is expected, or a way to choose it. */
export function Expected({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  return (
    <section className={`card ${css.expected}`} aria-label={words.title}>
      <div className="row">
        <h2 className="grow">{words.title}</h2>
        {id && <Button kind="quiet" small icon={<X />} aria-label={words.clear} onClick={() => onChange(undefined)} />}
      </div>
      {id ? (
        <Chosen id={id} />
      ) : (
        <>
          <p className="soft small">{words.explanation}</p>
          <Finder onChoose={onChange} />
        </>
      )}
    </section>
  );
}
