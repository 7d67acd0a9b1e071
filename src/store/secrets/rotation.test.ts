import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { codeOf } from '../../../test/factors.ts'
import { adminKey, everyEngine, type Started, start } from '../../../test/harness.ts'
import { buildApp } from '../../app/app.ts'
import { createLog } from '../../app/log.ts'
import { system } from '../../core/actor.ts'
import { loadTemplates } from '../../record/mails/templates/templates.ts'
import { rawSql, sql } from '../db/sql.ts'
import { readAllSecrets } from './check.ts'
import { sealingSecret } from './encryption.ts'
import { sealedKinds } from './sealed-values.ts'

const [oldSecret, newSecret] = ['old-'.repeat(8), 'new-'.repeat(8)]
const env = { ROLLBOOK_KEY_ENCRYPTION_SECRET: oldSecret }
const totp = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const password = 'a long walk by the sea'
const user_id = '01a1f8a3-ee02-7386-8d99-56b674796122'

type Call = Started['call']
type Node = { call: Call; secret: string }

/** Another node on the same storage, with other encryption secrets. */
async function nodeWith(t: TestContext, app: Started, current: string, previous?: string): Promise<Node> {
  const config = { ...app.config, keyEncryptionSecret: current, keyEncryptionSecretPrevious: previous }
  const templates = loadTemplates(undefined, 'en')
  const log = createLog('silent')
  const { fastify } = await buildApp({ config, storage: app.storage, log, templates, cores: 1 })
  t.after(() => fastify.close())
  const call: Call = async (method, path, { body, headers = {}, key = adminKey } = {}) => {
    const sent = { ...(key !== null && { 'x-api-key': key }), ...headers }
    const response = await fastify.inject({
      method: method as 'GET',
      url: `/auth${path}`,
      headers: sent,
      ...(body !== undefined && { payload: body as object }),
    })
    const text = response.body
    return { status: response.statusCode, headers: response.headers as never, text, body: text && JSON.parse(text) }
  }
  return { call, secret: current }
}

/** One secret of every kind, encrypted with the old encryption secret. */
async function filled(t: TestContext, engine: (typeof everyEngine)[number]) {
  const app = await start(t, engine, { env })
  const row = JSON.stringify({ user_id, username: 'ada', password, totp_secret: totp })
  const headers = { 'content-type': 'application/x-ndjson' }
  assert.equal((await app.call('POST', '/users/import', { body: row, headers })).status, 200)
  const webhook = (await app.call('POST', '/webhooks', { body: { url: 'https://receiver.example/' } })).body
  await app.call('POST', `/webhooks/${webhook.endpoint_id}/rotate-secret`)
  const connection = await app.call('POST', '/connections', {
    body: { kind: 'oidc', name: 'Acme', issuer: 'https://idp.example', client_id: 'us', client_secret: 'theirs' },
  })
  assert.equal(connection.status, 201)
  const rotate = (secrets: string[], discard = false) =>
    app.storage.change('secrets.rotate', { secrets, discard }, { actor: system, now: Date.now(), requestId: 'test' })
  return { app, rotate, endpoint: webhook.endpoint_id as string, connection: connection.body.connection_id as string }
}

const sorts = async (app: Started, secrets: string[]) =>
  (await readAllSecrets(app.storage.db, secrets)).map(({ kind, readable, previous, unreadable, lost }) => {
    return [kind.name, readable, previous, unreadable, lost]
  })

/** Signs in with the password and a one-time code. `later`: a code can be used once. */
async function enter({ call }: { call: Call }, later: number) {
  const begun = await call('POST', '/sessions', { key: null, body: { username: 'ada', password } })
  const cookie = String((begun.headers as Record<string, unknown>)['set-cookie']).split(';', 1)[0] as string
  const code = codeOf(totp, Date.now() + later * 30_000)
  const body = { challenge_id: begun.body.challenge_id, code }
  return call('POST', '/sessions', { key: null, body, headers: { cookie } })
}

for (const engine of everyEngine) {
  describe(`the encryption secret on ${engine.name}`, () => {
    it('is rotated while nodes with the old one and with both run, and then the old one is needed no longer', async (t) => {
      const { app, rotate, endpoint, connection } = await filled(t, engine)
      const both = await nodeWith(t, app, newSecret, oldSecret)
      assert.equal((await enter(both, 0)).status, 201)
      // What the node with both stores can be read by a node that has only the old one.
      assert.equal((await both.call('POST', '/signing-keys/rotate')).status, 200)
      assert.equal(
        (await both.call('PATCH', `/connections/${connection}`, { body: { client_secret: 'other' } })).status,
        200,
      )
      assert.equal((await both.call('POST', `/webhooks/${endpoint}/rotate-secret`)).status, 200)
      assert.deepEqual(await sorts(app, [oldSecret]), [
        ['signing_keys', 2, 0, 0, 0],
        ['own_secrets', 2, 0, 0, 0],
        ['one_time_codes', 1, 0, 0, 0],
        ['webhooks', 2, 0, 0, 0],
        ['connections', 1, 0, 0, 0],
      ])
      await assert.rejects(nodeWith(t, app, newSecret), { name: 'OperatorError', exitCode: 78 })

      const { result } = await rotate([newSecret, oldSecret])
      assert.deepEqual(
        result.map(({ name, sealed, lost }) => [name, sealed, lost]),
        (await sorts(app, [newSecret])).map(([name, readable]) => [name, readable, 0]),
      )
      const config = { keyEncryptionSecret: newSecret, keyEncryptionSecretPrevious: oldSecret }
      assert.equal(await sealingSecret(app.storage.db, config), newSecret)
      const next = await nodeWith(t, app, newSecret)
      assert.equal((await enter(next, 1)).status, 201)
      assert.equal((await next.call('POST', `/webhooks/${endpoint}/rotate-secret`)).status, 200)
      const again = await rotate([newSecret])
      assert.ok(again.result.every(({ sealed, lost }) => sealed + lost === 0))
      assert.equal((await app.call('GET', '/audit?action=secrets.rotated')).body.length, 2)
    })

    it('that does not fit stops a start, whichever kind of secret it is, and changes nothing', async (t) => {
      const { app, rotate } = await filled(t, engine)
      for (const { words, table, columns, rows } of sealedKinds) {
        const [column] = columns
        const before = await app.storage.db.all<{ text: string }>(sql`
          SELECT ${rawSql(`${column} AS text FROM ${table} WHERE ${rows}`)}`)
        const text = String(before[0]?.text)
        // In a connection only the value within.
        const other = text.startsWith('{') ? text.replace(/"value":"../, '"value":"XX') : `XX${text.slice(2)}`
        const set = (to: string, from: string) =>
          app.runSql(`UPDATE ${table} SET ${column} = '${to}' WHERE ${column} = '${from}'`)
        await set(other, text)
        const message = new RegExp(`cannot be decrypted: 1 ${words[0]}\\.`)
        await assert.rejects(nodeWith(t, app, oldSecret), { name: 'OperatorError', exitCode: 78, message })
        await assert.rejects(rotate([newSecret, oldSecret]), { code: 'secret_unreadable', message })
        await set(text, other)
      }
      assert.ok((await sorts(app, [oldSecret])).every(([, , , unreadable]) => unreadable === 0))
    })

    it('that is lost costs what it encrypted, and each of those can be set again', async (t) => {
      const { app, rotate, endpoint, connection } = await filled(t, engine)
      await assert.rejects(rotate([newSecret]), { code: 'secret_unreadable' })
      await rotate([newSecret], true)
      const next = await nodeWith(t, app, newSecret)
      assert.deepEqual(await sorts(app, [newSecret]), [
        ['signing_keys', 1, 0, 0, 0],
        ['own_secrets', 2, 0, 0, 0],
        ['one_time_codes', 0, 0, 0, 1],
        ['webhooks', 0, 0, 0, 1],
        ['connections', 0, 0, 0, 1],
      ])
      const refused = await enter(next, 0)
      assert.deepEqual([refused.status, refused.body.code], [503, 'secret_unreadable'])
      assert.equal((await next.call('DELETE', `/users/${user_id}/factors`)).status, 200)
      const entered = await next.call('POST', '/sessions', { key: null, body: { username: 'ada', password } })
      assert.equal(entered.status, 201)
      const found = (await next.call('GET', `/webhooks/${endpoint}`)).body
      assert.deepEqual([found.active, found.disabled_reason], [false, 'secret_lost'])
      const rotated = (await next.call('POST', `/webhooks/${endpoint}/rotate-secret`)).body
      assert.deepEqual([rotated.previous_secret_expires_at, rotated.secret.slice(0, 6)], [null, 'whsec_'])
      const document = (await next.call('GET', `/connections/${connection}`)).body
      assert.equal(document.has_client_secret, false)
      const path = `/connections/${connection}`
      const patched = await next.call('PATCH', path, { body: { client_secret: 'another' } })
      assert.deepEqual([patched.status, patched.body.has_client_secret], [200, true])
      assert.ok((await sorts(app, [newSecret])).every(([, , , unreadable, lost]) => unreadable === 0 && lost === 0))
    })

    it('that does not fit a secret fails with a code of its own, and does not keep that from being replaced', async (t) => {
      const { app, endpoint, connection } = await filled(t, engine)
      await app.runSql(`UPDATE factors SET secret = 'XX' || substr(secret, 3)`)
      await app.runSql(`UPDATE webhook_endpoints SET secret = 'XX' || substr(secret, 3)`)
      await app.runSql(`UPDATE sign_in_connections SET secrets = replace(secrets, '"value":"', '"value":"XX')`)
      const refused = await enter(app, 0)
      assert.deepEqual([refused.status, refused.body.code], [503, 'secret_unreadable'])
      const patched = await app.call('PATCH', `/connections/${connection}`, { body: { client_secret: 'another' } })
      assert.equal(patched.status, 200)
      const rotated = await app.call('POST', `/webhooks/${endpoint}/rotate-secret`)
      assert.deepEqual([rotated.status, rotated.body.previous_secret_expires_at], [200, null])
      assert.equal((await app.call('DELETE', `/users/${user_id}/factors`)).status, 200)
      assert.ok((await sorts(app, [oldSecret])).every(([, , , unreadable]) => unreadable === 0))
    })
  })
}

describe('everything that is encrypted in the store', () => {
  it('is in the one list that the rotation goes through', () => {
    const root = join(import.meta.dirname, '../..')
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?<!\.test)\.ts$/.test(name),
    )
    const sealing = files.filter((name) => /lib\/sealing\.ts'/.test(readFileSync(join(root, name), 'utf8')))
    // The first two encrypt with a token that only a browser has.
    assert.deepEqual(sealing.toSorted(), [
      'access/pages/login-pages/sign-out.ts',
      'access/sign-in/company-sign-in/judge.ts',
      'store/secrets/rotation.ts',
      'store/secrets/sealed-values.ts',
    ])
  })
})
