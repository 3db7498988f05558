import type { Schemas } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { CopyButton } from "@/components/CopyMenu";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import { toastError } from "@/components/Toast";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { people as texts } from "@/strings/people";

/** Asks for the name before a purge, and shows its receipt. */
export function Purge({ user, onClose, onDone }: { user: string; onClose: () => void; onDone: () => void }) {
  const [typed, setTyped] = useState("");
  const [receipt, setReceipt] = useState<Schemas["PurgeReceipt"]["receipt"]>();

  async function purge() {
    try {
      setReceipt((await api.purgeUser(user)).receipt);
      await refresh("/v1");
    } catch (error) {
      toastError(error);
    }
  }

  if (receipt) {
    const text = JSON.stringify(receipt, null, 2);
    return (
      <Dialog
        title={texts.receipt}
        onClose={onDone}
        actions={
          <Button kind="primary" onClick={onDone}>
            {texts.close}
          </Button>
        }
      >
        <div className="row">
          <p className="soft grow">{texts.receiptText}</p>
          <CopyButton text={text} />
        </div>
        <pre>{text}</pre>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={texts.purgeTitle(user)}
      onClose={onClose}
      actions={
        <Button kind="danger" disabled={typed !== user} onClick={purge}>
          {texts.purge}
        </Button>
      }
    >
      <p>{texts.purgeText}</p>
      <TextField label={texts.purgeType(user)} value={typed} onChange={setTyped} autoComplete="off" />
    </Dialog>
  );
}
