import type { Dream, Item } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { diffWords } from "diff";
import { ChevronDown, ChevronRight, Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, buttonClass } from "@/components/Button";
import { Chip, TypeChip } from "@/components/Chip";
import { Diff } from "@/components/Diff";
import { api, calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { common } from "@/strings/common";
import { dreams as texts } from "@/strings/dreams";
import css from "./dreams.module.css";
import { Evidence } from "./Evidence";
import { useUndo } from "./UndoDream";

export type DreamChange = Item<"list_dream_changes">;
const { changes: words } = texts;

/** What is said of a memory, an entity or a link before and after a change. */
interface Side {
  type?: string;
  content?: string;
  user?: string | null;
  hearsay_by?: string | null;
  confidence?: number;
  effective_importance?: number;
  faded?: boolean;
  from?: string;
  relation?: string;
  entity?: string;
  memory_id?: string;
  name?: string;
  kind?: string;
  version?: number;
  message_id?: string;
  proposal_id?: string;
  verdict?: { outcome: string; probability: number };
}

const SIMILAR = 0.6;
const MADE = new Set(["created"]);
const EVIDENT = new Set(["created", "proposed", "reinforced", "superseded", "completed", "reopened"]);

/** One change of a dream, with what it rests on and a way to undo it alone. */
export function Change({ dream, change }: { dream: Dream; change: DreamChange }) {
  const { canWrite } = useRights();
  const [isOpen, setIsOpen] = useState(false);
  const { run, refused } = useUndo(() => api.undoDreamChange(dream.id, change.n), words.undoneToast);
  const isUndone = change.undone_at !== null || dream.status === "undone";
  const mayUndo = canWrite && change.undoable && !isUndone && dream.status === "succeeded";
  const isThere = dream.status === "succeeded" && !(isUndone && MADE.has(change.op));
  const after = (change.after ?? {}) as Side;
  return (
    <li className={css.change}>
      <div className={`grow ${isUndone ? css.undone : ""}`}>
        <What change={change} />
        <div className={`small faint ${css.meta}`}>
          <Marks change={change} />
          {isUndone && <Chip tone="warn">{words.undone}</Chip>}
        </div>
        {isOpen && <Evidence dream={dream} change={change} />}
      </div>
      <div className={css.actions}>
        {EVIDENT.has(change.op) && (
          <Button
            small
            kind="quiet"
            icon={isOpen ? <ChevronDown /> : <ChevronRight />}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {words.evidence}
          </Button>
        )}
        {change.op === "proposed" && after.proposal_id && dream.status === "succeeded" && (
          <Link
            to="/inbox"
            search={{ agent: dream.agent, proposal: after.proposal_id }}
            className={buttonClass("quiet", true)}
          >
            {words.proposal}
          </Link>
        )}
        {change.memory_id && isThere && (
          <Link
            to="/memories"
            search={{ agent: dream.agent, memory: change.memory_id }}
            className={buttonClass("quiet", true)}
          >
            {words.open}
          </Link>
        )}
        {mayUndo && <Button small kind="quiet" icon={<Undo2 />} aria-label={words.undo} onClick={run} />}
      </div>
      {refused}
    </li>
  );
}

function What({ change }: { change: DreamChange }): ReactNode {
  const before = (change.before ?? {}) as Side;
  const after = (change.after ?? {}) as Side;
  switch (change.op) {
    case "created":
    case "proposed":
      return <p className="words">{after.content}</p>;
    case "superseded":
      return <Replaced before={before.content ?? ""} after={after.content ?? ""} />;
    case "reinforced":
    case "completed":
    case "reopened":
      return <p className="words">{before.content}</p>;
    case "linked":
      return (
        <p className="words">
          {after.from ?? <Content id={change.memory_id} />}{" "}
          <span className="soft">{texts.relations[after.relation ?? ""] ?? after.relation}</span>{" "}
          <b>{after.entity ?? <Content id={after.memory_id} />}</b>
        </p>
      );
    case "entity":
      return (
        <p className="words">
          <b>{after.name}</b> <span className="soft">{after.kind}</span>
        </p>
      );
    case "bulletin":
      return <p>{words.bulletin(after.version ?? 0)}</p>;
    case "skipped":
      return <p>{after.message_id ? words.skippedMessage : words.skippedMemory}</p>;
    case "decayed":
      return (
        <p className="num words">
          <Content id={change.memory_id} />{" "}
          {words.importance(
            (before.effective_importance ?? 0).toFixed(2),
            (after.effective_importance ?? 0).toFixed(2),
          )}
        </p>
      );
    default:
      return <p className="words">{change.text}</p>;
  }
}

/** Word by word where most words stay, else one after the other. */
function Replaced({ before, after }: { before: string; after: string }) {
  const parts = diffWords(before, after);
  const kept = parts.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length), 0);
  if (kept > SIMILAR * Math.max(before.length, after.length)) return <Diff before={before} after={after} />;
  return (
    <>
      <p className="words">
        <del className={css.removed}>{before}</del>
      </p>
      <p className="words">
        <ins className={css.added}>{after}</ins>
      </p>
    </>
  );
}

/** What a memory says that a change names by its id alone. */
function Content({ id }: { id: string | null | undefined }) {
  const { data } = useCall(calls.getMemory(id ?? "", { include: "deleted,expired" }), {
    enabled: Boolean(id),
  });
  return data?.content ?? words.memory;
}

function Marks({ change }: { change: DreamChange }) {
  const before = (change.before ?? {}) as Side;
  const after = (change.after ?? {}) as Side;
  const { hearsay_by: by, user } = after.content ? after : before;
  const type = after.type ?? before.type;
  const { verdict } = after;
  return (
    <>
      {type && change.op !== "linked" && <TypeChip type={type} />}
      {user && <span>{common.about(user)}</span>}
      {by && <Chip tone="warn">{words.hearsay(by)}</Chip>}
      {change.op === "proposed" && after.confidence !== undefined && (
        <Chip tone="warn">{words.confidence(after.confidence.toFixed(2))}</Chip>
      )}
      {verdict && (
        <Chip tone="accent">
          {words.verdict(words.verdicts[verdict.outcome] ?? verdict.outcome, verdict.probability.toFixed(3))}
        </Chip>
      )}
      {after.faded && !before.faded && <Chip tone="warn">{words.faded}</Chip>}
      {change.op !== "superseded" && change.op !== "linked" && <span className="words">{change.reason}</span>}
    </>
  );
}
