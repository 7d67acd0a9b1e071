/** Sends requests and retries them. Each request takes effect at most once. */
import { ConnectionError, IncompleteStreamError, type Problem, RollbookError, UnexpectedAnswerError } from './errors.ts'
import type { ClientOptions } from './options.ts'
import { uuidv7 } from './uuid.ts'

export type Query = Record<string, unknown>
/** A stream can be read only once, so a request with one is not retried. */
export type Body = string | Uint8Array | Blob | ReadableStream<Uint8Array>

export type Request = {
  method: string
  /** The path below the prefix, percent-encoded. */
  path: string
  query?: Query | undefined
  /** Sent as JSON. */
  json?: unknown
  /** Sent unchanged; set its `content-type` in `headers`. */
  body?: Body | undefined
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  /** Added to `timeoutMs` when the request asks the service to wait. */
  patienceMs?: number | undefined
  retries?: number | undefined
  dryRun?: boolean | undefined
  idempotencyKey?: string | undefined
  ifMatch?: string | undefined
}

export type Answer = { status: number; headers: Headers; body: unknown }
/** A response that is read as it arrives. Breaking out of `body`, or `cancel`, ends the request. */
export type Streamed = {
  status: number
  headers: Headers
  body: AsyncGenerator<Uint8Array, void, undefined>
  cancel(): void
}
export type Transport = { send(request: Request): Promise<Answer>; open(request: Request): Promise<Streamed> }

const defaultTimeoutMs = 30_000
// If every third response is lost, one request in a hundred thousand fails.
const defaultRetries = 10
const [firstPauseMs, longestPauseMs] = [50, 2000]
/** A longer Retry-After is reported to the caller instead of waited for. */
const longestRetryAfterSeconds = 60
/** For an address that has never responded, which is probably wrong. The pauses add up to at most 1.6 seconds. */
const strangerRetries = 5

export function createTransport(options: ClientOptions): Transport {
  const base = baseUrl(options.url)
  let hasResponded = false

  /** Retries until there is a response, or a retry cannot help. */
  async function persist<T>(request: Request, attempt: (watch: Watch) => Promise<T>): Promise<T> {
    const { signal, timeoutMs = options.timeoutMs ?? defaultTimeoutMs, patienceMs = 0 } = request
    const retries = request.retries ?? options.retries
    let mayHaveHappened = false
    for (let tried = 0; ; tried += 1) {
      const watch = watchOver(base, timeoutMs + patienceMs, signal)
      try {
        return await attempt(watch)
      } catch (error) {
        watch.end()
        signal?.throwIfAborted()
        const pauseMs = pauseAfter(error, tried)
        const most = retries ?? (hasResponded ? defaultRetries : strangerRetries)
        if (pauseMs === undefined || tried >= most || request.body instanceof ReadableStream) {
          if (error instanceof RollbookError) error.mayHaveHappened = mayHaveHappened
          throw error
        }
        mayHaveHappened ||= !(error instanceof RollbookError) || error.code === 'outcome_unknown'
        await sleep(pauseMs, signal)
      }
    }
  }

  /** Makes one try, and throws unless the service reports success. */
  async function sendOnce(request: Request, url: string, headers: Headers, watch: Watch): Promise<Response> {
    const { apiKey } = options
    const credential = typeof apiKey === 'function' ? await apiKey() : apiKey
    if (credential !== undefined) headers.set('authorization', `Bearer ${plain(credential)}`)
    const { method, json } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const send = options.fetch ?? globalThis.fetch
    const response = await watch.over(() =>
      send(url, {
        method,
        headers,
        signal: watch.signal,
        // A redirect would turn a POST into a GET, and send the key to another host.
        redirect: 'manual',
        ...(body !== undefined && { body: body as string }),
        ...(body instanceof ReadableStream && { duplex: 'half' }),
        // In a page the cookie would be a second credential. Some other runtimes reject this option.
        ...(credential !== undefined && 'location' in globalThis && { credentials: 'omit' }),
      } as RequestInit),
    )
    hasResponded = true
    if (!response.ok && response.status !== 304) throw await refusalOf(response, base, watch)
    return response
  }

  function prepare(request: Request): [url: string, headers: Headers] {
    const { method, path, query, json, dryRun, ifMatch } = request
    // Otherwise the path could extend the host name.
    if (!path.startsWith('/')) throw new TypeError('The path must begin with /.')
    const url = new URL(base + path)
    // An update may read first with the same options.
    const isWrite = method !== 'GET'
    for (const [name, value] of Object.entries({ ...query, ...(isWrite && dryRun && { dry_run: true }) })) {
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one))
    }
    // A plus would stand for itself.
    url.search = url.search.replaceAll('+', '%20')
    const headers = new Headers(request.headers)
    if (!headers.has('accept')) headers.set('accept', 'application/json')
    if (json !== undefined) headers.set('content-type', 'application/json')
    if (options.userAgent !== undefined) headers.set('user-agent', options.userAgent)
    if (isWrite && ifMatch !== undefined) headers.set('if-match', ifMatch)
    if (method === 'POST') headers.set('idempotency-key', request.idempotencyKey ?? uuidv7())
    return [url.href, headers]
  }

  return {
    async send(request) {
      const [url, headers] = prepare(request)
      return persist(request, async (watch) => {
        const response = await sendOnce(request, url, headers, watch)
        const text = await watch.over(() => response.text())
        watch.end()
        return { status: response.status, headers: response.headers, body: parsed(response, base, text) }
      })
    },
    async open(request) {
      const [url, headers] = prepare(request)
      return persist(request, async (watch) => {
        const { status, headers: answered, body } = await sendOnce(request, url, headers, watch)
        return { status, headers: answered, body: chunksOf(body, watch), cancel: watch.abort }
      })
    },
  }
}

function baseUrl(text: string): string {
  const { location } = globalThis as { location?: { href: string } }
  const url = URL.canParse(text, location?.href) ? new URL(text, location?.href) : undefined
  // `localhost:8080/auth` is a URL too, with the scheme `localhost:`.
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError('url must be complete, such as http://127.0.0.1:8080/auth.')
  // `fetch` rejects such a URL too, and its error would show the password.
  if (url.username || url.password) throw new TypeError('The URL must not contain a user or a password.')
  url.search = ''
  url.hash = ''
  return url.href.replace(/\/+$/, '')
}

/** Checks a credential. The error leaves the value out, because errors are logged. */
function plain(credential: string): string {
  if (/^[\x21-\x7e]+$/.test(credential)) return credential
  throw new TypeError(
    'The API key is empty, or contains a space, a line break or another character that is never part of a key.',
  )
}

type Watch = {
  signal: AbortSignal
  /** Runs `work` within the time limit. @throws ConnectionError, or the reason for which the call was aborted */
  over<T>(work: () => Promise<T>): Promise<T>
  /** Aborts the request. */
  abort(): void
  /** Stops listening to the caller's signal. */
  end(): void
}

function watchOver(base: string, timeoutMs: number, outer: AbortSignal | undefined): Watch {
  const controller = new AbortController()
  const { signal } = controller
  // Not AbortSignal.any: an outer signal that lives as long as the program would keep every request in memory.
  const abort = () => controller.abort(outer?.reason)
  if (outer?.aborted) abort()
  else outer?.addEventListener('abort', abort)
  const end = () => outer?.removeEventListener('abort', abort)
  return {
    signal,
    async over(work) {
      const late = () => controller.abort(new ConnectionError(`${base} did not respond within ${timeoutMs} ms.`))
      const timer = setTimeout(late, timeoutMs)
      try {
        return await work()
      } catch (cause) {
        if (signal.aborted) throw signal.reason
        throw new ConnectionError(`${base} did not respond: ${reasonOf(cause)}${hintFor(base)}`, { cause })
      } finally {
        clearTimeout(timer)
      }
    },
    abort() {
      end()
      controller.abort()
    },
    end,
  }
}

/** Returns the reason of a failure. Node's `fetch failed` has it in `cause`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  const reason = cause?.code ?? cause?.message ?? message ?? String(error)
  return /SSL|EPROTO/.test(reason) ? `${reason} (is it http, not https?)` : reason
}

/** Returns a hint at CORS: a browser does not tell a page whether the network or CORS withheld the response. */
function hintFor(base: string): string {
  const { location } = globalThis as { location?: { origin: string } }
  if (!location || new URL(base).origin === location.origin) return ''
  return ` (does ROLLBOOK_CORS_ORIGINS name ${location.origin}?)`
}

async function refusalOf(response: Response, base: string, watch: Watch): Promise<Error> {
  const { status, headers } = response
  const retryAfter = secondsIn(headers.get('retry-after'))
  // Browsers hide redirects behind status 0.
  if (status < 400) {
    watch.abort()
    return new UnexpectedAnswerError(
      `${base} redirects to ${headers.get('location') ?? 'another address'}. Use that URL.`,
      status,
    )
  }
  const text = await watch.over(() => response.text())
  watch.end()
  if (/^application\/problem\+json\b/.test(headers.get('content-type') ?? '')) {
    return new RollbookError(fromJson(text) as Problem, retryAfter)
  }
  return new UnexpectedAnswerError(`The response with status ${status} ${notRollbook(base)}`, status, retryAfter)
}

function notRollbook(base: string): string {
  return `did not come from Rollbook. Check the URL ${base}: it must end in the base path (/auth).`
}

function parsed({ headers, status }: Response, base: string, text: string): unknown {
  const type = headers.get('content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) return fromJson(text)
  if (/^text\/html\b/.test(type))
    throw new UnexpectedAnswerError(`The response is an HTML page and ${notRollbook(base)}`, status)
  return text
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConnectionError('The response is not JSON: it was cut off, or did not come from Rollbook.', { cause })
  }
}

/** Returns the milliseconds to wait before the next try. Undefined: another try would not help. */
function pauseAfter(error: unknown, tried: number): number | undefined {
  const backoff = Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** tried)
  if (error instanceof ConnectionError) return backoff
  if (!(error instanceof RollbookError || error instanceof UnexpectedAnswerError)) return undefined
  const code = error instanceof RollbookError ? error.code : undefined
  // A locked-out sign-in stays locked. A request that conflicts with its own first try soon gets that try's response.
  const isWorthIt =
    code === 'idempotency_in_progress' ||
    code === 'import_busy' ||
    ([429, 502, 503, 504].includes(error.status) && code !== 'too_many_attempts')
  const { retryAfterSeconds = 0 } = error
  if (!isWorthIt || retryAfterSeconds > longestRetryAfterSeconds) return undefined
  return retryAfterSeconds * 1000 + backoff
}

/** Returns the seconds in `Retry-After`, which is a number or a date (RFC 9110 §10.2.3). */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null, watch: Watch): Streamed['body'] {
  const reader = body?.getReader()
  try {
    while (reader) {
      const { done, value } = await watch.over(() => reader.read())
      if (done) return
      yield value
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    throw new IncompleteStreamError('The stream was cut off before its end.', { cause: error })
  } finally {
    // Has no effect once the stream has ended.
    watch.abort()
  }
}

/** Yields the rows of an NDJSON stream. @throws IncompleteStreamError if the stream was cut off */
export async function* rowsOf<T>({ headers, body, cancel }: Streamed): AsyncGenerator<T, void, undefined> {
  if (!/^application\/x-ndjson\b/.test(headers.get('content-type') ?? '')) {
    cancel()
    throw new UnexpectedAnswerError('The response has no rows: the URL is not that of Rollbook.', 200)
  }
  const decoder = new TextDecoder()
  // The service counts in the same snapshot, if `count` was requested.
  const total = headers.get('total-count')
  let count = 0
  let rest = ''
  for await (const chunk of body) {
    // Not split(): all lines of a chunk would stay in memory while the caller works on one.
    rest += decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', start)) {
      const row = JSON.parse(rest.slice(start, end)) as T
      start = end + 1
      count += 1
      yield row
    }
    rest = rest.slice(start)
  }
  if (rest + decoder.decode() !== '') throw new IncompleteStreamError('The stream ended in the middle of a row.')
  // A proxy can cut a response off without an error.
  if (total !== null && count !== Number(total)) {
    throw new IncompleteStreamError(`The stream ended early: after ${count} of ${total} rows.`)
  }
}
