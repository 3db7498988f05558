import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { flag, type Given, number, oneOf, text } from "@/app/search-params";

export const VIEWS = ["words", "side"] as const;

export interface BulletinsSearch {
  agent?: string;
  /** Whose bulletin is shown. Default: nobody's, made of what belongs to nobody. */
  user?: string;
  /** Whether the pages are shown, and not the bulletin. */
  pages?: true;
  /** The page that is open: a standing question. */
  page?: string;
  /** The version of the bulletin, or of the page's answer. Default: the newest. */
  version?: number;
  /** The version that it is compared with. Default: the one before. */
  compared?: number;
  /** How it is compared. Default: not at all. */
  view?: (typeof VIEWS)[number];
}

const WHOLE = { min: 1, max: 2_147_483_647 };

export const bulletinsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/bulletins",
  validateSearch: (given: Given): BulletinsSearch => ({
    user: text(given.user),
    pages: flag(given.pages),
    page: text(given.page),
    version: number(given.version, WHOLE),
    compared: number(given.compared, WHOLE),
    view: oneOf(given.view, VIEWS),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
