import { common } from "@/strings/common";
import { TextField } from "./Field";
import { useTyped } from "./useTyped";

/** A labelled number that may be left out. */
export function NumberField({
  label,
  value,
  min = 0,
  max,
  step = 1,
  placeholder,
  onChange,
}: {
  label: string;
  value: number | undefined;
  min?: number;
  max: number;
  step?: number | "any";
  placeholder: string;
  onChange: (value: number | undefined) => void;
}) {
  const [typed, setTyped] = useTyped(value === undefined ? "" : `${value}`, (given) => {
    const number = given === "" ? undefined : Number(given);
    if (number === undefined || (number >= min && number <= max)) onChange(number);
  });
  const isWrong = typed !== "" && !(Number(typed) >= min && Number(typed) <= max);
  return (
    <TextField
      label={label}
      type="number"
      inputMode="decimal"
      min={min}
      max={max}
      step={step}
      placeholder={placeholder}
      value={typed}
      problem={isWrong ? common.outOfRange(`${min}`, max.toLocaleString("en")) : undefined}
      onChange={setTyped}
    />
  );
}
