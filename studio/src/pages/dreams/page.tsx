import type { Dream } from "@reverie/client";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { useCallback } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { Select } from "@/components/Field";
import { Owners } from "@/components/Owners";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { QueryList } from "@/components/QueryList";
import { EmptyState } from "@/components/States";
import { Time } from "@/components/Time";
import { useKeys } from "@/components/useKeys";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { dreams as texts } from "@/strings/dreams";
import { DreamButtons } from "./DreamButtons";
import { DreamDetail } from "./DreamDetail";
import css from "./dreams.module.css";
import { countsOf, STATUS_TONES } from "./report";
import { STATUSES } from "./route";
import { SetAside } from "./SetAside";

const route = getRouteApi("/dreams");
const idOf = ({ id }: Dream) => id;
const CLOSED = { dream: undefined, action: undefined, type: undefined };

export function Page() {
  const agent = useAgent();
  const { canWrite, isAdmin } = useRights();
  const search = route.useSearch();
  const { dream: chosen, status } = search;
  const navigate = route.useNavigate();
  const listing = calls.listDreams({ agent, status });
  const list = useList(listing, { keepPrevious: true });

  const linkOf = useCallback(
    ({ id }: Dream): LinkProps => ({ to: "/dreams", search: { ...search, ...CLOSED, dream: id } }),
    [search],
  );
  const choose = (id: string) =>
    navigate({ search: (now) => ({ ...now, ...CLOSED, status: undefined, dream: id }), replace: chosen === id });

  useKeys({ Escape: () => void (chosen && navigate({ search: (now) => ({ ...now, ...CLOSED }) })) });

  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={
        <>
          {canWrite && <DreamButtons onBegun={choose} />}
          <CopyMenu call={listing} python={["list_dreams", listing.query ?? {}]} />
        </>
      }
    >
      {isAdmin && <SetAside />}
      <div className="row">
        <Select
          label={texts.status}
          hideLabel
          options={[
            { value: "", label: texts.allStatuses },
            ...STATUSES.map((value) => ({ value, label: texts.statuses[value] })),
          ]}
          value={status ?? ""}
          onChange={(next) => navigate({ search: (now) => ({ ...now, status: next || undefined }), replace: true })}
        />
        {status && (
          <Button kind="quiet" onClick={() => navigate({ search: (now) => ({ ...now, status: undefined }) })}>
            {texts.clear}
          </Button>
        )}
      </div>
      <MasterDetail
        back={{ to: "/dreams", search: { ...search, ...CLOSED } }}
        detail={chosen && <DreamDetail key={chosen} id={chosen} />}
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={
          <QueryList
            list={list}
            empty={
              <EmptyState
                title={status ? texts.none : texts.noneYet}
                text={status ? texts.noneText : texts.noneYetText}
              />
            }
            label={texts.list}
            keyOf={idOf}
            linkOf={linkOf}
            chosen={chosen}
            rowHeight={64}
            end={texts.end}
          >
            {(dream) => <Row dream={dream} showAgent={!agent} />}
          </QueryList>
        }
      />
    </Frame>
  );
}

function Row({ dream, showAgent }: { dream: Dream; showAgent: boolean }) {
  return (
    <>
      <div className={css.rowHead}>
        {showAgent && <b className={css.agent}>{dream.agent}</b>}
        <span className={showAgent ? "soft" : undefined}>
          <Time value={dream.created_at} />
        </span>
        <span className="grow" />
        <Owners of={dream.owners} />
        <Chip tone={STATUS_TONES[dream.status]} dot>
          {texts.statuses[dream.status]}
        </Chip>
      </div>
      <p className={`small soft ${css.counts}`}>{countsOf(dream)}</p>
    </>
  );
}
