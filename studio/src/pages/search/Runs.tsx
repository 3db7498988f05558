import { Link } from "@tanstack/react-router";
import { Chip } from "@/components/Chip";
import { Select } from "@/components/Field";
import { exactTime } from "@/components/text";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { savedSearches as words } from "@/strings/saved-searches";
import { search as texts } from "@/strings/search";
import type { Run } from "./Saved";
import css from "./saved.module.css";

type Outcome = Run["outcomes"][number];

function nameOf(run: Run, newest: number): string {
  const overrides = Object.entries(run.overrides).map(([name, value]) => `${name} ${value}`);
  const revision = run.revision === newest ? "" : words.revision(run.revision);
  return words.runName(exactTime(run.created_at), run.recall, overrides.join(", "), revision);
}

/** What may differ between two runs, by name. */
function settingsOf(run: Run): Record<string, string> {
  const set = { ...run.settings, ...run.overrides, strategy: run.strategy };
  const shown = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, JSON.stringify(value)]));
  const embedder = run.embedder ?? words.noEmbedder;
  return { ...shown, [words.embedder]: run.degraded ? `${embedder}, ${words.degraded}` : embedder };
}

function Content({ id }: { id: string }) {
  const agent = useAgent();
  const { data } = useCall(calls.getMemory(id, { include: "deleted,expired" }));
  return (
    <Link to="/memories" search={{ agent, memory: id }} className="words">
      {data?.content ?? id}
    </Link>
  );
}

function Place({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return <span className="faint">–</span>;
  if (outcome.state === "gone") return <Chip>{words.gone}</Chip>;
  return (
    <span className="row">
      {outcome.rank !== null && <span className="num">{words.rank(outcome.rank)}</span>}
      {outcome.lost_at && <Chip tone="bad">{words.lostAt(texts.expected.stages[outcome.lost_at])}</Chip>}
      {outcome.state === "superseded" && <span className="faint small">{words.superseded}</span>}
    </span>
  );
}

function Ranks({ before, after }: { before: Run; after: Run }) {
  const ids = [...new Set([...after.outcomes, ...before.outcomes].map((outcome) => outcome.memory_id))];
  const of = (run: Run, id: string) => run.outcomes.find((outcome) => outcome.memory_id === id);
  return (
    <table>
      <thead>
        <tr>
          {[words.memory, words.before, words.after].map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ids.map((id) => (
          <tr key={id}>
            <th scope="row">
              <Content id={of(after, id)?.counted_as ?? id} />
            </th>
            <td>
              <Place outcome={of(before, id)} />
            </td>
            <td>
              <Place outcome={of(after, id)} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">{words.recallAt(after.k)}</th>
          <td className="num">{words.recall(before.recall)}</td>
          <td className="num">{words.recall(after.recall)}</td>
        </tr>
        <Differences before={settingsOf(before)} after={settingsOf(after)} />
      </tbody>
    </table>
  );
}

function Differences({ before, after }: Record<"before" | "after", Record<string, string>>) {
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  if (names.length === 0) {
    return (
      <tr>
        <td colSpan={3} className="soft small">
          {words.sameSettings}
        </td>
      </tr>
    );
  }
  return names.map((name) => (
    <tr key={name}>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td className="words">{before[name] ?? "–"}</td>
      <td className="words">{after[name] ?? "–"}</td>
    </tr>
  ));
}

/** Two runs of a saved search: the newest two, or those of the address. */
export function Runs({
  runs,
  before,
  after,
  onChange,
}: {
  /** Newest first; one or more. */
  runs: Run[];
  before: string | undefined;
  after: string | undefined;
  onChange: (changes: { before?: string; after?: string }) => void;
}) {
  const [newest, former] = runs;
  const later = runs.find((run) => run.id === after) ?? newest;
  const earlier = runs.find((run) => run.id === before) ?? former ?? newest;
  if (!newest || !later || !earlier) return null;
  const options = runs.map((run) => ({ value: run.id, label: nameOf(run, newest.revision) }));
  return (
    <section className="stack" aria-label={words.compare}>
      <div className={css.chosen}>
        <Select
          label={words.before}
          options={options}
          value={earlier.id}
          onChange={(id) => onChange({ before: id, after: later.id })}
        />
        <Select
          label={words.after}
          options={options}
          value={later.id}
          onChange={(id) => onChange({ before: earlier.id, after: id })}
        />
      </div>
      <div className={css.table}>
        <Ranks before={earlier} after={later} />
      </div>
    </section>
  );
}
