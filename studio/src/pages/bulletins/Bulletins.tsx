import type { Item } from "@reverie/client";
import { getRouteApi, Link, type LinkProps } from "@tanstack/react-router";
import { useCallback } from "react";
import { Chip } from "@/components/Chip";
import { MasterDetail } from "@/components/Page";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { VirtualList } from "@/components/VirtualList";
import { calls } from "@/data/client";
import { isMissing, useCall, useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { bulletins as texts } from "@/strings/bulletins";
import css from "./bulletins.module.css";
import { Compared } from "./Compared";
import { Sentences } from "./Sentences";

const { bulletin: words } = texts;
const route = getRouteApi("/bulletins");

export type Version = Item<"list_bulletin_versions">;
const keyOf = ({ version }: Version) => `${version}`;

/** The versions of an agent's bulletin for a user, or nobody's, and one of them. */
export function Bulletins({ agent, user }: { agent: string; user: string | undefined }) {
  const search = route.useSearch();
  const list = useList(calls.listBulletinVersions(agent, { user }));
  const newest = list.items[0]?.version;
  const version = search.version ?? newest;
  const linkOf = useCallback(
    ({ version }: Version): LinkProps => ({
      to: "/bulletins",
      search: { ...search, agent, version, compared: undefined },
    }),
    [search, agent],
  );

  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton />;
  if (version === undefined) return <EmptyState title={words.none} text={words.noneText} />;
  const detail = (
    <One
      key={version}
      agent={agent}
      user={user}
      version={version}
      isNewest={version === newest}
      others={list.items.map((one) => one.version).filter((one) => one !== version)}
    />
  );
  return (
    <MasterDetail
      back={{ to: "/bulletins", search: { agent, user } }}
      // On a phone the list is shown until a version is chosen.
      detail={search.version === undefined ? undefined : detail}
      empty={detail}
      list={
        <VirtualList
          label={words.list}
          items={list.items}
          keyOf={keyOf}
          linkOf={linkOf}
          chosen={`${version}`}
          rowHeight={58}
          onEnd={list.fetchMore}
          end={list.hasNextPage ? undefined : words.end(list.items.length)}
        >
          {(one) => <Row one={one} isNewest={one.version === newest} />}
        </VirtualList>
      }
    />
  );
}

function Row({ one, isNewest }: { one: Version; isNewest: boolean }) {
  return (
    <>
      <div className="row">
        <b className="grow">{texts.version(one.version)}</b>
        {isNewest && one.stale && <Chip tone="warn">{texts.stale}</Chip>}
        <span className="small faint">
          <Time value={one.created_at} />
        </span>
      </div>
      <p className="small soft num">
        {one.dream_id ? words.byDream : words.requested} · {texts.tokens(one.tokens)} ·{" "}
        {words.changed(one.added.length, one.removed.length)}
      </p>
    </>
  );
}

function One({
  agent,
  user,
  version,
  isNewest,
  others,
}: {
  agent: string;
  user: string | undefined;
  version: number;
  isNewest: boolean;
  others: number[];
}) {
  const { compared, view } = route.useSearch();
  const { isAdmin } = useRights();
  const against = compared ?? others.find((other) => other < version);
  const { data: bulletin, error, isPending, refetch } = useCall(calls.getBulletin(agent, { user, version }));
  const older = useCall(calls.getBulletin(agent, { user, version: against }), { enabled: against !== undefined });
  const settings = useCall(calls.getSettings(), { enabled: isAdmin });
  if (isMissing(error)) return <EmptyState title={words.missing} text={words.missingText} />;
  if (error && !bulletin) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !bulletin) return <Skeleton />;
  const most = settings.data?.dream?.bulletin_tokens_max;
  return (
    <article className="stack" aria-label={texts.version(version)}>
      <div className="row">
        <h2>{texts.version(version)}</h2>
        {isNewest && bulletin.stale && <Chip tone="warn">{texts.stale}</Chip>}
      </div>
      <p className="row small soft">
        <Time value={bulletin.created_at} />
        {most ? (
          <>
            <meter aria-label={words.budgetLabel} min={0} max={most} value={Math.min(bulletin.tokens, most)} />
            <span className="num">{words.budget(bulletin.tokens, most)}</span>
          </>
        ) : (
          <span className="num">{texts.tokens(bulletin.tokens)}</span>
        )}
        {bulletin.dream_id ? (
          <Link to="/dreams" search={{ agent, dream: bulletin.dream_id }}>
            {words.openDream}
          </Link>
        ) : (
          <span>{words.requested}</span>
        )}
      </p>
      {isNewest && bulletin.stale && <p className={css.note}>{words.staleText}</p>}
      <Compared
        others={others}
        against={against}
        names={[against === undefined ? "" : texts.version(against), texts.version(version)]}
        before={older.data?.content}
        after={bulletin.content}
      />
      {view === undefined &&
        (bulletin.sentences.length > 0 ? (
          <Sentences sentences={bulletin.sentences} />
        ) : (
          <p className="words">{bulletin.content}</p>
        ))}
    </article>
  );
}
