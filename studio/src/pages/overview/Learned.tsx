import type { Answer, Dream } from "@reverie/client";
import type { Call } from "@reverie/client/call";
import { Link } from "@tanstack/react-router";
import { Chip } from "@/components/Chip";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { Change } from "@/pages/dreams/Change";
import { countsOf, reportOf, STATUS_TONES } from "@/pages/dreams/report";
import { UndoDream } from "@/pages/dreams/UndoDream";
import { dreams as dreamTexts } from "@/strings/dreams";
import { overview as texts } from "@/strings/overview";
import css from "./overview.module.css";
import { useRecentDreams } from "./recent";

const { learned: words } = texts;
const AGENTS = 8;
const DREAMS = 3;
const CHANGES = 4;
const LEARNED = ["superseded", "created"] as const;

/** What each agent learned in the last 24 hours, newest first, with a way to undo a dream or one change of it. */
export function Learned() {
  const agent = useAgent();
  const { dreams, error, refetch } = useRecentDreams();
  if (error && !dreams) return <ErrorState error={error} onRetry={refetch} />;
  if (!dreams) return <Skeleton />;
  const names = [...new Set(dreams.map((dream) => dream.agent))];
  return (
    <section className="stack" aria-label={words.title}>
      <div className="row">
        <h2 className="grow">{words.title}</h2>
        <Link to="/dreams" search={{ agent }}>
          {words.dreams}
        </Link>
      </div>
      {names.length === 0 && <EmptyState title={words.none} text={words.noneText} />}
      {names.slice(0, AGENTS).map((name) => (
        <OfAgent key={name} agent={name} dreams={dreams.filter((dream) => dream.agent === name)} />
      ))}
      {names.length > AGENTS && (
        <Link to="/dreams" search={{ agent }}>
          {words.more(names.length - AGENTS)}
        </Link>
      )}
    </section>
  );
}

function OfAgent({ agent, dreams }: { agent: string; dreams: Dream[] }) {
  const newest = dreams.find(
    (dream) => dream.status === "succeeded" && LEARNED.some((op) => Number(reportOf(dream)[op] ?? 0) > 0),
  );
  return (
    <article className="card stack" aria-label={agent}>
      <h3 className={css.agent}>
        <Link to="/memories" search={{ agent }}>
          {agent}
        </Link>
      </h3>
      <ul>
        {dreams.slice(0, DREAMS).map((dream) => (
          <li key={dream.id} className={css.dream}>
            <Chip tone={STATUS_TONES[dream.status]} dot>
              {dreamTexts.statuses[dream.status]}
            </Chip>
            <Link to="/dreams" search={{ agent, dream: dream.id }}>
              <Time value={dream.created_at} />
            </Link>
            <span className={`grow soft ${css.counts}`}>{countsOf(dream)}</span>
            {dream.status === "succeeded" && <UndoDream id={dream.id} small />}
          </li>
        ))}
      </ul>
      {newest && <Newest dream={newest} />}
      {dreams.length > DREAMS && (
        <Link to="/dreams" search={{ agent }} className="small">
          {words.allDreams(dreams.length)}
        </Link>
      )}
    </article>
  );
}

function Newest({ dream }: { dream: Dream }) {
  const call = calls.listDreamChanges(dream.id, { action: [...LEARNED], limit: CHANGES });
  const { data } = useCall(call as Call<Answer<"list_dream_changes">>);
  if (!data) return <Skeleton lines={3} />;
  return (
    <>
      <ul aria-label={words.changes(dream.agent)}>
        {data.items.map((change) => (
          <Change key={change.n} dream={dream} change={change} />
        ))}
      </ul>
      {data.total > data.items.length && (
        <Link to="/dreams" search={{ agent: dream.agent, dream: dream.id }} className="small">
          {words.allChanges(data.total)}
        </Link>
      )}
    </>
  );
}
