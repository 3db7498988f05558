import { useState } from "react";
import { Button } from "@/components/Button";
import { TypeChip } from "@/components/Chip";
import { Dialog } from "@/components/Dialog";
import { Select, TextField } from "@/components/Field";
import { Time } from "@/components/Time";
import { toast } from "@/components/Toast";
import { errorMessage } from "@/components/text";
import { useAgents } from "@/data/agents";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { common } from "@/strings/common";
import { memories as texts } from "@/strings/memories";
import css from "./memories.module.css";

const DAYS = 30;
const DAYS_MAX = 36_500;
const SHOWN_MAX = 50;
const { compact } = texts;
type Answer = Awaited<ReturnType<typeof api.summarizeMemories>>;

/** A dialog that names what would be folded into one summary, then does it. */
export function CompactOld({ agent: given, onClose }: { agent: string | undefined; onClose: () => void }) {
  const { data: agents = [] } = useAgents();
  const [agent, setAgent] = useState(given ?? "");
  const [days, setDays] = useState(`${DAYS}`);
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState<string>();

  async function ask(isDry: boolean): Promise<Answer | undefined> {
    setProblem(undefined);
    try {
      return await api.summarizeMemories({ agent, older_than_days: Number(days), dry_run: isDry });
    } catch (error) {
      setProblem(errorMessage(error));
      return undefined;
    }
  }

  async function run() {
    const done = await ask(false);
    if (!done) return;
    toast(compact.done(done.candidates.length));
    onClose();
    await refresh("/v1/memories");
  }

  return (
    <Dialog
      wide
      title={compact.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button disabled={!agent} onClick={async () => setAnswer(await ask(true))}>
            {compact.preview}
          </Button>
          {answer && answer.candidates.length > 0 && (
            <Button kind="primary" onClick={run}>
              {compact.run}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <p className="soft">{compact.text}</p>
        <div className={css.fields}>
          {!given && (
            <Select
              label={common.agent}
              options={[
                { value: "", label: common.chooseAgent },
                ...agents.map((name) => ({ value: name, label: name })),
              ]}
              value={agent}
              onChange={(name) => {
                setAgent(name);
                setAnswer(undefined);
              }}
            />
          )}
          <TextField
            label={compact.days}
            type="number"
            min={0}
            max={DAYS_MAX}
            value={days}
            onChange={(value) => {
              setDays(value);
              setAnswer(undefined);
            }}
          />
        </div>
        <div role="status" className="stack">
          {answer && <Candidates answer={answer} />}
        </div>
        {problem && (
          <p role="alert" className={css.problem}>
            {problem}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function Candidates({ answer }: { answer: Answer }) {
  const { candidates } = answer;
  if (candidates.length === 0) return <p>{compact.none[answer.not_folded ?? "nothing"]}</p>;
  return (
    <>
      <p>{compact.found(candidates.length, answer.tokens_before, answer.tokens_after)}</p>
      <ul className="stack">
        {candidates.slice(0, SHOWN_MAX).map((memory) => (
          <li key={memory.id} className="stack">
            <span className="words">{memory.content}</span>
            <span className="row small faint">
              <TypeChip type={memory.type} />
              <Time value={memory.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {candidates.length > SHOWN_MAX && <p className="faint">{compact.more(candidates.length - SHOWN_MAX)}</p>}
    </>
  );
}
