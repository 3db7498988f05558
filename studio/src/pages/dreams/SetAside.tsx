import { Button } from "@/components/Button";
import { DeadLetters } from "@/components/DeadLetters";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { common } from "@/strings/common";
import { deadLetters as texts } from "@/strings/dead-letters";
import css from "./dreams.module.css";

/** The dead letters, while there are any. */
export function SetAside() {
  const list = useList(calls.listDeadLetters());
  if (list.items.length === 0) return null;
  return (
    <details className={`card ${css.letters}`}>
      <summary>{texts.total(list.items.length)}</summary>
      <p className="soft">{texts.text}</p>
      <DeadLetters letters={list.items} />
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{common.loadMore}</Button>}
    </details>
  );
}
