import { useId } from "react";
import { Checkbox, Select, TextArea, TextField } from "@/components/Field";
import { useAgents } from "@/data/agents";
import { useOwnTypes, writable } from "@/data/memory-types";
import { memories as texts } from "@/strings/memories";
import { GROUPS, type Written } from "./form";
import css from "./memories.module.css";
import { SCOPES } from "./route";

const CONTENT_MAX = 8_000;
const REASON_MAX = 500;
const { form: words } = texts;

interface Props {
  form: Written;
  change: (changes: Partial<Written>) => void;
  problems: Partial<Record<keyof Written, string>>;
  types: string[];
  isNew?: boolean;
  /** Whether the agent is chosen here, for a memory that is new. */
  asksAgent?: boolean;
}

/** The fields of a memory. */
export function MemoryFields({ form, change, problems, types, isNew = false, asksAgent = false }: Props) {
  const own = useOwnTypes();
  const group = GROUPS.find((name) => name === form.scope);
  const shownTypes = writable(types).includes(form.type) ? writable(types) : [form.type, ...writable(types)];
  return (
    <div className="stack">
      {asksAgent && <AgentField form={form} change={change} problem={problems.agent} />}
      <TextArea
        label={words.content}
        value={form.content}
        problem={problems.content}
        maxLength={CONTENT_MAX}
        rows={5}
        autoFocus
        onChange={(content) => change({ content })}
      />
      <div className={css.fields}>
        <Select
          label={words.type}
          hint={own[form.type] ?? words.hints[form.type]}
          options={shownTypes.map((value) => ({ value, label: value }))}
          value={form.type}
          onChange={(type) => change({ type })}
        />
        <Select
          label={words.scope}
          options={SCOPES.map((value) => ({ value, label: words.scopes[value] }))}
          value={form.scope}
          onChange={(scope) => change({ scope })}
        />
        {group && (
          <TextField label={words.groups[group]} value={form[group]} onChange={(value) => change({ [group]: value })} />
        )}
        {form.type === "todo" && (
          <Select
            label={words.status}
            options={[
              { value: "open", label: words.open },
              { value: "done", label: words.done },
            ]}
            value={form.status}
            onChange={(status) => change({ status })}
          />
        )}
        <TextField label={words.user} value={form.user} onChange={(user) => change({ user })} />
        <TextArea
          label={words.owners}
          hint={isNew ? words.newOwnersHint : words.ownersHint}
          rows={Math.max(form.owners.split("\n").length, 1)}
          value={form.owners}
          onChange={(owners) => change({ owners })}
        />
        <TextField label={words.tags} hint={words.tagsHint} value={form.tags} onChange={(tags) => change({ tags })} />
        <TextField
          label={words.importance}
          hint={words.importanceHint}
          problem={problems.importance}
          type="number"
          min={0}
          max={1}
          step="any"
          value={form.importance}
          onChange={(importance) => change({ importance })}
        />
      </div>
      <details open={Boolean(form.key || form.expires_at || form.occurred || form.metadata || form.decay_exempt)}>
        <summary>{words.more}</summary>
        <div className={`stack ${css.moreFields}`}>
          <div className={css.fields}>
            <TextField label={words.key} hint={words.keyHint} value={form.key} onChange={(key) => change({ key })} />
            <TextField
              label={words.occurred}
              hint={words.occurredHint}
              value={form.occurred}
              onChange={(occurred) => change({ occurred })}
            />
            <TextField
              label={words.expires}
              type="datetime-local"
              step={1}
              value={form.expires_at}
              onChange={(expires_at) => change({ expires_at })}
            />
          </div>
          <TextArea
            label={words.metadata}
            hint={words.metadataHint}
            problem={problems.metadata}
            value={form.metadata}
            rows={4}
            spellCheck={false}
            onChange={(metadata) => change({ metadata })}
          />
          <Checkbox
            label={words.pinned}
            checked={form.decay_exempt}
            onChange={(decay_exempt) => change({ decay_exempt })}
          />
        </div>
      </details>
      {!isNew && (
        <TextField
          label={words.reason}
          maxLength={REASON_MAX}
          value={form.reason}
          onChange={(reason) => change({ reason })}
        />
      )}
    </div>
  );
}

function AgentField({ form, change, problem }: Pick<Props, "form" | "change"> & { problem: string | undefined }) {
  const { data: agents = [] } = useAgents();
  const id = useId();
  return (
    <>
      <TextField
        label={words.agent}
        problem={problem}
        list={id}
        value={form.agent}
        onChange={(agent) => change({ agent })}
      />
      <datalist id={id}>
        {agents.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
