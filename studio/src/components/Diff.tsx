import { diffWordsWithSpace } from "diff";
import css from "./Diff.module.css";

/** Two texts as one, with the words that went and those that came. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <p className={`words ${css.diff}`}>
      {diffWordsWithSpace(before, after).map((part, at) => {
        const key = `${at}-${part.value.length}`;
        if (part.added) return <ins key={key}>{part.value}</ins>;
        if (part.removed) return <del key={key}>{part.value}</del>;
        return <span key={key}>{part.value}</span>;
      })}
    </p>
  );
}
