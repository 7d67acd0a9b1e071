/** A client that sends bytes as they are given, right or wrong, and is strict about what comes back. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { problems } from '../../src/core/errors.ts'
import { adminKey, type Started } from '../harness.ts'
import { stallMs } from '../time-limit.ts'

export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

/** Text is sent as Latin-1, so that '\xff' is that byte; a number is a pause in milliseconds, a promise one until it resolves. */
export type Part = string | Buffer | number | Promise<void>

export type Exchange = { answers: RawAnswer[]; closed: boolean }

type Limits = {
  /** How long to wait for an answer. */
  withinMs?: number
  /** To how many requests an answer is awaited. */
  expected?: number
  isHead?: boolean
}

/** Sends the parts over a connection of their own and reads what is answered. */
export async function exchange(port: number, parts: readonly Part[], limits: Limits = {}): Promise<Exchange> {
  const { withinMs = 5000 + stallMs, expected = 1, isHead = false } = limits
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  let closed = false
  const enough = Promise.withResolvers<void>()
  const final = () => parseAnswers(Buffer.concat(chunks), { isHead, closed }).filter(({ status }) => status >= 200)
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    try {
      if (final().length >= expected) enough.resolve()
    } catch (error) {
      enough.reject(error)
    }
  })
  // The server may hang up on garbage: that shows as `closed`.
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    enough.resolve()
  })
  await Promise.race([send(), enough.promise])
  await Promise.race([enough.promise, sleep(withinMs, undefined, { ref: false })])
  // An answer too many would follow at once.
  await sleep(5)
  socket.destroy()
  return { answers: final(), closed }

  async function send(): Promise<void> {
    for (const part of parts) {
      if (closed) return
      if (typeof part === 'number') await sleep(part)
      else if (part instanceof Promise) await part
      else socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
    }
  }
}

/** The answers that are complete; bytes that are no answer are a failure. */
function parseAnswers(bytes: Buffer, { isHead, closed }: { isHead: boolean; closed: boolean }): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes.toString('latin1')
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) break
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3}) [\w -]+$/.exec(statusLine)?.[1])
    assert.ok(status, `no answer of HTTP: ${JSON.stringify(rest.slice(0, 200))}`)
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
      assert.notEqual(name, '', `no header: ${line}`)
      assert.ok(!(name.toLowerCase() in headers), `twice in one answer: ${name}`)
      headers[name.toLowerCase()] = value
    }
    const body = bodyOf(rest.slice(end + 4), headers, { hasNone: isHead || status < 200 || status === 304, closed })
    if (body === undefined) break
    answers.push({ status, headers, body: Buffer.from(body.text, 'latin1').toString() })
    rest = rest.slice(end + 4 + body.length)
  }
  return answers
}

function bodyOf(
  rest: string,
  headers: Record<string, string>,
  { hasNone, closed }: { hasNone: boolean; closed: boolean },
): { text: string; length: number } | undefined {
  if (hasNone) return { text: '', length: 0 }
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(rest)
  if (headers['content-length'] === undefined) return closed ? { text: rest, length: rest.length } : undefined
  const length = Number(headers['content-length'])
  return rest.length < length ? undefined : { text: rest.slice(0, length), length }
}

function chunkedBody(rest: string): { text: string; length: number } | undefined {
  let text = ''
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(rest.slice(at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (rest.length < next) return undefined
    if (size === 0) return { text, length: next }
    text += rest.slice(lineEnd + 2, lineEnd + 2 + size)
    at = next
  }
}

export const key = `X-API-Key: ${adminKey}`

type Form = { key?: string | null; host?: string | null; version?: string }

/** A request as bytes; `headers` are lines. Well-formed, except for what is given. */
export function request(methodAndTarget: string, headers: readonly string[] = [], body = '', form: Form = {}): string {
  const lines = [`${methodAndTarget} HTTP/${form.version ?? '1.1'}`]
  if (form.host !== null) lines.push(form.host ?? 'Host: localhost:8080')
  if (form.key !== null) lines.push(form.key ?? key)
  return [...lines, ...headers, 'Connection: close', '', body].join('\r\n')
}

/** A request with a body, by default one that creates a user. */
export function write(body: string, headers: readonly string[] = [], methodAndTarget = 'POST /auth/users'): string {
  const type = headers.some((line) => /^content-type:/i.test(line)) ? [] : ['Content-Type: application/json']
  return request(methodAndTarget, [...type, `Content-Length: ${body.length}`, ...headers], body)
}

/** Text as the bytes of its UTF-8, for `request` and `write`. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** What must hold for whatever is answered to whomever. */
export function assertCivil({ status, headers, body }: RawAnswer, isHead = false): void {
  assert.ok(status >= 100 && status < 500, `${status} ${body}`)
  if (status < 200) return
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
  assert.match(headers['x-request-id'] ?? '', /^[\w.:-]{1,128}$/)
  assert.doesNotMatch(body, /\n\s+at |node_modules|\.ts\b|<html/i)
  if (status < 400) return
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  if (status === 401) assert.match(headers['www-authenticate'] ?? '', /^Bearer realm="rollbook"/)
  if (status === 405) assert.match(headers.allow ?? '', /^[A-Z]+(, [A-Z]+)*$/)
  if (isHead) return
  const problem = JSON.parse(body)
  assert.deepEqual(
    Object.keys(problem).filter((member) => member !== 'errors'),
    ['type', 'title', 'status', 'detail', 'instance', 'code'],
  )
  assert.equal(problem.instance, headers['x-request-id'])
  assert.equal(problem.status, status)
  assert.deepEqual(problems[problem.code as keyof typeof problems], [status, problem.title])
  assert.ok(problem.type.endsWith(`#${problem.code}`), problem.type)
  assert.notEqual(problem.detail, '')
}

/** What is sent, and what is answered: a status, one of several, or nothing but a closed connection. */
export type Row = [what: string, parts: string | readonly Part[], expected: number | readonly number[] | 'closed']

/** Sends each row over its own connection. Afterwards the service must be well, and its log without a fault. */
export async function assertAnswers(app: Started, rows: readonly Row[]): Promise<void> {
  const port = await portOf(app)
  const failures: string[] = []
  const waiting = [...rows]
  async function work(): Promise<void> {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const [what, parts, expected] = row
      await assertAnswer(port, [parts].flat(), expected).catch((error) => failures.push(`${what}: ${error.message}`))
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  assert.deepEqual(failures, [])
  await assertWell(app, port)
}

const ports = new WeakMap<Started, number>()

/** Where the application listens, once it was made to. */
export async function portOf(app: Started): Promise<number> {
  const port = ports.get(app) ?? Number(new URL(await app.listen()).port)
  ports.set(app, port)
  return port
}

async function assertAnswer(port: number, parts: readonly Part[], expected: Row[2]): Promise<void> {
  const { answers, closed } = await exchange(port, parts)
  for (const response of answers) assertCivil(response)
  assert.ok(answers.length <= 1, `${answers.length} answers to one request`)
  const [response] = answers
  if (response === undefined) {
    assert.ok(closed, 'no answer, and the connection is still open')
    assert.equal(expected, 'closed')
  } else {
    assert.ok(
      [expected].flat().includes(response.status),
      `${response.status} instead of ${expected}: ${response.body}`,
    )
  }
}

export async function assertWell(app: Started, port: number): Promise<void> {
  const { answers } = await exchange(port, [request('GET /auth/health/live')])
  assert.equal(answers[0]?.status, 200)
  assert.deepEqual(
    app.logLines().filter((line) => /"level":"(warn|error|fatal)"/.test(line)),
    [],
  )
}
