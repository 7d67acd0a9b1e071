/** Sign-in with a password, a person's own account, sessions, tokens, keys, and acting as another user. */
import { approvedLoopback, deviceGrant, submit } from '../cli-login.ts'
import { type Browser, createPerson, password } from '../people.ts'
import type { Script } from './script.ts'

const dayMs = 86_400_000
const next = 'a moth in relay seventy'

export async function sessions({ app, admin, visitor, holder, signIn, change, clock }: Script): Promise<void> {
  const eve = await createPerson(app, { username: 'eve', email: 'eve@example.com' })
  await visitor('POST /sessions', { username: 'eve', password: 'not this one at all' }, { refused: 401 })
  await admin(`GET /users/${eve.user_id}/sign-in`)
  const { caller, cookie, session_id } = await signIn('eve')
  const second = await signIn('EVE@example.com')
  await visitor('POST /sessions', { username: 'o’neil', password: 'some other password' }, { refused: 401 })
  await caller('GET /me')
  await caller('PATCH /me', { first_name: 'Eve', locale: 'ar' })
  await caller('PATCH /me', { role: 'admin' }, { refused: 422 })
  await caller('GET /sessions')
  // Of so many sessions, the one that was idle longest ends.
  const kim = await createPerson(app, { username: 'kim' })
  for (let session = 0; session <= 100; session++) {
    const common = { user_id: kim.user_id, amr: ['pwd'], credentials_version: 0, address: '192.0.2.7', user_agent: '' }
    await change('sessions.begin', { ...common, token_hash: `the hash of token ${session}` })
  }
  const [newest] = await admin(`GET /users/${kim.user_id}/sessions`)
  const last_seen_at = new Date(clock() + dayMs).toISOString()
  await change(
    'sessions.record_use',
    [session_id, newest.session_id].map((one) => ({ session_id: one, last_seen_at })),
  )
  await caller(`DELETE /sessions/${second.session_id}`)
  await second.caller('GET /me', undefined, { refused: 401 })
  await signIn('eve')
  await caller('DELETE /sessions')
  await caller('POST /sessions/current/reauthentication', { password: 'not this one at all' }, { refused: 403 })
  await caller('POST /sessions/current/reauthentication', { password })
  await caller('POST /me/password', { current_password: password, new_password: next })

  const { access_token } = await caller('POST /token')
  await holder(access_token)('GET /me')
  await admin('POST /introspect', { token: access_token })
  await caller('POST /revoke', { token: access_token })
  await admin('POST /introspect', { token: access_token })
  await holder(access_token)('GET /me', undefined, { refused: 401 })
  await admin('GET /revocations')
  await visitor('GET /.well-known/jwks.json')
  await visitor('GET /.well-known/oauth-authorization-server')

  await admin(`GET /users/${eve.user_id}/sessions`)
  await admin(`DELETE /users/${eve.user_id}/sessions/${(await signIn('eve', next)).session_id}`)
  const third = await signIn('eve', next)
  await admin('POST /revoke', { token: /rollbook=([^;]+)/.exec(third.cookie)?.[1] })
  await admin(`DELETE /users/${eve.user_id}/sessions`)
  await (await signIn('eve', next)).caller('DELETE /sessions/current')
  // A browser with the cookie of a session that has ended.
  await visitor('GET /me', undefined, { headers: { cookie }, refused: 401 })

  const locked = await createPerson(app, { username: 'locked' })
  for (let attempt = 0; attempt < 5; attempt++) {
    await visitor('POST /sessions', { username: 'locked', password: 'not this one at all' }, { refused: 401 })
  }
  await visitor('POST /sessions', { username: 'locked', password }, { refused: 429 })
  await admin(`GET /users/${locked.user_id}/lock`)
  await admin(`DELETE /users/${locked.user_id}/lock`)
  const leaving = await signIn('locked')
  await leaving.caller('GET /me/data')
  await leaving.caller('DELETE /me')
  await leaving.caller('GET /me/data', undefined, { refused: 401 })

  const support = await signIn('root')
  const acting = await support.caller(`POST /users/${eve.user_id}/impersonation`, { reason: 'Case 4711' })
  await support.caller(`POST /users/${eve.user_id}/impersonation`, {}, { refused: 422 })
  await admin(`DELETE /users/${eve.user_id}/sessions/${acting.session_id}`)
}

export async function keys({ app, admin, holder, visitor, signIn, change, clock }: Script): Promise<void> {
  const key = await admin('POST /keys', { name: 'nightly', permissions: ['users:read', 'keys:write'] })
  await admin('POST /keys', { name: 'nightly', permissions: ['no:such'] }, { refused: 422 })
  await holder(key.key)('POST /keys', { name: 'stronger', permissions: ['users:write'] }, { refused: 403 })
  await admin('POST /keys', { name: 'short', permissions: ['users:read'], expires_at: '2099-11-20T00:00:00.000Z' })
  await change('keys.record_use', [{ key_id: key.key_id, last_used_at: new Date(clock()).toISOString() }])
  await admin('GET /keys')
  const rotated = await admin(`POST /keys/${key.key_id}/rotate`, {})
  await holder(key.key)('GET /users?limit=1')
  await holder(rotated.key)('GET /users?limit=1')
  await admin(`DELETE /keys/${key.key_id}`)
  await holder(rotated.key)('GET /users?limit=1', undefined, { refused: 401 })
  const { access_token } = await admin('POST /token')
  await holder(access_token)('GET /users?limit=1')
  await admin('GET /signing-keys')
  await admin('POST /signing-keys/rotate', { revoke_previous: true })

  const owner = await createPerson(app, { username: 'owner', role: 'admin' })
  const browser = await signIn('owner')
  const { caller } = browser
  await cliLogins({ app, browser, visitor, change })
  const own = await caller('POST /me/keys', { name: 'laptop', permissions: ['users:read'] })
  await caller('GET /me/keys')
  await holder(own.key)('GET /users?limit=1')
  await admin(`GET /users/${owner.user_id}/keys`)
  await caller(`DELETE /me/keys/${own.key_id}`)
  await visitor('GET /users', undefined, { headers: { 'x-api-key': own.key }, refused: 401 })
  const leaked = await caller('POST /me/keys', { name: 'leaked' })
  await admin('POST /revoke', { token: leaked.key })

  const account = await admin('POST /users', { username: 'reporting', kind: 'service', role: 'admin' })
  const of = await admin(`POST /users/${account.user_id}/keys`, { name: 'server', permissions: ['users:read'] })
  await holder(of.key)('GET /users?limit=1')
  await admin(`POST /users/${owner.user_id}/keys`, { name: 'server' }, { refused: 409 })
  await admin(`DELETE /users/${account.user_id}/keys/${of.key_id}`)
  await caller('POST /me/keys', { name: 'last' })
  await admin(`DELETE /users/${owner.user_id}`)
}

async function cliLogins({
  app,
  browser,
  visitor,
  change,
}: Pick<Script, 'app' | 'visitor' | 'change'> & { browser: Browser }): Promise<void> {
  const grant = await approvedLoopback(app, browser)
  await visitor('POST /cli-logins/token', grant)
  await visitor('POST /cli-logins/token', grant, { refused: 400 })
  const revoked = await approvedLoopback(app, browser)
  await visitor('POST /cli-logins/token', { ...revoked, code_verifier: 'another' }, { refused: 400 })
  const { device_code, user_code } = await visitor('POST /cli-logins', { name: 'server' })
  const device = { grant_type: deviceGrant, device_code }
  await visitor('POST /cli-logins/token', device, { refused: 400 })
  await visitor('POST /cli-logins/token', device, { refused: 400 })
  await submit(browser, '/cli-login', { user_code: 'BBBB-BBBB' })
  await submit(browser, '/cli-login', { user_code })
  await submit(browser, '/cli-login', { user_code, decision: 'approve' })
  await visitor('POST /cli-logins/token', device)
  await change('cli_logins.prune', { everyMs: 0 })
}
