/** Clients that write to a service until it is killed, and what it must have kept. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './process.ts'

type User = { user_id: string; username: string; last_name: string }
type Members = { username: string; last_name: string }

/** A change whose answer never came: whether it happened is open, and both must be whole. */
type Open =
  | { kind: 'create'; members: Members; idempotencyKey: string }
  | { kind: 'update'; user_id: string; last_name: string }
  | { kind: 'delete'; user_id: string }

/** What the service has acknowledged so far, and what it has left open. */
export class Ledger {
  readonly users = new Map<string, User>()
  readonly deleted = new Set<string>()
  open: Open[] = []
}

const clients = 12

/** One client: creates users, changes and deletes its own, one request at a time, until the service is gone. */
async function useUntilKilled(service: Service, ledger: Ledger, name: string): Promise<void> {
  const own: User[] = []
  for (let n = 0; ; n++) {
    const user = own[randomInt(1_000_000) % Math.max(own.length, 1)]
    const choice = user === undefined ? 0 : randomInt(10)
    // One name in eight is one that all clients want.
    const username = n % 8 === 0 ? `shared-${randomInt(1_000)}` : `${name}-${n}`
    const change: Open =
      user === undefined || choice < 5
        ? { kind: 'create', members: { username, last_name: `${name}-${n}` }, idempotencyKey: `${name}-${n}` }
        : choice < 9
          ? { kind: 'update', user_id: user.user_id, last_name: `changed ${n}` }
          : { kind: 'delete', user_id: user.user_id }
    try {
      const response = await send(service, change)
      const body = (await response.json()) as User
      if (change.kind === 'create' && response.status === 409) continue
      assert.ok(response.ok, JSON.stringify(body))
      if (change.kind === 'delete') {
        own.splice(own.indexOf(user as User), 1)
        ledger.users.delete(change.user_id)
        ledger.deleted.add(change.user_id)
      } else {
        if (change.kind === 'create') own.push(body)
        ledger.users.set(body.user_id, body)
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      ledger.open.push(change)
      return
    }
  }
}

function send(service: Service, change: Open): Promise<Response> {
  if (change.kind === 'create') {
    return service.call('POST', '/users', change.members, { 'idempotency-key': change.idempotencyKey })
  }
  const path = `/users/${change.user_id}`
  if (change.kind === 'delete') return service.call('DELETE', path)
  return service.call('PATCH', path, { last_name: change.last_name })
}

/** Compares what is there with what was acknowledged, and enters into the ledger how the open changes ended. */
export async function check(service: Service, ledger: Ledger): Promise<void> {
  const listed = (await (await service.call('GET', '/users')).json()) as User[]
  const found = new Map(listed.map((user) => [user.user_id, user]))
  assert.equal(found.size, listed.length)
  assert.equal(new Set(listed.map(({ username }) => username.toLowerCase())).size, listed.length)

  for (const change of ledger.open) {
    if (change.kind === 'create') {
      const created = listed.filter(({ last_name }) => last_name === change.members.last_name)
      assert.ok(created.length <= 1)
      for (const user of created) {
        assert.equal(user.username, change.members.username)
        ledger.users.set(user.user_id, user)
      }
    } else {
      const before = ledger.users.get(change.user_id) as User
      const after = found.get(change.user_id)
      if (change.kind === 'delete' && after === undefined) {
        ledger.users.delete(change.user_id)
        ledger.deleted.add(change.user_id)
      } else if (change.kind === 'update' && after?.last_name === change.last_name) {
        assert.equal(after.username, before.username)
        ledger.users.set(change.user_id, after)
      }
    }
  }
  assert.deepEqual(found, new Map([...ledger.users].sort(([a], [b]) => (a < b ? -1 : 1))))
  for (const id of ledger.deleted) assert.ok(!found.has(id))
}

/** Sends the open creations again as their clients would: each is there once afterwards. */
export async function repeatCreations(service: Service, ledger: Ledger): Promise<void> {
  for (const change of ledger.open) {
    if (change.kind !== 'create') continue
    const response = await send(service, change)
    const body = (await response.json()) as User
    if (response.status === 201) ledger.users.set(body.user_id, body)
    else assert.equal(response.status, 409)
  }
  ledger.open = []
}

export function integrityOf(directory: string): unknown {
  const database = new DatabaseSync(join(directory, 'rollbook.db'), { timeout: 5000 })
  const response = database.prepare('PRAGMA integrity_check').get()?.integrity_check
  database.exec("INSERT INTO users_search (users_search) VALUES ('integrity-check')")
  database.close()
  return response
}

/** Writes with twelve clients at once, and kills the service in the midst of it. */
export async function writeAndKill(service: Service, ledger: Ledger, round: number): Promise<void> {
  const traffic = Array.from({ length: clients }, (_, i) => useUntilKilled(service, ledger, `${round}-${i}`))
  await sleep(randomInt(20, 500))
  assert.equal((await service.end('SIGKILL')).signal, 'SIGKILL')
  await Promise.all(traffic)
}
