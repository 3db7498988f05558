import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, number } from "@/app/search-params";

export const PERIODS = [7, 30, 90] as const;

export interface OverviewSearch {
  agent?: string;
  /** How many days the charts show. */
  days?: number;
}

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: (given: Given): OverviewSearch => {
    const days = number(given.days);
    return { days: PERIODS.find((period) => period === days) };
  },
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
