import type { MemoryRecord } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { Button } from "@/components/Button";
import { Chip, TypeChip } from "@/components/Chip";
import { Owners } from "@/components/Owners";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { calendarTime, dayOf } from "@/components/text";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { people as texts } from "@/strings/people";
import css from "./people.module.css";

const when = (memory: MemoryRecord) => memory.occurred_at ?? memory.created_at;

function byDay(memories: MemoryRecord[]): [string, MemoryRecord[]][] {
  const days = new Map<string, MemoryRecord[]>();
  for (const memory of [...memories].sort((one, other) => when(other).localeCompare(when(one)))) {
    const day = calendarTime(memory) ?? dayOf(when(memory));
    days.set(day, [...(days.get(day) ?? []), memory]);
  }
  return [...days];
}

/** What is remembered of somebody by the day it happened, with what no longer holds. */
export function Timeline({ user }: { user: string }) {
  const agent = useAgent();
  const list = useList(calls.listMemories({ agent, about: user, include: "superseded" }));
  const days = useMemo(() => byDay(list.items), [list.items]);
  const agents = useMemo(() => [...new Set(list.items.map((memory) => memory.agent))].sort(), [list.items]);
  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton lines={10} />;
  if (list.items.length === 0) return <EmptyState title={texts.missing} text={texts.missingText} />;
  return (
    <div className="stack">
      <p className="row soft small">
        <span className="num">{texts.wholeTimeline(list.items.length)}</span>
        {texts.agents}
        {agents.map((name) => (
          <Link key={name} to="/people" search={{ agent: name, person: user }}>
            {name}
          </Link>
        ))}
      </p>
      <ol className={css.timeline} aria-label={texts.timeline}>
        {days.map(([day, memories]) => (
          <li key={day}>
            <h3>{day}</h3>
            <ul className="stack">
              {memories.map((memory) => (
                <li key={memory.id}>
                  <Link
                    to="/memories"
                    search={{ agent, memory: memory.id }}
                    className={`words ${memory.superseded_by ? css.former : css.text}`}
                  >
                    {memory.content}
                  </Link>
                  <span className="row small faint">
                    <TypeChip type={memory.type} />
                    <Owners of={memory.owners} />
                    {memory.hearsay_by && <span>{texts.saidBy(memory.hearsay_by)}</span>}
                    {memory.superseded_by && (
                      <>
                        <Chip tone="warn">{texts.contradiction}</Chip>
                        <Link to="/memories" search={{ agent, memory: memory.superseded_by }}>
                          {texts.successor}
                        </Link>
                      </>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{texts.more}</Button>}
    </div>
  );
}
