import type { Body } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Checkbox, TextField } from "@/components/Field";
import { toastError } from "@/components/Toast";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { engine as all } from "@/strings/engine";

const { webhooks: texts } = all;
const EVENTS = [
  "memory.created",
  "memory.updated",
  "memory.superseded",
  "memory.deleted",
  "memory.restored",
  "dream.started",
  "dream.finished",
  "dream.failed",
  "dream.undone",
  "proposal.created",
  "window.compacted",
] as const satisfies NonNullable<Body<"create_webhook">["events"]>;
type Event = (typeof EVENTS)[number];

/** Names where events are sent to, and which. */
export function AddWebhook({ onClose, onAdded }: { onClose: () => void; onAdded: (secret: string) => void }) {
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const [events, setEvents] = useState<Event[]>([]);

  async function add() {
    try {
      const made = await api.createWebhook({
        url: url.trim(),
        name: name.trim() || null,
        events: events.length ? events : null,
      });
      onClose();
      onAdded(made.secret);
      await refresh("/v1/webhooks");
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Dialog
      title={texts.add}
      isDirty={url !== ""}
      onClose={onClose}
      actions={
        <Button kind="primary" disabled={url.trim() === ""} onClick={add}>
          {texts.add}
        </Button>
      }
    >
      <TextField label={texts.url} type="url" placeholder="https://" value={url} onChange={setUrl} />
      <TextField label={texts.name} value={name} onChange={setName} />
      <fieldset className="stack">
        <legend className="small">{texts.events}</legend>
        <p className="small faint">{texts.eventsHint}</p>
        {EVENTS.map((event) => (
          <Checkbox
            key={event}
            label={event}
            checked={events.includes(event)}
            onChange={(on) => setEvents(EVENTS.filter((one) => (one === event ? on : events.includes(one))))}
          />
        ))}
      </fieldset>
    </Dialog>
  );
}
