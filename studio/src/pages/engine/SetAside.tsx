import { Button } from "@/components/Button";
import { DeadLetters } from "@/components/DeadLetters";
import { ErrorState } from "@/components/States";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { common } from "@/strings/common";
import { deadLetters as texts } from "@/strings/dead-letters";

/** The dead letters of the workspace. */
export function SetAside() {
  const list = useList(calls.listDeadLetters());
  return (
    <section className="card stack" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="soft">{list.items.length ? texts.text : texts.none}</p>
      {list.isError && <ErrorState error={list.error} onRetry={list.refetch} />}
      <DeadLetters letters={list.items} />
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{common.loadMore}</Button>}
    </section>
  );
}
