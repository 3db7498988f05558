import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { TextField } from "@/components/Field";
import { Page as Frame } from "@/components/Page";
import { EmptyState } from "@/components/States";
import { attempt, toast } from "@/components/Toast";
import { useTyped } from "@/components/useTyped";
import { useAgent, useAgents } from "@/data/agents";
import { api, calls } from "@/data/client";
import { refresh } from "@/data/queries";
import { useRights } from "@/data/session";
import { bulletins as texts } from "@/strings/bulletins";
import { Bulletins } from "./Bulletins";
import css from "./bulletins.module.css";
import { PageForm } from "./PageForm";
import { Pages } from "./Pages";

const route = getRouteApi("/bulletins");

export function Page() {
  const agent = useAgent();
  const { canWrite } = useRights();
  const { user, pages, page } = route.useSearch();
  const navigate = route.useNavigate();
  const [creates, setCreates] = useState(false);
  const [typed, setTyped] = useTyped(user ?? "", (given) =>
    navigate({ search: { agent, user: given.trim() || undefined }, replace: true }),
  );
  const ofPages = pages === true || page !== undefined;

  async function regenerate(agent: string) {
    await attempt(async () => {
      const before = await api.send(calls.listBulletinVersions(agent, { user, limit: 1 }));
      const written = await api.send(calls.rewriteBulletin(agent, { user }));
      const isSame = written.version === before.items[0]?.version;
      toast(isSame ? texts.bulletin.unchanged : texts.bulletin.regenerated(written.version));
      await navigate({ search: ({ agent, user }) => ({ agent, user }), replace: true });
      await refresh("/v1/agents/");
    });
  }

  const tabs = [
    [false, texts.tabs.bulletin],
    [true, texts.tabs.pages],
  ] as const;
  return (
    <Frame
      fill
      title={texts.title}
      explanation={texts.explanation}
      actions={
        agent !== undefined && (
          <>
            {canWrite &&
              (ofPages ? (
                <Button kind="primary" onClick={() => setCreates(true)}>
                  {texts.page.create}
                </Button>
              ) : (
                <Button kind="primary" onClick={() => regenerate(agent)}>
                  {texts.bulletin.regenerate}
                </Button>
              ))}
            {ofPages ? (
              <CopyMenu call={calls.listPages({ agent })} python={["list_pages", { agent }]} />
            ) : (
              <CopyMenu
                call={calls.getBulletin(agent, { user })}
                python={[user ? `for_user(${JSON.stringify(user)}).get_bulletin` : "get_bulletin", { agent }]}
              />
            )}
          </>
        )
      }
    >
      <nav aria-label={texts.tabs.label} className={css.tabs}>
        {tabs.map(([pages, label]) => (
          <Link
            key={label}
            to="/bulletins"
            search={{ agent, pages: pages || undefined }}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={pages === ofPages ? "page" : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {agent !== undefined && !ofPages && (
        <search>
          <TextField
            label={texts.bulletin.user}
            hideLabel
            placeholder={texts.bulletin.user}
            value={typed}
            onChange={setTyped}
          />
        </search>
      )}
      {agent === undefined ? (
        <Agents ofPages={ofPages} />
      ) : ofPages ? (
        <Pages key={agent} agent={agent} />
      ) : (
        <Bulletins key={JSON.stringify([agent, user])} agent={agent} user={user} />
      )}
      {creates && agent !== undefined && (
        <PageForm
          agent={agent}
          onSaved={(id) => navigate({ search: { agent, pages: true, page: id } })}
          onClose={() => setCreates(false)}
        />
      )}
    </Frame>
  );
}

function Agents({ ofPages }: { ofPages: boolean }) {
  const { data: agents } = useAgents();
  return (
    <div className={css.scroll}>
      <EmptyState title={texts.chooseAgent} text={texts.chooseAgentText}>
        <ul aria-label={texts.agents} className={css.agents}>
          {agents?.map((agent) => (
            <li key={agent}>
              <Link to="/bulletins" search={{ agent, pages: ofPages || undefined }}>
                {agent}
              </Link>
            </li>
          ))}
        </ul>
      </EmptyState>
    </div>
  );
}
