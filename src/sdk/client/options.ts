type Fetch = typeof globalThis.fetch

export type ClientOptions = {
  /** Where Rollbook is, with its prefix: `https://orchard.example.com/auth`. In a page also `/auth`. */
  url: string
  /**
   * An API key or an access token, or a function that gets it: asked before each try, so that both can be replaced. Left
   * out, a page of the same origin is known by the cookie of its session.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Sends the requests instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** How long a try may take without an answer, and a stream without a byte, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined
  /** How often a request is tried again when there was no answer or the service was too busy. Default: 10. */
  retries?: number | undefined
  /** Names your program in the records of the service. Browsers have a name of their own. */
  userAgent?: string | undefined
}

/** What can be said of each single call. */
export type CallOptions = {
  /** Ends the call, and the stream. */
  signal?: AbortSignal | undefined
  /** Instead of the client's. */
  timeoutMs?: number | undefined
  /** Instead of the client's. */
  retries?: number | undefined
  /** More headers. */
  headers?: Record<string, string> | undefined
}

export type WriteOptions = CallOptions & {
  /** Say what would happen, with the same checks, and change nothing. */
  dryRun?: boolean | undefined
}

export type CreateOptions = WriteOptions & {
  /** Names this request; a repetition has no second effect. Without it each call has a name of its own. */
  idempotencyKey?: string | undefined
}

export type ChangeOptions = WriteOptions & {
  /** Change only what still has this ETag. */
  ifMatch?: string | undefined
}
