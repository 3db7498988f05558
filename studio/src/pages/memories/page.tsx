import type { MemoryRecord } from "@reverie/client";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { Ellipsis, Plus, Rows2, Rows4 } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { changed } from "@/app/search-params";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { Menu, MenuItem } from "@/components/Menu";
import { Page as Frame, MasterDetail } from "@/components/Page";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { useSelection } from "@/components/selection";
import { dayOf } from "@/components/text";
import { useKeys } from "@/components/useKeys";
import { VirtualList } from "@/components/VirtualList";
import { useAgent, useAgentSince } from "@/data/agents";
import { useMemoryTypes } from "@/data/memory-types";
import { useRights } from "@/data/session";
import { memories as texts } from "@/strings/memories";
import { AsOf } from "./AsOf";
import { BulkBar } from "./BulkBar";
import { CompactOld } from "./CompactOld";
import { Filters } from "./Filters";
import { MemoryDetail } from "./MemoryDetail";
import css from "./memories.module.css";
import { NewMemory } from "./NewMemory";
import { Row } from "./Row";
import type { MemoriesSearch } from "./route";
import { Stats } from "./Stats";
import { FOUND_MAX, isFiltered, isSearch, momentOf, useMemories, withoutFilters } from "./wanted";

const route = getRouteApi("/memories");
const ROW_PX = 72;
const DENSE_PX = 36;
const idOf = ({ id }: MemoryRecord) => id;
const labelOf = ({ content }: MemoryRecord) => content;
const withoutMemory = ({ memory: _, tab: __, ...rest }: MemoriesSearch) => rest;

export function Page() {
  const agent = useAgent();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { canWrite } = useRights();
  const field = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<"new" | "compact">();
  const since = useAgentSince(agent);
  const types = useMemoryTypes();
  const list = useMemories(agent, search);

  const set = useCallback(
    (changes: Partial<MemoriesSearch>) => navigate({ search: (now) => ({ ...now, ...changes }), replace: true }),
    [navigate],
  );
  const setDay = useCallback((as_of: string | undefined) => void set({ as_of }), [set]);

  useKeys({
    "/": () => field.current?.focus(),
    n: () => canWrite && setOpen("new"),
    Escape: () => void (search.memory && navigate({ search: withoutMemory })),
  });

  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation(agent)}
      actions={
        <>
          <Button
            kind="quiet"
            small
            icon={search.dense ? <Rows2 /> : <Rows4 />}
            aria-label={search.dense ? texts.comfortable : texts.dense}
            onClick={() => set({ dense: search.dense ? undefined : true })}
          />
          <CopyMenu call={list.call} python={list.python} />
          {canWrite && (
            <>
              <Menu label={texts.more} icon={<Ellipsis />}>
                <MenuItem onSelect={() => setOpen("compact")}>{texts.compactOld}</MenuItem>
              </Menu>
              <Button kind="primary" icon={<Plus aria-hidden="true" />} onClick={() => setOpen("new")}>
                {texts.add}
              </Button>
            </>
          )}
        </>
      }
    >
      <Stats agent={agent} user={search.user} chosen={search.type} onChoose={(type) => set({ type })} />
      <Filters
        search={search}
        types={types}
        field={field}
        set={set}
        onClear={() => navigate({ search: withoutFilters })}
        error={list.error}
      />
      <AsOf value={search.as_of} from={since} onChange={setDay} />
      {search.as_of && (
        <p className={`small ${css.past}`} role="status">
          {texts.pastNotice(dayOf(momentOf(search.as_of) ?? ""))}
        </p>
      )}
      <MasterDetail
        back={{ to: "/memories", search: changed(withoutMemory) }}
        detail={search.memory && <MemoryDetail key={search.memory} id={search.memory} />}
        empty={<EmptyState title={texts.choose} text={texts.chooseText} />}
        list={<List list={list} search={search} showAgent={!agent} canWrite={canWrite} />}
      />
      {open === "new" && <NewMemory agent={agent} types={types} onClose={() => setOpen(undefined)} />}
      {open === "compact" && <CompactOld agent={agent} onClose={() => setOpen(undefined)} />}
    </Frame>
  );
}

function List({
  list,
  search,
  showAgent,
  canWrite,
}: {
  list: ReturnType<typeof useMemories>;
  search: MemoriesSearch;
  showAgent: boolean;
  canWrite: boolean;
}) {
  const { items, more, total } = list;
  const selection = useSelection(useMemo(() => items.map(idOf), [items]));
  const linkOf = useCallback(
    ({ id }: MemoryRecord): LinkProps => ({
      to: "/memories",
      search: changed((now: MemoriesSearch) => ({ ...now, memory: id })),
    }),
    [],
  );
  const onEnd = useCallback(() => void more?.(), [more]);

  if (list.needsAgent) return <EmptyState title={texts.chooseAgent} text={texts.chooseAgentText} />;
  if (list.error && items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton lines={12} />;
  if (items.length === 0) {
    const narrowed = isFiltered(search) || search.as_of !== undefined;
    return (
      <EmptyState title={narrowed ? texts.none : texts.noneYet} text={narrowed ? texts.noneText : texts.noneYetText} />
    );
  }
  const isCut = isSearch(search) && items.length >= FOUND_MAX;
  const known = total === undefined ? undefined : texts.ofTotal(items.length, total);
  return (
    <div className={css.listed}>
      {selection.keys.size > 0 && <BulkBar items={items} selection={selection} />}
      <VirtualList
        label={texts.list}
        items={items}
        keyOf={idOf}
        linkOf={linkOf}
        chosen={search.memory}
        rowHeight={search.dense ? DENSE_PX : ROW_PX}
        onEnd={onEnd}
        of={JSON.stringify([list.call.query, list.call.body])}
        isPrevious={list.isPrevious}
        end={list.hasMore ? known : isCut ? texts.atMost(items.length) : texts.end(items.length)}
        selection={canWrite && !search.as_of ? selection : undefined}
        labelOf={labelOf}
      >
        {(memory) => <Row memory={memory} showAgent={showAgent} isDense={search.dense === true} />}
      </VirtualList>
    </div>
  );
}
