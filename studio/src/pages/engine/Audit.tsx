import { Button } from "@/components/Button";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import css from "./engine.module.css";

const { audit: texts } = all;

/** Who did what, newest first. */
export function Audit() {
  const list = useList(calls.listAuditEntries());
  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton lines={8} />;
  if (list.items.length === 0) return <EmptyState title={texts.none} />;
  return (
    <>
      <section className={`card ${css.table}`} aria-label={texts.list}>
        <table>
          <thead>
            <tr>
              {[texts.at, texts.actor, texts.action, texts.target, texts.details].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.items.map((line) => (
              <tr key={line.id}>
                <td>
                  <Time value={line.at} />
                </td>
                <td className="words">{line.actor}</td>
                <td>
                  <code>{line.action}</code>
                </td>
                <td className="words">{[line.target, line.subject].filter(Boolean).join(" · ")}</td>
                <td className="words small faint">
                  {Object.keys(line.details).length > 0 && JSON.stringify(line.details)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{texts.more}</Button>}
    </>
  );
}
