/** Requests to one Rollbook, and the judgement on every answer, whatever it was asked. */

export type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the response.
  body: any
  /** The problem's stable code, or an empty string. */
  code: string
}

export type Request = { body?: unknown; idempotencyKey?: string; key?: string }

/** Promises that were broken: how often, and what showed it first. */
export class Faults {
  readonly #found = new Map<string, { count: number; evidence: string[] }>()
  count = 0

  add(promise: string, evidence: string): void {
    const found = this.#found.get(promise) ?? { count: 0, evidence: [] }
    this.#found.set(promise, found)
    this.count++
    found.count++
    // The first few show the pattern.
    if (found.count <= 3) found.evidence.push(evidence)
  }

  lines(): string[] {
    return [...this.#found].flatMap(([promise, { count, evidence }]) => [
      `${promise}: broken ${count === 1 ? 'once' : `${count} times`}`,
      ...evidence.map((line) => `  ${line}`),
    ])
  }
}

/** Longer than any answer may take: a write waits 8 s for a new primary, and a statement may take 10 s. */
const answerLimitMs = 25_000

export class Api {
  readonly node: string
  readonly #url: string
  readonly #key: string
  readonly #faults: Faults
  /** How often each code of a 503 was answered. */
  readonly refusals = new Map<string, number>()
  slowestMs = 0

  constructor(options: { node: string; url: string; key: string; faults: Faults }) {
    this.node = options.node
    this.#url = options.url
    this.#key = options.key
    this.#faults = options.faults
  }

  /** Undefined when there was no answer, which is a broken promise: no node is ever ended here. */
  async call(method: string, path: string, request: Request = {}): Promise<Answer | undefined> {
    const begun = performance.now()
    const what = `${method} ${path} on ${this.node}`
    let response: Response
    let text: string
    try {
      response = await fetch(this.#url + path, {
        method,
        headers: {
          'x-api-key': request.key ?? this.#key,
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...(request.idempotencyKey && { 'idempotency-key': request.idempotencyKey }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        signal: AbortSignal.timeout(answerLimitMs),
      })
      text = await response.text()
    } catch (error) {
      const { message, cause } = error as Error
      this.#faults.add('Every request is answered', `${what}: ${message} ${cause ?? ''}`)
      return undefined
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun)
    }
    const body = this.#parse(what, text)
    const reply = { status: response.status, headers: response.headers, body, code: body?.code ?? '' }
    this.#judge(what, reply, request)
    return reply
  }

  /** A list that breaks off must be seen to be incomplete: undefined, never a shorter list. */
  async list<T>(path: string): Promise<T[] | undefined> {
    try {
      const response = await fetch(this.#url + path, {
        headers: { 'x-api-key': this.#key },
        signal: AbortSignal.timeout(answerLimitMs),
      })
      const body = (await response.json()) as T[] & { code?: string }
      if (response.status === 200) return body
      const { status, headers } = response
      this.#judge(`GET ${path} on ${this.node}`, { status, headers, body, code: body.code ?? '' }, {})
    } catch (error) {
      if (error instanceof SyntaxError) {
        this.#faults.add('A list that ends is whole', `GET ${path} on ${this.node}: ${error.message}`)
      }
    }
    return undefined
  }

  #parse(what: string, text: string): Answer['body'] {
    try {
      return JSON.parse(text)
    } catch {
      this.#faults.add('Every answer is JSON', `${what}: ${text.slice(0, 100)}`)
      return undefined
    }
  }

  #judge(what: string, { status, headers, code, body }: Answer, { key }: Request): void {
    if (status === 503) {
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1)
      const wait = headers.get('retry-after') ?? ''
      if (!/^[1-9]\d*$/.test(wait)) this.#faults.add('A 503 says when to try again', `${what}: Retry-After '${wait}'`)
      if (code === '') this.#faults.add('A 503 has a code', what)
    }
    const expected = [200, 201, 404, 409, 503, ...(key === undefined ? [] : [401])]
    if (!expected.includes(status)) {
      this.#faults.add('A failover shows as 503, never as anything else', `${what}: ${status} ${JSON.stringify(body)}`)
    }
  }
}

/** So long the refusal asks to wait. */
export function retryAfterMs(response: Answer | undefined): number {
  return Math.max(1, Number(response?.headers.get('retry-after') ?? 1)) * 1000
}
