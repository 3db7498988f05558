import type { ContextAnswer } from "@reverie/client";
import { getRouteApi } from "@tanstack/react-router";
import { useRef } from "react";
import { Chip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { Diff } from "@/components/Diff";
import { Checkbox, Select, TextField } from "@/components/Field";
import { NumberField } from "@/components/NumberField";
import { Viewer } from "@/components/Owners";
import { Page as Frame } from "@/components/Page";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Tabs } from "@/components/Tabs";
import { useKeys } from "@/components/useKeys";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { context as texts } from "@/strings/context";
import css from "./context.module.css";
import { type ContextAddress, MESSAGES, TOKENS_MAX } from "./route";
import { Sections } from "./Sections";

const route = getRouteApi("/context");
const VIEWS = [
  { value: "sections", label: texts.bySection },
  { value: "sent", label: texts.asSent },
] as const;
const DIFF = { value: "diff", label: texts.diff } as const;

type Own = Pick<ContextAddress, "m" | "max_tokens" | "messages">;

function callOf(address: ContextAddress, { m, max_tokens, messages }: Own, agent: string) {
  const { session, user, placement } = address;
  return calls.buildContext(m ?? "", { agent, session, user, placement, max_tokens, include_messages: messages });
}

function OwnFields({ name, value, onChange }: { name?: string; value: Own; onChange: (changes: Own) => void }) {
  return (
    <fieldset className={css.fields}>
      {name && <legend>{texts.settings(name)}</legend>}
      <NumberField
        label={texts.maxTokens}
        max={TOKENS_MAX}
        placeholder={texts.asSet}
        value={value.max_tokens}
        onChange={(max_tokens) => onChange({ max_tokens })}
      />
      <Select
        label={texts.messages}
        options={(["", ...MESSAGES] as const).map((one) => ({ value: one, label: texts.messagesOptions[one] }))}
        value={value.messages ?? ""}
        onChange={(messages) => onChange({ messages: messages || undefined })}
      />
    </fieldset>
  );
}

const sentText = (answer: ContextAnswer) =>
  answer.messages
    .map(({ role, content }) => `${role}\n${typeof content === "string" ? content : JSON.stringify(content, null, 2)}`)
    .join("\n\n");

function Shown({
  name,
  state,
  address,
}: {
  name?: string;
  state: { data?: ContextAnswer; error: unknown; refetch: () => unknown };
  address: ContextAddress;
}) {
  const { data, error } = state;
  if (error) return <ErrorState error={error} onRetry={state.refetch} />;
  if (!data) return <Skeleton lines={8} />;
  return (
    <section className="stack" aria-label={name ?? texts.title}>
      <output className="row">
        {name && <Chip tone="accent">{name}</Chip>}
        <strong className="num">{texts.total(data.tokens)}</strong>
        <Viewer of={data.viewer} />
      </output>
      {data.degraded && <p role="alert">{texts.degraded(data.degraded.reason, data.degraded.fallback)}</p>}
      {address.view === "sent" ? (
        <div className="stack">
          {data.messages.map(({ role, content }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of a prompt have no other identity
            <div key={at}>
              <h3>{role}</h3>
              <pre className="words">{typeof content === "string" ? content : JSON.stringify(content, null, 2)}</pre>
            </div>
          ))}
        </div>
      ) : (
        <Sections answer={data} address={address} />
      )}
    </section>
  );
}

export function Page() {
  const agent = useAgent();
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const isAsked = agent !== undefined && address.m !== undefined;
  const isCompared = address.compare === true;
  const second: Own = {
    m: address.with_m ?? address.m,
    max_tokens: address.with_max_tokens,
    messages: address.with_messages,
  };

  const call = callOf(address, address, agent ?? "");
  const first = useCall(call, { enabled: isAsked, keepPrevious: true });
  const other = useCall(callOf(address, second, agent ?? ""), { enabled: isAsked && isCompared, keepPrevious: true });

  const set = (changes: Partial<ContextAddress>) =>
    navigate({ search: (now) => ({ ...now, ...changes }), replace: true });
  const [message, setMessage] = useTyped(address.m ?? "", (m) => set({ m: m.trim() || undefined }));
  const [session, setSession] = useTyped(address.session ?? "", (name) => set({ session: name.trim() || undefined }));
  const [user, setUser] = useTyped(address.user ?? "", (name) => set({ user: name.trim() || undefined }));
  useKeys({ "/": () => field.current?.focus() });

  const tabs = isCompared ? [...VIEWS, DIFF] : VIEWS;
  const view = tabs.find(({ value }) => value === address.view)?.value ?? "sections";
  const names = isCompared ? (["A", "B"] as const) : ([undefined, undefined] as const);
  return (
    <Frame
      title={texts.title}
      explanation={texts.explanation}
      actions={<CopyMenu call={call} python={["build_context", call.body ?? {}]} />}
    >
      <div className="card stack">
        <TextField
          ref={field}
          label={texts.message}
          placeholder={`${texts.noMessage}  /`}
          value={message}
          onChange={setMessage}
        />
        <div className={css.fields}>
          <TextField label={texts.session} value={session} onChange={setSession} />
          <TextField label={texts.user} value={user} onChange={setUser} />
          <Select
            label={texts.placement}
            options={(["system", "user"] as const).map((one) => ({ value: one, label: texts.placements[one] }))}
            value={address.placement ?? "system"}
            onChange={(placement) => set({ placement: placement === "user" ? placement : undefined })}
          />
        </div>
        <OwnFields name={names[0]} value={address} onChange={set} />
        {isCompared && (
          <OwnFields
            name={names[1]}
            value={second}
            onChange={(changes) =>
              set(Object.fromEntries(Object.entries(changes).map(([name, value]) => [`with_${name}`, value])))
            }
          />
        )}
        <Checkbox label={texts.compare} checked={isCompared} onChange={(on) => set({ compare: on || undefined })} />
      </div>
      {agent === undefined ? (
        <EmptyState title={texts.noAgent} text={texts.noAgentText} />
      ) : !isAsked ? (
        <EmptyState title={texts.noMessage} text={texts.noMessageText} />
      ) : (
        <Tabs
          label={texts.view}
          tabs={tabs}
          value={view}
          onChange={(to) => navigate({ search: (now) => ({ ...now, view: to === "sections" ? undefined : to }) })}
        >
          {view === "diff" ? (
            first.data && other.data ? (
              <Difference before={sentText(first.data)} after={sentText(other.data)} />
            ) : (
              <Skeleton />
            )
          ) : (
            <div className={isCompared ? css.pair : undefined}>
              <Shown name={names[0]} state={first} address={address} />
              {isCompared && <Shown name={names[1]} state={other} address={address} />}
            </div>
          )}
        </Tabs>
      )}
    </Frame>
  );
}

function Difference({ before, after }: { before: string; after: string }) {
  return before === after ? <p>{texts.same}</p> : <Diff before={before} after={after} />;
}
