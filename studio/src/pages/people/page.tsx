import type { Item } from "@reverie/client";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { useRef } from "react";
import { CopyMenu } from "@/components/CopyMenu";
import { TextField } from "@/components/Field";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { QueryList } from "@/components/QueryList";
import { EmptyState } from "@/components/States";
import { Time } from "@/components/Time";
import { useKeys } from "@/components/useKeys";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { people as texts } from "@/strings/people";
import { Person } from "./Person";

type User = Item<"list_users">;
const route = getRouteApi("/people");
const ROW_PX = 60;
const idOf = ({ user }: User) => user;
const linkOf = ({ user }: User): LinkProps => ({
  to: "/people",
  search: (now: object) => ({ ...now, person: user }),
});
const closed: LinkProps = { to: "/people", search: ({ person: _, ...now }: { person?: string }) => now };

export function Page() {
  const agent = useAgent();
  const { person, q } = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(q ?? "", (given) =>
    navigate({ search: (now) => ({ ...now, q: given.trim() || undefined }), replace: true }),
  );
  const listing = calls.listUsers({ agent, q });
  const list = useList(listing, { keepPrevious: true });
  useKeys({
    "/": () => field.current?.focus(),
    Escape: () => void (person && navigate({ search: ({ person: _, ...now }) => now })),
  });

  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={<CopyMenu call={listing} python={["list_users", listing.query ?? {}]} />}
    >
      <search>
        <TextField
          ref={field}
          label={texts.find}
          hideLabel
          type="search"
          placeholder={`${texts.find}  /`}
          value={typed}
          onChange={setTyped}
        />
      </search>
      <MasterDetail
        back={closed}
        detail={person && <Person key={person} user={person} />}
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={
          <QueryList
            list={list}
            empty={<EmptyState title={q ? texts.none : texts.noneYet} text={q ? texts.noneText : texts.noneYetText} />}
            label={texts.list}
            keyOf={idOf}
            linkOf={linkOf}
            chosen={person}
            rowHeight={ROW_PX}
            end={texts.end}
          >
            {(one) => (
              <>
                <p className="words">{one.user}</p>
                <p className="row small faint">
                  <span className="num">{texts.memories(one.memories)}</span>
                  <Time value={one.last_seen_at} />
                </p>
              </>
            )}
          </QueryList>
        }
      />
    </Frame>
  );
}
