import { getRouteApi, Link } from "@tanstack/react-router";
import { GitMerge, Pencil, Split as SplitIcon, Waypoints } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip, TypeChip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { Owners } from "@/components/Owners";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { isMissing, useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { graph as texts } from "@/strings/graph";
import { hueOf } from "./colours";
import { Merge, Rename, Split } from "./EntityDialogs";

const route = getRouteApi("/graph");
type Asked = "rename" | "merge" | "split";

export function KindChip({ kind }: { kind: string }) {
  return (
    <Chip dot hue={hueOf(kind)}>
      {kind}
    </Chip>
  );
}

/** One entity: what it is named together with, its relations, and the memories that name it. */
export function EntityPanel({ id }: { id: string }) {
  const agent = useAgent();
  const { canWrite } = useRights();
  const { expanded = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const [asked, setAsked] = useState<Asked>();
  const call = calls.getEntityGraph(id, { agent, depth: 1 });
  const { data, error, refetch } = useCall(call);
  if (isMissing(error)) return <EmptyState title={texts.missing} text={texts.missingText} />;
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={8} />;

  const { entity, entities, edges, related, memories } = data;
  const names = new Map([entity, ...entities].map((one) => [one.id, one.name]));
  const near = related
    .filter(({ source_id, target_id }) => source_id === entity.id || target_id === entity.id)
    .map((one) => ({ id: one.source_id === entity.id ? one.target_id : one.source_id, memories: one.memories }));
  const relations = edges.filter(
    ({ source_kind, target_kind }) => source_kind === "entity" && target_kind === "entity",
  );
  const leave = () => setAsked(undefined);
  return (
    <article className="stack" aria-label={entity.name}>
      <div className="row">
        <h2 className="words">{entity.name}</h2>
        <KindChip kind={entity.kind} />
        <Owners of={entity.owners} />
        <span className="faint small num">{texts.mentions(entity.mentions)}</span>
        <span className="grow" />
        <CopyMenu call={call} python={["get_entity_graph", { entity: id }]} />
      </div>
      {entity.aliases.length > 0 && (
        <p className="soft small">
          {texts.aliases} {entity.aliases.join(", ")}
        </p>
      )}
      <div className="row">
        {!expanded.includes(id) && (
          <Button
            small
            icon={<Waypoints />}
            onClick={() => navigate({ search: (now) => ({ ...now, expanded: [...expanded, id] }) })}
          >
            {texts.expand}
          </Button>
        )}
        {entity.kind === "person" && (
          <Link to="/people" search={{ agent, person: entity.name }}>
            {texts.person}
          </Link>
        )}
        {canWrite && (
          <>
            <Button small kind="quiet" icon={<Pencil />} onClick={() => setAsked("rename")}>
              {texts.rename}
            </Button>
            <Button small kind="quiet" icon={<GitMerge />} onClick={() => setAsked("merge")}>
              {texts.merge}
            </Button>
            <Button small kind="quiet" icon={<SplitIcon />} onClick={() => setAsked("split")}>
              {texts.split}
            </Button>
          </>
        )}
      </div>
      {near.length > 0 && (
        <section>
          <h3>{texts.together}</h3>
          <ul aria-label={texts.together}>
            {near.map((one) => (
              <li key={one.id} className="row">
                <Link to="/graph" search={(now: object) => ({ ...now, entity: one.id })}>
                  {names.get(one.id) ?? one.id}
                </Link>
                <span className="faint small num">{texts.memoriesTogether(one.memories)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {relations.length > 0 && (
        <section>
          <h3>{texts.relations}</h3>
          <ul aria-label={texts.relations}>
            {relations.map((edge) => (
              <li key={edge.id} className="words">
                {names.get(edge.source_id)} <span className="faint">{edge.relation.replaceAll("_", " ")}</span>{" "}
                {names.get(edge.target_id)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>{texts.memories}</h3>
        <ul className="stack" aria-label={texts.memories}>
          {memories.map((memory) => (
            <li key={memory.id} className="row">
              <TypeChip type={memory.type} />
              <Link to="/memories" search={{ agent, memory: memory.id }} className="grow words">
                {memory.content}
              </Link>
            </li>
          ))}
        </ul>
      </section>
      {asked === "rename" && <Rename entity={entity} onClose={leave} />}
      {asked === "merge" && (
        <Merge
          entity={entity}
          onClose={leave}
          onMerged={(into) => navigate({ search: (now) => ({ ...now, entity: into }), replace: true })}
        />
      )}
      {asked === "split" && <Split entity={entity} memories={memories} onClose={leave} />}
    </article>
  );
}
