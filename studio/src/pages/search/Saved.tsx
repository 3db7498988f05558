import type { Answer as AnswerOf } from "@reverie/client";
import { Play } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Confirm } from "@/components/Dialog";
import { Owners } from "@/components/Owners";
import { ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt, toast } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { isMissing, refresh, useCall, useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { savedSearches as words } from "@/strings/saved-searches";
import { EditTest } from "./EditTest";
import { Runs } from "./Runs";
import type { SearchAddress, Variant } from "./route";
import { OPTIONS } from "./SaveTest";
import css from "./saved.module.css";

const RecallChart = lazy(() => import("./RecallChart"));
export type SavedSearch = AnswerOf<"get_search">;
export type Run = AnswerOf<"run_search">["items"][number];
type Change = (changes: Partial<SearchAddress>) => unknown;

const RESULTS = 200;
function Share({ recall }: { recall: number | null | undefined }) {
  if (recall === undefined) return <Chip>{words.notRun}</Chip>;
  if (recall === null) return <Chip title={words.allGone}>{words.recall(null)}</Chip>;
  return <Chip tone={recall === 1 ? "good" : recall > 0 ? "warn" : "bad"}>{words.recall(recall)}</Chip>;
}

/** The parameters of the page that search as a saved search does. */
function addressOf({ query, options, expected, k }: SavedSearch): Partial<SearchAddress> {
  const all = { ...Object.fromEntries(OPTIONS.map((name) => [name, undefined])), ...options, limit: k };
  const where = options.where ? JSON.stringify(options.where) : undefined;
  return { ...(all as Partial<SearchAddress>), where, q: query || undefined, expected: expected[0]?.memory_id };
}

/** The options above that a run may take in place of those of the saved search. */
function overridesOf({ strategy, fusion, max_tokens, min_relevance, include_faded, rerank }: Variant) {
  return { strategy, fusion, max_tokens, min_relevance, include_faded, rerank };
}

function Actions({ search, address, onChange }: { search: SavedSearch; address: SearchAddress; onChange: Change }) {
  const { canWrite } = useRights();
  const [isRemoving, setIsRemoving] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  const overrides = overridesOf(address);
  const run = (given?: typeof overrides) =>
    attempt(async () => {
      const { items } = await api.runSearch(search.id, given);
      await refresh("/v1/searches");
      for (const one of items) toast(words.ran(one.recall));
    });
  return (
    <div className="row">
      <Button small onClick={() => onChange(addressOf(search))}>
        {words.open}
      </Button>
      {canWrite && (
        <>
          <Button small kind="primary" onClick={() => run()}>
            {words.run}
          </Button>
          {Object.values(overrides).some((value) => value !== undefined) && (
            <Button small onClick={() => run(overrides)}>
              {words.runWith}
            </Button>
          )}
          <Button small onClick={() => setIsEditing(true)}>
            {words.edit.button}
          </Button>
          <Button small kind="danger" onClick={() => setIsRemoving(true)}>
            {words.remove}
          </Button>
        </>
      )}
      {isEditing && <EditTest search={search} added={address.expected} onClose={() => setIsEditing(false)} />}
      {isRemoving && (
        <Confirm
          title={words.removeTitle}
          action={words.remove}
          danger
          onClose={() => setIsRemoving(false)}
          onConfirm={() =>
            attempt(async () => {
              await api.deleteSearch(search.id);
              onChange({ saved: undefined, before: undefined, after: undefined });
              await refresh("/v1/searches");
            }, words.removed)
          }
        >
          <p>{words.removeText(search.name)}</p>
        </Confirm>
      )}
    </div>
  );
}

function Opened({ id, address, onChange }: { id: string; address: SearchAddress; onChange: Change }) {
  const search = useCall(calls.getSearch(id));
  const results = useCall(calls.listSearchResults(id, { limit: RESULTS }));
  if (search.error) {
    return isMissing(search.error) ? (
      <p role="alert">{words.missing}</p>
    ) : (
      <ErrorState error={search.error} onRetry={search.refetch} />
    );
  }
  if (results.error) return <ErrorState error={results.error} onRetry={results.refetch} />;
  if (!search.data || !results.data) return <Skeleton lines={4} />;
  const runs: Run[] = results.data.items;
  const comparable = runs.filter(
    (run) => run.revision === search.data.revision && Object.keys(run.overrides).length === 0,
  );
  return (
    <div className={`stack ${css.opened}`}>
      <Actions search={search.data} address={address} onChange={onChange} />
      {comparable.length > 1 && (
        <Suspense fallback={<Skeleton lines={3} />}>
          <RecallChart runs={comparable.toReversed()} />
        </Suspense>
      )}
      {runs.length > 0 && <Runs runs={runs} before={address.before} after={address.after} onChange={onChange} />}
    </div>
  );
}

/** The saved searches of an agent with their newest recall; the chosen one with its runs. */
export function Saved({ agent, address, onChange }: { agent: string; address: SearchAddress; onChange: Change }) {
  const { canWrite } = useRights();
  const list = useList(calls.listSearches({ agent }));
  const { saved } = address;
  const choose = (id: string) =>
    onChange({ saved: id === saved ? undefined : id, before: undefined, after: undefined });
  return (
    <section className="card stack" aria-label={words.title}>
      <div className="row">
        <h2 className="grow">{words.title}</h2>
        {canWrite && list.items.length > 0 && (
          <Button
            small
            icon={<Play />}
            onClick={() =>
              attempt(async () => {
                const { items } = await api.runSearches({ agent });
                await refresh("/v1/searches");
                toast(words.ranAll(items.length));
              })
            }
          >
            {words.runAll}
          </Button>
        )}
      </div>
      <p className="soft small">{words.explanation}</p>
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : list.isPending ? (
        <Skeleton lines={2} />
      ) : (
        list.items.length === 0 && <p className="soft">{words.none}</p>
      )}
      {list.items.length > 0 && (
        <ul className={css.list}>
          {list.items.map((search) => (
            <li key={search.id}>
              <button type="button" aria-expanded={search.id === saved} onClick={() => choose(search.id)}>
                <span className="grow">{search.name}</span>
                {search.options.user && <Owners of={[search.options.user]} />}
                <Share recall={search.last_result?.recall} />
                {search.last_result && (
                  <span className="faint small">
                    <Time value={search.last_result.created_at} />
                  </span>
                )}
              </button>
              {search.id === saved && <Opened id={saved} address={address} onChange={onChange} />}
            </li>
          ))}
        </ul>
      )}
      {saved && !list.isPending && !list.items.some((search) => search.id === saved) && (
        <Opened id={saved} address={address} onChange={onChange} />
      )}
    </section>
  );
}
