import type { Item, Schemas } from "@reverie/client";
import { useQueries } from "@tanstack/react-query";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useRef } from "react";
import { CopyMenu } from "@/components/CopyMenu";
import { Select, TextField } from "@/components/Field";
import { Owners } from "@/components/Owners";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { QueryList } from "@/components/QueryList";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { useKeys } from "@/components/useKeys";
import { useTyped } from "@/components/useTyped";
import { useAgent } from "@/data/agents";
import { api, calls } from "@/data/client";
import { keyOf, useCall, useList } from "@/data/queries";
import { graph as texts } from "@/strings/graph";
import type { Dot, Line } from "./Canvas";
import { EntityPanel, KindChip } from "./EntityPanel";
import css from "./graph.module.css";
import type { GraphSearch } from "./route";

const Canvas = lazy(async () => ({ default: (await import("./Canvas")).Canvas }));
const route = getRouteApi("/graph");
const DRAWN_MAX = 5_000;
const ROW_PX = 56;
const KINDS = ["person", "organization", "place", "project", "product"];
type Entity = Item<"list_entities">;
const idOf = ({ id }: Entity) => id;
const linkOf = ({ id }: Entity): LinkProps => ({ to: "/graph", search: (now: object) => ({ ...now, entity: id }) });
const closed: LinkProps = { to: "/graph", search: ({ entity: _, ...now }: { entity?: string }) => now };

const linesOf = (related: Schemas["Related"][], edges: Schemas["Edge"][]): Line[] => [
  ...related.map(({ source_id, target_id, memories }) => ({ from: source_id, to: target_id, weight: memories })),
  ...edges
    .filter(({ source_kind, target_kind }) => source_kind === "entity" && target_kind === "entity")
    .map(({ source_id, target_id }) => ({ from: source_id, to: target_id, weight: 1 })),
];

/** What is drawn: the most mentioned entities, and the neighbours of those that are expanded. */
function useDrawing(agent: string | undefined, { q, kind, since, until, expanded }: GraphSearch) {
  const call = calls.getGraph({ agent, q, kind, since, until, limit: DRAWN_MAX });
  const whole = useCall(call, { keepPrevious: true });
  const around = useQueries({
    queries: (expanded ?? []).map((id) => {
      const near = calls.getEntityGraph(id, { agent, depth: 1, memories: false });
      return { queryKey: keyOf(near), queryFn: () => api.send(near) };
    }),
    combine: (answers) => answers.flatMap(({ data }) => (data ? [data] : [])),
  });
  const drawing = useMemo(() => {
    const dots = new Map<string, Dot>(whole.data?.entities.map((one) => [one.id, one]));
    for (const { entity, entities } of around) for (const one of [entity, ...entities]) dots.set(one.id, one);
    const lines = [whole.data, ...around].flatMap((one) => (one ? linesOf(one.related, one.edges) : []));
    return { dots: [...dots.values()], lines };
  }, [whole.data, around]);
  return { call, whole, ...drawing };
}

function Drawing({ drawing, isFiltered }: { drawing: ReturnType<typeof useDrawing>; isFiltered: boolean }) {
  const { entity } = route.useSearch();
  const navigate = route.useNavigate();
  const { whole, dots, lines } = drawing;
  if (whole.isError && !whole.data) return <ErrorState error={whole.error} onRetry={whole.refetch} />;
  if (!whole.data) return <Skeleton lines={8} />;
  if (dots.length === 0) {
    return (
      <EmptyState
        title={isFiltered ? texts.none : texts.noneYet}
        text={isFiltered ? texts.noneText : texts.noneYetText}
      />
    );
  }
  return (
    <Suspense fallback={<Skeleton lines={8} />}>
      <Canvas
        dots={dots}
        lines={lines}
        chosen={entity}
        onChoose={(id) => navigate({ search: (now) => ({ ...now, entity: id }) })}
      />
      <div className={`row small soft ${css.count}`}>
        <output className="grow">{texts.shown(dots.length, whole.data.total)}</output>
        {[...new Set(dots.map(({ kind }) => kind))].sort().map((kind) => (
          <KindChip key={kind} kind={kind} />
        ))}
      </div>
    </Suspense>
  );
}

function EntityList({ agent, address }: { agent: string | undefined; address: GraphSearch }) {
  const { q, kind, entity } = address;
  const listing = calls.listEntities({ agent, q, kind, sort: "mentions" });
  const list = useList(listing, { keepPrevious: true });
  return (
    <QueryList
      list={list}
      empty={<EmptyState title={texts.none} text={texts.noneText} />}
      label={texts.list}
      keyOf={idOf}
      linkOf={linkOf}
      chosen={entity}
      rowHeight={ROW_PX}
      end={texts.end}
    >
      {(one) => (
        <div className="row">
          <span className="grow words">{one.name}</span>
          <Owners of={one.owners} />
          <KindChip kind={one.kind} />
          <span className="faint small num">{texts.mentions(one.mentions)}</span>
        </div>
      )}
    </QueryList>
  );
}

export function Page() {
  const agent = useAgent();
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const drawing = useDrawing(agent, address);
  const set = (changes: Partial<GraphSearch>) => navigate({ search: (now) => ({ ...now, ...changes }), replace: true });
  const [typed, setTyped] = useTyped(address.q ?? "", (q) => set({ q: q.trim() || undefined }));
  const kinds = [...new Set([...KINDS, ...drawing.dots.map(({ kind }) => kind)])].sort();
  useKeys({
    "/": () => field.current?.focus(),
    Escape: () => void (address.entity && navigate({ search: ({ entity: _, ...now }) => now })),
  });

  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={<CopyMenu call={drawing.call} python={["get_graph", drawing.call.query ?? {}]} />}
    >
      <search className={css.filters}>
        <TextField
          ref={field}
          label={texts.find}
          hideLabel
          type="search"
          placeholder={`${texts.find}  /`}
          value={typed}
          onChange={setTyped}
        />
        <Select
          label={texts.kind}
          hideLabel
          options={[{ value: "", label: texts.allKinds }, ...kinds.map((kind) => ({ value: kind, label: kind }))]}
          value={address.kind ?? ""}
          onChange={(kind) => set({ kind: kind || undefined })}
        />
        <Select
          label={texts.view}
          hideLabel
          options={[
            { value: "", label: texts.drawing },
            { value: "list", label: texts.list },
          ]}
          value={address.layout ?? ""}
          onChange={(layout) => navigate({ search: (now) => ({ ...now, layout: layout || undefined }) })}
        />
        <TextField
          label={texts.since}
          hideLabel
          title={texts.since}
          type="date"
          value={address.since ?? ""}
          onChange={(since) => set({ since: since || undefined })}
        />
        <TextField
          label={texts.until}
          hideLabel
          title={texts.until}
          type="date"
          value={address.until ?? ""}
          onChange={(until) => set({ until: until || undefined })}
        />
      </search>
      <MasterDetail
        back={closed}
        wideList={address.layout !== "list"}
        detail={address.entity && <EntityPanel key={address.entity} id={address.entity} />}
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={
          address.layout === "list" ? (
            <EntityList agent={agent} address={address} />
          ) : (
            <Drawing drawing={drawing} isFiltered={Boolean(address.q || address.kind || address.since)} />
          )
        }
      />
    </Frame>
  );
}
