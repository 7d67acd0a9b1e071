/** Every operation, called by callers who are limited to an organization, about what is theirs, another organization's, and of none. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyEngine, engines, type Started, start } from '../harness.ts'
import { accessTable, unknownId } from '../http/access-table.ts'
import { scopeTable } from '../http/scope-table.ts'
import { everything } from '../http/watched.ts'
import {
  env,
  fillPlace,
  type Ids,
  type LimitedCaller,
  limitedCallers,
  type Place,
  places,
  unknownIds,
} from './places.ts'

type Operation = { id: string; method: string; path: string }

function operationsOf({ document }: Started): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase(), path })),
  )
}

/** The names of what a path names; a role belongs to no organization. */
function idsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'role')
}

/** The value for a name in a path, which can mean different things. */
function idFor({ id, path }: Operation, name: string, ids: Ids): string {
  const { ofDeleted, ofNewUser } = accessTable[id] ?? {}
  if (name === 'role') return 'reader'
  if (name === 'user_id') return ofDeleted ? ids.deleted_user_id : ofNewUser ? ids.new_user_id : ids.user_id
  if (name === 'connection_id' && path.startsWith('/provisioning')) return ids.provisioning_id
  if (name === 'key_id' && path.startsWith('/users/')) return ids.personal_key_id
  return ids[name as keyof Ids] ?? unknownId
}

/** The body of the table of access, or one that a limited caller may send. */
function bodyOf({ id }: Operation, { all = unknownIds }: Where): unknown {
  if (id === 'create_key_keys_post') return { name: 'created', permissions: ['keys:write@organization'] }
  if (id === 'link_user_identity_users__user_id__identities_post')
    return { connection_id: all.connection_id, subject: 'linked' }
  // Only its name: they cannot change another member of their organization.
  if (id === 'update_organization_organizations__organization_id__patch') return { name: 'renamed' }
  return accessTable[id]?.body
}

type Where = { [name: string]: Ids }

async function call(app: Started, caller: LimitedCaller, operation: Operation, where: Where, dryRun: boolean) {
  const { type, query = '', noDryRun } = accessTable[operation.id] ?? {}
  const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    idFor(operation, name, where[name] ?? where.all ?? unknownIds),
  )
  const isDry = dryRun && !noDryRun && operation.method !== 'GET'
  return app.call(operation.method, url + (isDry ? '?dry_run=true' : query), {
    key: null,
    headers: { ...caller.headers, ...(type !== undefined && { 'content-type': type }) },
    body: bodyOf(operation, where),
  })
}

/** A refusal may name the id that was sent. */
function answerOf({ status, body }: Awaited<ReturnType<typeof call>>): unknown[] {
  const detail = String(body?.detail ?? '').replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
  return [status, body?.code, detail]
}

/** Names and ids of other places in a response; those that were sent may be in it. */
function foreignIn(text: string, foreign: readonly Ids[], sent: string): string | undefined {
  const ids = foreign.flatMap((one) => Object.values(one)).filter((id) => id !== unknownId && !sent.includes(id))
  return [...ids, 'zzother', 'zznone'].find((one) => text.includes(one))
}

async function open(app: Started) {
  const filled = new Map<Place, Ids>()
  for (const place of places) filled.set(place, await fillPlace(app, place))
  const [own, other, none] = places.map((place) => filled.get(place) as Ids) as [Ids, Ids, Ids]
  return { own, other, none, callers: await limitedCallers(app, own.organization_id) }
}

for (const engine of engines) {
  describe(`every operation and a caller who is limited to an organization on ${engine.name}`, () => {
    it('does not tell what belongs elsewhere from what does not exist, changes nothing of it, and shows nothing of it', async (t) => {
      const app = await start(t, engine, { env })
      const { own, other, none, callers } = await open(app)
      const before = await everything(app)
      const operations = operationsOf(app).filter(
        ({ id, path }) => scopeTable[id] === 'organization' && idsIn(path).length > 0,
      )
      assert.ok(operations.length > 45)
      const faults: string[] = []
      for (const caller of engine === anyEngine ? callers : callers.slice(0, 1)) {
        for (const operation of operations) {
          const names = idsIn(operation.path)
          const unknown = answerOf(await call(app, caller, operation, { all: unknownIds }, false))
          const isSession = caller === callers[0]
          for (const foreign of [other, none]) {
            const cases: [Where, unknown[]][] = [[{ all: foreign }, unknown]]
            // One of two that is theirs must not open the way to the other.
            if (names.length === 2) {
              for (const name of names) {
                const mixed = { all: own, [name]: unknownIds }
                const expected = answerOf(await call(app, caller, operation, mixed, false))
                cases.push([{ all: own, [name]: foreign }, expected])
              }
            }
            for (const [where, expected] of cases) {
              const response = await call(app, caller, operation, where, false)
              const found = answerOf(response)
              const at = `${caller.name}: ${operation.method} ${operation.path} ${Object.keys(where)}`
              if (JSON.stringify(found) !== JSON.stringify(expected))
                faults.push(`${at}: ${found} instead of ${expected}`)
              else if (isSession && response.status !== 404 && response.text !== '[]') faults.push(`${at}: ${found}`)
            }
          }
        }
      }
      assert.deepEqual(faults, [])
      assert.deepEqual(await everything(app), before)
    })

    it('works with what is theirs, and shows nothing of others', async (t) => {
      const app = await start(t, engine, { env })
      const { own, other, none, callers } = await open(app)
      const operations = operationsOf(app).filter(({ id }) => scopeTable[id] === 'organization')
      const faults: string[] = []
      for (const caller of engine === anyEngine ? callers : callers.slice(0, 1)) {
        for (const operation of operations) {
          const response = await call(app, caller, operation, { all: own }, true)
          const at = `${caller.name}: ${operation.method} ${operation.path}: ${response.status} ${response.text.slice(0, 300)}`
          const leaked = foreignIn(response.text, [other, none], '')
          if (leaked !== undefined) faults.push(`${at} shows ${leaked}`)
          const isUnknownHere = /\{(identity|factor|browser)_id\}/.test(operation.path)
          if (caller === callers[0] && !isUnknownHere && [403, 404].includes(response.status)) faults.push(at)
        }
      }
      assert.deepEqual(faults, [])
    })

    it('reads the same whatever there is and happens elsewhere', async (t) => {
      const app = await start(t, engine, { env })
      const [own, other] = [await fillPlace(app, 'own'), await fillPlace(app, 'other')]
      const [caller] = await limitedCallers(app, own.organization_id)
      const guest = `/groups/${own.group_id}/members/${other.user_id}`
      assert.equal((await app.call('PUT', guest)).status, 200)
      const reads = operationsOf(app).filter(({ id, method }) => scopeTable[id] === 'organization' && method === 'GET')
      const read = async () => {
        await app.storage.settleJournal()
        const responses: Record<string, string> = {}
        for (const { id, path } of reads) {
          const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => idFor({ id, method: 'GET', path }, name, own))
          for (const query of ['', '?limit=1', '?count=true&limit=2', '?q=zz', '?include=groups']) {
            for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
              const request = { key: null, headers: { ...caller?.headers, accept } }
              const { status, headers, text } = await app.call('GET', url + query, request)
              const { etag, link } = headers
              // What these requests themselves change, and when it is now.
              const body = text.replaceAll(/"(instance|last_used_at|last_seen_at|generated_at)":"[^"]*"/g, '')
              responses[`${url}${query} ${accept}`] = JSON.stringify([status, etag, link, headers['total-count'], body])
            }
          }
        }
        return responses
      }
      await read()
      const before = await read()
      const none = await fillPlace(app, 'none')
      const expires_at = '2099-01-01T00:00:00.000Z'
      for (const [method, path, body] of [
        ['PUT', guest, { expires_at }],
        ['PATCH', `/users/${other.user_id}`, { expires_at, role: 'limited' }],
        ['PATCH', `/users/${none.new_user_id}`, { role: 'reader' }],
        ['PATCH', `/groups/${none.group_id}`, { role: 'limited', name: 'zznone renamed' }],
        ['DELETE', `/groups/${other.group_id}`, undefined],
        ['PATCH', `/connections/${none.connection_id}`, { name: 'zznone renamed' }],
        ['PATCH', `/organizations/${other.organization_id}`, { active: false, second_factor: 'required' }],
        ['DELETE', `/users/${none.deleted_user_id}?purge=true`, undefined],
      ] as const) {
        const { status, text } = await app.call(method, path, { body })
        assert.equal(status, 200, `${path}: ${text}`)
      }
      const after = await read()
      const differing = Object.keys(after).filter((at) => after[at] !== before[at])
      assert.deepEqual(
        differing.map((at) => `${at}: ${after[at]} instead of ${before[at]}`),
        [],
      )
    })

    it('is refused what is about the whole service', async (t) => {
      const app = await start(t, engine, { env })
      const { own, callers } = await open(app)
      const faults: string[] = []
      for (const caller of engine === anyEngine ? callers : callers.slice(0, 1)) {
        for (const operation of operationsOf(app)) {
          const { id, method, path } = operation
          const needs = accessTable[id]?.needs ?? 'public'
          if (scopeTable[id] === 'organization' || !needs.includes(':')) continue
          const { status, body } = await call(app, caller, operation, { all: own }, true)
          if (status !== 403 || body.code !== 'permission_denied')
            faults.push(`${caller.name}: ${method} ${path}: ${status} ${body.code}`)
        }
      }
      assert.deepEqual(faults, [])
    })
  })
}
