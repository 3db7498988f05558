import { Eraser, FoldVertical } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";
import { attempt } from "@/components/Toast";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { sessions as texts } from "@/strings/sessions";

/** What can be done with the window of a session. */
export function WindowActions({ agent, session }: { agent: string; session: string }) {
  const [asked, setAsked] = useState<"compact" | "clear">();

  async function act(action: () => Promise<unknown>, done: string) {
    if (await attempt(action, done)) setAsked(undefined);
    await refresh("/v1/sessions", "/v1/memories");
  }

  return (
    <>
      <Button small icon={<FoldVertical aria-hidden="true" />} onClick={() => setAsked("compact")}>
        {texts.compact}
      </Button>
      <Button small icon={<Eraser aria-hidden="true" />} onClick={() => setAsked("clear")}>
        {texts.clearWindow}
      </Button>
      {asked === "compact" && (
        <Confirm
          title={texts.compactTitle}
          action={texts.compact}
          onClose={() => setAsked(undefined)}
          onConfirm={() => act(() => api.compactWindow(session, { agent }), texts.compacted)}
        >
          <p>{texts.compactText}</p>
        </Confirm>
      )}
      {asked === "clear" && (
        <Confirm
          danger
          title={texts.clearTitle}
          action={texts.clearWindow}
          onClose={() => setAsked(undefined)}
          onConfirm={() => act(() => api.clearWindow(session, { agent }), texts.cleared)}
        >
          <p>{texts.clearText}</p>
        </Confirm>
      )}
    </>
  );
}
