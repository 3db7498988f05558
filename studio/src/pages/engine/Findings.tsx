import type { Item } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { ErrorState } from "@/components/States";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import css from "./engine.module.css";

const { secrets: texts } = all;
type Finding = Item<"list_rescan_findings">;

interface Found {
  first: Finding;
  fields: string[];
  kinds: Set<string>;
}

/** One entry for each record; the fields of a record follow each other. */
function byRecord(findings: readonly Finding[]): Map<string, Found> {
  const records = new Map<string, Found>();
  for (const one of findings) {
    const key = `${one.table} ${one.row}`;
    const record = records.get(key) ?? { first: one, fields: [], kinds: new Set<string>() };
    if (!record.fields.includes(one.field)) record.fields.push(one.field);
    for (const kind of one.kinds) record.kinds.add(kind);
    records.set(key, record);
  }
  return records;
}

/** What a record is called, with a link to where it is shown, if it is. */
function RecordName({ finding }: { finding: Finding }) {
  const { table, row, agent, session, document_id } = finding;
  const label = texts.tables[table] ?? table;
  const id = row.split("/")[0] ?? row;
  switch (table) {
    case "memories":
    case "memory_versions":
      return (
        <Link to="/memories" search={{ memory: id }}>
          {label}
        </Link>
      );
    case "messages":
      return agent && session ? (
        <Link to="/sessions" search={{ agent, session, message: id }}>
          {label}
        </Link>
      ) : (
        label
      );
    case "documents":
    case "chunks":
      return (
        <Link to="/documents" search={{ document: document_id ?? id }}>
          {label}
        </Link>
      );
    case "entities":
      return (
        <Link to="/graph" search={{ entity: id }}>
          {label}
        </Link>
      );
    case "proposals":
      return (
        <Link to="/inbox" search={{ proposal: id }}>
          {label}
        </Link>
      );
    case "pages":
    case "page_versions":
      return (
        <Link to="/bulletins" search={{ page: id }}>
          {label}
        </Link>
      );
    case "dreams":
    case "dream_changes":
      return (
        <Link to="/dreams" search={{ dream: id }}>
          {label}
        </Link>
      );
    case "settings":
      return (
        <Link to="/engine" search={{ tab: "settings" }}>
          {label}
        </Link>
      );
    default:
      return label;
  }
}

/** The records in which the last scan has found secrets, or masked them. */
export function Findings() {
  const list = useList(calls.listRescanFindings());
  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  return (
    <>
      <section className={`card ${css.table}`} aria-label={texts.findings}>
        <table>
          <thead>
            <tr>
              {[texts.record, texts.fields, texts.kinds].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...byRecord(list.items)].map(([key, { first, fields, kinds }]) => (
              <tr key={key}>
                <td>
                  <RecordName finding={first} />
                  <div className="small faint words">{first.row}</div>
                </td>
                <td className="words">{fields.join(", ")}</td>
                <td>
                  {[...kinds].map((kind) => (
                    <Chip key={kind}>{kind}</Chip>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{texts.more}</Button>}
    </>
  );
}
