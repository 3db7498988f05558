import { Link } from "@tanstack/react-router";
import { CircleAlert, Inbox } from "lucide-react";
import type { ReactNode } from "react";
import { Time } from "@/components/Time";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { overview as texts } from "@/strings/overview";
import css from "./overview.module.css";
import { useRecentDreams } from "./recent";

const { attention: words } = texts;
const SHOWN = 5;
const LIMIT = 100;

/** What somebody has to look at: failed dreams, texts that were set aside, proposals, no worker. */
export function Attention() {
  const agent = useAgent();
  const { isAdmin } = useRights();
  const { dreams = [] } = useRecentDreams();
  const inbox = useCall(calls.listInbox({ agent, limit: LIMIT }));
  const letters = useCall(calls.listDeadLetters({ limit: LIMIT }), { enabled: isAdmin });
  const failed = dreams.filter(({ status }) => status === "failed").slice(0, SHOWN);
  const proposals = inbox.data?.items.length ?? 0;
  const aside = letters.data?.items.length ?? 0;
  if (failed.length + proposals + aside === 0) return null;

  const total = (text: string, more: unknown) => (more ? words.atLeast(text) : text);
  return (
    <section className="card stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <ul className="stack">
        {failed.map((dream) => (
          <Entry key={dream.id} icon={<CircleAlert aria-hidden="true" className={css.bad} />}>
            <Link to="/dreams" search={{ agent: dream.agent, dream: dream.id }}>
              {words.failed(dream.agent)}
            </Link>{" "}
            <span className="soft words">{dream.error}</span>{" "}
            <span className="small faint">
              <Time value={dream.created_at} />
            </span>
          </Entry>
        ))}
        {aside > 0 && (
          <Entry icon={<CircleAlert aria-hidden="true" className={css.bad} />}>
            <Link to="/dreams" search={{ agent }}>
              {words.letters(total(words.letter(aside), letters.data?.next_cursor))}
            </Link>
          </Entry>
        )}
        {proposals > 0 && (
          <Entry icon={<Inbox aria-hidden="true" />}>
            <Link to="/inbox" search={{ agent }}>
              {words.inbox(total(words.proposal(proposals), inbox.data?.next_cursor))}
            </Link>
          </Entry>
        )}
      </ul>
    </section>
  );
}

function Entry({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className={css.entry}>
      {icon}
      <p>{children}</p>
    </li>
  );
}
