import { DeadLetters } from "@/components/DeadLetters";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { deadLetters as texts } from "@/strings/dead-letters";
import css from "./sessions.module.css";

const LIMIT = 200;

/** The dead letters of a session, while there are any. */
export function SetAside({ agent, session }: { agent: string; session: string }) {
  const { items } = useList(calls.listDeadLetters({ limit: LIMIT }));
  const own = items.filter((letter) => letter.agent === agent && letter.session === session);
  if (own.length === 0) return null;
  return (
    <section className={`stack small ${css.dead}`} aria-label={texts.title}>
      <p>
        {texts.ofSession(own.length)}. {texts.text}
      </p>
      <DeadLetters letters={own} />
    </section>
  );
}
