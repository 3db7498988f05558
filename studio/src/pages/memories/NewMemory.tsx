import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { toast } from "@/components/Toast";
import { errorMessage } from "@/components/text";
import { api } from "@/data/client";
import { useDraft } from "@/data/drafts";
import { refresh } from "@/data/queries";
import { common } from "@/strings/common";
import { memories as texts } from "@/strings/memories";
import { changesSince, emptyForm, problems, type Written } from "./form";
import { MemoryFields } from "./MemoryFields";
import css from "./memories.module.css";

const { form: words } = texts;

/** A dialog that saves a new memory. */
export function NewMemory({
  agent,
  types,
  onClose,
}: {
  agent: string | undefined;
  types: string[];
  onClose: () => void;
}) {
  const initial = useMemo(() => emptyForm(agent), [agent]);
  const draft = useDraft<Written>(`new-memory-${agent ?? ""}`, initial);
  const [wrong, setWrong] = useState<ReturnType<typeof problems>>({});
  const [failure, setFailure] = useState<string>();
  const navigate = useNavigate();

  async function save() {
    const found = problems(draft.value);
    setWrong(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return;
    const { type = "fact", content = "", ...rest } = changesSince(initial, draft.value);
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
    try {
      const saved = await api.saveMemory(type, content, { agent: draft.value.agent.trim(), ...given });
      toast(saved.created ? words.saved : saved.updated ? words.updatedKey : words.reinforced);
      draft.discard();
      onClose();
      await refresh("/v1/memories", "/v1/agents");
      const id = saved.memory?.id;
      if (id) await navigate({ to: "/memories", search: (now) => ({ ...now, memory: id, tab: undefined }) });
    } catch (error) {
      setFailure(errorMessage(error));
    }
  }

  return (
    <Dialog
      wide
      title={words.newTitle}
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
            {words.save}
          </Button>
        </>
      }
    >
      <MemoryFields form={draft.value} change={draft.change} problems={wrong} types={types} isNew asksAgent={!agent} />
      {failure && (
        <p role="alert" className={css.problem}>
          {failure}
        </p>
      )}
    </Dialog>
  );
}
