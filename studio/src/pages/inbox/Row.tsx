import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Chip, TypeChip } from "@/components/Chip";
import { Owners } from "@/components/Owners";
import { Time } from "@/components/Time";
import { inbox as texts } from "@/strings/inbox";
import type { Proposal } from "./decisions";
import css from "./inbox.module.css";
import type { InboxSearch } from "./route";

/** A proposal in the list. `onToggle`: selects it for a decision on several. */
export function Row({
  proposal,
  search,
  showAgent,
  isSelected,
  onToggle,
}: {
  proposal: Proposal;
  search: InboxSearch;
  showAgent: boolean;
  isSelected: boolean;
  onToggle: ((id: string) => void) | undefined;
}) {
  const { id, content, status } = proposal;
  const isOpen = search.proposal === id;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const isDecided = status !== (search.decided ?? "proposed");
  return (
    <li ref={row} className={css.row}>
      {onToggle && (
        <input
          type="checkbox"
          aria-label={texts.select(content)}
          checked={isSelected}
          disabled={isDecided}
          onChange={() => onToggle(id)}
        />
      )}
      <Link to="/inbox" search={{ ...search, proposal: id }} aria-current={isOpen ? "true" : undefined}>
        <p className={`words ${css.content} ${isDecided ? css.decided : ""}`}>{content}</p>
        <div className={`small faint ${css.meta}`}>
          <TypeChip type={proposal.type} />
          {isDecided && <Chip tone={status === "rejected" ? "bad" : "good"}>{texts.statuses[status]}</Chip>}
          <Owners of={proposal.owners} />
          {showAgent && <span>{proposal.agent}</span>}
          <span className="num">{texts.confidence(proposal.confidence.toFixed(2))}</span>
          <Time value={proposal.said_at} />
        </div>
      </Link>
    </li>
  );
}
