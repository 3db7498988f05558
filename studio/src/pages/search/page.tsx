import { getRouteApi } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { Checkbox, TextField } from "@/components/Field";
import { Page as Frame } from "@/components/Page";
import { EmptyState } from "@/components/States";
import { useKeys } from "@/components/useKeys";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { savedSearches } from "@/strings/saved-searches";
import { search as texts } from "@/strings/search";
import { Answer } from "./Answer";
import { Expected } from "./Expected";
import { Filters, VariantFields } from "./Options";
import { previewOf } from "./request";
import { inSecond, type SearchAddress, secondVariant, type Variant } from "./route";
import { Saved } from "./Saved";
import { SaveTest } from "./SaveTest";
import css from "./search.module.css";

const route = getRouteApi("/search");

export function Page() {
  const agent = useAgent();
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const second = secondVariant(address);
  const { canWrite } = useRights();
  const [isSaving, setIsSaving] = useState(false);
  const isAsked = agent !== undefined && (address.q !== undefined || address.strategy === "recent");

  const call = previewOf(address, address, agent ?? "");
  const first = useCall(call, { enabled: isAsked, keepPrevious: true });
  const other = useCall(previewOf(address, second, agent ?? ""), {
    enabled: isAsked && address.compare === true,
    keepPrevious: true,
  });

  const set = (changes: Partial<SearchAddress>) =>
    navigate({ search: (now) => ({ ...now, ...changes }), replace: true });
  const expect = (expected: string | undefined) => navigate({ search: (now) => ({ ...now, expected }) });
  const [typed, setTyped] = useTyped(address.q ?? "", (q) => set({ q: q.trim() || undefined }));
  useKeys({ "/": () => field.current?.focus() });

  const { A, B } = address.compare ? { A: texts.options.first, B: texts.options.second } : { A: undefined, B: "" };
  return (
    <Frame
      title={texts.title}
      explanation={texts.explanation}
      actions={<CopyMenu call={call} python={["preview_search", call.body ?? {}]} />}
    >
      <div className={`card stack ${css.form}`}>
        <search>
          <TextField
            ref={field}
            label={texts.query}
            hideLabel
            type="search"
            placeholder={`${texts.noQuery}  /`}
            value={typed}
            onChange={setTyped}
          />
        </search>
        <VariantFields name={A} value={address} onChange={(changes) => set(changes)} />
        {address.compare && (
          <VariantFields name={B} value={second} onChange={(changes: Variant) => set(inSecond(changes))} />
        )}
        <Filters value={address} onChange={set} />
        <Checkbox
          label={texts.options.compare}
          checked={address.compare ?? false}
          onChange={(on) => set({ compare: on || undefined })}
        />
      </div>
      {agent === undefined ? (
        <EmptyState title={texts.noAgent} text={texts.noAgentText} />
      ) : !isAsked ? (
        <EmptyState title={texts.noQuery} text={texts.noQueryText} />
      ) : (
        <>
          <Expected key={address.expected} id={address.expected} onChange={expect} />
          {canWrite && address.expected && (
            <div className="row">
              <Button onClick={() => setIsSaving(true)}>{savedSearches.save.button}</Button>
            </div>
          )}
          {isSaving && address.expected && (
            <SaveTest
              address={address}
              agent={agent}
              expected={address.expected}
              results={first.data?.results ?? []}
              onSaved={(saved) => {
                setIsSaving(false);
                void navigate({ search: (now) => ({ ...now, saved, before: undefined, after: undefined }) });
              }}
              onClose={() => setIsSaving(false)}
            />
          )}
          <div className={address.compare ? css.pair : undefined}>
            <Answer
              name={A}
              state={first}
              beside={address.compare ? other.data : undefined}
              expected={address.expected}
              onExpect={expect}
              onApply={(changes) => navigate({ search: (now) => ({ ...now, ...changes }) })}
            />
            {address.compare && (
              <Answer
                name={B}
                state={other}
                beside={first.data}
                expected={address.expected}
                onExpect={expect}
                onApply={(changes) => navigate({ search: (now) => ({ ...now, ...inSecond(changes) }) })}
              />
            )}
          </div>
        </>
      )}
      {agent !== undefined && (
        <Saved
          agent={agent}
          address={address}
          onChange={(changes) => navigate({ search: (now) => ({ ...now, ...changes }) })}
        />
      )}
    </Frame>
  );
}
