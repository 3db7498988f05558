import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Chip, TypeChip } from "@/components/Chip";
import { Skeleton } from "@/components/States";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { bulletins as texts } from "@/strings/bulletins";
import css from "./bulletins.module.css";

export interface Sentence {
  text: string;
  memory_ids: string[];
  current: boolean;
  superseded_by: string[];
  section?: string;
}

/** Sentences by section, each with the memories that it rests on. */
export function Sentences({ sentences }: { sentences: readonly Sentence[] }) {
  const sections = [...new Set(sentences.map(({ section }) => section))];
  return sections.map((section) => (
    <section key={section ?? ""} className="stack" aria-label={section}>
      {section && <h3>{section}</h3>}
      <ul className={css.sentences}>
        {sentences
          .filter((one) => one.section === section)
          .map((sentence, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two sentences may read alike
            <One key={`${at} ${sentence.text}`} sentence={sentence} />
          ))}
      </ul>
    </section>
  ));
}

function One({ sentence }: { sentence: Sentence }) {
  const [isOpen, setIsOpen] = useState(false);
  const { text, memory_ids: ids, current, superseded_by: newer } = sentence;
  return (
    <li>
      <span className={`words ${current ? "" : css.outdated}`}>{text}</span>{" "}
      {!current && <Chip tone="warn">{texts.outdated}</Chip>}{" "}
      <button type="button" className={css.cite} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? texts.hideMemories : texts.memories(ids.length)}
      </button>
      {isOpen && (
        <ul className={css.cited}>
          {ids.map((id) => (
            <Cited key={id} id={id} />
          ))}
          {newer.length > 0 && <li className="small faint">{texts.replacement}</li>}
          {newer.map((id) => (
            <Cited key={id} id={id} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Cited({ id }: { id: string }) {
  const agent = useAgent();
  const { data, error } = useCall(calls.getMemory(id, { include: "deleted,expired" }));
  if (error) return <li className="small faint">{texts.noMemory}</li>;
  if (!data) {
    return (
      <li>
        <Skeleton lines={1} />
      </li>
    );
  }
  return (
    <li>
      <TypeChip type={data.type} />{" "}
      <Link to="/memories" search={{ agent, memory: id }} className="words">
        {data.content}
      </Link>
    </li>
  );
}
