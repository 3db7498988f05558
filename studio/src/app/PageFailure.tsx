import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { EmptyState, ErrorState } from "@/components/States";
import { queryClient } from "@/data/queries";
import { common } from "@/strings/common";

/** A page that threw: what went wrong, and a way to try again. The frame around it stands. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  function retry() {
    void queryClient.resetQueries({ predicate: (query) => query.state.status === "error" });
    reset();
  }
  return <ErrorState error={error} onRetry={retry} />;
}

export function NotFoundPage() {
  return (
    <EmptyState title={common.notFound.title} text={common.notFound.text}>
      <Link to="/">{common.notFound.home}</Link>
    </EmptyState>
  );
}
