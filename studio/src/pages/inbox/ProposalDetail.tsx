import { Link } from "@tanstack/react-router";
import { Check, Pencil, Undo2, X } from "lucide-react";
import { Button, buttonClass } from "@/components/Button";
import { Chip, TypeChip } from "@/components/Chip";
import { Owners } from "@/components/Owners";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { calls } from "@/data/client";
import { isMissing, useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { common } from "@/strings/common";
import { inbox as texts } from "@/strings/inbox";
import type { Action, Proposal } from "./decisions";
import css from "./inbox.module.css";

interface Props {
  id: string;
  /** The proposal, where the list has it. */
  known: Proposal | undefined;
  onDecide: (ids: string[], action: Action) => Promise<boolean>;
  onEdit: (proposal: Proposal) => void;
  /** Opens the next one, where there is one. */
  onNext: (() => unknown) | undefined;
}

export function ProposalDetail(props: Props) {
  const { id, known } = props;
  return known ? <Shown {...props} proposal={known} /> : <Found {...props} key={id} />;
}

/** A proposal that the list does not have: it was decided on, or stands further down. */
function Found(props: Props) {
  const { data, error, refetch } = useCall(calls.getProposal(props.id));
  if (data) return <Shown {...props} proposal={data} />;
  if (!error) return <Skeleton />;
  return isMissing(error) ? (
    <EmptyState title={texts.missing} text={texts.missingText} />
  ) : (
    <ErrorState error={error} onRetry={refetch} />
  );
}

function Shown({ proposal, onDecide, onEdit, onNext }: Props & { proposal: Proposal }) {
  const { canWrite } = useRights();
  const { id, status } = proposal;
  return (
    <article className="stack" aria-label={proposal.content}>
      <div className={`row ${css.actions}`}>
        {canWrite && status === "proposed" && (
          <>
            <Button kind="primary" icon={<Check />} onClick={() => onDecide([id], "accept")}>
              {texts.accept}
            </Button>
            <Button icon={<Pencil />} onClick={() => onEdit(proposal)}>
              {texts.edit}
            </Button>
            <Button kind="danger" icon={<X />} onClick={() => onDecide([id], "reject")}>
              {texts.reject}
            </Button>
          </>
        )}
        {status !== "proposed" && <Chip tone={status === "rejected" ? "bad" : "good"}>{texts.statuses[status]}</Chip>}
        {canWrite && status === "rejected" && (
          <Button icon={<Undo2 />} onClick={() => onDecide([id], "reopen")}>
            {texts.reopen}
          </Button>
        )}
        {proposal.memory_id && (
          <Link
            to="/memories"
            search={{ agent: proposal.agent, memory: proposal.memory_id }}
            className={buttonClass("quiet")}
          >
            {texts.openMemory}
          </Link>
        )}
        {status !== "proposed" && onNext && <Button onClick={onNext}>{texts.next}</Button>}
      </div>
      <p className={`words ${css.whole}`}>{proposal.content}</p>
      <div className="row">
        <TypeChip type={proposal.type} />
        <Chip tone="warn">{texts.confidence(proposal.confidence.toFixed(2))}</Chip>
        <Owners of={proposal.owners} />
        {proposal.user && <Chip>{common.about(proposal.user)}</Chip>}
        {proposal.hearsay_by && <Chip tone="warn">{texts.hearsay(proposal.hearsay_by)}</Chip>}
      </div>
      <Facts proposal={proposal} />
      <section className="stack" aria-label={texts.sources}>
        <h3>{texts.sources}</h3>
        {proposal.sources.length === 0 && <p className="soft">{texts.noSources}</p>}
        {proposal.sources.map((source) => (
          <blockquote key={source.message_id} className={css.said}>
            <p className="words">{source.content}</p>
            <footer className="small faint">
              {source.name ?? source.role} ·{" "}
              <Link
                to="/sessions"
                search={{ agent: proposal.agent, session: source.session, message: source.message_id }}
              >
                {texts.turn(source.session, source.seq)}
              </Link>{" "}
              · <Time value={source.created_at} />
            </footer>
          </blockquote>
        ))}
      </section>
    </article>
  );
}

function Facts({ proposal }: { proposal: Proposal }) {
  return (
    <dl className={css.facts}>
      <dt>{texts.facts.reason}</dt>
      <dd className="words">
        {proposal.reason}
        {proposal.dream_id && (
          <>
            {" "}
            ·{" "}
            <Link to="/dreams" search={{ agent: proposal.agent, dream: proposal.dream_id }}>
              {texts.dream}
            </Link>
          </>
        )}
      </dd>
      <dt>{texts.facts.said}</dt>
      <dd>
        <Time value={proposal.said_at} />
      </dd>
      <dt>{texts.facts.agent}</dt>
      <dd className="words">{proposal.agent}</dd>
      <dt>{texts.facts.importance}</dt>
      <dd className="num">{proposal.importance.toFixed(2)}</dd>
      {proposal.tags.length > 0 && (
        <>
          <dt>{texts.facts.tags}</dt>
          <dd className="words">{proposal.tags.join(", ")}</dd>
        </>
      )}
      {proposal.decided_at && (
        <>
          <dt>{texts.facts.decided}</dt>
          <dd className="words">
            <Time value={proposal.decided_at} /> {proposal.decided_by && texts.by(proposal.decided_by)}
          </dd>
        </>
      )}
    </dl>
  );
}
