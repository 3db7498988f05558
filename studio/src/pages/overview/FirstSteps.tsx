import { Link } from "@tanstack/react-router";
import { CopyButton } from "@/components/CopyMenu";
import { asCurl } from "@/components/copy";
import { EmptyState } from "@/components/States";
import { calls } from "@/data/client";
import { useRights } from "@/data/session";
import { overview as texts } from "@/strings/overview";
import css from "./overview.module.css";

const { first: words } = texts;
const AGENT = "ada";
const CONTENT = "Caroline moved from Sweden four years ago";

/** What to do in an empty installation: commands with the address of this one. */
export function FirstSteps() {
  const { canWrite, ownAgent } = useRights();
  if (!canWrite) return <EmptyState title={words.title} text={words.reader} />;
  const agent = ownAgent ?? AGENT;
  const steps: [string, string][] = [
    [words.key, `export REVERIE_API_KEY="$(cat .reverie/admin-key)"`],
    [words.save, asCurl(calls.saveMemory("fact", CONTENT, { agent }))],
    [words.search, asCurl(calls.searchMemories("Where is Caroline from?", { agent }))],
    [
      words.say,
      asCurl(calls.appendMessages("monday", [{ role: "user", content: "I adopted a cat named Bailey." }], { agent })),
    ],
    [words.dream, asCurl(calls.requestDream(agent, { wait: true }))],
  ];
  return (
    <section className="stack" aria-label={words.title}>
      <div className="card stack">
        <h2>{words.title}</h2>
        <p className="soft">{words.text}</p>
        <ol className="stack">
          {steps.map(([title, command]) => (
            <li key={title} className={css.step}>
              <div className="row">
                <h3 className="grow">{title}</h3>
                <CopyButton text={command} label={`${title}: copy`} />
              </div>
              <pre>{command}</pre>
              {title === words.key && <p className="small faint">{words.keyText}</p>}
            </li>
          ))}
        </ol>
        <p className="soft">
          {words.fills} <Link to="/how-it-works">{words.how}</Link>
        </p>
      </div>
    </section>
  );
}
