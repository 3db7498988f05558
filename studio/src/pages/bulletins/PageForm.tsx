import type { Body } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Checkbox, Select, TextArea, TextField } from "@/components/Field";
import { attempt } from "@/components/Toast";
import { api } from "@/data/client";
import { useDraft } from "@/data/drafts";
import { useMemoryTypes } from "@/data/memory-types";
import { refresh } from "@/data/queries";
import { parsedWhere } from "@/pages/memories/wanted";
import { bulletins as texts } from "@/strings/bulletins";
import { common } from "@/strings/common";
import { memories } from "@/strings/memories";
import type { AnsweredPage } from "./Pages";

const { form: words } = texts;
const DEFAULT_TOKENS = 500;
type Trigger = keyof typeof words.triggers;

const listed = (text: string) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

function valuesOf(page: AnsweredPage | undefined) {
  const isKnown = page === undefined || page.trigger === "dream" || page.trigger === "manual";
  return {
    question: page?.question ?? "",
    trigger: (isKnown ? (page?.trigger ?? "dream") : "cron") as Trigger,
    crontab: isKnown ? "" : page.trigger,
    tokens: `${page?.max_tokens ?? DEFAULT_TOKENS}`,
    types: page?.scope.types ?? [],
    tags: page?.scope.tags?.join(", ") ?? "",
    user: page?.scope.user ?? "",
    about: page?.scope.about ?? "",
    entities: page?.scope.entities?.join(", ") ?? "",
    where: page?.scope.where ? JSON.stringify(page.scope.where) : "",
  };
}

/** Creates a standing question, or changes one; what its scope has beside the fields here stays. */
export function PageForm({
  agent,
  page,
  onSaved,
  onClose,
}: {
  agent: string;
  page?: AnsweredPage;
  onSaved?: (id: string) => unknown;
  onClose: () => void;
}) {
  const [initial] = useState(() => valuesOf(page));
  const { value, change, isDirty, discard } = useDraft(`page-${page?.id ?? agent}`, initial);
  const types = useMemoryTypes();
  const isEmpty = value.question.trim() === "";
  const isNoObject = value.where.trim() !== "" && !parsedWhere(value.where);

  async function save() {
    const fields = {
      trigger: value.trigger === "cron" ? value.crontab : value.trigger,
      max_tokens: Number(value.tokens),
      scope: {
        ...page?.scope,
        types: value.types.length ? value.types : null,
        tags: value.tags ? listed(value.tags) : null,
        user: value.user.trim() || null,
        about: value.about.trim() || null,
        entities: value.entities ? listed(value.entities) : null,
        where: parsedWhere(value.where) ?? null,
      },
    } as Omit<Body<"create_page">, "question">;
    const question = value.question.trim();
    const isDone = await attempt(
      async () => {
        const saved = page
          ? await api.putPage(page.id, question, fields)
          : await api.createPage(question, { agent, ...fields });
        discard();
        onClose();
        if (saved) await onSaved?.(saved.id);
      },
      page ? words.saved : words.created,
    );
    if (isDone) await refresh("/v1/pages");
  }
  function leave() {
    discard();
    onClose();
  }

  return (
    <Dialog
      title={page ? words.edit : words.create}
      isDirty={isDirty}
      onClose={leave}
      actions={
        <>
          <Button onClick={leave}>{common.cancel}</Button>
          <Button kind="primary" disabled={isEmpty || isNoObject} onClick={save}>
            {page ? words.save : words.createAction}
          </Button>
        </>
      }
    >
      <TextArea
        label={words.question}
        maxLength={1_000}
        value={value.question}
        onChange={(question) => change({ question })}
      />
      <Select
        label={words.trigger}
        options={(Object.keys(words.triggers) as Trigger[]).map((one) => ({ value: one, label: words.triggers[one] }))}
        value={value.trigger}
        onChange={(trigger) => change({ trigger })}
      />
      {value.trigger === "cron" && (
        <TextField
          label={words.crontab}
          hint={words.crontabHint}
          value={value.crontab}
          onChange={(crontab) => change({ crontab })}
        />
      )}
      <TextField
        label={words.limit}
        hint={words.limitHint}
        inputMode="numeric"
        value={value.tokens}
        onChange={(tokens) => change({ tokens })}
      />
      <details>
        <summary>{words.scope}</summary>
        <div className="stack">
          <fieldset className="row">
            <legend className="small soft">{words.types}</legend>
            {types.map((type) => (
              <Checkbox
                key={type}
                label={type}
                checked={value.types.includes(type)}
                onChange={(on) =>
                  change({ types: on ? [...value.types, type] : value.types.filter((one) => one !== type) })
                }
              />
            ))}
          </fieldset>
          <TextField label={words.tags} hint={words.commas} value={value.tags} onChange={(tags) => change({ tags })} />
          <TextField label={words.user} value={value.user} onChange={(user) => change({ user })} />
          <TextField label={words.about} value={value.about} onChange={(about) => change({ about })} />
          <TextField
            label={words.entities}
            hint={words.commas}
            value={value.entities}
            onChange={(entities) => change({ entities })}
          />
          <TextField
            label={memories.where}
            hint={memories.whereHint}
            problem={isNoObject ? words.noObject : undefined}
            value={value.where}
            onChange={(where) => change({ where })}
          />
        </div>
      </details>
    </Dialog>
  );
}
