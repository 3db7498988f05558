import { SlidersHorizontal } from "lucide-react";
import { type Ref, useState } from "react";
import { Button } from "@/components/Button";
import { Select, TextField } from "@/components/Field";
import { useTyped } from "@/components/useTyped";
import { memories as texts } from "@/strings/memories";
import css from "./memories.module.css";
import { type MemoriesSearch, SCOPES, SHOWN, SORTS } from "./route";
import { isFiltered, notApplied, parsedMetadata, parsedWhere, whereProblem } from "./wanted";

interface Props {
  search: MemoriesSearch;
  types: string[];
  field: Ref<HTMLInputElement>;
  set: (changes: Partial<MemoriesSearch>) => void;
  onClear: () => void;
  /** What went wrong with the list. */
  error: unknown;
}

const TEXTS = ["about", "user", "session", "tag", "key", "source"] as const;

/** What narrows the list. */
export function Filters({ search, types, field, set, onClear, error }: Props) {
  const hasMore = TEXTS.some((name) => search[name]) || Boolean(search.scope || search.since || search.until);
  const [isWide, setIsWide] = useState(
    hasMore || search.importance !== undefined || search.metadata !== undefined || search.where !== undefined,
  );
  const [typed, setTyped] = useTyped(search.q ?? "", (q) => set({ q: q || undefined }));
  const several = (search.type?.length ?? 0) > 1 ? search.type?.join(",") : undefined;
  const dropped = notApplied(search);
  return (
    <search className="stack">
      <div className={css.filters}>
        <TextField
          ref={field}
          label={texts.search}
          hideLabel
          type="search"
          placeholder={`${texts.search}  /`}
          value={typed}
          maxLength={1_000}
          onChange={setTyped}
        />
        <Select
          label={texts.type}
          hideLabel
          options={[
            { value: "", label: texts.allTypes },
            ...(several ? [{ value: several, label: texts.someTypes(search.type?.length ?? 0) }] : []),
            ...types.map((type) => ({ value: type, label: type })),
          ]}
          value={several ?? search.type?.[0] ?? ""}
          onChange={(type) => set({ type: type ? [type] : undefined })}
        />
        <Select
          label={texts.show}
          hideLabel
          options={[
            { value: "", label: texts.shown.current },
            ...SHOWN.map((value) => ({ value, label: texts.shown[value] })),
          ]}
          value={search.show ?? ""}
          onChange={(show) => set({ show: show || undefined })}
        />
        <Select
          label={texts.sort}
          hideLabel
          options={[
            { value: "", label: texts.sorts.newest },
            ...SORTS.map((value) => ({ value, label: texts.sorts[value] })),
          ]}
          value={search.sort ?? ""}
          onChange={(sort) => set({ sort: sort || undefined })}
        />
        <Button
          kind="quiet"
          icon={<SlidersHorizontal aria-hidden="true" />}
          aria-expanded={isWide}
          onClick={() => setIsWide(!isWide)}
        >
          {isWide ? texts.fewerFilters : texts.filters}
        </Button>
        {isFiltered(search) && (
          <Button kind="quiet" onClick={onClear}>
            {texts.clear}
          </Button>
        )}
      </div>
      {isWide && <Further search={search} set={set} error={error} />}
      {dropped.length > 0 && (
        <p className="small soft" role="status">
          {texts.notInSearch(dropped.join(", "))}
        </p>
      )}
    </search>
  );
}

function Further({ search, set, error }: Pick<Props, "search" | "set" | "error">) {
  const given = search.metadata?.trim();
  const isNoObject = Boolean(search.where?.trim()) && !parsedWhere(search.where);
  return (
    <div className={css.further}>
      {TEXTS.map((name) => (
        <Typed
          key={name}
          label={texts.filter[name]}
          value={search[name]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
      <Select
        label={texts.form.scope}
        options={[
          { value: "", label: texts.allScopes },
          ...SCOPES.map((value) => ({ value, label: texts.form.scopes[value] })),
        ]}
        value={search.scope?.[0] ?? ""}
        onChange={(scope) => set({ scope: scope ? [scope] : undefined })}
      />
      <TextField
        label={texts.since}
        type="date"
        value={search.since ?? ""}
        onChange={(since) => set({ since: since || undefined })}
      />
      <TextField
        label={texts.until}
        type="date"
        value={search.until ?? ""}
        onChange={(until) => set({ until: until || undefined })}
      />
      <Typed
        label={texts.minImportance}
        type="number"
        min={0}
        max={1}
        step={0.05}
        value={search.importance?.toString()}
        onChange={(value) => set({ importance: value === undefined ? undefined : Number(value) })}
      />
      <Typed
        label={texts.metadata}
        hint={texts.metadataHint}
        problem={given && !parsedMetadata(given) ? texts.metadataProblem : undefined}
        value={search.metadata}
        onChange={(metadata) => set({ metadata })}
      />
      <Typed
        label={texts.where}
        hint={texts.whereHint}
        problem={isNoObject ? texts.whereNoObject : whereProblem(error)}
        value={search.where}
        onChange={(where) => set({ where })}
      />
    </div>
  );
}

function Typed({
  value,
  onChange,
  ...rest
}: { label: string; value: string | undefined; onChange: (value: string | undefined) => void } & Partial<
  Record<"hint" | "problem" | "type", string> & Record<"min" | "max" | "step", number>
>) {
  const [typed, setTyped] = useTyped(value ?? "", (given) => onChange(given || undefined));
  return <TextField {...rest} value={typed} onChange={setTyped} />;
}
