/** A signal that aborts when the caller's does, or when what is waited for takes too long. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.caller?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Throws the reason of a signal that has aborted before. */
  constructor(
    private readonly ms: number,
    private readonly caller?: AbortSignal,
  ) {
    caller?.throwIfAborted();
    caller?.addEventListener("abort", this.#onAbort, { once: true });
    this.start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Wait, from now on. */
  start(): void {
    this.pause();
    const late = () => this.#controller.abort(new Error(`nothing came within ${this.ms} ms`));
    this.#timer = setTimeout(late, this.ms);
  }

  /** What was waited for has come; more may follow. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing more is waited for. */
  end(): void {
    this.pause();
    this.caller?.removeEventListener("abort", this.#onAbort);
  }
}

/** Wait. Rejects with the reason of the signal when that aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
