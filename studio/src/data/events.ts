/**
 * What happens in the workspace, as it happens. One tab of a browser reads the stream and gives it to the others: a
 * browser opens few connections to one service, and a key has few streams.
 */

import { Reverie, type ReverieEvent } from "@reverie/client";
import { RETRIES, send } from "./client";
import { presentSession } from "./session";

type Listener = (event: ReverieEvent) => void;

const listeners = new Set<Listener>();

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(event: ReverieEvent) {
  for (const listener of listeners) listener(event);
}

async function read(channel: BroadcastChannel, signal: AbortSignal) {
  function pass(event: ReverieEvent) {
    tell(event);
    channel.postMessage(event);
  }
  const api = new Reverie({
    url: window.location.origin,
    retries: RETRIES,
    async fetch(input, init) {
      const response = await send(input, init);
      // What happened before the stream began, or while it was broken off, is in no event of it.
      if (response.ok) pass({ type: "gap" });
      return response;
    },
  });
  for await (const event of api.streamEvents({}, { signal })) pass(event);
}

/** Follow what happens, with the key of this tab, until the function that is returned is called. */
export function followEvents(): () => void {
  const key = presentSession().current;
  if (!key) return () => undefined;
  const stop = new AbortController();
  const { signal } = stop;
  const name = `reverie-events-${key.id}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => tell(data);
  signal.addEventListener("abort", () => channel.close());
  // Without TLS, a browser has no locks but on its own machine: then each tab reads for itself.
  const reading = navigator.locks
    ? navigator.locks.request(name, { signal }, () => read(channel, signal))
    : read(channel, signal);
  reading.catch(() => undefined);
  return () => stop.abort(new Error("no longer followed"));
}
