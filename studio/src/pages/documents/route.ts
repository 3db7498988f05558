import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, text } from "@/app/search-params";

export interface DocumentsSearch {
  agent?: string;
  /** The document that is open. */
  document?: string;
  about?: string;
}

export const documentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/documents",
  validateSearch: (given: Given): DocumentsSearch => ({ document: text(given.document), about: text(given.about) }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
