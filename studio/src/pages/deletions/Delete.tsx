import type { Answer } from "@reverie/client";
import type { Call } from "@reverie/client/call";
import { useEffect, useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { ErrorState } from "@/components/States";
import { attempt, toast, toastError } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh } from "@/data/queries";
import { common } from "@/strings/common";
import { deletions as texts } from "@/strings/deletions";

type Deleted = Answer<"delete_session">;
export type Target =
  | { kind: "session"; name: string; agent: string }
  | { kind: "agent"; name: string }
  | { kind: "team"; name: string };

function counting(target: Target): Call<Deleted> {
  if (target.kind === "session") return calls.countSession(target.name, { agent: target.agent });
  return target.kind === "agent" ? calls.countAgent(target.name) : calls.countTeam(target.name);
}

function deleting(target: Target, token: string): Call<Deleted> {
  if (target.kind === "session") return calls.deleteSession(target.name, token, { agent: target.agent });
  return target.kind === "agent" ? calls.deleteAgent(target.name, token) : calls.deleteTeam(target.name, token);
}

/** The rows of a deletion by table. */
export function Counts({ counts }: { counts: Record<string, number> }) {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <span className="num">{some.map(([table, count]) => texts.rows(table, count)).join(", ") || texts.nothing}</span>
  );
}

/** Brings back what a deletion took. */
export function undoDeletion(id: string, name: string): Promise<boolean> {
  return attempt(async () => {
    await api.undoDeletion(id);
    await refresh("/v1");
  }, texts.broughtBack(name));
}

/** Counts what goes with a session, an agent or a team, and deletes it once that is confirmed. */
export function Delete({ target, onClose, onDone }: { target: Target; onClose: () => void; onDone: () => unknown }) {
  const [counted, setCounted] = useState<Deleted>();
  const [failed, setFailed] = useState<unknown>();
  const { kind, name } = target;

  async function count() {
    setFailed(undefined);
    await api.send(counting(target)).then(setCounted, setFailed);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted when it is opened, and after a refusal
  useEffect(() => void count(), []);

  async function confirm(token: string) {
    try {
      const { deletion_id } = await api.send(deleting(target, token));
      toast(texts.deleted(name), deletion_id ? () => undoDeletion(deletion_id, name) : undefined);
    } catch (error) {
      toastError(error);
      return count();
    }
    onClose();
    await onDone();
    await refresh("/v1");
  }

  const token = counted?.token;
  return (
    <Dialog
      title={texts.ask(name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="danger" disabled={!token} onClick={() => token && confirm(token)}>
            {texts.confirm}
          </Button>
        </>
      }
    >
      {failed ? (
        <ErrorState error={failed} onRetry={count} />
      ) : (
        <div className="stack">
          <p>{texts.texts[kind]}</p>
          <section aria-label={texts.counts} aria-busy={counted === undefined}>
            {counted ? <Counts counts={counted.counts} /> : texts.counting}
          </section>
        </div>
      )}
    </Dialog>
  );
}
