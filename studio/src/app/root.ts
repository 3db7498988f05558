/** The route above all pages: the frame, and the agent that every address may name. */

import { createRootRoute } from "@tanstack/react-router";
import { NotFoundPage, PageFailure } from "./PageFailure";
import { Shell } from "./Shell";
import { type Given, text } from "./search-params";

export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: PageFailure,
  validateSearch: (given: Given): { agent?: string } => ({ agent: text(given.agent) }),
});
