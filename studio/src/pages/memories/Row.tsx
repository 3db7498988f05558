import type { MemoryRecord } from "@reverie/client";
import { Chip, TypeChip } from "@/components/Chip";
import { Owners } from "@/components/Owners";
import { Happened, Time } from "@/components/Time";
import { common } from "@/strings/common";
import { memories as texts } from "@/strings/memories";
import css from "./memories.module.css";

const TAGS_SHOWN = 3;

function isExpired({ expires_at }: MemoryRecord): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

/** What has become of a memory, and to whom it belongs, as marks. */
export function StateChips({ memory }: { memory: MemoryRecord }) {
  const { state } = texts;
  return (
    <>
      {memory.deleted_at && <Chip tone="bad">{state.deleted}</Chip>}
      {memory.superseded_by && <Chip tone="warn">{state.superseded}</Chip>}
      {isExpired(memory) && <Chip tone="warn">{state.expired}</Chip>}
      {memory.hearsay_by && <Chip tone="warn">{state.saidBy(memory.hearsay_by)}</Chip>}
      {memory.embedding === "pending" && <Chip tone="warn">{state.pending}</Chip>}
      {memory.status === "done" && <Chip tone="good">{state.done}</Chip>}
      {memory.decay_exempt && <Chip tone="accent">{state.pinned}</Chip>}
      <Owners of={memory.owners} />
    </>
  );
}

export function Row({ memory, showAgent, isDense }: { memory: MemoryRecord; showAgent: boolean; isDense: boolean }) {
  const isGone = memory.deleted_at !== null || memory.superseded_by !== null;
  if (isDense) {
    return (
      <div className={css.dense}>
        <i aria-hidden="true" style={{ background: `var(--${memory.type}, var(--faint))` }} />
        <span className="visually-hidden">{memory.type}: </span>
        <span className={`${css.oneLine} ${isGone ? css.gone : ""}`}>{memory.content}</span>
        <span className="small faint">
          <Happened memory={memory} />
        </span>
      </div>
    );
  }
  return (
    <>
      <p className={`${css.content} ${isGone ? css.gone : ""}`}>{memory.content}</p>
      <div className={`small faint ${css.meta}`}>
        <TypeChip type={memory.type} />
        <StateChips memory={memory} />
        {showAgent && <span>{memory.agent}</span>}
        {memory.user && <span>{common.about(memory.user)}</span>}
        {memory.tags.slice(0, TAGS_SHOWN).map((tag) => (
          <span key={tag}>#{tag}</span>
        ))}
        <Time value={memory.created_at} />
      </div>
    </>
  );
}
