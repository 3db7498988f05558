/** All routes. Each page is a folder: its route, with what its address may hold, and its content, loaded when opened. */

import { createRouter } from "@tanstack/react-router";
import { bulletinsRoute } from "@/pages/bulletins/route";
import { contextRoute } from "@/pages/context/route";
import { deletionsRoute } from "@/pages/deletions/route";
import { documentsRoute } from "@/pages/documents/route";
import { dreamsRoute } from "@/pages/dreams/route";
import { engineRoute } from "@/pages/engine/route";
import { graphRoute } from "@/pages/graph/route";
import { howItWorksRoute } from "@/pages/how-it-works/route";
import { inboxRoute } from "@/pages/inbox/route";
import { memoriesRoute } from "@/pages/memories/route";
import { overviewRoute } from "@/pages/overview/route";
import { peopleRoute } from "@/pages/people/route";
import { searchRoute } from "@/pages/search/route";
import { sessionsRoute } from "@/pages/sessions/route";
import { NotFoundPage, PageFailure } from "./PageFailure";
import { rootRoute } from "./root";
import { parseSearch, stringifySearch } from "./search-params";

const routeTree = rootRoute.addChildren([
  overviewRoute,
  memoriesRoute,
  searchRoute,
  contextRoute,
  dreamsRoute,
  inboxRoute,
  peopleRoute,
  graphRoute,
  sessionsRoute,
  bulletinsRoute,
  documentsRoute,
  deletionsRoute,
  engineRoute,
  howItWorksRoute,
]);

export const router = createRouter({
  routeTree,
  basepath: import.meta.env.BASE_URL,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
