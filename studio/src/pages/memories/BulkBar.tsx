import type { MemoryRecord } from "@reverie/client";
import { Pin, PinOff, RotateCcw, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import type { Selection } from "@/components/selection";
import { memories as texts } from "@/strings/memories";
import { deleteAll, pinAll, restoreAll, tagAll } from "./bulk";
import css from "./memories.module.css";

/** What can be done with the memories that are selected. */
export function BulkBar({ items, selection }: { items: readonly MemoryRecord[]; selection: Selection }) {
  const [isTagging, setIsTagging] = useState(false);
  const [tag, setTag] = useState("");
  const { bulk } = texts;
  const chosen = items.filter(({ id }) => selection.keys.has(id));
  const isGone = chosen.every(({ deleted_at }) => deleted_at !== null);
  const isPinned = chosen.every(({ decay_exempt }) => decay_exempt);

  async function act(change: Promise<unknown>) {
    await change;
    selection.clear();
  }

  return (
    <section aria-label={bulk.bar} className={css.bulk}>
      <strong role="status">{bulk.selected(chosen.length)}</strong>
      <Button kind="quiet" small onClick={() => selection.set(items.map(({ id }) => id))}>
        {bulk.all}
      </Button>
      <Button kind="quiet" small onClick={selection.clear}>
        {bulk.none}
      </Button>
      <span className="grow" />
      {isGone ? (
        <Button small icon={<RotateCcw aria-hidden="true" />} onClick={() => act(restoreAll(chosen))}>
          {bulk.restore}
        </Button>
      ) : (
        <>
          <Button small icon={<Tag aria-hidden="true" />} onClick={() => setIsTagging(true)}>
            {bulk.tag}
          </Button>
          <Button
            small
            icon={isPinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
            onClick={() => act(pinAll(chosen, !isPinned))}
          >
            {isPinned ? bulk.unpin : bulk.pin}
          </Button>
          <Button small kind="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => act(deleteAll(chosen))}>
            {bulk.delete}
          </Button>
        </>
      )}
      {isTagging && (
        <Dialog
          title={bulk.tagTitle(chosen.length)}
          isDirty={tag !== ""}
          onClose={() => setIsTagging(false)}
          actions={
            <Button
              kind="primary"
              disabled={!tag.trim()}
              onClick={async () => {
                await act(tagAll(chosen, tag.trim()));
                setIsTagging(false);
              }}
            >
              {bulk.tag}
            </Button>
          }
        >
          <TextField label={texts.filter.tag} value={tag} onChange={setTag} autoFocus />
        </Dialog>
      )}
    </section>
  );
}
