import type { Item } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { deadLetters as texts } from "@/strings/dead-letters";
import { Button } from "./Button";
import { Chip } from "./Chip";
import { Confirm } from "./Dialog";
import { Time } from "./Time";
import { attempt } from "./Toast";

export type DeadLetter = Item<"list_dead_letters">;

/** Texts that workers crashed over, each to be retried or discarded. Admin keys only. */
export function DeadLetters({ letters }: { letters: readonly DeadLetter[] }) {
  const [chosen, setChosen] = useState<DeadLetter>();

  async function act(action: () => Promise<unknown>, done: string) {
    await attempt(action, done);
    await refresh("/v1/dead-letters", "/v1/engine");
  }

  return (
    <>
      <ul className="stack">
        {letters.map((letter) => (
          <li key={letter.id} className="row">
            <Letter letter={letter} />
            {letter.status === "dead" && (
              <Button small onClick={() => act(() => api.retryDeadLetter(letter.id), texts.retried)}>
                {texts.retry}
              </Button>
            )}
            <Button small kind="quiet" onClick={() => setChosen(letter)}>
              {texts.discard}
            </Button>
          </li>
        ))}
      </ul>
      {chosen && (
        <Confirm
          title={texts.discardTitle}
          action={texts.discard}
          danger
          onConfirm={async () => {
            await act(() => api.discardDeadLetter(chosen.id), texts.discarded);
            setChosen(undefined);
          }}
          onClose={() => setChosen(undefined)}
        >
          <p>{texts.discardText}</p>
        </Confirm>
      )}
    </>
  );
}

function Letter({ letter }: { letter: DeadLetter }) {
  const { agent, session, seq, subject_id } = letter;
  return (
    <div className="grow">
      <p className="row">
        <b>{texts.kinds[letter.kind]}</b>
        {session ? (
          <Link to="/sessions" search={{ agent, session, message: subject_id }}>
            {agent}, {texts.message(session, seq ?? 0)}
          </Link>
        ) : (
          <span>{agent}</span>
        )}
        <Chip>{letter.job}</Chip>
        {letter.status === "retrying" && <Chip tone="warn">{texts.retrying}</Chip>}
      </p>
      <p className="small words">{letter.reason}</p>
      <p className="small faint">
        {texts.attempts(letter.attempts)} · {texts.setAside} <Time value={letter.created_at} /> ·{" "}
        <code>{subject_id}</code>
      </p>
    </div>
  );
}
