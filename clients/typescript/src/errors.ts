/**
 * What can go wrong with a call, as classes.
 *
 * ReverieClientError
 * ├── ConnectionFailed        no answer came, after all retries
 * └── APIError                an answer that is no success: `status`, `problem` (RFC 9457)
 *     ├── InvalidRequest      422, 400: `errors` and `fields` name the fields
 *     ├── NotAuthenticated    401
 *     ├── NotAllowed          403
 *     ├── NotFound            404
 *     ├── Ambiguous           300: `candidates`
 *     ├── Conflict            409
 *     ├── TooLarge            413
 *     ├── RateLimited         429
 *     └── ServerFailed        5xx
 *
 * A call that its signal aborts rejects with the reason of the signal, as `fetch` does.
 */

export interface FieldError {
  /** Where the field is: `["body", "items", 3, "content"]`. */
  loc: (string | number)[];
  msg: string;
}

export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  errors?: FieldError[];
  [more: string]: unknown;
}

/** A call to Reverie did not succeed. */
export class ReverieClientError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** No answer came. A write may have happened all the same; the same idempotency key tells. */
export class ConnectionFailed extends ReverieClientError {}

/** Reverie answered with an error. */
export class APIError extends ReverieClientError {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(`${status} ${problem.title ?? ""}: ${problem.detail ?? ""}`);
  }

  /** The fields at fault: `loc` and `msg` of each. */
  get errors(): FieldError[] {
    return this.problem.errors ?? [];
  }

  /** The names of the fields at fault, as paths: `items.3.content`. */
  get fields(): string[] {
    return this.errors.map(({ loc }) => (loc.length > 1 ? loc.slice(1) : loc).join("."));
  }
}

/** A field is out of bounds. */
export class InvalidRequest extends APIError {}

/** No valid API key. */
export class NotAuthenticated extends APIError {}

/** Not with this key. */
export class NotAllowed extends APIError {}

/** Unknown here, or not visible with this key. */
export class NotFound extends APIError {}

/** The name fits several things. */
export class Ambiguous extends APIError {
  /** What it fits. */
  get candidates(): Record<string, unknown>[] {
    return (this.problem.candidates as Record<string, unknown>[] | undefined) ?? [];
  }
}

/** The present state does not allow it: a stale version, or a key used for something else. */
export class Conflict extends APIError {}

/** The request is over a bound. */
export class TooLarge extends APIError {}

/** Too many requests with this key. */
export class RateLimited extends APIError {}

/** The server could not serve this. */
export class ServerFailed extends APIError {}

const BY_STATUS: Record<number, typeof APIError> = {
  300: Ambiguous,
  400: InvalidRequest,
  401: NotAuthenticated,
  403: NotAllowed,
  404: NotFound,
  409: Conflict,
  413: TooLarge,
  422: InvalidRequest,
  429: RateLimited,
};

/** The error that a status and a body stand for. */
export function errorOf(status: number, body: string): APIError {
  const kind = BY_STATUS[status] ?? (status >= 500 ? ServerFailed : APIError);
  return new kind(status, problemOf(body));
}

function problemOf(body: string): Problem {
  try {
    const problem: unknown = JSON.parse(body);
    if (typeof problem === "object" && problem !== null && !Array.isArray(problem)) return problem as Problem;
  } catch {
    // A proxy on the way answers in its own words.
  }
  return { detail: body.slice(0, 500) };
}
