import type { MemoryRecord, MessageRecord } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Link2 } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "@/components/Button";
import { Chip, TypeChip } from "@/components/Chip";
import { copyText } from "@/components/CopyMenu";
import { Time } from "@/components/Time";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { sessions as texts } from "@/strings/sessions";
import { said } from "./said";
import css from "./sessions.module.css";

const ROW_PX = 92;
/** The kinds of source of summaries: of a window, of old memories. */
const SUMMARIES = new Set<unknown>(["window", "summary"]);

interface Props {
  agent: string;
  messages: readonly MessageRecord[];
  /** Those that go to the model verbatim. */
  window: readonly MessageRecord[];
  /** Where the marked message is; less than 0 for none. */
  markedAt: number;
  find: string | undefined;
}

/** A conversation of any length: what is in view is drawn. It opens at the marked message, or else at its end. */
export function Messages({ agent, messages, window: inWindow, markedAt, find }: Props) {
  const scroll = useRef<HTMLElement>(null);
  const verbatim = useMemo(() => new Set(inWindow.map(({ id }) => id)), [inWindow]);
  const firstVerbatim = inWindow[0]?.id;
  const virtual = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => messages[index]?.id ?? index,
    overscan: 4,
  });
  const opened = useRef(false);
  const isMarked = markedAt >= 0;
  const count = messages.length;

  useEffect(() => {
    if (isMarked) {
      opened.current = true;
      virtual.scrollToIndex(markedAt, { align: "center" });
    } else if (!opened.current && count > 0) {
      virtual.scrollToIndex(count - 1, { align: "end" });
    }
  }, [isMarked, markedAt, count, virtual]);

  return (
    <section
      ref={scroll}
      className={css.scroll}
      aria-label={texts.conversation}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
      onPointerDown={() => {
        opened.current = true;
      }}
      onWheel={() => {
        opened.current = true;
      }}
    >
      <ol className={css.said} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const message = messages[index];
          if (!message) return null;
          const isVerbatim = verbatim.has(message.id);
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={count}
              aria-current={index === markedAt ? "true" : undefined}
              className={`${css.message} ${isVerbatim ? css.verbatim : ""}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              {message.id === firstVerbatim && <p className={`small ${css.divider}`}>{texts.windowStart}</p>}
              <Message message={message} find={find} isVerbatim={isVerbatim} />
              <Became agent={agent} id={message.id} isIdle={!virtual.isScrolling} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Message({
  message,
  find,
  isVerbatim,
}: {
  message: MessageRecord;
  find: string | undefined;
  isVerbatim: boolean;
}) {
  const { seq, role, name, user, content } = message;
  const speaker = name ?? (role === "user" && user ? user : role);
  return (
    <>
      <div className="row small faint">
        <b className="soft">{speaker}</b>
        {speaker !== role && <span>{role}</span>}
        <span className="num">#{seq}</span>
        <Time value={message.created_at} />
        {isVerbatim && <span className="visually-hidden">{texts.inWindow}</span>}
        <span className="grow" />
        <Button
          kind="quiet"
          small
          icon={<Link2 />}
          aria-label={texts.copyLink(seq)}
          onClick={() => {
            const address = new URL(window.location.href);
            address.searchParams.set("message", `${seq}`);
            address.searchParams.delete("find");
            return copyText(address.href);
          }}
        />
      </div>
      <p className="words">
        <Marked text={said(content)} find={find} />
      </p>
    </>
  );
}

/** A text with what is looked for marked in it. */
function Marked({ text, find }: { text: string; find: string | undefined }) {
  const wanted = find?.toLowerCase();
  // Lower case may be longer than the text (İ): then places would not be those of the text.
  const lower = text.toLowerCase();
  if (!wanted || lower.length !== text.length) return text;
  const parts = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

/** The memories made of a message, a line each; a summary stands above the window. */
function Became({ agent, id, isIdle }: { agent: string; id: string; isIdle: boolean }) {
  const [wasIdle, setWasIdle] = useState(isIdle);
  useEffect(() => {
    if (isIdle) setWasIdle(true);
  }, [isIdle]);
  const { data } = useCall(calls.listMessageMemories(id), { enabled: wasIdle });
  const memories = (data?.items ?? []).filter(({ source }: MemoryRecord) => !SUMMARIES.has(source.kind));
  if (memories.length === 0) return null;
  return (
    <ul aria-label={texts.memories} className={css.became}>
      {memories.map((memory) => (
        <li key={memory.id}>
          <Link to="/memories" search={{ agent, memory: memory.id }} title={memory.content}>
            <TypeChip type={memory.type} />
            <span>{memory.content}</span>
            {memory.superseded_by && <Chip tone="warn">superseded</Chip>}
          </Link>
        </li>
      ))}
    </ul>
  );
}
