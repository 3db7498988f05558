import type { Schemas } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { people as texts } from "@/strings/people";
import css from "./people.module.css";

type Field = Schemas["ProfileField"];
const GROUPS = ["static", "preferences", "goals", "recent"] as const;

/** The end of a day, local time: what held on it. */
function endOf(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

function named({ name, detail }: Field): string {
  return detail ? `${name} (${detail})` : name;
}

function FieldRow({ field }: { field: Field }) {
  const agent = useAgent();
  return (
    <div>
      <dt>{named(field)}</dt>
      <dd>
        <span className="words">{`${field.value}`}</span>
        <span className="row small faint">
          <span>
            {texts.since} <Time value={field.since} exact />
          </span>
          {field.memory_ids.map((id, at) => (
            <Link key={id} to="/memories" search={{ agent, memory: id }}>
              {texts.source(at + 1)}
            </Link>
          ))}
        </span>
      </dd>
    </div>
  );
}

/** What holds about somebody, now or at the end of a day. */
export function Profile({ user, asOf }: { user: string; asOf: string | undefined }) {
  const agent = useAgent();
  const { data, error, refetch } = useCall(calls.getProfile(user, { agent, as_of: asOf && endOf(asOf) }), {
    keepPrevious: true,
  });
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={8} />;
  if (data.fields.length === 0) return <EmptyState title={texts.noProfile} text={texts.noProfileText} />;
  return (
    <div className="stack">
      {GROUPS.map((group) => {
        const fields = data.fields.filter((field) => field.group === group);
        return (
          fields.length > 0 && (
            <section key={group} className="card">
              <h3>{texts.groups[group]}</h3>
              <dl className={css.fields}>
                {fields.map((field) => (
                  <FieldRow key={`${named(field)} ${field.value} ${field.since}`} field={field} />
                ))}
              </dl>
            </section>
          )
        );
      })}
    </div>
  );
}

/** What changed about somebody since the end of a day. */
export function Changes({ user, since, asOf }: { user: string; since: string; asOf: string | undefined }) {
  const agent = useAgent();
  const call = calls.diffProfile(user, endOf(since), { agent, to: asOf && endOf(asOf) });
  const { data, error, refetch } = useCall(call, { keepPrevious: true });
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={6} />;
  if (data.changes.length === 0) return <EmptyState title={texts.noChanges} text={texts.noChangesText} />;
  return (
    <ul className="stack" aria-label={texts.changes}>
      {data.changes.map(({ change, before, after }) => (
        <li key={`${change} ${before?.name} ${before?.value} ${after?.name} ${after?.value}`} className="card">
          <h3>{texts.change[change]}</h3>
          {before && (
            <del>
              <dl className={css.fields}>
                <FieldRow field={before} />
              </dl>
            </del>
          )}
          {after && (
            <ins>
              <dl className={css.fields}>
                <FieldRow field={after} />
              </dl>
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}
