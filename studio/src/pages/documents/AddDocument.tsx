import { useNavigate } from "@tanstack/react-router";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextArea, TextField } from "@/components/Field";
import { toast, toastError } from "@/components/Toast";
import { api } from "@/data/client";
import { useDraft } from "@/data/drafts";
import { refresh } from "@/data/queries";
import { documents as texts } from "@/strings/documents";

const ROWS = 12;
const EMPTY = { title: "", text: "", user: "" };

/** Writes a document for an agent; what is written is kept until it is added or thrown away. */
export function AddDocument({ agent, onClose }: { agent: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { value, change, isDirty, discard } = useDraft(`document-${agent}`, EMPTY);
  const isWhole = value.title.trim() !== "" && value.text.trim() !== "";

  async function add() {
    try {
      const added = await api.createDocument(value.title.trim(), value.text, {
        agent,
        user: value.user.trim() || null,
      });
      discard();
      onClose();
      toast(texts.added);
      await refresh("/v1/documents");
      await navigate({ to: "/documents", search: { agent, document: added?.id } });
    } catch (error) {
      toastError(error);
    }
  }

  async function read(files: FileList | null) {
    const [file] = files ?? [];
    if (file) change({ text: await file.text(), title: value.title || file.name });
  }

  return (
    <Dialog
      wide
      title={texts.add}
      isDirty={isDirty}
      onClose={() => {
        discard();
        onClose();
      }}
      actions={
        <Button kind="primary" disabled={!isWhole} onClick={add}>
          {texts.save}
        </Button>
      }
    >
      <TextField label={texts.name} value={value.title} maxLength={500} onChange={(title) => change({ title })} />
      <TextField label={texts.about} hint={texts.userHint} value={value.user} onChange={(user) => change({ user })} />
      <TextArea label={texts.text} rows={ROWS} value={value.text} onChange={(text) => change({ text })} />
      <label className="stack small">
        {texts.file}
        <input type="file" accept="text/*,.md,.csv,.json" onChange={(event) => read(event.target.files)} />
      </label>
    </Dialog>
  );
}
