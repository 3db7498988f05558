import type { Key } from "@reverie/client";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Confirm } from "@/components/Dialog";
import { ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt, toastError } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useList } from "@/data/queries";
import { common } from "@/strings/common";
import { engine as all } from "@/strings/engine";
import { CreateKey } from "./CreateKey";
import css from "./engine.module.css";
import { Secret } from "./Secret";

const { keys: texts } = all;

function State({ one }: { one: Key }) {
  if (one.revoked_at) return <Chip tone="bad">{texts.revoked}</Chip>;
  if (one.expires_at && Date.parse(one.expires_at) < Date.now()) return <Chip tone="warn">{texts.expired}</Chip>;
  return null;
}

function Row({ one, onRotate, onRevoke }: { one: Key; onRotate: () => void; onRevoke: () => void }) {
  return (
    <tr>
      <th scope="row" className="words">
        {one.name}
        {one.client_id && <span className="faint"> ({texts.ofApp})</span>}
      </th>
      <td>{one.prefix && <code>{one.prefix}…</code>}</td>
      <td>
        {one.role}
        {one.agent && `: ${one.agent}`}
        {one.user && ` ${common.viewer.of(one.user)}`}
        {one.scopes && <span className="faint"> ({one.scopes.join(", ")})</span>}
      </td>
      <td>{one.last_used_at ? <Time value={one.last_used_at} /> : texts.never}</td>
      <td>
        <Time value={one.created_at} />
      </td>
      <td>{one.expires_at ? <Time value={one.expires_at} /> : texts.never}</td>
      <td className="row">
        <State one={one} />
        {!one.revoked_at && (
          <>
            {!one.client_id && (
              <Button small kind="quiet" onClick={onRotate}>
                {texts.rotate}
              </Button>
            )}
            <Button small kind="quiet" onClick={onRevoke}>
              {texts.revoke}
            </Button>
          </>
        )}
      </td>
    </tr>
  );
}

type Asked = { what: "rotate" | "revoke"; one: Key };

/** Every key of the workspace, with what may be done with it. */
export function Keys() {
  const list = useList(calls.listKeys());
  const [isCreating, setIsCreating] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();

  async function rotate({ id }: Key) {
    try {
      setSecret((await api.rotateKey(id)).key);
      setAsked(undefined);
      await refresh("/v1/keys");
    } catch (error) {
      toastError(error);
    }
  }

  async function revoke({ id }: Key) {
    if (await attempt(() => api.revokeKey(id), texts.revokedNow)) setAsked(undefined);
    await refresh("/v1/keys");
  }

  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton lines={6} />;
  return (
    <>
      <div className="row">
        <span className="grow" />
        <Button kind="primary" icon={<Plus />} onClick={() => setIsCreating(true)}>
          {texts.create}
        </Button>
      </div>
      <section className={`card ${css.table}`} aria-label={texts.list}>
        <table>
          <thead>
            <tr>
              {[texts.name, texts.prefix, texts.role, texts.lastUsed, texts.createdAt, texts.expires].map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {list.items.map((one) => (
              <Row
                key={one.id}
                one={one}
                onRotate={() => setAsked({ what: "rotate", one })}
                onRevoke={() => setAsked({ what: "revoke", one })}
              />
            ))}
          </tbody>
        </table>
      </section>
      {list.hasNextPage && (
        <Button icon={<KeyRound />} onClick={() => list.fetchNextPage()}>
          {texts.more}
        </Button>
      )}
      {isCreating && <CreateKey onClose={() => setIsCreating(false)} onCreated={setSecret} />}
      {asked?.what === "rotate" && (
        <Confirm
          title={texts.rotateTitle(asked.one.name)}
          action={texts.rotate}
          onConfirm={() => rotate(asked.one)}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.rotateText}</p>
        </Confirm>
      )}
      {asked?.what === "revoke" && (
        <Confirm
          danger
          title={texts.revokeTitle(asked.one.name)}
          action={texts.revoke}
          onConfirm={() => revoke(asked.one)}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.revokeText}</p>
        </Confirm>
      )}
      {secret && (
        <Secret
          title={texts.created}
          explanation={texts.createdText}
          secret={secret}
          done={texts.done}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
