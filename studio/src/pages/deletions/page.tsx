import type { Item } from "@reverie/client";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import { Page as Frame } from "@/components/Page";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { useAgent, useChooseAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { common } from "@/strings/common";
import { deletions as texts } from "@/strings/deletions";
import { Counts, Delete, type Target, undoDeletion } from "./Delete";

type Deletion = Item<"list_deletions">;

function Row({ one }: { one: Deletion }) {
  const { canWrite, isAdmin } = useRights();
  const isOver = Date.parse(one.restorable_until) <= Date.now();
  const mayUndo = isAdmin || (canWrite && one.kind === "session");
  return (
    <li className="card stack">
      <div className="row">
        <Chip>{texts.kinds[one.kind]}</Chip>
        <strong className="words">{one.name}</strong>
        {one.kind === "session" && one.agent && <span className="soft">{texts.of(one.agent)}</span>}
        <span className="grow" />
        {one.restored_at ? (
          <Chip tone="good">{texts.undone}</Chip>
        ) : (
          !isOver &&
          mayUndo && (
            <Button small onClick={() => undoDeletion(one.id, one.name)}>
              {texts.undo}
            </Button>
          )
        )}
      </div>
      <Counts counts={one.counts} />
      <p className="row small soft">
        <Time value={one.deleted_at} />
        <span>{texts.by(one.deleted_by)}</span>
        {!one.restored_at && isOver && <span>{texts.over}</span>}
        {!one.restored_at && !isOver && (
          <span>
            {texts.until} <Time value={one.restorable_until} exact />
          </span>
        )}
      </p>
    </li>
  );
}

/** Asks for the name of a team. */
function WhichTeam({ onClose, onChoose }: { onClose: () => void; onChoose: (team: string) => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog
      title={texts.deleteTeam}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={!name.trim()} onClick={() => onChoose(name.trim())}>
            {texts.counts}
          </Button>
        </>
      }
    >
      <TextField label={texts.team} value={name} onChange={setName} />
    </Dialog>
  );
}

export function Page() {
  const agent = useAgent();
  const choose = useChooseAgent();
  const { isAdmin } = useRights();
  const [target, setTarget] = useState<Target | "team">();
  const listing = calls.listDeletions();
  const list = useList(listing);
  const close = () => setTarget(undefined);

  return (
    <Frame
      title={texts.title}
      explanation={texts.explanation}
      actions={
        <>
          <CopyMenu call={listing} python={["list_deletions", {}]} />
          {isAdmin && <Button onClick={() => setTarget("team")}>{texts.deleteTeam}</Button>}
          {isAdmin && agent && (
            <Button kind="danger" icon={<Trash2 />} onClick={() => setTarget({ kind: "agent", name: agent })}>
              {texts.deleteAgent(agent)}
            </Button>
          )}
        </>
      }
    >
      {list.isError && list.items.length === 0 ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : list.isPending ? (
        <Skeleton lines={6} />
      ) : list.items.length === 0 ? (
        <EmptyState title={texts.none} text={texts.noneText} />
      ) : (
        <ul className="stack" aria-label={texts.list}>
          {list.items.map((one) => (
            <Row key={one.id} one={one} />
          ))}
        </ul>
      )}
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{common.loadMore}</Button>}
      {target === "team" && <WhichTeam onClose={close} onChoose={(name) => setTarget({ kind: "team", name })} />}
      {target && target !== "team" && (
        <Delete target={target} onClose={close} onDone={() => target.kind === "agent" && choose(undefined)} />
      )}
    </Frame>
  );
}
