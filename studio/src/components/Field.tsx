import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import css from "./controls.module.css";

interface Labelled {
  label: string;
  /** Whether the label is for screen readers alone. */
  hideLabel?: boolean;
  hint?: ReactNode;
  /** What is wrong with the value. */
  problem?: string;
}

function Frame({ id, label, hideLabel, hint, problem, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className={css.field}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : css.label}>
        {label}
      </label>
      {children}
      {hint && (
        <div id={`${id}-hint`} className={css.hint}>
          {hint}
        </div>
      )}
      {problem && (
        <div id={`${id}-problem`} className={css.problem} role="alert">
          {problem}
        </div>
      )}
    </div>
  );
}

function useField({ hint, problem }: Labelled) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return {
    id,
    attributes: { id, "aria-describedby": describedBy || undefined, "aria-invalid": problem ? true : undefined },
  };
}

/** A labelled line of text. */
export function TextField({
  label,
  hideLabel,
  hint,
  problem,
  onChange,
  ...rest
}: Labelled & { onChange?: (value: string) => void; ref?: Ref<HTMLInputElement> } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    "onChange"
  >) {
  const frame = { label, hideLabel, hint, problem };
  const { id, attributes } = useField(frame);
  return (
    <Frame id={id} {...frame}>
      <input className={css.input} {...rest} {...attributes} onChange={(event) => onChange?.(event.target.value)} />
    </Frame>
  );
}

/** A labelled text of several lines. */
export function TextArea({
  label,
  hideLabel,
  hint,
  problem,
  onChange,
  ...rest
}: Labelled & { onChange?: (value: string) => void } & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange">) {
  const frame = { label, hideLabel, hint, problem };
  const { id, attributes } = useField(frame);
  return (
    <Frame id={id} {...frame}>
      <textarea className={css.input} {...rest} {...attributes} onChange={(event) => onChange?.(event.target.value)} />
    </Frame>
  );
}

export interface Option<T extends string> {
  value: T;
  label: string;
}

/** A labelled choice of one of a few; an option with the value `""` stands for none. */
export function Select<T extends string>({
  label,
  hideLabel,
  hint,
  problem,
  options,
  value,
  onChange,
  ...rest
}: Labelled & { options: readonly Option<T>[]; value: T; onChange: (value: T) => void } & Omit<
    SelectHTMLAttributes<HTMLSelectElement>,
    "onChange" | "value"
  >) {
  const frame = { label, hideLabel, hint, problem };
  const { id, attributes } = useField(frame);
  return (
    <Frame id={id} {...frame}>
      <select
        className={css.input}
        {...rest}
        {...attributes}
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}

/** A labelled yes or no. */
export function Checkbox({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label className="row">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
