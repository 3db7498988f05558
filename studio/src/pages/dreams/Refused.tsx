import type { Conflict } from "@reverie/client/errors";
import { Link } from "@tanstack/react-router";
import { Button } from "@/components/Button";
import { TypeChip } from "@/components/Chip";
import { Dialog } from "@/components/Dialog";
import { Skeleton } from "@/components/States";
import { errorMessage } from "@/components/text";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { dreams as texts } from "@/strings/dreams";
import css from "./dreams.module.css";

const { refused: words } = texts;
const SHOWN = 20;

/** Why something cannot be undone: the reason, and the records that stand in the way. */
export function Refused({ conflict, onClose }: { conflict: Conflict; onClose: () => void }) {
  const { reason, changed } = conflict.problem as { reason?: string; changed?: string[] };
  const ids = changed ?? [];
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.close}
        </Button>
      }
    >
      <p className={css.note}>{(reason && words.reasons[reason]) ?? errorMessage(conflict)}</p>
      {ids.length > 0 && (
        <>
          <p>{words.later(ids.length)}</p>
          <ul className="stack">
            {ids.slice(0, SHOWN).map((id) => (
              <li key={id}>
                <Changed id={id} />
              </li>
            ))}
          </ul>
          {ids.length > SHOWN && <p className="soft">{words.more(ids.length - SHOWN)}</p>}
        </>
      )}
    </Dialog>
  );
}

function Changed({ id }: { id: string }) {
  const { data, error } = useCall(calls.getMemory(id, { include: "deleted,expired" }));
  if (error) {
    return (
      <p className="soft">
        {words.other} <code>{id}</code>
      </p>
    );
  }
  if (!data) return <Skeleton lines={1} />;
  return (
    <p>
      <TypeChip type={data.type} />{" "}
      <Link to="/memories" search={{ agent: data.agent, memory: id }}>
        {data.content}
      </Link>
    </p>
  );
}
