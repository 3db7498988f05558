import type { ContextAnswer } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Chip } from "@/components/Chip";
import { EmptyState } from "@/components/States";
import { useAgent } from "@/data/agents";
import { context as texts } from "@/strings/context";
import css from "./context.module.css";
import type { ContextAddress } from "./route";

type Section = ContextAnswer["sections"][number];
const OF_MEMORIES = new Set(["identity", "preferences", "memories"]);
const ITEM = /^- /;

function Source({ section, id, session, label }: { section: Section; id: string; session?: string; label: string }) {
  const agent = useAgent();
  if (OF_MEMORIES.has(section.name)) {
    return (
      <Link to="/memories" search={{ agent, memory: id }}>
        {label}
      </Link>
    );
  }
  if (section.name === "window" && session) {
    return (
      <Link to="/sessions" search={{ agent, session, message: id }}>
        {label}
      </Link>
    );
  }
  return <span title={id}>{label}</span>;
}

/** The text of a section: its lines lead to their sources where each stands for one. */
function Text({ section, session }: { section: Section; session?: string }) {
  const lines = section.text.split("\n");
  const listed = lines.filter((line) => ITEM.test(line));
  if (listed.length !== section.items.length) {
    return (
      <>
        <p className="words">{section.text}</p>
        <p className="row small">
          {section.items.map((id, at) => (
            <Source key={id} section={section} id={id} session={session} label={`${texts.source} ${at + 1}`} />
          ))}
        </p>
      </>
    );
  }
  return (
    <ul className={css.lines}>
      {listed.map((line, at) => {
        const id = section.items[at] ?? "";
        return (
          <li key={id} className="words">
            <Source section={section} id={id} session={session} label={line.replace(ITEM, "")} />
          </li>
        );
      })}
    </ul>
  );
}

/** What each section takes of all. */
function Shares({ sections }: { sections: Section[] }) {
  const whole = sections.reduce((sum, { tokens }) => sum + tokens, 0) || 1;
  return (
    <figure className={css.shares} aria-label={texts.shares}>
      <div aria-hidden="true">
        {sections.map(({ name, tokens }) => (
          <i key={name} data-section={name} style={{ width: `${(tokens / whole) * 100}%` }} />
        ))}
      </div>
      <figcaption className="row small soft">
        {sections.map(({ name, tokens }) => (
          <span key={name} data-section={name} className="num">
            <i aria-hidden="true" />
            {texts.sections[name]} {tokens.toLocaleString("en")}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A context by its sections, with what each is made of. */
export function Sections({ answer, address }: { answer: ContextAnswer; address: ContextAddress }) {
  const filled = answer.sections.filter(({ tokens }) => tokens > 0);
  if (filled.length === 0) return <EmptyState title={texts.empty} text={texts.emptyText} />;
  return (
    <div className="stack">
      <Shares sections={filled} />
      {filled.map((section) => (
        <section key={section.name} className={`card ${css.section}`} data-section={section.name}>
          <header className="row">
            <h2>{texts.sections[section.name]}</h2>
            <span className="faint small num">
              {texts.items(section.items.length)}, {texts.total(section.tokens)}
            </span>
          </header>
          <Text section={section} session={address.session} />
        </section>
      ))}
      {answer.omitted.length > 0 && (
        <p className="row small soft">
          {texts.omitted}
          {answer.omitted.map(({ section, count, tokens }) => (
            <Chip key={section} tone="warn">
              {texts.sections[section]}: {texts.omittedItems(count, tokens)}
            </Chip>
          ))}
        </p>
      )}
    </div>
  );
}
