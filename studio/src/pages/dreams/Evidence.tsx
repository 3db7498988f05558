import type { Dream } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { dreams as texts } from "@/strings/dreams";
import type { DreamChange } from "./Change";
import css from "./dreams.module.css";

const { changes: words } = texts;
const PROPOSED = 200;

/** What a change rests on: what was said, and other memories. */
export function Evidence({ dream, change }: { dream: Dream; change: DreamChange }) {
  return (
    <div className={`stack ${css.evidence}`}>
      {change.memory_id ? (
        <Sources dream={dream} id={change.memory_id} />
      ) : (
        <Proposed dream={dream} content={change.after?.content} />
      )}
      {change.memory_ids.length > 0 && (
        <div>
          <p className="small faint">{words.basedOn(change.memory_ids.length)}</p>
          <ul>
            {change.memory_ids.map((id) => (
              <Memory key={id} id={id} />
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

interface Said {
  message_id: string;
  session: string;
  seq: number;
  role: string;
  name?: string | null;
  content: string;
  created_at: string;
}

function Quotes({ dream, messages }: { dream: Dream; messages: readonly Said[] }) {
  if (messages.length === 0) return <p className="small faint">{words.noEvidence}</p>;
  return messages.map((said) => (
    <blockquote key={said.message_id}>
      <p className="words">{said.content}</p>
      <footer className="small faint">
        {said.name ?? said.role} ·{" "}
        <Link to="/sessions" search={{ agent: dream.agent, session: said.session, message: said.message_id }}>
          {words.turn(said.session, said.seq)}
        </Link>{" "}
        · <Time value={said.created_at} />
      </footer>
    </blockquote>
  ));
}

function Sources({ dream, id }: { dream: Dream; id: string }) {
  const { data, error } = useCall(calls.listMemorySources(id));
  if (error) return <p className="small faint">{words.noEvidence}</p>;
  if (!data) return <Skeleton lines={1} />;
  return <Quotes dream={dream} messages={data.items as unknown as Said[]} />;
}

function Proposed({ dream, content }: { dream: Dream; content: unknown }) {
  const { data, error } = useCall(calls.listInbox({ agent: dream.agent, limit: PROPOSED }));
  if (error) return <p className="small faint">{words.noEvidence}</p>;
  if (!data) return <Skeleton lines={1} />;
  const proposal = data.items.find((one) => one.content === content);
  return <Quotes dream={dream} messages={proposal?.sources ?? []} />;
}

function Memory({ id }: { id: string }) {
  const { data } = useCall(calls.getMemory(id));
  if (!data) return null;
  return (
    <li className="words">
      <Link to="/memories" search={{ agent: data.agent, memory: id }}>
        {data.content}
      </Link>
    </li>
  );
}
