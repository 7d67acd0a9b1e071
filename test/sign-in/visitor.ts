/** A visitor who tries to sign in: from an address, in a browser that keeps its cookies. */
import { type Answer, createUser, type Started } from '../harness.ts'

/** Believes what the tests say of where they come from. */
export const env = { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
export const password = 'the sky above the port was grey'
/** Frozen, so that a slow machine causes no delay by accident. */
export const clock = () => Date.UTC(2026, 10, 20, 12)
export const wrong = 'incorrect donkey power paperclip'

let addresses = 0

/** An address that has not been used yet. */
export function newAddress(): string {
  addresses++
  return `198.18.${addresses >> 8}.${addresses & 255}`
}

type Visitor = {
  readonly address: string
  signIn(app: Started, username: string, password: string): Promise<Answer>
  /** As the person who signed in. */
  call(app: Started, method: string, path: string, body?: unknown): Promise<Answer>
  /** The cookies so far; it can also lose or steal some. */
  readonly cookies: Map<string, string>
}

export function visitor(address = newAddress()): Visitor {
  const cookies = new Map<string, string>()
  const headers = () => ({
    'x-forwarded-for': address,
    'sec-fetch-site': 'same-origin',
    ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
  })
  return {
    address,
    cookies,
    call: (app, method, path, body) => app.call(method, path, { key: null, headers: headers(), body }),
    async signIn(app, username, password) {
      const response = await app.call('POST', '/sessions', {
        key: null,
        headers: headers(),
        body: { username, password },
      })
      for (const line of [(response.headers['set-cookie'] ?? []) as string | string[]].flat()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
        cookies.set(name, value)
      }
      return response
    },
  }
}

export async function person(app: Started, members: Record<string, string> = {}) {
  const user = await createUser(app, { password, ...members })
  return user as { user_id: string; username: string; email: string | null }
}

/** What the answer was, apart from what differs in every answer. */
export function wordsOf({ status, headers, body }: Answer) {
  const { instance: _, ...rest } = body
  const comparable = Object.entries(headers).filter(
    ([name]) => !/^(x-request-id|date|ratelimit|content-length)$/.test(name),
  )
  return { status, headers: Object.fromEntries(comparable), body: rest }
}

export function tally(answers: readonly Answer[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status, body } of answers) {
    const key = status < 400 ? `${status}` : `${status} ${body?.code}`
    found[key] = (found[key] ?? 0) + 1
  }
  return found
}

/** Counts failures as if they had been made; a day's worth of guessing need not be waited for. */
export async function setFailures(app: Started, user_id: string, failures: number): Promise<void> {
  const key = `user:${user_id}:total`
  await app.runSql(`DELETE FROM sign_in_throttles WHERE throttle_key = '${key}'`)
  await app.runSql(
    `INSERT INTO sign_in_throttles (throttle_key, failures, allowed_at, updated_at)
     VALUES ('${key}', ${failures}, '1970-01-01T00:00:00.000Z', '2026-11-20T00:00:00.000Z')`,
  )
}

/** Processor time of this process, all threads together, in milliseconds. */
export async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
