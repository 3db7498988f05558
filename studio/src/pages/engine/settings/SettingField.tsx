import { RotateCcw } from "lucide-react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Checkbox, Select, TextArea, TextField } from "@/components/Field";
import { engine as all } from "@/strings/engine";
import css from "../engine.module.css";
import { labelOf, type Setting } from "./schema";

const { settings: texts } = all;
const LINE_MAX = 500;

/** A value as the text of its field. */
export function textOf({ schema }: Setting, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (schema.type === "array") return (value as unknown[]).join("\n");
  if (schema.type === "object") return JSON.stringify(value, null, 2);
  return `${value}`;
}

/** The value of a field's text, or what is wrong with it. */
export function valueIn({ schema, isOptional }: Setting, text: string): { value: unknown } | { problem: string } {
  const given = text.trim();
  if (schema.type === "array") {
    const items = text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    return { value: items.length === 0 && isOptional ? null : items };
  }
  if (given === "" && isOptional) return { value: null };
  if (schema.type === "object") {
    try {
      const value: unknown = JSON.parse(given || "{}");
      if (value !== null && typeof value === "object" && !Array.isArray(value)) return { value };
    } catch {
      return { problem: texts.notJson };
    }
    return { problem: texts.notJson };
  }
  if (schema.type === "number" || schema.type === "integer") {
    const value = Number(given);
    return given === "" || Number.isNaN(value) ? { problem: texts.notNumber } : { value };
  }
  return { value: schema.type === "boolean" ? given === "true" : text };
}

function shown(setting: Setting, value: unknown): string {
  const text = textOf(setting, value).replaceAll("\n", ", ");
  if (setting.schema.type === "boolean") return text === "true" ? texts.yes : texts.no;
  return text || texts.none;
}

/** One setting, by what it may be, with its default and a way back to it. */
export function SettingField({
  setting,
  text,
  preset,
  problem,
  lockedBy,
  disabled,
  onChange,
}: {
  setting: Setting;
  text: string;
  /** Its default; undefined where the workspace has none of it. */
  preset: unknown;
  problem?: string;
  lockedBy?: string;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const { schema, name, marks } = setting;
  const label = labelOf(setting);
  const original = textOf(setting, preset);
  const isDisabled = disabled || lockedBy !== undefined;
  const hint = lockedBy
    ? texts.locked(lockedBy)
    : (texts.choices[name]?.[text] ?? `${schema.description} ${marks.change}`);
  const isWide = schema.type === "object" || schema.type === "array" || (schema.maxLength ?? 0) > LINE_MAX;
  const common = { label, hint, problem, value: text, disabled: isDisabled, onChange };
  return (
    <div className={isWide ? css.wide : undefined}>
      {schema.type === "boolean" ? (
        <>
          <Checkbox
            label={label}
            checked={text === "true"}
            disabled={isDisabled}
            onChange={(on) => onChange(`${on}`)}
          />
          {hint && <p className="small faint">{hint}</p>}
        </>
      ) : schema.enum ? (
        <Select
          {...common}
          options={[...(setting.isOptional ? [""] : []), ...schema.enum].map((value) => ({
            value,
            label: value || texts.none,
          }))}
        />
      ) : isWide ? (
        <TextArea {...common} rows={Math.min(Math.max(text.split("\n").length, 2), 10)} />
      ) : (
        <TextField {...common} inputMode={schema.type === "string" ? "text" : "decimal"} />
      )}
      {preset !== undefined && text !== original && (
        <p className="row small faint">
          <Chip tone="accent">{texts.notDefault}</Chip>
          {texts.default(shown(setting, preset))}
          {!isDisabled && (
            <Button
              kind="quiet"
              small
              icon={<RotateCcw />}
              aria-label={`${texts.reset}: ${label}`}
              onClick={() => onChange(original)}
            />
          )}
        </p>
      )}
    </div>
  );
}
