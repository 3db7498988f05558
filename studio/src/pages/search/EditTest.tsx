import { useMemo } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import { NumberField } from "@/components/NumberField";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { useDraft } from "@/data/drafts";
import { refresh, useCall } from "@/data/queries";
import { common } from "@/strings/common";
import { savedSearches } from "@/strings/saved-searches";
import { ExpectedMemories } from "./ExpectedMemories";
import { LIMIT_MAX } from "./route";
import type { SavedSearch } from "./Saved";

const { edit: words, save: fields } = savedSearches;

function Content({ id }: { id: string }) {
  const { data } = useCall(calls.getMemory(id, { include: "deleted,expired" }));
  return data?.content ?? id;
}

/** Changes name, text, expected memories and k of a saved search. `added`: a memory that may be expected as well. */
export function EditTest({
  search,
  added,
  onClose,
}: {
  search: SavedSearch;
  added: string | undefined;
  onClose: () => void;
}) {
  const { name, query, k } = search;
  const before = useMemo(() => search.expected.map((one) => one.memory_id), [search.expected]);
  const initial = useMemo(() => ({ name, query, k, expected: before }), [name, query, k, before]);
  const { value, change, isDirty, discard } = useDraft(`saved-search-${search.id}`, initial);
  const offered = [...new Set([...before, ...value.expected, ...(added ? [added] : [])])];
  const isReady = value.name.trim() !== "" && value.expected.length > 0;

  async function save() {
    await attempt(async () => {
      const { query, k } = value;
      await api.putSearch(search.id, value.name.trim(), value.expected, { query, k, options: search.options });
      discard();
      onClose();
      await refresh("/v1/searches");
    }, words.saved);
  }

  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      actions={
        <>
          {isDirty && (
            <Button kind="quiet" onClick={discard}>
              {words.discard}
            </Button>
          )}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={!isReady || !isDirty} onClick={save}>
            {words.confirm}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField label={fields.name} value={value.name} maxLength={200} onChange={(name) => change({ name })} />
        <TextField label={words.query} value={value.query} onChange={(query) => change({ query })} />
        <NumberField
          label={fields.k}
          min={1}
          max={LIMIT_MAX}
          placeholder={`${search.k}`}
          value={value.k}
          onChange={(k) => change({ k: k ?? search.k })}
        />
        <ExpectedMemories
          offered={offered.map((id) => ({ id, label: <Content id={id} /> }))}
          chosen={value.expected}
          onChange={(expected) => change({ expected })}
        />
        <p className="soft small">{isReady ? words.hint : fields.needed}</p>
      </div>
    </Dialog>
  );
}
