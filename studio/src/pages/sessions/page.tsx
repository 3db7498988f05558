import type { SessionRecord } from "@reverie/client";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { changed } from "@/app/search-params";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { TextField } from "@/components/Field";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { QueryList } from "@/components/QueryList";
import { EmptyState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { useKeys } from "@/components/useKeys";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { sessions as texts } from "@/strings/sessions";
import { Conversation } from "./Conversation";
import type { SessionsSearch } from "./route";
import css from "./sessions.module.css";

const route = getRouteApi("/sessions");
const ROW_PX = 62;
const LIMIT = 200;
const idOf = ({ id }: SessionRecord) => id;
const closed = ({ session: _, of: __, message: ___, find: ____, ...rest }: SessionsSearch) => rest;

export function Page() {
  const agent = useAgent();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const { session: name, of, q, user } = search;
  const listing = calls.listSessions({ agent, user, q, limit: LIMIT });
  const list = useList(listing, { keepPrevious: true });

  const set = useCallback(
    (changes: Partial<SessionsSearch>) => navigate({ search: (now) => ({ ...now, ...changes }), replace: true }),
    [navigate],
  );
  const [typed, setTyped] = useTyped(q ?? "", (given) => set({ q: given || undefined }));
  const [typedUser, setTypedUser] = useTyped(user ?? "", (given) => set({ user: given || undefined }));
  const linkOf = useCallback(
    (session: SessionRecord): LinkProps => ({
      to: "/sessions",
      search: changed((now: SessionsSearch) => ({
        ...closed(now),
        session: session.session,
        of: agent ? undefined : session.agent,
      })),
    }),
    [agent],
  );

  useKeys({
    "/": () => field.current?.focus(),
    Escape: () => void (name && navigate({ search: closed })),
  });

  const owner = agent ?? of ?? list.items.find(({ session }) => session === name)?.agent;
  const chosen = list.items.find((one) => one.session === name && one.agent === owner)?.id;
  const isNarrowed = Boolean(q || user);
  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={<CopyMenu call={listing} python={["list_sessions", listing.query ?? {}]} />}
    >
      <search className={css.filters}>
        <TextField
          ref={field}
          label={texts.search}
          hideLabel
          type="search"
          placeholder={`${texts.search}  /`}
          value={typed}
          onChange={setTyped}
        />
        <TextField
          label={texts.user}
          hideLabel
          type="search"
          placeholder={texts.user}
          value={typedUser}
          onChange={setTypedUser}
        />
        {isNarrowed && (
          <Button kind="quiet" onClick={() => set({ q: undefined, user: undefined })}>
            {texts.clear}
          </Button>
        )}
      </search>
      <MasterDetail
        back={{ to: "/sessions", search: changed(closed) }}
        detail={
          name &&
          (owner ? (
            <Conversation key={`${owner}/${name}`} agent={owner} session={name} />
          ) : list.isPending ? (
            <Skeleton />
          ) : (
            <EmptyState title={texts.whose} text={texts.whoseText(name)} />
          ))
        }
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={
          <QueryList
            list={list}
            empty={
              <EmptyState
                title={isNarrowed ? texts.none : texts.noneYet}
                text={isNarrowed ? texts.noneText : texts.noneYetText}
              />
            }
            label={texts.list}
            keyOf={idOf}
            linkOf={linkOf}
            chosen={chosen}
            rowHeight={ROW_PX}
            end={texts.end}
          >
            {(session) => <Row session={session} showAgent={!agent} />}
          </QueryList>
        }
      />
    </Frame>
  );
}

function Row({ session, showAgent }: { session: SessionRecord; showAgent: boolean }) {
  return (
    <>
      <p className={css.name}>{session.session}</p>
      <div className={`small faint ${css.meta}`}>
        <span className="num">{texts.messages(session.messages)}</span>
        {showAgent && <span>{session.agent}</span>}
        {session.user && <span>{texts.withUser(session.user)}</span>}
        <span>
          {texts.received} <Time value={session.last_message_at ?? session.created_at} />
        </span>
      </div>
    </>
  );
}
