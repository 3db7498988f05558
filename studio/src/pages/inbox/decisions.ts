/** Deciding on proposals: one or several, with what was decided on here kept until it is read again. */

import type { Fields, Item } from "@reverie/client";
import { useState } from "react";
import { toast, toastError } from "@/components/Toast";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { inbox as texts } from "@/strings/inbox";

export type Proposal = Item<"list_inbox">;
export type Action = "accept" | "edit" | "reject" | "reopen";
type Changes = Fields<"decide_proposal", "action">;

export function useDecisions() {
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const [decided, setDecided] = useState<ReadonlyMap<string, Proposal>>(new Map());

  /** Whether it succeeded. */
  async function decide(ids: string[], action: Action, changes?: Changes): Promise<boolean> {
    const [first, ...more] = ids;
    if (first === undefined) return false;
    setPending((now) => new Set([...now, ...ids]));
    try {
      const answers =
        more.length === 0
          ? [await api.decideProposal(first, action, changes)]
          : (await api.decideProposals(ids, action)).items;
      setDecided((now) => new Map([...now, ...answers.map(({ proposal }) => [proposal.id, proposal] as const)]));
      toast(texts.done[action](ids.length), action === "reject" ? () => decide(ids, "reopen") : undefined);
    } catch (error) {
      toastError(error);
      await refresh("/v1/inbox");
      return false;
    } finally {
      setPending((now) => new Set([...now].filter((id) => !ids.includes(id))));
    }
    await refresh("/v1/inbox", "/v1/memories", "/v1/stats");
    return true;
  }
  return { decided, pending, decide };
}
