/** Who has signed in: the keys of this browser, which the service holds in a cookie, and the one this tab uses. */

import { Store, useStore } from "./store";

export interface HeldKey {
  id: string;
  name: string;
  role: "admin" | "agent" | "reader";
  workspace: string;
  /** The only agent of an agent key. */
  agent: string | null;
}

/** Why there is nobody: what the sign-in page says. */
export type Ended = "signed-out" | "revoked";

export interface Session {
  status: "loading" | "ready" | "failed";
  keys: HeldKey[];
  current: HeldKey | undefined;
  ended: Ended | undefined;
  /** What signing in at a provider is called, where there is one. */
  singleSignOn: string | undefined;
}

/** Names a key to use in each call; the cookie alone authenticates nothing. */
export const KEY_HEADER = "X-Reverie-Studio";
const ADDRESS = `${import.meta.env.BASE_URL}session`;
const CHOSEN = "reverie-key";

const endings = new Set<() => void>();
const tabs = new BroadcastChannel("reverie-session");
const store = new Store<Session>({
  status: "loading",
  keys: [],
  current: undefined,
  ended: undefined,
  singleSignOn: undefined,
});

function set(changes: Partial<Session>) {
  const former = store.get().current?.id;
  store.set({ ...store.get(), ...changes });
  if (former && former !== store.get().current?.id) for (const end of endings) end();
}

function remembered(): string | null {
  return sessionStorage.getItem(CHOSEN) ?? localStorage.getItem(CHOSEN);
}

function remember(id: string) {
  sessionStorage.setItem(CHOSEN, id);
  localStorage.setItem(CHOSEN, id);
}

function take(keys: HeldKey[], chosen: string | null | undefined, ended?: Ended) {
  const current = keys.find(({ id }) => id === chosen) ?? keys.at(-1);
  if (current) remember(current.id);
  set({ status: "ready", keys, current, ended: current ? undefined : ended });
}

/** Sends a request about the session. Rejects with TypeError where nothing answers. */
async function ask(method: string, path = "", body?: object): Promise<Response> {
  const headers = { [KEY_HEADER]: "session", "Content-Type": "application/json" };
  return fetch(ADDRESS + path, { method, headers, body: body && JSON.stringify(body) });
}

export async function loadSession(ended?: Ended): Promise<void> {
  try {
    const response = await ask("GET");
    if (!response.ok) throw new Error(`${response.status}`);
    const answer = await response.json();
    set({ singleSignOn: answer.single_sign_on ?? undefined });
    take(answer.keys, answer.signed_in ?? store.get().current?.id ?? remembered(), ended);
  } catch {
    if (store.get().status === "loading") set({ status: "failed" });
  }
}

/** What a sign-in came to: undefined when it succeeded, else what went wrong, as the API says it. */
export async function signIn(key: string): Promise<{ status: number; detail: string } | undefined> {
  const response = await ask("POST", "", { key }).catch(() => undefined);
  if (!response) return { status: 0, detail: "" };
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) return { status: response.status, detail: answer.detail ?? "" };
  take(answer.keys, answer.signed_in);
  tabs.postMessage({ type: "changed" });
  return undefined;
}

/** Where a sign-in at the provider begins, which comes back to this address. */
export function providerAddress(): string {
  const { pathname, search } = window.location;
  return `${import.meta.env.BASE_URL}oidc/start?back=${encodeURIComponent(pathname + search)}`;
}

/** Forget every key, in every tab, and go where the session at the provider ends, if one was begun there. */
export async function signOut(): Promise<void> {
  set({ keys: [], current: undefined, ended: undefined });
  tabs.postMessage({ type: "signed-out" });
  const response = await ask("DELETE").catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  if (answer?.end_session) window.location.assign(answer.end_session);
}

/** Drop a key that the API no longer accepts, in every tab. */
export async function keyRejected(id: string): Promise<void> {
  if (!store.get().keys.some((key) => key.id === id)) return;
  const keys = store.get().keys.filter((key) => key.id !== id);
  const current = store.get().current?.id === id ? undefined : store.get().current;
  set({ keys, current, ended: current ? undefined : "revoked" });
  tabs.postMessage({ type: "revoked", id });
  await ask("DELETE", `/${encodeURIComponent(id)}`).catch(() => undefined);
}

/** Use another of the keys in this tab. */
export function chooseKey(id: string) {
  take(store.get().keys, id);
}

tabs.onmessage = ({ data }: MessageEvent<{ type: string; id?: string }>) => {
  if (data.type === "signed-out") set({ keys: [], current: undefined, ended: "signed-out" });
  if (data.type === "changed") void loadSession();
  if (data.type === "revoked") {
    const keys = store.get().keys.filter(({ id }) => id !== data.id);
    const current = store.get().current?.id === data.id ? undefined : store.get().current;
    set({ keys, current, ended: current ? undefined : "revoked" });
  }
};

/** The session as it is, outside of components. */
export function presentSession(): Session {
  return store.get();
}

/** Calls `end` whenever this tab stops using a key. */
export function onKeyEnd(end: () => void) {
  endings.add(end);
}

export function useSession(): Session {
  return useStore(store);
}

/** What the key of this tab may do. */
export function useRights(): { canWrite: boolean; isAdmin: boolean; ownAgent: string | null } {
  const { current } = useSession();
  return {
    canWrite: current !== undefined && current.role !== "reader",
    isAdmin: current?.role === "admin",
    ownAgent: current?.agent ?? null,
  };
}
