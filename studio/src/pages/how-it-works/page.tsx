import { Link } from "@tanstack/react-router";
import { TypeChip } from "@/components/Chip";
import { Page as Frame } from "@/components/Page";
import { useAgent } from "@/data/agents";
import { common } from "@/strings/common";
import { howItWorks as texts } from "@/strings/how-it-works";
import css from "./how-it-works.module.css";

const STEPS = ["sessions", "dreams", "search", "context", "bulletins", "memories"] as const;

export function Page() {
  const agent = useAgent();
  return (
    <Frame title={texts.title} explanation={texts.explanation}>
      <ol className="stack">
        {STEPS.map((page, at) => (
          <li key={page} className="card stack">
            <h2>
              {at + 1}. {texts.steps[page].title}
            </h2>
            <p className={css.text}>{texts.steps[page].text}</p>
            <Link to={`/${page}`} search={{ agent }}>
              {texts.open(common.pages[page])}
            </Link>
          </li>
        ))}
      </ol>
      <div className={css.pair}>
        <section className="card stack">
          <h2>{texts.typesTitle}</h2>
          <dl className={css.terms}>
            {Object.entries(texts.types).map(([type, meaning]) => (
              <div key={type}>
                <dt>
                  <TypeChip type={type} />
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section className="card stack">
          <h2>{texts.scopesTitle}</h2>
          <dl className={css.terms}>
            {Object.entries(texts.scopes).map(([scope, readers]) => (
              <div key={scope}>
                <dt>
                  <code>{scope}</code>
                </dt>
                <dd>{readers}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Frame>
  );
}
