import { Button } from "@/components/Button";
import { Checkbox, Select, TextField } from "@/components/Field";
import { NumberField } from "@/components/NumberField";
import { useTyped } from "@/components/useTyped";
import { useMemoryTypes } from "@/data/memory-types";
import { parsedWhere } from "@/pages/memories/wanted";
import { memories } from "@/strings/memories";
import { search as texts } from "@/strings/search";
import { FUSIONS, KINDS, LIMIT_MAX, type SearchAddress, STRATEGIES, TOKENS_MAX, type Variant } from "./route";
import css from "./search.module.css";

const { options: words } = texts;

function Typed({
  label,
  hint,
  problem,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  problem?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useTyped(value ?? "", (given) => onChange(given.trim() || undefined));
  return <TextField label={label} placeholder={hint} problem={problem} value={typed} onChange={setTyped} />;
}

/** How a search ranks: what may differ between two that stand side by side. */
export function VariantFields({
  name,
  value,
  onChange,
}: {
  name: string | undefined;
  value: Variant;
  onChange: (changes: Variant) => void;
}) {
  const kinds = value.include ?? ["memories"];
  return (
    <fieldset className={css.variant}>
      <legend>{name === undefined ? words.settings : `${words.settings} ${name}`}</legend>
      <Select
        label={words.strategy}
        options={["", ...STRATEGIES].map((one) => ({
          value: one as "" | (typeof STRATEGIES)[number],
          label: words.strategies[one as "" | (typeof STRATEGIES)[number]],
        }))}
        value={value.strategy ?? ""}
        onChange={(strategy) => onChange({ strategy: strategy || undefined })}
      />
      <Select
        label={words.fusion}
        options={["", ...FUSIONS].map((one) => ({
          value: one as "" | (typeof FUSIONS)[number],
          label: words.fusions[one as "" | (typeof FUSIONS)[number]],
        }))}
        value={value.fusion ?? ""}
        onChange={(fusion) => onChange({ fusion: fusion || undefined })}
      />
      <NumberField
        label={words.limit}
        min={1}
        max={LIMIT_MAX}
        placeholder="10"
        value={value.limit}
        onChange={(limit) => onChange({ limit })}
      />
      <NumberField
        label={words.maxTokens}
        max={TOKENS_MAX}
        placeholder={words.asSet}
        value={value.max_tokens}
        onChange={(max_tokens) => onChange({ max_tokens })}
      />
      <NumberField
        label={words.minRelevance}
        max={1}
        step="any"
        placeholder={words.asSet}
        value={value.min_relevance}
        onChange={(min_relevance) => onChange({ min_relevance })}
      />
      <div className="row">
        {KINDS.map((kind) => (
          <Checkbox
            key={kind}
            label={words.kinds[kind]}
            checked={kinds.includes(kind)}
            disabled={kinds.length === 1 && kinds.includes(kind)}
            onChange={(on) => onChange({ include: KINDS.filter((one) => (one === kind ? on : kinds.includes(one))) })}
          />
        ))}
        <Checkbox
          label={words.faded}
          checked={value.include_faded ?? false}
          onChange={(on) => onChange({ include_faded: on || undefined })}
        />
        <Checkbox
          label={words.rerank}
          checked={value.rerank ?? false}
          onChange={(on) => onChange({ rerank: on || undefined })}
        />
      </div>
    </fieldset>
  );
}

const FILTERS = [
  "types",
  "tags",
  "user",
  "about",
  "session",
  "since",
  "until",
  "as_of",
  "min_importance",
  "where",
] as const;

/** What a search may find: the same for both of two that stand side by side. */
export function Filters({
  value,
  onChange,
}: {
  value: SearchAddress;
  onChange: (changes: Partial<SearchAddress>) => void;
}) {
  const types = useMemoryTypes();
  const set = FILTERS.filter((name) => value[name] !== undefined);
  const when = (name: "since" | "until" | "as_of", label: string) => (
    <TextField
      label={label}
      type="datetime-local"
      value={value[name] ?? ""}
      onChange={(given) => onChange({ [name]: given || undefined })}
    />
  );
  return (
    <details className={css.filters} open={set.length > 0 || undefined}>
      <summary>{set.length ? `${words.filters} (${set.length})` : words.filters}</summary>
      <div className={css.fields}>
        <Select
          label={words.types}
          options={[{ value: "", label: words.allTypes }, ...types.map((type) => ({ value: type, label: type }))]}
          value={value.types?.[0] ?? ""}
          onChange={(type) => onChange({ types: type ? [type] : undefined })}
        />
        <Typed
          label={words.tags}
          hint={words.tagsHint}
          value={value.tags?.join(", ")}
          onChange={(given) => {
            const tags = given
              ?.split(",")
              .map((tag) => tag.trim())
              .filter(Boolean);
            onChange({ tags: tags?.length ? tags : undefined });
          }}
        />
        <Typed label={words.user} value={value.user} onChange={(user) => onChange({ user })} />
        <Typed label={words.about} value={value.about} onChange={(about) => onChange({ about })} />
        <Typed label={words.session} value={value.session} onChange={(session) => onChange({ session })} />
        <NumberField
          label={words.minImportance}
          max={1}
          step="any"
          placeholder="0"
          value={value.min_importance}
          onChange={(min_importance) => onChange({ min_importance })}
        />
        {when("since", words.since)}
        {when("until", words.until)}
        {when("as_of", words.asOf)}
        <Typed
          label={memories.where}
          hint={memories.whereHint}
          problem={value.where && !parsedWhere(value.where) ? memories.whereNoObject : undefined}
          value={value.where}
          onChange={(where) => onChange({ where })}
        />
      </div>
      {set.length > 0 && (
        <Button
          kind="quiet"
          small
          onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          {words.clear}
        </Button>
      )}
    </details>
  );
}
