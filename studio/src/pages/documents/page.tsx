import type { Item } from "@reverie/client";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { Confirm } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import { Owners } from "@/components/Owners";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { QueryList } from "@/components/QueryList";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt } from "@/components/Toast";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { api, calls } from "@/data/client";
import { isMissing, refresh, useCall, useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { common } from "@/strings/common";
import { documents as texts } from "@/strings/documents";
import { AddDocument } from "./AddDocument";
import type { DocumentsSearch } from "./route";

type Head = Item<"list_documents">;
const route = getRouteApi("/documents");
const ROW_PX = 64;
const idOf = ({ id }: Head) => id;
const linkOf = ({ id }: Head): LinkProps => ({
  to: "/documents",
  search: (now: DocumentsSearch) => ({ ...now, document: id }),
});
const closed: LinkProps = { to: "/documents", search: ({ document: _, ...now }: DocumentsSearch) => now };

function Detail({ id }: { id: string }) {
  const call = calls.getDocument(id);
  const navigate = route.useNavigate();
  const { canWrite } = useRights();
  const { data, error, refetch } = useCall(call);
  const [isAsking, setIsAsking] = useState(false);
  if (isMissing(error)) return <EmptyState title={texts.missing} text={texts.missingText} />;
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={10} />;

  async function remove() {
    if (!(await attempt(() => api.deleteDocument(id), texts.deleted))) return;
    setIsAsking(false);
    await navigate({ search: ({ document: _, ...now }) => now, replace: true });
    await refresh("/v1/documents");
  }

  return (
    <article className="stack" aria-label={data.title}>
      <div className="row">
        <h2 className="grow words">{data.title}</h2>
        <CopyMenu call={call} python={["get_document", { document_id: id }]} />
        {canWrite && (
          <Button kind="quiet" small icon={<Trash2 />} aria-label={texts.delete} onClick={() => setIsAsking(true)} />
        )}
      </div>
      <p className="row small faint">
        <span>{data.agent}</span>
        <Owners of={data.owners} />
        {data.user && <span>{common.about(data.user)}</span>}
        <span className="num">{texts.size(data.chunks, data.tokens)}</span>
        <Time value={data.created_at} />
      </p>
      <p className="words">{data.text}</p>
      {isAsking && (
        <Confirm
          danger
          title={texts.deleteTitle}
          action={texts.delete}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.deleteText}</p>
        </Confirm>
      )}
    </article>
  );
}

export function Page() {
  const agent = useAgent();
  const { canWrite } = useRights();
  const { document: chosen, about } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const [typed, setTyped] = useTyped(about ?? "", (given) =>
    navigate({ search: (now) => ({ ...now, about: given.trim() || undefined }), replace: true }),
  );
  const listing = calls.listDocuments({ agent, about });
  const list = useList(listing, { keepPrevious: true });

  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={
        <>
          <CopyMenu call={listing} python={["list_documents", listing.query ?? {}]} />
          {canWrite && (
            <Button
              kind="primary"
              icon={<Plus />}
              disabled={!agent}
              title={agent ? undefined : texts.noAgent}
              onClick={() => setIsAdding(true)}
            >
              {texts.add}
            </Button>
          )}
        </>
      }
    >
      <search>
        <TextField label={texts.about} hideLabel placeholder={texts.about} value={typed} onChange={setTyped} />
      </search>
      <MasterDetail
        back={closed}
        detail={chosen && <Detail key={chosen} id={chosen} />}
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={
          <QueryList
            list={list}
            empty={
              <EmptyState
                title={about ? texts.none : texts.noneYet}
                text={about ? texts.noneText : texts.noneYetText}
              />
            }
            label={texts.list}
            keyOf={idOf}
            linkOf={linkOf}
            chosen={chosen}
            rowHeight={ROW_PX}
            end={texts.end}
          >
            {(one) => (
              <>
                <p className="words">{one.title}</p>
                <p className="row small faint">
                  {!agent && <span>{one.agent}</span>}
                  <Owners of={one.owners} />
                  {one.user && <span>{common.about(one.user)}</span>}
                  <span className="num">{texts.size(one.chunks, one.tokens)}</span>
                  <Time value={one.created_at} />
                </p>
              </>
            )}
          </QueryList>
        }
      />
      {isAdding && agent && <AddDocument agent={agent} onClose={() => setIsAdding(false)} />}
    </Frame>
  );
}
