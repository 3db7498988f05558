import { Chip } from "@/components/Chip";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { memories as texts } from "@/strings/memories";
import css from "./memories.module.css";

/** How many memories there are, and of which types; pressing a type shows those, and others with it. */
export function Stats({
  agent,
  user,
  chosen = [],
  onChoose,
}: {
  agent: string | undefined;
  user: string | undefined;
  chosen: string[] | undefined;
  onChoose: (types: string[] | undefined) => void;
}) {
  const { data } = useCall(calls.getMemoryStats({ agent, user }), { keepPrevious: true });
  if (!data || data.memories === 0) return null;
  const { stats } = texts;
  const share = `${Math.round((100 * data.recalled) / data.memories)} %`;

  function toggle(type: string) {
    const next = chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type];
    onChoose(next.length ? next : undefined);
  }

  return (
    <section aria-label={stats.label} className={`small soft ${css.stats}`}>
      <b className="num">{stats.memories(data.memories)}</b>
      {Object.entries(data.types).map(([type, { memories }]) => (
        <button
          type="button"
          key={type}
          className="num"
          aria-pressed={chosen.includes(type)}
          onClick={() => toggle(type)}
        >
          <i aria-hidden="true" style={{ background: `var(--${type}, var(--faint))` }} />
          {type} {memories.toLocaleString("en")}
        </button>
      ))}
      <span className="num">{stats.tokens(data.tokens)}</span>
      <span className="num">{stats.recalled(share)}</span>
      {data.pending > 0 && <Chip tone="warn">{stats.pending(data.pending)}</Chip>}
    </section>
  );
}
