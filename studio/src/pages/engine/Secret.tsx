import { Button } from "@/components/Button";
import { CopyButton } from "@/components/CopyMenu";
import { Dialog } from "@/components/Dialog";

/** A secret, shown once. */
export function Secret({
  title,
  explanation,
  secret,
  done,
  onClose,
}: {
  title: string;
  explanation: string;
  secret: string;
  done: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {done}
        </Button>
      }
    >
      <p>{explanation}</p>
      <div className="row">
        <code className="words grow">{secret}</code>
        <CopyButton text={secret} />
      </div>
    </Dialog>
  );
}
