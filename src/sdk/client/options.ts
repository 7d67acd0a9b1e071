type Fetch = typeof globalThis.fetch

export type ClientOptions = {
  /** The URL of Rollbook with its prefix: `https://orchard.example.com/auth`. In a page, `/auth` works too. */
  url: string
  /**
   * An API key or an access token, or a function that returns one. The function is called before each try, so that a
   * key can be rotated. Without it, a page of the same origin uses its session cookie.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
  /** Milliseconds that a try may wait for a response, and a stream for its next bytes. Default: 30,000. */
  timeoutMs?: number | undefined
  /**
   * How many times a request is retried when no response arrived or the service was busy. Default: 10; 5 while the
   * address has never responded, so that a wrong port is reported within 2 seconds.
   */
  retries?: number | undefined
  /** The `User-Agent` of your program, for audit records and logs. Browsers send their own. */
  userAgent?: string | undefined
}

/** Options of every call. */
export type CallOptions = {
  /** Aborts the call, or the stream that it returned. */
  signal?: AbortSignal | undefined
  /** Overrides the client's `timeoutMs`. */
  timeoutMs?: number | undefined
  /** Overrides the client's `retries`. */
  retries?: number | undefined
  /** Additional headers. */
  headers?: Record<string, string> | undefined
}

export type WriteOptions = CallOptions & {
  /** Makes all checks and returns what would happen, but changes nothing. */
  dryRun?: boolean | undefined
}

export type CreateOptions = WriteOptions & {
  /** Repeating a request with the same key has no second effect. Default: a new key for each call. */
  idempotencyKey?: string | undefined
}

export type ChangeOptions = WriteOptions & {
  /** Makes the change only if the resource still has this ETag (RFC 9110 §13.1.1). */
  ifMatch?: string | undefined
}

export type ManagedChangeOptions = ChangeOptions & {
  /** Also changes what a configuration file manages. The next apply of the file undoes it. */
  override?: boolean | undefined
}

export type UserChangeOptions = ChangeOptions & {
  /** Also changes what a provisioning connection manages. Its next synchronization may undo it. */
  override?: boolean | undefined
}
