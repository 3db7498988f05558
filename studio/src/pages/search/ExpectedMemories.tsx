import type { ReactNode } from "react";
import { Checkbox } from "@/components/Field";
import { savedSearches } from "@/strings/saved-searches";

/** Which of the memories on offer a saved search must find. */
export function ExpectedMemories({
  offered,
  chosen,
  onChange,
}: {
  offered: readonly { id: string; label: ReactNode }[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}) {
  return (
    <fieldset className="stack">
      <legend>{savedSearches.save.expected}</legend>
      {offered.map(({ id, label }) => (
        <Checkbox
          key={id}
          label={label}
          checked={chosen.includes(id)}
          onChange={(on) => onChange(on ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
    </fieldset>
  );
}
