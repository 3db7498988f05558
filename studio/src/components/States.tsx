import { CircleAlert, Inbox } from "lucide-react";
import type { ReactNode } from "react";
import { common } from "@/strings/common";
import { Button } from "./Button";
import css from "./surfaces.module.css";
import { errorMessage } from "./text";

/** There is nothing to show, and why; `children` are what to do about it. */
export function EmptyState({
  title,
  text,
  icon,
  children,
}: {
  title: string;
  text?: ReactNode;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={css.state}>
      {icon ?? <Inbox aria-hidden="true" />}
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}

/** What was asked for could not be read. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => unknown }) {
  return (
    <div className={css.state} role="alert">
      <CircleAlert aria-hidden="true" />
      <h2>{common.failed.title}</h2>
      <p>{errorMessage(error)}</p>
      {onRetry && <Button onClick={onRetry}>{common.retry}</Button>}
    </div>
  );
}

/** Something is being read. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div className={css.skeleton} role="status" aria-label={common.loading}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
        <i key={at} />
      ))}
    </div>
  );
}
