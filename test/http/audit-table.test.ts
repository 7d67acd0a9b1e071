import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newestRecord, type Recorded, recordsOf } from '../audit-records.ts'
import { type Answer, anyEngine, engines, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { startOwners } from '../name-server.ts'
import { createPerson, openBrowser, password } from '../people.ts'
import { accessTable } from './access-table.ts'
import { type Attempt, auditTable, calledByProviders, changesNothing } from './audit-table.ts'

type Operation = { id: string; method: string; path: string; canRunDry: boolean }

function operationsOf({ document }: Pick<Started, 'document'>): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [] }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      canRunDry: (parameters as { name?: string }[]).some(({ name }) => name === 'dry_run'),
    })),
  )
}

const isRead = ({ method }: Operation) => method === 'GET' || method === 'HEAD'
const mutating = (app: Started) =>
  operationsOf(app).filter(
    ({ id, ...one }) => !isRead({ id, ...one }) && !(id in changesNothing) && !calledByProviders.includes(id),
  )

/** Each way of calling an operation so that it succeeds. */
const waysOf = ({ id }: Operation) => [auditTable[id] ?? []].flat()

function send(
  app: Started,
  { method }: Operation,
  { path: url, body, type, by }: Attempt,
  isDry = false,
): Promise<Answer> {
  const path = isDry ? `${url}${url.includes('?') ? '&' : '?'}dry_run=true` : url
  const headers = { 'user-agent': 'the table', ...(type !== undefined && { 'content-type': type }) }
  const request = { headers, ...(body !== undefined && { body }) }
  if (by === undefined) return app.call(method, path, request)
  if (by === 'nobody') return app.call(method, path, { ...request, key: null })
  return by.call(method, path, request)
}

/** What was recorded meanwhile, and the answer. */
async function during(app: Started, work: () => Promise<Answer>): Promise<{ found: Recorded[]; response: Answer }> {
  const before = await newestRecord(app)
  const response = await work()
  return { found: await recordsOf(app, before), response }
}

async function adminOf(app: Started) {
  const all = (await app.call('GET', '/keys')).body as { key_id: string; name: string }[]
  const { key_id, name } = all.find((one) => one.name === 'admin (configuration)') ?? { key_id: '', name: '' }
  return { kind: 'api_key', id: key_id, name }
}

function actorOf({ by }: Attempt, admin: { kind: string; id: string; name: string }) {
  return by === undefined || by === 'nobody' ? admin : { kind: 'user', id: by.user_id, name: by.username }
}

const env = {
  ...mailEnv,
  ROLLBOOK_ACCESS_REQUESTS: 'on',
  ROLLBOOK_ACCOUNT_DELETION: 'on',
  ROLLBOOK_EMAIL_CODE: 'on',
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_ROLES: '{"reader": ["reports:read"]}',
}

describe('what each operation records', () => {
  it('is listed here for every operation that changes something, and for no other', async (t) => {
    const app = await start(t, anyEngine)
    const found = operationsOf(app).filter((one) => !isRead(one))
    const known = [...Object.keys(auditTable), ...Object.keys(changesNothing), ...calledByProviders]
    assert.deepEqual(found.map(({ id }) => id).toSorted(), known.toSorted())
  })
})

for (const engine of engines) {
  describe(`what each operation records, on ${engine.name}`, () => {
    it('is exactly one record: who did what to whom, from where, and what is different now', async (t) => {
      const names = await startOwners(t, () => app)
      const app: Started = await start(t, engine, { env: { ...env, ...names.env } })
      const admin = await adminOf(app)
      const secrets = ['nanoseconds', 'moth in relay', 'not-for-everybody']
      for (const operation of mutating(app)) {
        for (const prepare of waysOf(operation)) {
          const attempt = await prepare(app)
          const { found, response: answer } = await during(app, () => send(app, operation, attempt))
          assert.ok(answer.status < 300, `${operation.id} answered ${answer.status} ${answer.text}`)
          secrets.push(...['key', 'secret'].flatMap((member) => answer.body?.[member] ?? []))
          const expected = attempt.recorded(answer)
          const { by } = attempt
          assert.equal(found.length, 1, `${operation.id} left ${JSON.stringify(found)}`)
          const [record] = found as [Recorded]
          assert.deepEqual(
            {
              action: record.action,
              outcome: record.outcome,
              code: record.code,
              actor: record.actor,
              target: record.target,
              changes: record.changes,
              details: record.details,
              request_id: record.request_id,
              address: record.address,
              user_agent: record.user_agent,
            },
            {
              outcome: 'success',
              code: null,
              actor: expected.actor ?? actorOf(attempt, admin),
              changes: {},
              details: {},
              request_id: answer.headers['x-request-id'],
              address: '127.0.0.1',
              user_agent: 'the table',
              target: undefined,
              ...withoutActor(expected),
            },
            operation.id,
          )
          assert.equal(record.key_id, by === undefined ? admin.id : null, operation.id)
          if (by !== undefined && by !== 'nobody') assert.equal(record.session_id, by.session_id, operation.id)
        }
      }
      assert.ok(secrets.length > 6)
      const storedRows = [await app.runSql('SELECT * FROM audit_records'), await app.runSql('SELECT * FROM events')]
      for (const secret of secrets) assert.ok(!JSON.stringify(storedRows).includes(secret), secret)
    })

    it('is the same when it is done on a page', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id, username } = await createPerson(app)
      const { cookie, session_id } = await openBrowser(app, username)
      const post = (path: string, fields: Record<string, string>) =>
        during(app, () =>
          app.call('POST', path, {
            key: null,
            headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
            body: `${new URLSearchParams(fields)}`,
          }),
        )
      const passwords = { current_password: password, new_password: 'a moth in relay seventy' }
      const changed = await post('/change-password', passwords)
      const signedOut = await post('/logout', {})
      for (const [{ response: answer, found }, action] of [
        [changed, 'user.password_set'],
        [signedOut, 'session.ended'],
      ] as const) {
        assert.equal(answer.status, 303)
        assert.deepEqual(
          found.map((one) => [one.action, one.outcome, one.actor.id, one.target?.id, one.session_id]),
          [[action, 'success', user_id, user_id, session_id]],
        )
        assert.equal(found[0]?.request_id, answer.headers['x-request-id'])
        assert.equal(found[0]?.address, '127.0.0.1')
      }
    })

    it('is nothing in a dry run', async (t) => {
      const names = await startOwners(t, () => app)
      const app: Started = await start(t, engine, { env: { ...env, ...names.env } })
      let runs = 0
      for (const operation of mutating(app).filter(({ canRunDry }) => canRunDry)) {
        for (const prepare of waysOf(operation)) {
          const attempt = await prepare(app)
          const { found, response: answer } = await during(app, () => send(app, operation, attempt, true))
          assert.equal(answer.status, 200, `${operation.id}: ${answer.text}`)
          assert.deepEqual(found, [], operation.id)
          runs++
        }
      }
      assert.ok(runs >= 20, `${runs} dry runs`)
    })

    it('is one refusal, and no change, if the caller lacks the permission', async (t) => {
      const app = await start(t, engine, { env })
      const weak = await app.call('POST', '/keys', { body: { name: 'weak', permissions: ['reports:read'] } })
      assert.equal(weak.status, 201, weak.text)
      for (const operation of operationsOf(app)) {
        const needs = accessTable[operation.id]?.needs
        if (needs === 'public') continue
        const [prepare] = waysOf(operation)
        const attempt = prepare && (await prepare(app))
        const path = attempt?.path ?? operation.path.replaceAll(/\{\w+\}/g, '019a9f3e-0000-7000-8000-000000000000')
        const refusedWith = async (key: string | null, status: number, actor: object) => {
          const { found, response: answer } = await during(app, () =>
            app.call(operation.method, path, { key, ...(attempt?.body !== undefined && { body: attempt.body }) }),
          )
          assert.equal(answer.status, status, `${operation.id}: ${answer.text}`)
          assert.equal(found.length, 1, operation.id)
          const [{ action, outcome, code, details, target, ...record }] = found as [Recorded]
          assert.deepEqual(
            { action, outcome, code, operation: details.operation, method: details.method, actor: record.actor },
            {
              action: 'authorization.refused',
              outcome: 'denied',
              code: answer.body.code,
              operation: operation.id,
              method: operation.method,
              actor,
            },
            operation.id,
          )
          const user_id = /^\/(?:users|groups\/[^/]+\/members)\/([0-9a-f-]{36})\b/.exec(path)?.[1]
          assert.equal(target?.id, user_id, operation.id)
        }
        await refusedWith(null, 401, { kind: 'anonymous', id: '', name: undefined })
        if (needs !== 'any')
          await refusedWith(weak.body.key, 403, { kind: 'api_key', id: weak.body.key_id, name: 'weak' })
      }
    })

    it('is nothing if the operation only reads, or if nothing is kept of it', async (t) => {
      const app = await start(t, engine, { env })
      const before = await newestRecord(app)
      const statuses: number[] = []
      for (const { id, method, path } of operationsOf(app)) {
        if (method !== 'GET' && !(id in changesNothing)) continue
        const { query = '' } = accessTable[id] ?? {}
        const url = path.replaceAll(/\{\w+\}/g, '019a9f3e-0000-7000-8000-000000000000') + query
        const body = changesNothing[id]
        // A person's own resource is not the key's to read: that is a refusal, which the test above is about.
        if (accessTable[id]?.needs === 'user') continue
        const response = await app.call(method, url, { ...(body !== undefined && { body }) })
        assert.ok([200, 404].includes(response.status), `${id}: ${response.text}`)
        statuses.push(response.status)
      }
      assert.deepEqual(await recordsOf(app, before), [])
      assert.ok(statuses.filter((status) => status === 200).length >= 8, `${statuses}`)
    })

    it('is nothing for a change that was refused for another reason, or for a repeated response', async (t) => {
      const app = await start(t, engine, { env })
      const headers = { 'idempotency-key': 'once' }
      const create = () => app.call('POST', '/users', { headers, body: { username: 'ada' } })
      const { found } = await during(app, create)
      assert.equal(found.length, 1)
      const repeated = await during(app, create)
      assert.deepEqual([repeated.response.status, repeated.found], [201, []])
      const taken = await during(app, () => app.call('POST', '/users', { body: { username: 'ADA' } }))
      assert.deepEqual([taken.response.status, taken.found], [409, []])
    })
  })
}

function withoutActor<Row extends { actor?: unknown }>({ actor: _, ...rest }: Row): Omit<Row, 'actor'> {
  return rest
}
