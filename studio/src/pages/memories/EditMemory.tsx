import type { MemoryRecord } from "@reverie/client";
import { Conflict } from "@reverie/client/errors";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Diff } from "@/components/Diff";
import { toast } from "@/components/Toast";
import { errorMessage } from "@/components/text";
import { api } from "@/data/client";
import { useDraft } from "@/data/drafts";
import { useMemoryTypes } from "@/data/memory-types";
import { refresh } from "@/data/queries";
import { common } from "@/strings/common";
import { memories as texts } from "@/strings/memories";
import { plain } from "./About";
import { changesSince, formOf, problems, values, type Written } from "./form";
import { MemoryFields } from "./MemoryFields";
import css from "./memories.module.css";

const { form: words } = texts;

/** What is written, and the memory as it was seen when that began. */
interface Edit {
  form: Written;
  seen: MemoryRecord;
}

/** A dialog that changes a memory as it was last seen; what others changed meanwhile is shown before it is saved over. */
export function EditMemory({ memory, onClose }: { memory: MemoryRecord; onClose: () => void }) {
  // What is seen stays that of the opening, while the memory behind the dialog follows changes.
  const [opened] = useState<Edit>({ form: formOf(memory), seen: memory });
  const draft = useDraft<Edit>(`memory-${memory.id}`, opened);
  const [theirs, setTheirs] = useState<{ before: MemoryRecord; after: MemoryRecord }>();
  const [wrong, setWrong] = useState<ReturnType<typeof problems>>({});
  const [failure, setFailure] = useState<string>();
  const types = useMemoryTypes();
  const { form, seen } = draft.value;
  const changes = changesSince(formOf(seen), form);

  function done() {
    draft.discard();
    onClose();
  }

  async function save() {
    const found = problems(form);
    setWrong(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return;
    if (Object.keys(changes).length === 0) return done();
    const reason = form.reason.trim();
    try {
      await api.updateMemory(memory.id, seen.version, { ...changes, ...(reason ? { reason } : {}) });
    } catch (error) {
      await explain(error);
      return;
    }
    toast(words.changed);
    done();
    await refresh("/v1/memories");
  }

  async function explain(error: unknown) {
    if (!(error instanceof Conflict)) return setFailure(errorMessage(error));
    const present = await api.getMemory(memory.id).catch(() => undefined);
    if (!present || present.version === seen.version) return setFailure(errorMessage(error));
    setTheirs({ before: seen, after: present });
    // What is not changed here is theirs; what is, stays.
    const taken = formOf(present);
    const kept = Object.keys(changes) as (keyof Written)[];
    const merged = { ...taken, reason: form.reason };
    for (const name of kept) Object.assign(merged, { [name]: form[name] });
    draft.change({ seen: present, form: merged });
  }

  return (
    <Dialog
      wide
      title={words.editTitle}
      onClose={onClose}
      actions={
        <>
          {draft.isDirty && (
            <Button kind="quiet" onClick={draft.discard}>
              {words.discard}
            </Button>
          )}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" onClick={save}>
            {theirs ? words.saveOver : words.save}
          </Button>
        </>
      }
    >
      {theirs && <Theirs {...theirs} form={form} />}
      <MemoryFields
        form={form}
        change={(written) => draft.change({ form: { ...form, ...written } })}
        problems={wrong}
        types={types}
      />
      {failure && (
        <p role="alert" className={css.problem}>
          {failure}
        </p>
      )}
    </Dialog>
  );
}

function Theirs({ before, after, form }: { before: MemoryRecord; after: MemoryRecord; form: Written }) {
  const theirs = changesSince(formOf(before), formOf(after));
  const mine = changesSince(formOf(after), form);
  return (
    <div role="alert" className={`stack ${css.conflict}`}>
      <strong>{words.conflict}</strong>
      <span className="small">{words.theirs}</span>
      <Differences before={values(formOf(before))} changes={theirs} />
      {Object.keys(mine).length > 0 && (
        <>
          <span className="small">{words.conflictSave}</span>
          <Differences before={values(formOf(after))} changes={mine} />
        </>
      )}
    </div>
  );
}

function Differences({ before, changes }: { before: object; changes: object }) {
  const former = before as Record<string, unknown>;
  return Object.entries(changes).map(([name, value]) =>
    name === "content" ? (
      <Diff key={name} before={`${former[name]}`} after={`${value}`} />
    ) : (
      <p key={name} className="words small">
        {texts.history.change(name.replaceAll("_", " "), plain(former[name]), plain(value))}
      </p>
    ),
  );
}
