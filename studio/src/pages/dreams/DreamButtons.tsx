import { FlaskConical, Moon } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Select } from "@/components/Field";
import { attempt } from "@/components/Toast";
import { useAgent, useAgents } from "@/data/agents";
import { api, calls } from "@/data/client";
import { refresh, useCall } from "@/data/queries";
import { common } from "@/strings/common";
import { dreams as texts } from "@/strings/dreams";
import { isOver } from "./report";

const NEWEST = 5;

/** Dream now, and a dry run. `onBegun` is given the dream's id. While a dream of the agent is under way, none is added. */
export function DreamButtons({ onBegun }: { onBegun: (id: string) => void }) {
  const agent = useAgent();
  const [asksWhich, setAsksWhich] = useState<{ dry: boolean }>();
  const newest = useCall(calls.listDreams({ agent, limit: NEWEST }), { enabled: agent !== undefined });
  const underWay = newest.data?.items.some((dream) => !isOver(dream)) ?? false;

  async function begin(agent: string, dry: boolean) {
    await attempt(async () => {
      const { id } = await api.requestDream(agent, { dry_run: dry });
      setAsksWhich(undefined);
      onBegun(id);
      await refresh("/v1/dreams");
    });
  }

  const ask = (dry: boolean) => (agent === undefined ? setAsksWhich({ dry }) : begin(agent, dry));
  return (
    <>
      {(
        [
          [true, texts.dryRun, <FlaskConical key="dry" />],
          [false, texts.dreamNow, <Moon key="now" />],
        ] as const
      ).map(([dry, label, icon]) => (
        <Button
          key={label}
          kind={dry ? undefined : "primary"}
          icon={icon}
          pending={underWay}
          title={underWay ? texts.underWay : undefined}
          onClick={() => ask(dry)}
        >
          {label}
        </Button>
      ))}
      {asksWhich && (
        <WhichAgent
          action={asksWhich.dry ? texts.dryRun : texts.dreamNow}
          onChoose={(agent) => begin(agent, asksWhich.dry)}
          onClose={() => setAsksWhich(undefined)}
        />
      )}
    </>
  );
}

function WhichAgent({
  action,
  onChoose,
  onClose,
}: {
  action: string;
  onChoose: (agent: string) => Promise<void>;
  onClose: () => void;
}) {
  const { data: agents } = useAgents();
  const [chosen, setChosen] = useState("");
  const agent = chosen || agents?.[0];
  return (
    <Dialog
      title={texts.whichAgent}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={agent === undefined} onClick={() => agent && onChoose(agent)}>
            {action}
          </Button>
        </>
      }
    >
      {agents?.length === 0 ? (
        <p className="soft">{texts.noAgents}</p>
      ) : (
        <Select
          label={texts.agent}
          options={(agents ?? []).map((name) => ({ value: name, label: name }))}
          value={agent ?? ""}
          onChange={setChosen}
        />
      )}
    </Dialog>
  );
}
