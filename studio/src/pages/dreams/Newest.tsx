import { useState } from "react";
import { Button } from "@/components/Button";
import { TypeChip } from "@/components/Chip";
import { useHeld } from "@/components/useHeld";
import { dreams as texts } from "@/strings/dreams";
import css from "./dreams.module.css";
import type { StagedCandidate } from "./report";

const { live: words } = texts;

/** The newest candidates of a dream under way, newest first. While the pointer or the focus is in the list, none moves. */
export function Newest({ candidates }: { candidates: readonly StagedCandidate[] }) {
  const [isHeld, setHeld] = useState(false);
  const { shown, waiting, release } = useHeld(candidates, (one) => one.content, isHeld);
  if (shown.length === 0) return null;
  return (
    <section className="stack" aria-label={words.newest}>
      <div className={`row ${css.newestHead}`}>
        <h3>{words.newest}</h3>
        {waiting > 0 && <Button onClick={release}>{words.waiting(waiting)}</Button>}
      </div>
      <p className="small soft">{words.newestText}</p>
      <ul
        className={css.newest}
        aria-label={words.newest}
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
      >
        {shown.map((one) => (
          <li key={one.content} className="row">
            <TypeChip type={one.type} />
            <span className="words">{one.content}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
