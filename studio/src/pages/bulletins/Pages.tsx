import type { Answer } from "@reverie/client";
import { getRouteApi, type LinkProps } from "@tanstack/react-router";
import { useCallback } from "react";
import { Chip } from "@/components/Chip";
import { Owners } from "@/components/Owners";
import { MasterDetail } from "@/components/Page";
import { QueryList } from "@/components/QueryList";
import { EmptyState } from "@/components/States";
import { Time } from "@/components/Time";
import { useKeys } from "@/components/useKeys";
import { calls } from "@/data/client";
import { useList } from "@/data/queries";
import { bulletins as texts } from "@/strings/bulletins";
import { PageDetail } from "./PageDetail";

const { page: words } = texts;
const route = getRouteApi("/bulletins");

export type AnsweredPage = Answer<"get_page">;
const idOf = ({ id }: AnsweredPage) => id;

/** The standing questions of an agent, and one of them. */
export function Pages({ agent }: { agent: string }) {
  const { page: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(calls.listPages({ agent }));
  const linkOf = useCallback(
    ({ id }: AnsweredPage): LinkProps => ({ to: "/bulletins", search: { agent, pages: true, page: id } }),
    [agent],
  );
  useKeys({ Escape: () => void (chosen && navigate({ search: { agent, pages: true } })) });

  return (
    <MasterDetail
      back={{ to: "/bulletins", search: { agent, pages: true } }}
      detail={chosen && <PageDetail key={chosen} agent={agent} id={chosen} />}
      empty={<EmptyState title={words.choose} text={words.chooseText} />}
      list={
        <QueryList
          list={list}
          empty={<EmptyState title={words.none} text={words.noneText} />}
          label={words.list}
          keyOf={idOf}
          linkOf={linkOf}
          chosen={chosen}
          rowHeight={64}
          end={words.end}
        >
          {(page) => (
            <>
              <p className="words">{page.question}</p>
              <div className="row small faint">
                {page.scope.user && <Owners of={[page.scope.user]} />}
                {page.stale && <Chip tone="warn">{texts.stale}</Chip>}
                <span>{words.sentences(page.sentences.length)}</span>
                <Time value={page.written_at} />
              </div>
            </>
          )}
        </QueryList>
      }
    />
  );
}
