import type { Settings } from "@reverie/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { attempt } from "@/components/Toast";
import { useTyped } from "@/components/useTyped";
import { api, calls } from "@/data/client";
import { useDraft } from "@/data/drafts";
import { refresh, useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { engine as all } from "@/strings/engine";
import css from "../engine.module.css";
import { Costs } from "./Costs";
import { SettingField, textOf, valueIn } from "./SettingField";
import { type ApiDocument, labelOf, type Setting, settingsOf } from "./schema";

const { settings: texts } = all;
const route = getRouteApi("/engine");
type Values = Record<string, Record<string, unknown> | unknown>;

async function apiDocument(): Promise<ApiDocument> {
  return (await fetch("/openapi.json")).json();
}

const keyOf = ({ part, name }: Setting) => (part ? `${part}.${name}` : name);

function partOf(values: Values, part: string): Record<string, unknown> | null | undefined {
  return part === "" ? values : (values[part] as Record<string, unknown> | null | undefined);
}

/** The settings of the workspace: what is changed is a draft until it is saved. */
export function SettingsForm() {
  const present = useCall(calls.getSettings());
  const document = useQuery({ queryKey: ["/openapi.json"], queryFn: apiDocument });
  const sources = useCall(calls.listSettingSources());
  const failed = present.error ?? document.error ?? sources.error;
  const retry = () => [present.refetch(), document.refetch(), sources.refetch()];
  if (failed) return <ErrorState error={failed} onRetry={retry} />;
  if (!present.data || !document.data || !sources.data) return <Skeleton lines={12} />;
  const presets = new Map(sources.data.items.map((one) => [one.name, one.default]));
  return <Form present={present.data} document={document.data} presets={presets} />;
}

/** Settings by the titles of their sections. */
function bySection(settings: Setting[]): [string, Setting[]][] {
  return [...new Set(settings.map(({ title }) => title))].map((title) => [
    title,
    settings.filter((one) => one.title === title),
  ]);
}

const NOTHING: Record<string, string> = {};

function Form({
  present,
  document,
  presets,
}: {
  present: Settings;
  document: ApiDocument;
  /** Defaults by the dotted names of settings. */
  presets: Map<string, unknown>;
}) {
  const { isAdmin } = useRights();
  const { find } = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useDraft<Record<string, string>>("settings", NOTHING);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [typed, setTyped] = useTyped(find ?? "", (given) =>
    navigate({ search: (now) => ({ ...now, find: given.trim() || undefined }), replace: true }),
  );
  const values = present as unknown as Values;
  const settings = useMemo(() => settingsOf(document).filter(({ part }) => partOf(values, part)), [document, values]);
  const savedText = (setting: Setting) => textOf(setting, partOf(values, setting.part)?.[setting.name]);
  const changed = settings.filter((setting) => {
    const text = draft.value[keyOf(setting)];
    return text !== undefined && text !== savedText(setting);
  });

  async function save() {
    const wrong: Record<string, string> = {};
    const body: Record<string, unknown> = {};
    for (const setting of changed) {
      const given = valueIn(setting, draft.value[keyOf(setting)] ?? "");
      if ("problem" in given) wrong[keyOf(setting)] = given.problem;
      else if (setting.part === "") body[setting.name] = given.value;
      else body[setting.part] = { ...(body[setting.part] as object), [setting.name]: given.value };
    }
    setProblems(wrong);
    if (Object.keys(wrong).length) return;
    if (await attempt(() => api.updateSettings(body), texts.saved)) draft.discard();
    await refresh("/v1/settings");
  }

  const words = find?.toLowerCase().split(/\s+/) ?? [];
  const matching = settings.filter((setting) => {
    const text = `${labelOf(setting)} ${keyOf(setting)} ${setting.title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isOpen = words.length > 0 || undefined;
  const advanced = matching.filter(({ marks }) => marks.advanced);

  /** Those of a section, as fields. */
  const fieldsOf = (ofSection: Setting[]) => (
    <div className={css.fields}>
      {ofSection.map((setting) => (
        <SettingField
          key={keyOf(setting)}
          setting={setting}
          text={draft.value[keyOf(setting)] ?? savedText(setting)}
          preset={presets.get(keyOf(setting))}
          problem={problems[keyOf(setting)]}
          lockedBy={(partOf(values, setting.part)?.locked_by as Record<string, string> | undefined)?.[setting.name]}
          disabled={!isAdmin}
          onChange={(text) => draft.change({ [keyOf(setting)]: text })}
        />
      ))}
    </div>
  );

  return (
    <>
      {!isAdmin && <p className="soft">{texts.readOnly}</p>}
      <Costs settings={present} />
      <search>
        <TextField
          label={texts.find}
          hideLabel
          type="search"
          placeholder={texts.find}
          value={typed}
          onChange={setTyped}
        />
      </search>
      {matching.length === 0 && <EmptyState title={texts.noMatch} />}
      {bySection(matching.filter(({ marks }) => !marks.advanced)).map(([title, those]) => (
        <details key={title} className={`card ${css.section}`} open={isOpen}>
          <summary>{title}</summary>
          {fieldsOf(those)}
        </details>
      ))}
      {advanced.length > 0 && (
        <details className={`card ${css.section}`} open={isOpen}>
          <summary>{texts.advanced}</summary>
          {bySection(advanced).map(([title, those]) => (
            <section key={title} aria-label={title}>
              <h2>{title}</h2>
              {fieldsOf(those)}
            </section>
          ))}
        </details>
      )}
      {changed.length > 0 && (
        <div className={`row ${css.bar}`}>
          <Button kind="primary" onClick={save}>
            {texts.save}
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              draft.discard();
              setProblems({});
            }}
          >
            {texts.discard}
          </Button>
          <output className="soft">{texts.changed(changed.length)}</output>
        </div>
      )}
    </>
  );
}
