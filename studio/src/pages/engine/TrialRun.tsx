import type { Answer } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { toastError } from "@/components/Toast";
import { duration } from "@/components/text";
import { api } from "@/data/client";
import { engine as all } from "@/strings/engine";
import css from "./engine.module.css";

const { health: texts } = all;

/** Writes, finds and deletes a memory, and says what each step took. */
export function TrialRun() {
  const [found, setFound] = useState<Answer<"verify_engine">>();

  async function run() {
    try {
      setFound(await api.verifyEngine());
    } catch (error) {
      setFound(undefined);
      toastError(error);
    }
  }

  return (
    <section className="card stack" aria-label={texts.trial}>
      <div className="row">
        <h2 className="grow">{texts.trial}</h2>
        <Button onClick={run}>{texts.tryIt}</Button>
      </div>
      <p className="soft">{texts.trialText}</p>
      {found && (
        <output className="stack">
          <strong>{found.working ? texts.trialWorks(duration(found.latency_ms)) : texts.trialFails}</strong>
          <ul className={css.steps}>
            {found.steps.map((step) => (
              <li key={step.name} className="row">
                <Chip tone={step.ok ? "good" : "bad"} dot>
                  {texts.states[step.ok ? "ok" : "failing"]}
                </Chip>
                {texts.steps[step.name] ?? step.name}
                <span className="faint num">{duration(step.latency_ms)}</span>
                {step.error && <span className={css.bad}>{step.error}</span>}
              </li>
            ))}
          </ul>
        </output>
      )}
    </section>
  );
}
