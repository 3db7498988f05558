import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { Select } from "@/components/Field";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { useHeld } from "@/components/useHeld";
import { useKeys } from "@/components/useKeys";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { common } from "@/strings/common";
import { inbox as texts } from "@/strings/inbox";
import { type Action, type Proposal, useDecisions } from "./decisions";
import { EditForm } from "./EditForm";
import css from "./inbox.module.css";
import { ProposalDetail } from "./ProposalDetail";
import { Row } from "./Row";
import { DECIDED } from "./route";

const route = getRouteApi("/inbox");
/** As many as one decision may be on. */
const SELECTED_MAX = 100;
const idOf = ({ id }: Proposal) => id;

export function Page() {
  const agent = useAgent();
  const { canWrite } = useRights();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const listing = calls.listInbox({ agent, status: search.decided ?? "proposed" });
  const list = useList(listing, { keepPrevious: true });
  const { decided, pending, decide } = useDecisions();
  const [isOver, setIsOver] = useState(false);
  const { shown, waiting, release } = useHeld(list.items, idOf, isOver);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [edits, setEdits] = useState<Proposal>();

  const at = shown.findIndex(({ id }) => id === search.proposal);
  const chosen = search.proposal === undefined ? undefined : (decided.get(search.proposal) ?? shown[at]);
  const present = shown.filter(({ id }) => selected.has(id)).map(idOf);
  const isOpen = (proposal: Proposal | undefined) =>
    proposal !== undefined && !pending.has(proposal.id) && (decided.get(proposal.id) ?? proposal).status === "proposed";
  const isWaiting = isOpen(chosen);

  function open(proposal: Proposal | undefined) {
    const replace = search.proposal !== undefined;
    return navigate({ search: (now) => ({ ...now, proposal: proposal?.id }), replace });
  }
  const step = (by: number) => open(shown[at < 0 ? 0 : Math.min(Math.max(at + by, 0), shown.length - 1)]);
  function toggle(id: string) {
    const next = new Set(present);
    if (!next.delete(id) && next.size < SELECTED_MAX) next.add(id);
    setSelected(next);
  }
  /** By key: on what is selected, else on what is open, and at once on to the next, which the next key is for. */
  function press(action: Action) {
    if (!canWrite) return;
    if (present.length > 0) return void decideSelected(action);
    if (!chosen || !isWaiting) return;
    void decide([chosen.id], action);
    void open(shown.slice(at + 1).find(isOpen) ?? shown.slice(0, at).findLast(isOpen));
  }
  async function decideSelected(action: Action) {
    if (await decide(present, action)) setSelected(new Set());
  }

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: (event) => void (event.repeat || press("accept")),
    r: (event) => void (event.repeat || press("reject")),
    e: () => void (canWrite && chosen && isWaiting && setEdits(chosen)),
    x: () => void (canWrite && chosen && isWaiting && toggle(chosen.id)),
    Escape: () => void (present.length > 0 ? setSelected(new Set()) : chosen && open(undefined)),
  });

  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={
        <>
          {canWrite && <KeyHints />}
          <CopyMenu call={listing} python={["list_inbox", listing.query ?? {}]} />
        </>
      }
    >
      <div className={css.bar}>
        <Select
          label={texts.show}
          hideLabel
          options={[
            { value: "", label: texts.proposed },
            ...DECIDED.map((value) => ({ value, label: texts.decided[value] })),
          ]}
          value={search.decided ?? ""}
          onChange={(next) =>
            navigate({ search: (now) => ({ ...now, proposal: undefined, decided: next || undefined }), replace: true })
          }
        />
        {canWrite && !search.decided && (
          <>
            <Button
              kind="quiet"
              disabled={shown.length === 0}
              onClick={() => setSelected(new Set(shown.slice(0, SELECTED_MAX).map(idOf)))}
            >
              {texts.selectAll}
            </Button>
            <Button disabled={present.length === 0} onClick={() => decideSelected("accept")}>
              {texts.acceptAll}
            </Button>
            <Button kind="danger" disabled={present.length === 0} onClick={() => decideSelected("reject")}>
              {texts.rejectAll}
            </Button>
            <span role="status" className="small soft">
              {present.length > 0 && texts.selected(present.length)}
            </span>
          </>
        )}
      </div>
      <MasterDetail
        back={{ to: "/inbox", search: { ...search, proposal: undefined } }}
        detail={
          search.proposal && (
            <ProposalDetail
              key={search.proposal}
              id={search.proposal}
              known={chosen}
              onDecide={decide}
              onEdit={setEdits}
              onNext={shown[at + 1] && (() => step(1))}
            />
          )
        }
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={
          list.isError && list.items.length === 0 ? (
            <ErrorState error={list.error} onRetry={list.refetch} />
          ) : list.isPending ? (
            <Skeleton lines={12} />
          ) : shown.length === 0 ? (
            <EmptyState
              title={search.decided ? texts.noneDecided : texts.none}
              text={search.decided ? undefined : texts.noneText}
            />
          ) : (
            <div className={css.scroll} onPointerEnter={() => setIsOver(true)} onPointerLeave={() => setIsOver(false)}>
              {waiting > 0 && (
                <Button small onClick={release}>
                  {common.newRows(waiting)}
                </Button>
              )}
              <ul aria-label={texts.list} className={css.rows}>
                {shown.map((proposal) => (
                  <Row
                    key={proposal.id}
                    proposal={decided.get(proposal.id) ?? proposal}
                    search={search}
                    showAgent={!agent}
                    isSelected={selected.has(proposal.id)}
                    onToggle={canWrite && !search.decided ? toggle : undefined}
                  />
                ))}
              </ul>
              {list.hasNextPage ? (
                <Button kind="quiet" pending={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                  {common.loadMore}
                </Button>
              ) : (
                <p className={`small faint ${css.end}`}>{texts.end(shown.length)}</p>
              )}
            </div>
          )
        }
      />
      {edits && (
        <EditForm
          key={edits.id}
          proposal={edits}
          onSave={(changes) => decide([edits.id], Object.keys(changes).length ? "edit" : "accept", changes)}
          onClose={() => setEdits(undefined)}
        />
      )}
    </Frame>
  );
}

function KeyHints() {
  return (
    <ul className={`small faint ${css.keys}`} aria-label={texts.keys.label}>
      {texts.keys.all.map(([keys, what]) => (
        <li key={what}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{" "}
          {what}
        </li>
      ))}
    </ul>
  );
}
