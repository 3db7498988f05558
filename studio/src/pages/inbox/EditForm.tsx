import type { Fields } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Select, TextArea, TextField } from "@/components/Field";
import { useDraft } from "@/data/drafts";
import { useMemoryTypes } from "@/data/memory-types";
import { common } from "@/strings/common";
import { inbox as texts } from "@/strings/inbox";
import type { Proposal } from "./decisions";

type Changes = Fields<"decide_proposal", "action">;
const { form: words } = texts;

/** Accepts a proposal with changes. `onSave` is given what was changed. */
export function EditForm({
  proposal,
  onSave,
  onClose,
}: {
  proposal: Proposal;
  onSave: (changes: Changes) => Promise<boolean>;
  onClose: () => void;
}) {
  const [initial] = useState({ content: proposal.content, type: proposal.type, user: proposal.user ?? "" });
  const { value, change, isDirty, discard } = useDraft(`proposal-${proposal.id}`, initial);
  const types = useMemoryTypes().filter((type) => type !== "insight");
  const isEmpty = value.content.trim() === "";

  async function save() {
    const changes = {
      ...(value.content !== initial.content && { content: value.content }),
      ...(value.type !== initial.type && { type: value.type }),
      ...(value.user !== initial.user && { user: value.user.trim() || null }),
    } as Changes;
    if (isEmpty || !(await onSave(changes))) return;
    discard();
    onClose();
  }
  function leave() {
    discard();
    onClose();
  }

  return (
    <Dialog
      title={words.title}
      isDirty={isDirty}
      onClose={leave}
      actions={
        <>
          <Button onClick={leave}>{common.cancel}</Button>
          <Button kind="primary" disabled={isEmpty} onClick={save}>
            {words.save}
          </Button>
        </>
      }
    >
      <TextArea
        label={words.content}
        maxLength={8_000}
        value={value.content}
        problem={isEmpty ? words.noContent : undefined}
        onChange={(content) => change({ content })}
      />
      <Select
        label={words.type}
        options={types.map((type) => ({ value: type, label: type }))}
        value={value.type}
        onChange={(type) => change({ type })}
      />
      <TextField label={words.user} maxLength={200} value={value.user} onChange={(user) => change({ user })} />
    </Dialog>
  );
}
