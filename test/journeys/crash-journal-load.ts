/** Clients that change users, keys and sessions until the service is gone, and a ledger of the responses. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { Service } from '../durability/process.ts'
import { password } from '../people.ts'

/** One request, and what the audit should say of it. */
export type Act = {
  /** Its X-Request-Id: the name under which its record is found again. */
  id: string
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  status: number
  action: string
  outcome: 'success' | 'failure' | 'denied'
}

/** What the service has acknowledged, and what it left open when it was killed. */
export class Ledger {
  readonly done = new Map<string, Act>()
  readonly open = new Map<string, Act>()
  /** For each client, in the order of its responses. */
  readonly inOrder: string[][] = []
}

export function send(service: Service, { id, method, path, body, headers }: Act): Promise<Response> {
  return service.call(method, path, body, { 'x-request-id': id, ...headers })
}

/** A user with a password, which takes time to hash: made once, before the load. */
export async function createPeople(service: Service, count: number): Promise<{ user_id: string; username: string }[]> {
  const created = Array.from({ length: count }, async (_, n) => {
    const response = await service.call('POST', '/users', { username: `person-${n}`, password })
    assert.equal(response.status, 201)
    return (await response.json()) as { user_id: string; username: string }
  })
  return Promise.all(created)
}

type Own = Record<'users' | 'deleted' | 'keys' | 'sessions', string[]>
type Person = { user_id: string; username: string }

/** One client: one request after the other, on what it has made itself. */
export async function useUntilKilled(
  service: Service,
  ledger: Ledger,
  { name, person }: { name: string; person: Person },
): Promise<void> {
  const own: Own = { users: [], deleted: [], keys: [], sessions: [] }
  const answered: string[] = []
  ledger.inOrder.push(answered)
  for (let n = 0; ; n++) {
    const { act, learn } = choose(`${name}-${n}`, own, person)
    let response: Response
    let body: unknown
    try {
      response = await send(service, act)
      body = await response.json()
    } catch {
      // Killed meanwhile: whether it happened is open.
      ledger.open.set(act.id, act)
      return
    }
    assert.equal(response.status, act.status, `${act.method} ${act.path}: ${JSON.stringify(body)}`)
    ledger.done.set(act.id, act)
    answered.push(act.id)
    learn(body as Record<string, string>)
  }
}

type Choice = { act: Act; learn: (body: Record<string, string>) => void }

function choose(id: string, own: Own, person: Person): Choice {
  const dice = randomInt(100)
  const oneOf = (list: readonly string[]) => list[randomInt(list.length || 1)]
  const [user, deleted, key, session] = [own.users, own.deleted, own.keys, own.sessions].map(oneOf)
  const nothing = () => {}
  const forget = (list: string[], one: string) => () => void list.splice(list.indexOf(one), 1)
  const move = (one: string, from: string[], to: string[]) => () => {
    forget(from, one)()
    to.push(one)
  }
  const act = (action: string, method: string, path: string, more: Partial<Act> = {}): Act => ({
    id,
    method,
    path,
    action,
    status: 200,
    outcome: 'success',
    ...more,
  })
  if (dice < 25 && user) {
    return { act: act('user.updated', 'PATCH', `/users/${user}`, { body: { last_name: id } }), learn: nothing }
  }
  if (dice < 33 && user) {
    return { act: act('user.deleted', 'DELETE', `/users/${user}`), learn: move(user, own.users, own.deleted) }
  }
  if (dice < 36 && deleted) {
    const path = `/users/${deleted}/restore`
    return { act: act('user.restored', 'POST', path), learn: move(deleted, own.deleted, own.users) }
  }
  if (dice < 43) {
    const body = { name: id, permissions: ['users:read'] }
    const learn = ({ key_id = '' }) => void own.keys.push(key_id)
    return { act: act('key.created', 'POST', '/keys', { status: 201, body }), learn }
  }
  if (dice < 48 && key) return { act: act('key.rotated', 'POST', `/keys/${key}/rotate`), learn: nothing }
  if (dice < 52 && key) return { act: act('key.revoked', 'DELETE', `/keys/${key}`), learn: forget(own.keys, key) }
  if (dice < 60 && session) {
    const path = `/users/${person.user_id}/sessions/${session}`
    return { act: act('session.ended', 'DELETE', path), learn: forget(own.sessions, session) }
  }
  if (dice < 72) return signIn(id, own, person, dice < 67)
  if (dice < 77) {
    const refused = { status: 401, outcome: 'denied', headers: { 'x-api-key': 'a key that nobody has' } } as const
    return { act: act('authorization.refused', 'GET', '/users', refused), learn: nothing }
  }
  const created = { status: 201, body: { username: id, last_name: id }, headers: { 'idempotency-key': id } }
  const learn = ({ user_id = '' }) => void own.users.push(user_id)
  return { act: act('user.created', 'POST', '/users', created), learn }
}

function signIn(id: string, own: Own, { username }: Person, isRight: boolean): Choice {
  return {
    act: {
      id,
      method: 'POST',
      path: '/sessions',
      action: 'session.created',
      // An unknown name each time, from another address: throttling must not slow this down.
      body: { username: isRight ? username : `nobody ${id}`, password },
      headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}`, 'x-api-key': '' },
      ...(isRight ? { status: 201, outcome: 'success' } : { status: 401, outcome: 'failure' }),
    },
    learn: ({ session_id }) => {
      if (session_id !== undefined && isRight) own.sessions.push(session_id)
    },
  }
}
