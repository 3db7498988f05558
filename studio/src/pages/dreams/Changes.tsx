import type { Answer, Dream } from "@reverie/client";
import type { Call } from "@reverie/client/call";
import { getRouteApi } from "@tanstack/react-router";
import { Button } from "@/components/Button";
import { Select } from "@/components/Field";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { calls } from "@/data/client";
import { useMemoryTypes } from "@/data/memory-types";
import { useCall, useList } from "@/data/queries";
import { dreams as texts } from "@/strings/dreams";
import { Change } from "./Change";
import css from "./dreams.module.css";
import { OPS } from "./route";

const { changes: words } = texts;
const route = getRouteApi("/dreams");
/** How many changes of an action are shown at first, beside those of other actions. */
const FIRST = 20;
const MORE = 100;

/** The list as one answer, with the number of changes of each action. */
type Counted = Call<Answer<"list_dream_changes">>;
type Op = (typeof OPS)[number];

/** The changes of a dream, by action; each group page by page. */
export function Changes({ dream }: { dream: Dream }) {
  const { action, type: asked } = route.useSearch();
  const type = asked?.[0];
  const navigate = route.useNavigate();
  const types = useMemoryTypes();
  const counts = useCall(calls.listDreamChanges(dream.id, { type, limit: 1 }) as Counted, { keepPrevious: true });
  if (counts.isError && !counts.data) return <ErrorState error={counts.error} onRetry={counts.refetch} />;
  if (!counts.data) return <Skeleton />;
  const { totals } = counts.data;
  const present = OPS.filter((op) => (totals[op] ?? 0) > 0);
  const all = present.reduce((sum, op) => sum + (totals[op] ?? 0), 0);
  if (all === 0 && !type) return <EmptyState title={words.none} text={words.noneText} />;
  const shown = action ? present.filter((op) => op === action) : present;
  const choose = (action: Op | undefined) => navigate({ search: (now) => ({ ...now, action }), replace: true });

  return (
    <section className="stack" aria-label={words.label}>
      <div className={css.filters}>
        <fieldset className={css.ops}>
          <legend className="visually-hidden">{words.label}</legend>
          {[undefined, ...present].map((op) => (
            <button key={op ?? ""} type="button" aria-pressed={op === action} onClick={() => choose(op)}>
              {op ? texts.ops[op] : words.all}{" "}
              <span className="num">{(op ? (totals[op] ?? 0) : all).toLocaleString("en")}</span>
            </button>
          ))}
        </fieldset>
        <Select
          label={words.type}
          hideLabel
          options={[{ value: "", label: words.allTypes }, ...types.map((one) => ({ value: one, label: one }))]}
          value={type ?? ""}
          onChange={(type) =>
            navigate({ search: (now) => ({ ...now, type: type ? [type] : undefined }), replace: true })
          }
        />
      </div>
      {shown.length === 0 && <p className="soft">{words.noneOfType}</p>}
      {shown.map((op) => (
        <Group key={op} dream={dream} op={op} type={type} total={totals[op] ?? 0} limit={action ? MORE : FIRST} />
      ))}
    </section>
  );
}

function Group({
  dream,
  op,
  type,
  total,
  limit,
}: {
  dream: Dream;
  op: Op;
  type: string | undefined;
  total: number;
  limit: number;
}) {
  const list = useList(calls.listDreamChanges(dream.id, { action: [op], type, limit }), { keepPrevious: true });
  return (
    <section className={css.group} aria-label={texts.ops[op]}>
      <h3>
        {texts.ops[op]} <span className="num">{total.toLocaleString("en")}</span>
      </h3>
      {list.isPending && <Skeleton lines={2} />}
      {list.isError && list.items.length === 0 && <ErrorState error={list.error} onRetry={list.refetch} />}
      <ul>
        {list.items.map((change) => (
          <Change key={change.n} dream={dream} change={change} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button kind="quiet" small pending={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {words.more(total - list.items.length)}
        </Button>
      )}
    </section>
  );
}
