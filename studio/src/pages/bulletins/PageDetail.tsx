import { getRouteApi, Link } from "@tanstack/react-router";
import { Pencil, RefreshCw, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { Confirm } from "@/components/Dialog";
import { Owners } from "@/components/Owners";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt, toast } from "@/components/Toast";
import { dayOf } from "@/components/text";
import { api, calls } from "@/data/client";
import { isMissing, refresh, useCall, useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { bulletins as texts } from "@/strings/bulletins";
import { common } from "@/strings/common";
import css from "./bulletins.module.css";
import { Compared } from "./Compared";
import { PageForm } from "./PageForm";
import type { AnsweredPage } from "./Pages";
import { type Sentence, Sentences } from "./Sentences";

const { page: words } = texts;
const route = getRouteApi("/bulletins");
const textOf = (sentences: readonly Sentence[]) => sentences.map(({ text }) => `${text}\n`).join("");

/** A standing question with its answer, and the versions of it. */
export function PageDetail({ agent, id }: { agent: string; id: string }) {
  const { canWrite } = useRights();
  const navigate = route.useNavigate();
  const [asks, setAsks] = useState<"edit" | "delete">();
  const call = calls.getPage(id);
  const { data: page, error, isPending, refetch } = useCall(call);
  if (isMissing(error)) return <EmptyState title={words.missing} text={words.missingText} />;
  if (error && !page) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !page) return <Skeleton />;

  async function rewrite(before: number | null) {
    await attempt(async () => {
      const { version } = await api.rewritePage(id);
      toast(version === before || version === null ? words.unchanged : words.rewritten(version));
      await refresh("/v1/pages");
    });
  }
  async function remove() {
    if (!(await attempt(() => api.deletePage(id), words.deleted))) return;
    await navigate({ search: { agent, pages: true }, replace: true });
    await refresh("/v1/pages");
  }

  return (
    <article className="stack" aria-label={page.question}>
      <div className="row">
        <h2 className="grow words">{page.question}</h2>
        {page.scope.user && <Owners of={[page.scope.user]} />}
        {page.stale && <Chip tone="warn">{texts.stale}</Chip>}
        <CopyMenu call={call} python={["get_page", { page_id: id }]} />
      </div>
      {canWrite && (
        <div className="row">
          <Button icon={<RefreshCw />} onClick={() => rewrite(page.version)}>
            {words.rewrite}
          </Button>
          <Button icon={<Pencil />} onClick={() => setAsks("edit")}>
            {words.edit}
          </Button>
          <Button kind="danger" icon={<Trash2 />} onClick={() => setAsks("delete")}>
            {words.delete}
          </Button>
        </div>
      )}
      {page.stale && <p className={css.note}>{words.staleText(page.left_out)}</p>}
      <Facts page={page} />
      <Answers page={page} />
      {asks === "edit" && <PageForm agent={agent} page={page} onClose={() => setAsks(undefined)} />}
      {asks === "delete" && (
        <Confirm
          title={words.deleteTitle}
          action={words.delete}
          danger
          onConfirm={remove}
          onClose={() => setAsks(undefined)}
        >
          <p>{words.deleteText}</p>
        </Confirm>
      )}
    </article>
  );
}

/** The answer as it is now, or a version of it; compared with another where the address says so. */
function Answers({ page }: { page: AnsweredPage }) {
  const search = route.useSearch();
  const { view, compared } = search;
  const versions = useList(calls.listPageVersions(page.id));
  const version = search.version ?? page.version ?? undefined;
  const own = versions.items.find((one) => one.version === version);
  const others = versions.items.map((one) => one.version).filter((one) => one !== version);
  const against = compared ?? others.find((one) => one < (version ?? 0));
  const older = versions.items.find((one) => one.version === against);
  const isNewest = search.version === undefined || search.version === page.version;
  const sentences = isNewest ? page.sentences : (own?.sentences ?? []);
  return (
    <>
      <Compared
        others={others}
        against={against}
        names={[against === undefined ? "" : texts.version(against), texts.version(version ?? 0)]}
        before={older && textOf(older.sentences)}
        after={textOf(own?.sentences ?? sentences)}
      />
      {view === undefined && (
        <section aria-label={words.answer}>
          {sentences.length > 0 ? (
            <Sentences sentences={sentences} />
          ) : (
            !page.stale && <p className="soft">{words.noAnswer}</p>
          )}
        </section>
      )}
      <section className="stack" aria-label={words.versions}>
        <h3>{words.versions}</h3>
        <ul className={css.versions}>
          {versions.items.map((one) => (
            <li key={one.version}>
              <Link
                to="/bulletins"
                search={{ ...search, version: one.version, compared: undefined }}
                aria-current={one.version === version ? "true" : undefined}
              >
                {texts.version(one.version)}
              </Link>
              <span className="small soft num">
                {texts.bulletin.changed(one.added.length, one.removed.length)} · {one.writer} ·{" "}
                <Time value={one.written_at} />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function scopeOf({ scope }: AnsweredPage): string {
  const parts = [
    ...(scope.types ?? []),
    ...(scope.tags ?? []).map((tag) => `#${tag}`),
    scope.about && common.about(scope.about),
    ...(scope.entities ?? []),
    scope.since && `≥ ${dayOf(scope.since)}`,
    scope.until && `< ${dayOf(scope.until)}`,
    scope.metadata && JSON.stringify(scope.metadata),
    scope.where && JSON.stringify(scope.where),
  ];
  return parts.filter(Boolean).join(", ") || words.allMemories;
}

function Facts({ page }: { page: AnsweredPage }) {
  const facts: [string, ReactNode][] = [
    [words.facts.trigger, words.triggers[page.trigger] ?? words.cron(page.trigger)],
    [words.facts.written, page.written_at && <Time key="at" value={page.written_at} />],
    [words.facts.writer, page.writer],
    [words.facts.due, page.due_at && <Time key="due" value={page.due_at} />],
    [words.facts.scope, scopeOf(page)],
    [words.facts.limit, texts.tokens(page.max_tokens)],
    [words.facts.dropped, page.dropped ? words.dropped(page.dropped) : undefined],
  ];
  return (
    <dl className={css.facts}>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
