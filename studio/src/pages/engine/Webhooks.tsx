import type { Item } from "@reverie/client";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Confirm } from "@/components/Dialog";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useList } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import { AddWebhook } from "./AddWebhook";
import { Secret } from "./Secret";

const { webhooks: texts } = all;
type Webhook = Item<"list_webhooks">;

function State({ one }: { one: Webhook }) {
  if (one.disabled_at) return <Chip tone="bad">{texts.disabled}</Chip>;
  if (one.failures > 0) return <Chip tone="warn">{texts.failing(one.failures)}</Chip>;
  return <Chip tone="good">{texts.ok}</Chip>;
}

function Row({ one, onDelete }: { one: Webhook; onDelete: () => void }) {
  return (
    <li className="card stack">
      <div className="row">
        <strong className="words">{one.name ?? one.url}</strong>
        <State one={one} />
        <span className="grow" />
        <Button small onClick={() => attempt(() => api.testWebhook(one.id), texts.tested)}>
          {texts.test}
        </Button>
        {one.disabled_at && (
          <Button
            small
            onClick={async () => {
              await attempt(() => api.enableWebhook(one.id), texts.enabled);
              await refresh("/v1/webhooks");
            }}
          >
            {texts.enable}
          </Button>
        )}
        <Button small kind="quiet" onClick={onDelete}>
          {texts.delete}
        </Button>
      </div>
      <code className="words">{one.url}</code>
      <p className="row small soft">
        <span>{one.events?.join(", ") ?? texts.all}</span>
        {one.last_sent_at && (
          <span>
            {texts.lastSent} <Time value={one.last_sent_at} />
          </span>
        )}
        {one.retry_at && (
          <span>
            {texts.retryAt} <Time value={one.retry_at} />
          </span>
        )}
      </p>
      {one.error && <p className="words small">{one.error}</p>}
    </li>
  );
}

/** The webhooks of the workspace and how their deliveries go. */
export function Webhooks() {
  const list = useList(calls.listWebhooks());
  const [isAdding, setIsAdding] = useState(false);
  const [asked, setAsked] = useState<Webhook>();
  const [secret, setSecret] = useState<string>();
  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton lines={4} />;

  async function remove({ id }: Webhook) {
    if (await attempt(() => api.deleteWebhook(id), texts.deleted)) setAsked(undefined);
    await refresh("/v1/webhooks");
  }

  return (
    <>
      <div className="row">
        <span className="grow" />
        <Button kind="primary" icon={<Plus />} onClick={() => setIsAdding(true)}>
          {texts.add}
        </Button>
      </div>
      {list.items.length === 0 ? (
        <EmptyState icon={<WebhookIcon aria-hidden="true" />} title={texts.none} text={texts.noneText} />
      ) : (
        <ul className="stack" aria-label={all.tabs.webhooks}>
          {list.items.map((one) => (
            <Row key={one.id} one={one} onDelete={() => setAsked(one)} />
          ))}
        </ul>
      )}
      {isAdding && <AddWebhook onClose={() => setIsAdding(false)} onAdded={setSecret} />}
      {asked && (
        <Confirm
          danger
          title={texts.deleteTitle}
          action={texts.delete}
          onConfirm={() => remove(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.deleteText}</p>
        </Confirm>
      )}
      {secret && (
        <Secret
          title={texts.created}
          explanation={texts.secretText}
          secret={secret}
          done={texts.done}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
