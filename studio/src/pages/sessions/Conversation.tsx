import type { MessageRecord, SessionRecord } from "@reverie/client";
import { getRouteApi } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { calls } from "@/data/client";
import { useReachable } from "@/data/connection";
import { isMissing, useCall, useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { Delete } from "@/pages/deletions/Delete";
import { common } from "@/strings/common";
import { deletions } from "@/strings/deletions";
import { sessions as texts } from "@/strings/sessions";
import { Find } from "./Find";
import { Messages } from "./Messages";
import { SetAside } from "./SetAside";
import { said } from "./said";
import css from "./sessions.module.css";
import { WindowActions } from "./WindowActions";

const route = getRouteApi("/sessions");
const PAGE = 200;
/** No event tells of a message. */
const FRESH_MS = 3_000;

/** The places of what is looked for, in order: indexes of messages. */
function placesOf(messages: readonly MessageRecord[], find: string | undefined): number[] {
  const wanted = find?.toLowerCase();
  if (!wanted) return [];
  return messages.flatMap(({ content }, at) => (said(content).toLowerCase().includes(wanted) ? [at] : []));
}

/** Every message of a session, as they come. */
function useMessages(agent: string, name: string, session: SessionRecord | undefined) {
  const list = useList(calls.listMessages(name, { agent, limit: PAGE }), { enabled: session !== undefined });
  const { items, hasNextPage, isFetching, isError, fetchNextPage, refetch } = list;
  const isReachable = useReachable();
  const known = session?.messages ?? 0;
  useEffect(() => {
    if (isFetching || isError || !isReachable) return;
    if (hasNextPage) void fetchNextPage();
    else if (known > items.length && items.length > 0) void refetch();
  }, [known, items.length, hasNextPage, isFetching, isError, isReachable, fetchNextPage, refetch]);
  return list;
}

/** One session: what is said in it, what of it goes to the model, and what became of each message. */
export function Conversation({ agent, session: name }: { agent: string; session: string }) {
  const call = calls.getSession(name, { agent });
  const { data: session, error, refetch } = useCall(call, { refreshMs: FRESH_MS });
  const { data: window } = useCall(calls.getWindow(name, { agent }), { refreshMs: FRESH_MS });
  const list = useMessages(agent, name, session);
  const { message: marked, find } = route.useSearch();
  const navigate = route.useNavigate();
  const { canWrite, isAdmin } = useRights();
  const [isDeleting, setIsDeleting] = useState(false);
  const places = useMemo(() => placesOf(list.items, find), [list.items, find]);

  if (isMissing(error)) return <EmptyState title={texts.missing} text={texts.missingText(name)} />;
  if (error && !session) return <ErrorState error={error} onRetry={refetch} />;
  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (!session || list.isPending) return <Skeleton lines={10} />;

  const at = list.items.findIndex(({ id, seq }) => marked === `${seq}` || marked === id);
  const last = list.items.at(-1)?.seq ?? 0;
  const isLost = marked !== undefined && at < 0 && !list.hasNextPage && !list.isFetching;
  const mark = (seq: number | undefined) =>
    navigate({
      search: (now) => ({ ...now, message: seq === undefined ? undefined : `${seq}` }),
      replace: true,
      resetScroll: false,
    });
  const summary = window?.summary as { content?: string; id?: string } | null | undefined;

  return (
    <article className={css.conversation} aria-label={name}>
      <header className="stack">
        <div className="row">
          <h2 className="words">{session.session}</h2>
          <Chip>{session.agent}</Chip>
          {session.user && <Chip>{session.user}</Chip>}
          <span className="small faint">
            {texts.messages(session.messages)} · {texts.received}{" "}
            <Time value={session.last_message_at ?? session.created_at} />
          </span>
          <span className="grow" />
          <CopyMenu call={call} python={["get_session", { session: name, agent }]} />
        </div>
        <div className="row small soft">
          <span>
            {window && window.messages.length > 0
              ? texts.window(texts.messages(window.messages.length), window.tokens)
              : texts.noWindow}
          </span>
          {window?.expires_at && window.messages.length > 0 && (
            <span>
              {texts.windowEnds} <Time value={window.expires_at} />
            </span>
          )}
          <span className="grow" />
          {canWrite && window && window.messages.length > 0 && <WindowActions agent={agent} session={name} />}
          {canWrite && (
            <Button small kind="danger" icon={<Trash2 />} onClick={() => setIsDeleting(true)}>
              {deletions.deleteSession}
            </Button>
          )}
        </div>
        {isAdmin && <SetAside agent={agent} session={name} />}
        {summary?.content && (
          <details className={css.summary}>
            <summary>{texts.summary}</summary>
            <p className="words">{summary.content}</p>
          </details>
        )}
        <Find
          find={find}
          places={places}
          at={at}
          onFind={(text) => navigate({ search: (now) => ({ ...now, find: text }), replace: true })}
          onMark={(index) => mark(list.items[index]?.seq)}
          onJump={mark}
          first={list.items[0]?.seq}
          last={last}
        />
        {list.hasNextPage && (
          <p className="small faint" role="status">
            {texts.reading(list.items.length, session.messages)}
          </p>
        )}
        {list.isError && <Button onClick={() => list.refetch()}>{common.retry}</Button>}
        {isLost && (
          <p className="small" role="alert">
            {texts.missingMessage(marked, last)}
          </p>
        )}
      </header>
      {list.items.length === 0 ? (
        <EmptyState title={texts.empty} text={texts.emptyText} />
      ) : (
        <Messages agent={agent} messages={list.items} window={window?.messages ?? []} markedAt={at} find={find} />
      )}
      {isDeleting && (
        <Delete
          target={{ kind: "session", name, agent }}
          onClose={() => setIsDeleting(false)}
          onDone={() => navigate({ search: ({ session: _, of: __, message: ___, find: ____, ...rest }) => rest })}
        />
      )}
    </article>
  );
}
