import { getRouteApi, Link } from "@tanstack/react-router";
import { Download, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { CopyMenu } from "@/components/CopyMenu";
import { saveFile } from "@/components/download";
import { TextField } from "@/components/Field";
import { Tabs } from "@/components/Tabs";
import { attempt } from "@/components/Toast";
import { useAgent } from "@/data/agents";
import { api, calls } from "@/data/client";
import { useList } from "@/data/queries";
import { useRights } from "@/data/session";
import { people as texts } from "@/strings/people";
import { Changes, Profile } from "./Profile";
import { Purge } from "./Purge";
import { TABS } from "./route";
import { Timeline } from "./Timeline";

const route = getRouteApi("/people");
const WEEK_MS = 7 * 86_400_000;
const aWeekAgo = () => new Date(Date.now() - WEEK_MS).toISOString().slice(0, 10);

/** The entities of the graph that are called so. */
function Entities({ name }: { name: string }) {
  const agent = useAgent();
  const { items } = useList(calls.listEntities({ agent, q: name, sort: "mentions" }));
  const known = items.filter((entity) => [entity.name, ...entity.aliases].includes(name));
  if (known.length === 0) return null;
  return (
    <p className="row small soft">
      {texts.entities}
      {known.map((entity) => (
        <Link key={entity.id} to="/graph" search={{ agent, entity: entity.id }}>
          {entity.name} ({entity.kind})
        </Link>
      ))}
    </p>
  );
}

/** Everything about one person. */
export function Person({ user }: { user: string }) {
  const agent = useAgent();
  const { isAdmin } = useRights();
  const { tab = "profile", as_of, changed_since = aWeekAgo() } = route.useSearch();
  const navigate = route.useNavigate();
  const [isPurging, setIsPurging] = useState(false);
  const call = calls.getProfile(user, { agent });

  async function exportAll() {
    const held = await api.exportUser(user);
    saveFile(`${user}.json`, JSON.stringify(held, null, 2), "application/json");
  }

  return (
    <article className="stack" aria-label={user}>
      <div className="row">
        <h2 className="grow words">{user}</h2>
        <CopyMenu call={call} python={["get_profile", { user }]} />
        {isAdmin && (
          <>
            <Button small icon={<Download />} onClick={() => attempt(exportAll, texts.exported)}>
              {texts.export}
            </Button>
            <Button small kind="danger" icon={<Trash2 />} onClick={() => setIsPurging(true)}>
              {texts.purge}
            </Button>
          </>
        )}
      </div>
      <Entities name={user} />
      <Tabs
        label={texts.tabs}
        tabs={TABS.map((value) => ({ value, label: texts[value] }))}
        value={tab}
        onChange={(to) => navigate({ search: (now) => ({ ...now, tab: to === "profile" ? undefined : to }) })}
      >
        {tab !== "timeline" && (
          <div className="row">
            {tab === "changes" && (
              <TextField
                label={texts.changedSince}
                type="date"
                value={changed_since}
                onChange={(day) =>
                  navigate({ search: (now) => ({ ...now, changed_since: day || undefined }), replace: true })
                }
              />
            )}
            <TextField
              label={texts.asOf}
              type="date"
              value={as_of ?? ""}
              onChange={(day) => navigate({ search: (now) => ({ ...now, as_of: day || undefined }), replace: true })}
            />
          </div>
        )}
        {tab === "profile" && <Profile user={user} asOf={as_of} />}
        {tab === "timeline" && <Timeline user={user} />}
        {tab === "changes" && <Changes user={user} since={changed_since} asOf={as_of} />}
      </Tabs>
      {isPurging && (
        <Purge
          user={user}
          onClose={() => setIsPurging(false)}
          onDone={() => navigate({ search: ({ person: _, ...now }) => now, replace: true })}
        />
      )}
    </article>
  );
}
