import type { MemoryRecord } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Chip, TypeChip } from "@/components/Chip";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Happened, Time } from "@/components/Time";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { said } from "@/pages/sessions/said";
import { memories as texts } from "@/strings/memories";
import { memoryCall } from "./MemoryDetail";
import { MemoryLink } from "./MemoryLink";

interface Source {
  message_id: string;
  session: string;
  seq: number;
  role: string;
  content: unknown;
  created_at: string;
}
interface Evidence {
  id: string;
  against?: boolean;
  former?: boolean;
}
const { sources } = texts;

/** The messages that a memory was made of, or the memories that an insight rests on. */
export function Sources({ memory }: { memory: MemoryRecord }) {
  const evidence = (memory.source.evidence ?? []) as Evidence[];
  const { data, error, isPending, refetch } = useCall(calls.listMemorySources(memory.id));
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !data) return <Skeleton />;
  const messages = data.items as unknown as Source[];
  if (messages.length === 0 && evidence.length === 0)
    return <EmptyState title={sources.none} text={sources.noneText} />;
  return (
    <>
      {evidence.length > 0 && (
        <ul className="stack" aria-label={sources.evidence}>
          {evidence.map((one) => (
            <Cited key={one.id} evidence={one} />
          ))}
        </ul>
      )}
      <ul className="stack" aria-label={texts.tabs.sources}>
        {messages.map((message) => (
          <li key={message.message_id} className="card stack">
            <div className="row small faint">
              <Link
                to="/sessions"
                search={{ agent: memory.agent, session: message.session, message: `${message.seq}` }}
                title={sources.openMessage}
              >
                {message.session}, {sources.message(message.seq)}
              </Link>
              <span>{message.role}</span>
              <Time value={message.created_at} />
            </div>
            <p className="words">{said(message.content)}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

function Cited({ evidence }: { evidence: Evidence }) {
  const { data } = useCall(memoryCall(evidence.id));
  return (
    <li className="card stack">
      <div className="row small faint">
        {data && <TypeChip type={data.type} />}
        {evidence.against && <Chip tone="warn">{sources.against}</Chip>}
        {evidence.former && <Chip>{sources.former}</Chip>}
        {data && <Happened memory={{ ...data, created_at: data.valid_from }} />}
      </div>
      <MemoryLink id={evidence.id} />
    </li>
  );
}
