/**
 * Two doors to one account: users change themselves below /me, and administrators anyone below /users. What the second asks
 * less for is closed to the caller's own account. Every operation that names a user is tried, and each new one.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { personWithPhone } from '../factors.ts'
import { type Answer, adminKey, createUser, engines, type Request, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { type Browser, createPerson, openBrowser, password } from '../people.ts'
import { accessTable, unknownId } from './access-table.ts'
import { everything } from './watched.ts'

const env = { ...mailEnv, ROLLBOOK_RATE_LIMIT: '0' }

/** What a personal key may ask and change about its owner: nothing of the account. */
const byPersonalKey = new Set([
  'get_user_users__user_id__get',
  'update_user_users__user_id__patch',
  'get_sign_in_state_users__user_id__sign_in_get',
  'get_lock_users__user_id__lock_get',
  'get_invitation_users__user_id__invitation_get',
  'list_groups_of_user_users__user_id__groups_get',
  'list_user_audit_users__user_id__audit_get',
  'add_group_member_groups__group_id__members__user_id__put',
  'remove_group_member_groups__group_id__members__user_id__delete',
  // The user in it is a deleted one.
  'restore_user_users__user_id__restore_post',
])

/** What a session may not change about its own user, and the operation that it is sent to instead. */
const sentBySession: Record<string, RegExp> = {
  set_password_users__user_id__password_post: /POST \/me\/password/,
  remove_user_factor_users__user_id__factors__factor_id__delete: /DELETE \/me\/factors\/\{factor_id\}/,
  reset_user_factors_users__user_id__factors_delete: /DELETE \/me\/factors\/\{factor_id\}/,
  remove_user_identities_users__user_id__identities_delete: /DELETE \/me\/identities\/\{identity_id\}/,
  remove_user_identity_users__user_id__identities__identity_id__delete: /DELETE \/me\/identities\/\{identity_id\}/,
  invite_user_users__user_id__invitation_post: /POST \/me\/password/,
  withdraw_invitation_users__user_id__invitation_delete: /POST \/me\/password/,
  create_password_reset_users__user_id__password_reset_post: /POST \/me\/password/,
  unlock_user_users__user_id__lock_delete: /POST \/me\/password/,
}

type Call = (method: string, path: string, request?: Omit<Request, 'key'>) => Promise<Answer>

/** An administrator with everything an account has, a personal key that may do all, and another administrator. */
async function openOwner(app: Started) {
  await createPerson(app, { username: 'other', role: 'admin' })
  const members = { username: 'owner', email: 'owner@example.com', role: 'admin' }
  const { user_id, browser, phone } = await personWithPhone(app, Date.now(), members)
  const created = await browser.call('POST', '/me/keys', { body: { name: 'found', permissions: ['*'] } })
  assert.equal(created.status, 201, created.text)
  const { key, key_id } = created.body
  const group = await app.call('POST', '/groups', { body: { name: 'Readers' } })
  const { session_id } = browser
  const ids: Record<string, string> = { user_id, factor_id: phone.factor_id, session_id, key_id }
  ids.group_id = group.body.group_id
  const { access_token } = (await app.call('POST', '/token', { key })).body
  const byToken = { authorization: `Bearer ${access_token}` }
  const found: Record<string, Call> = {
    'a personal key': (method, path, request) => app.call(method, path, { ...request, key }),
    'its token': (method, path, request) =>
      app.call(method, path, { ...request, key: null, headers: { ...byToken, ...request?.headers } }),
  }
  return { user_id, browser, ids, found, key_id }
}

function operationsAbout(app: Started, ids: Record<string, string>) {
  return Object.entries(app.document.paths)
    .filter(([path]) => path.includes('{user_id}'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId: id }]) => {
        const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? unknownId)
        return { id, method: method.toUpperCase(), url, body: accessTable[id]?.body }
      }),
    )
}

const ndjson = { 'content-type': 'application/x-ndjson' }

async function importRow(call: Call, row: object) {
  const response = await call('POST', '/users/import?mode=update&match=username', {
    headers: ndjson,
    body: `${JSON.stringify({ username: 'owner', ...row })}\n`,
  })
  assert.equal(response.status, 200, response.text)
  return firstRow((await call('GET', `/imports/${response.body.job_id}/rows`)).text)
}

/** The verdict on the one row, between the lines about the whole. */
function firstRow(text: string) {
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return lines.find(({ verdict }) => verdict !== undefined)
}

async function bulk(call: Call, user_id: string, body: object) {
  const { status, text } = await call('POST', '/users/bulk', { body: { ...body, user_ids: [user_id] } })
  assert.equal(status, 200, text)
  return firstRow(text)
}

for (const engine of engines) {
  describe(`the caller's own account on ${engine.name}`, () => {
    it('is closed to a personal key, through every operation that names a user', async (t) => {
      const app = await start(t, engine, { env })
      const { ids, found, key_id } = await openOwner(app)
      const operations = operationsAbout(app, ids)
      assert.ok(operations.length > 30)
      const before = await everything(app)
      for (const [by, call] of Object.entries(found)) {
        let refused = 0
        for (const { id, method, url, body } of operations) {
          if (byPersonalKey.has(id)) continue
          const response = await call(method, url, { body })
          assert.deepEqual(
            [response.status, response.body.code],
            [403, 'user_required'],
            `${by}: ${id} ${response.text}`,
          )
          refused++
        }
        assert.ok(refused >= 20, String(refused))
        for (const [method, path] of [
          ['DELETE', `/keys/${key_id}`],
          ['POST', `/keys/${key_id}/rotate`],
        ] as const) {
          assert.equal((await call(method, path)).body.code, 'user_required', `${by}: ${method} ${path}`)
        }
        const exported = await call('POST', '/users/export', { body: { passphrase: 'a passphrase of some length' } })
        assert.equal(exported.body.code, 'user_required', by)
      }
      assert.deepEqual(await everything(app), before)
    })

    it('is closed to a personal key member by member, in a patch, in bulk and in an import', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id, found } = await openOwner(app)
      const before = await everything(app)
      for (const [by, call] of Object.entries(found)) {
        for (const body of [
          { password: 'a moth in relay seventy' },
          { email: 'thief@example.com' },
          { email: null },
          { username: 'thief' },
          { role: 'user' },
          { active: false },
          { first_name: 'Ada', email: 'thief@example.com' },
        ]) {
          for (const query of ['', '?dry_run=true', '?override=true']) {
            const response = await call('PATCH', `/users/${user_id}${query}`, { body })
            const description = `${by}: ${JSON.stringify(body)} ${response.text}`
            assert.deepEqual([response.status, response.body.code], [403, 'user_required'], description)
          }
        }
        for (const body of [
          { action: 'deactivate' },
          { action: 'set_role', role: 'user' },
          { action: 'end_sessions' },
          { action: 'delete' },
          { action: 'invite', send: false },
        ]) {
          const verdict = await bulk(call, user_id, body)
          assert.deepEqual([verdict.verdict, verdict.code], ['refused', 'user_required'], JSON.stringify(verdict))
        }
        for (const row of [{ email: 'thief@example.com' }, { role: 'user' }, { active: false }]) {
          const verdict = await importRow(call, row)
          assert.deepEqual([verdict.verdict, verdict.code], ['rejected', 'user_required'], JSON.stringify(verdict))
        }
      }
      assert.deepEqual(await everything(app), before)
    })

    it('keeps what a personal key may still do: the profile of its owner, and everything about others', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id, found } = await openOwner(app)
      const call = found['a personal key'] as Call
      const own = await call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada', email: 'owner@example.com' } })
      assert.equal(own.status, 200, own.text)
      assert.equal((await importRow(call, { last_name: 'Lovelace' })).verdict, 'updated')
      const guest = await createPerson(app, { email: 'guest@example.com' })
      for (const [method, path, body] of [
        ['PATCH', '', { email: 'new@example.com', username: 'renamed' }],
        ['POST', '/password', { password: 'a moth in relay seventy' }],
        ['DELETE', '/factors', undefined],
        ['GET', '/sessions', undefined],
        ['DELETE', '/sessions', undefined],
        ['POST', '/password-reset', {}],
        ['DELETE', '', undefined],
      ] as const) {
        const response = await call(method, `/users/${guest.user_id}${path}`, { body })
        assert.equal(response.status, 200, `${method} ${path} ${response.text}`)
      }
    })

    it('is closed to a session where the operation on oneself asks for more, which the refusal names', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id, browser, ids } = await openOwner(app)
      const bare = await createPerson(app, { username: 'bare', role: 'admin' })
      const refused = operationsAbout(app, ids).filter(({ id }) => Object.hasOwn(sentBySession, id))
      assert.equal(refused.length, Object.keys(sentBySession).length)
      const before = await everything(app)
      for (const { id, method, url, body } of refused) {
        const response = await browser.call(method, url, { body })
        assert.deepEqual([response.status, response.body.code], [409, 'own_account'], `${id} ${response.text}`)
        assert.match(response.body.detail, sentBySession[id] as RegExp)
      }
      for (const [body, way] of [
        [{ email: 'unconfirmed@example.com' }, /PATCH \/me/],
        [{ email: null }, /PATCH \/me/],
        [{ password: 'a moth in relay seventy' }, /POST \/me\/password/],
      ] as const) {
        for (const query of ['', '?dry_run=true', '?override=true']) {
          const response = await browser.call('PATCH', `/users/${user_id}${query}`, { body })
          assert.deepEqual([response.status, response.body.code], [409, 'own_account'], response.text)
          assert.match(response.body.detail, way)
        }
      }
      const row = await importRow(browser.call, { email: 'unconfirmed@example.com' })
      assert.deepEqual([row.verdict, row.code], ['rejected', 'own_account'])
      assert.deepEqual(await everything(app), before)
      const other: Browser = await openBrowser(app, bare.username)
      const factor = {
        headers: ndjson,
        body: '{"username": "bare", "totp_secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"}\n',
      }
      const importResponse = await other.call('POST', '/users/import?mode=update', factor)
      const verdict = firstRow((await other.call('GET', `/imports/${importResponse.body.job_id}/rows`)).text)
      assert.deepEqual([verdict.verdict, verdict.code], ['rejected', 'own_account'], importResponse.text)
      // The rest of the account has no operation on oneself that asks for more.
      assert.equal((await browser.call('PATCH', `/users/${user_id}`, { body: { username: 'renamed' } })).status, 200)
      assert.equal((await other.call('DELETE', `/users/${bare.user_id}/sessions`)).status, 200)
    })

    it('is nothing that an API key of a program has', async (t) => {
      const app = await start(t, engine, { env })
      const { ids } = await openOwner(app)
      const without = await createUser(app)
      for (const { id, method, url, body } of operationsAbout(app, ids)) {
        if (accessTable[id]?.bySession || accessTable[id]?.ofDeleted) continue
        const path = accessTable[id]?.ofNewUser ? url.replace(ids.user_id as string, String(without.user_id)) : url
        const response = await app.call(method, method === 'GET' ? path : `${path}?dry_run=true`, {
          key: adminKey,
          body,
        })
        assert.ok(!['own_account', 'user_required'].includes(response.body.code), `${id} ${response.text}`)
      }
      assert.equal((await app.call('POST', `/users/${ids.user_id}/password`, { body: { password } })).status, 200)
    })
  })
}
