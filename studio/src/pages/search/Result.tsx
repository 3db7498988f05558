import type { SearchResult } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Crosshair } from "lucide-react";
import { Button } from "@/components/Button";
import { Chip, TypeChip } from "@/components/Chip";
import { Owners } from "@/components/Owners";
import { Happened, Time } from "@/components/Time";
import { useAgent } from "@/data/agents";
import { common } from "@/strings/common";
import { search as texts } from "@/strings/search";
import { decimal } from "./Explanation";
import css from "./search.module.css";

const { result: words } = texts;

export function idOf(result: SearchResult): string {
  return (result.memory ?? result.message ?? result.document)?.id ?? "";
}

function What({ result }: { result: SearchResult }) {
  const agent = useAgent();
  const { memory, message, document } = result;
  if (memory) {
    return (
      <>
        <Link to="/memories" search={{ agent, memory: memory.id }} className={`words ${css.text}`}>
          {memory.content}
        </Link>
        <div className="row small faint">
          <TypeChip type={memory.type} />
          <Owners of={memory.owners} />
          {memory.user && <span>{common.about(memory.user)}</span>}
          <Happened memory={memory} />
        </div>
      </>
    );
  }
  if (message) {
    const said = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
    return (
      <>
        <Link
          to="/sessions"
          search={{ agent, session: message.session, message: message.id }}
          className={`words ${css.text}`}
        >
          {said}
        </Link>
        <div className="row small faint">
          <Chip>{message.role}</Chip>
          <Owners of={message.owners} />
          <span>{message.session}</span>
          <Time value={message.created_at} />
        </div>
      </>
    );
  }
  return (
    document && (
      <>
        <Link to="/documents" search={{ agent, document: document.document_id }} className={`words ${css.text}`}>
          {document.content}
        </Link>
        <div className="row small faint">
          <Chip>{document.title}</Chip>
        </div>
      </>
    )
  );
}

function Why({ result }: { result: SearchResult }) {
  const boosts = Object.entries(result.boosts).filter(([, value]) => value !== 0);
  const list = (rank: number | null, score: number | null) =>
    rank === null && score === null ? (
      words.notAmong
    ) : (
      <>
        {rank !== null && words.rank(rank)} {score !== null && <span className="faint">{decimal(score)}</span>}
      </>
    );
  return (
    <dl className={css.why}>
      <div>
        <dt>{words.score}</dt>
        <dd className="num">{decimal(result.score)}</dd>
      </div>
      <div>
        <dt>{words.words}</dt>
        <dd className="num">{list(result.keyword_rank, result.keyword_score)}</dd>
      </div>
      <div>
        <dt>{words.meaning}</dt>
        <dd className="num">{list(result.semantic_rank, result.semantic_score)}</dd>
      </div>
      {result.relevance !== null && (
        <div>
          <dt>{words.relevance}</dt>
          <dd className="num">
            <meter min={0} max={1} value={result.relevance} aria-label={words.relevance} /> {decimal(result.relevance)}
          </dd>
        </div>
      )}
      {boosts.length > 0 && (
        <div>
          <dt>{words.boosts}</dt>
          <dd className="num">
            {boosts.map(([name, value]) => `${name} ${value > 0 ? "+" : ""}${decimal(value)}`).join(", ")}
          </dd>
        </div>
      )}
      {result.matched_fields.length > 0 && (
        <div>
          <dt>{words.matched}</dt>
          <dd>{result.matched_fields.join(", ")}</dd>
        </div>
      )}
      {result.also.length > 0 && <div className="faint">{words.also(result.also.length)}</div>}
    </dl>
  );
}

/** One result, with everything that put it there. `elsewhere`: its place in the search beside this one. */
export function Result({
  result,
  isExpected,
  elsewhere,
  onExpect,
}: {
  result: SearchResult;
  isExpected: boolean;
  elsewhere?: { rank: number | undefined };
  onExpect: (id: string) => void;
}) {
  const moved = elsewhere && elsewhere.rank !== result.rank;
  return (
    <li className={`${css.result} ${isExpected ? css.isExpected : ""}`} aria-current={isExpected ? "true" : undefined}>
      <div className={`num ${css.rank}`}>{result.rank}</div>
      <div className="stack grow">
        <What result={result} />
        <Why result={result} />
      </div>
      <div className={css.aside}>
        {moved && <Chip tone="accent">{words.moved(elsewhere.rank)}</Chip>}
        {result.memory && !isExpected && (
          <Button
            kind="quiet"
            small
            icon={<Crosshair />}
            aria-label={words.expect}
            onClick={() => onExpect(idOf(result))}
          />
        )}
      </div>
    </li>
  );
}
