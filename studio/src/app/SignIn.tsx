import { type FormEvent, useState } from "react";
import { Button, buttonClass } from "@/components/Button";
import { TextField } from "@/components/Field";
import { chooseKey, providerAddress, signIn, useSession } from "@/data/session";
import { common } from "@/strings/common";
import css from "./Shell.module.css";

const UNAUTHENTICATED = 401;
const texts = common.signIn;

/** Where a key is given. The address stays as it is, so that a deep link opens after the sign-in. */
export function SignIn({ onDone }: { onDone?: () => void }) {
  const { ended, keys, current, singleSignOn } = useSession();
  const [key, setKey] = useState("");
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isPending) return;
    if (!key.trim()) return setProblem(texts.empty);
    setIsPending(true);
    const failed = await signIn(key);
    setIsPending(false);
    if (!failed) return onDone?.();
    setProblem(
      failed.status === UNAUTHENTICATED ? texts.rejected : failed.status === 0 ? texts.unreachable : failed.detail,
    );
  }

  const why = ended === "revoked" ? texts.revoked : ended === "signed-out" ? texts.signedOut : undefined;
  return (
    <main className={css.signIn}>
      <form className="card stack" onSubmit={submit} noValidate>
        <h1>{common.title}</h1>
        <p className="soft">{texts.explanation}</p>
        {why && (
          <p role="alert" className={css.why}>
            {why}
          </p>
        )}
        <TextField
          label={texts.key}
          type="password"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={key}
          onChange={(value) => {
            setKey(value);
            setProblem(undefined);
          }}
          problem={problem}
        />
        <Button kind="primary" type="submit" pending={isPending}>
          {texts.submit}
        </Button>
        {singleSignOn && (
          <a className={buttonClass()} href={providerAddress()}>
            {texts.signInWith(singleSignOn)}
          </a>
        )}
        {onDone && <Button onClick={onDone}>{texts.cancel}</Button>}
        {!current &&
          keys.map((held) => (
            <Button key={held.id} onClick={() => chooseKey(held.id)}>
              {texts.continueWith(held.workspace, held.agent ?? held.role)}
            </Button>
          ))}
        <p className="small faint">{texts.where}</p>
      </form>
    </main>
  );
}
