import type { MemoryRecord } from "@reverie/client";
import { getRouteApi } from "@tanstack/react-router";
import { Check, Link2, Pencil, Pin, PinOff, RotateCcw, ThumbsDown, ThumbsUp, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { TypeChip } from "@/components/Chip";
import { CopyMenu, copyText } from "@/components/CopyMenu";
import { Confirm } from "@/components/Dialog";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Tabs } from "@/components/Tabs";
import { attempt } from "@/components/Toast";
import { useKeys } from "@/components/useKeys";
import { api, calls } from "@/data/client";
import { isMissing, refresh, useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { memories as texts } from "@/strings/memories";
import { About } from "./About";
import { EditMemory } from "./EditMemory";
import { History } from "./History";
import { Links } from "./Links";
import css from "./memories.module.css";
import { StateChips } from "./Row";
import { TABS } from "./route";
import { Sources } from "./Sources";

const route = getRouteApi("/memories");
const EVEN_GONE = { include: "deleted,expired" };
const TAB_OPTIONS = TABS.map((value) => ({ value, label: texts.tabs[value] }));
const { actions } = texts;

export function memoryCall(id: string) {
  return calls.getMemory(id, EVEN_GONE);
}

const reread = () => refresh("/v1/memories");

export function MemoryDetail({ id }: { id: string }) {
  const call = memoryCall(id);
  const { data: memory, error, isPending, refetch } = useCall(call);
  const { tab = "about" } = route.useSearch();
  const navigate = route.useNavigate();
  const { canWrite } = useRights();
  const [isEditing, setIsEditing] = useState(false);
  const isLive = memory !== undefined && memory.deleted_at === null && memory.superseded_by === null;
  const canEdit = canWrite && isLive && memory.type !== "insight";

  useKeys({
    e: () => canEdit && setIsEditing(true),
    p: () => void (canEdit && pin(memory)),
    "#": () => void (canWrite && memory?.deleted_at === null && remove(id)),
  });

  if (isMissing(error)) return <EmptyState title={texts.missing} text={texts.missingText} />;
  if (error && !memory) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !memory) return <Skeleton />;
  return (
    <article className="stack" aria-label={memory.content}>
      <div className="row">
        <TypeChip type={memory.type} />
        <StateChips memory={memory} />
        <span className="grow" />
        <Button
          kind="quiet"
          small
          icon={<Link2 />}
          aria-label={actions.copyLink}
          onClick={() => copyText(window.location.href)}
        />
        <CopyMenu call={call} python={["get_memory", { memory_id: id, ...EVEN_GONE }]} />
      </div>
      <p className={`words ${css.whole}`}>{memory.content}</p>
      {canWrite && <Actions memory={memory} isLive={isLive} onEdit={canEdit ? () => setIsEditing(true) : undefined} />}
      <Tabs
        label={texts.tabs.label}
        tabs={TAB_OPTIONS}
        value={tab}
        onChange={(next) => navigate({ search: (now) => ({ ...now, tab: next }), replace: true })}
      >
        {tab === "about" && <About memory={memory} />}
        {tab === "history" && <History memory={memory} canRevert={canEdit} />}
        {tab === "sources" && <Sources memory={memory} />}
        {tab === "links" && <Links memory={memory} canWrite={canWrite && isLive} />}
      </Tabs>
      {isEditing && <EditMemory memory={memory} onClose={() => setIsEditing(false)} />}
    </article>
  );
}

async function pin({ id, version, decay_exempt }: MemoryRecord) {
  await attempt(
    () => api.updateMemory(id, version, { decay_exempt: !decay_exempt }),
    decay_exempt ? actions.unpinned : actions.pinned,
  );
  await reread();
}

async function remove(id: string) {
  await attempt(
    () => api.deleteMemory(id),
    actions.deleted,
    async () => {
      await api.restoreMemory(id);
      await reread();
    },
  );
  await reread();
}

async function restore(id: string) {
  await attempt(() => api.restoreMemory(id), actions.restored);
  await reread();
}

async function mark({ id, version }: MemoryRecord, status: "open" | "done") {
  await attempt(() => api.updateMemory(id, version, { status }), status === "done" ? actions.isDone : actions.isOpen);
  await reread();
}

async function rate(id: string, isUseful: boolean) {
  await attempt(async () => {
    const { importance } = await api.rateMemory(id, isUseful);
    await attempt(async () => undefined, actions.rated(importance.toFixed(2)));
  });
  await reread();
}

function Actions({
  memory,
  isLive,
  onEdit,
}: {
  memory: MemoryRecord;
  isLive: boolean;
  onEdit: (() => void) | undefined;
}) {
  const [isUndoing, setIsUndoing] = useState(false);
  if (memory.deleted_at !== null) {
    return (
      <div className="row">
        <Button kind="primary" icon={<RotateCcw aria-hidden="true" />} onClick={() => restore(memory.id)}>
          {actions.restore}
        </Button>
      </div>
    );
  }
  return (
    <div className="row">
      {onEdit && (
        <>
          <Button small icon={<Pencil aria-hidden="true" />} aria-keyshortcuts="e" onClick={onEdit}>
            {actions.edit}
          </Button>
          <Button
            small
            icon={memory.decay_exempt ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
            aria-keyshortcuts="p"
            onClick={() => pin(memory)}
          >
            {memory.decay_exempt ? actions.unpin : actions.pin}
          </Button>
        </>
      )}
      {isLive && memory.type === "todo" && (
        <Button
          small
          icon={<Check aria-hidden="true" />}
          onClick={() => mark(memory, memory.status === "done" ? "open" : "done")}
        >
          {memory.status === "done" ? actions.reopen : actions.done}
        </Button>
      )}
      {isLive && memory.source.kind === "summary" && (
        <Button small icon={<Undo2 aria-hidden="true" />} onClick={() => setIsUndoing(true)}>
          {actions.undoSummary}
        </Button>
      )}
      <Button
        small
        kind="danger"
        icon={<Trash2 aria-hidden="true" />}
        aria-keyshortcuts="#"
        onClick={() => remove(memory.id)}
      >
        {actions.delete}
      </Button>
      <span className="grow" />
      {isLive && (
        <>
          <Button
            kind="quiet"
            small
            icon={<ThumbsUp />}
            aria-label={actions.useful}
            onClick={() => rate(memory.id, true)}
          />
          <Button
            kind="quiet"
            small
            icon={<ThumbsDown />}
            aria-label={actions.notUseful}
            onClick={() => rate(memory.id, false)}
          />
        </>
      )}
      {isUndoing && (
        <Confirm
          title={actions.undoSummaryTitle}
          action={actions.undoSummary}
          onClose={() => setIsUndoing(false)}
          onConfirm={async () => {
            if (await attempt(() => api.undoSummary(memory.id), actions.summaryUndone)) setIsUndoing(false);
            await reread();
          }}
        >
          <p>{actions.undoSummaryText}</p>
        </Confirm>
      )}
    </div>
  );
}
