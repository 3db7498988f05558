import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";

export const deletionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deletions",
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
