import { Conflict } from "@reverie/client/errors";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";
import { toast, toastError } from "@/components/Toast";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { useRights } from "@/data/session";
import { dreams as texts } from "@/strings/dreams";
import { Refused } from "./Refused";

/** Undoes something, and says what stands in the way. `refused`: what to show then. */
export function useUndo(undo: () => Promise<unknown>, done: string) {
  const [conflict, setConflict] = useState<Conflict>();
  async function run() {
    try {
      await undo();
      toast(done);
    } catch (error) {
      if (error instanceof Conflict) setConflict(error);
      else toastError(error);
    }
    await refresh("/v1/dreams", "/v1/memories", "/v1/stats", "/v1/inbox");
  }
  return { run, refused: conflict && <Refused conflict={conflict} onClose={() => setConflict(undefined)} /> };
}

/** Undoes a dream as a whole, once somebody has confirmed it. */
export function UndoDream({ id, small = false }: { id: string; small?: boolean }) {
  const { canWrite } = useRights();
  const [asks, setAsks] = useState(false);
  const { run, refused } = useUndo(() => api.undoDream(id), texts.undone);
  if (!canWrite) return null;
  return (
    <>
      <Button small={small} icon={<Undo2 />} onClick={() => setAsks(true)}>
        {texts.undo}
      </Button>
      {asks && (
        <Confirm
          title={texts.undoTitle}
          action={texts.undo}
          onClose={() => setAsks(false)}
          onConfirm={async () => {
            await run();
            setAsks(false);
          }}
        >
          <p>{texts.undoText}</p>
        </Confirm>
      )}
      {refused}
    </>
  );
}
