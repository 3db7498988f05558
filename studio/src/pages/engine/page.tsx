import { getRouteApi } from "@tanstack/react-router";
import { Page as Frame } from "@/components/Page";
import { EmptyState } from "@/components/States";
import { Tabs } from "@/components/Tabs";
import { useRights } from "@/data/session";
import { engine as texts } from "@/strings/engine";
import { Audit } from "./Audit";
import { Health } from "./Health";
import { Keys } from "./Keys";
import { ModelCalls } from "./ModelCalls";
import { TABS } from "./route";
import { Secrets } from "./Secrets";
import { SettingsForm } from "./settings/SettingsForm";
import { Transfer } from "./Transfer";
import { Usage } from "./Usage";
import { Webhooks } from "./Webhooks";

const route = getRouteApi("/engine");
const SHOWN = {
  health: Health,
  settings: SettingsForm,
  keys: Keys,
  usage: Usage,
  "model-calls": ModelCalls,
  webhooks: Webhooks,
  secrets: Secrets,
  audit: Audit,
  transfer: Transfer,
};
const OF_ADMINS = new Set(["keys", "usage", "model-calls", "webhooks", "secrets", "audit", "transfer"]);

export function Page() {
  const { tab = "health" } = route.useSearch();
  const { isAdmin } = useRights();
  const navigate = route.useNavigate();
  const Shown = SHOWN[tab];
  return (
    <Frame title={texts.title} explanation={texts.explanation}>
      <Tabs
        label={texts.parts}
        tabs={TABS.filter((one) => isAdmin || !OF_ADMINS.has(one)).map((value) => ({
          value,
          label: texts.tabs[value],
        }))}
        value={tab}
        onChange={(to) => navigate({ search: ({ agent }) => ({ agent, tab: to === "health" ? undefined : to }) })}
      >
        {isAdmin || !OF_ADMINS.has(tab) ? <Shown /> : <EmptyState title={texts.adminOnly} />}
      </Tabs>
    </Frame>
  );
}
