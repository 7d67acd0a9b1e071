/** One caller with each kind of credential there is, good and bad, and what it should be able to do. */
import assert from 'node:assert/strict'
import { makeApiKey } from '../../src/lib/api-key.ts'
import { adminKey, type Started } from '../harness.ts'
import { createPerson, openBrowser, password } from '../people.ts'

export type Caller = {
  name: string
  headers: Record<string, string>
  /** How every request that needs a credential is refused: no, a bad or an ambiguous one. */
  refused?: 'credential_missing' | 'credential_invalid' | 'ambiguous_credentials'
  permissions: readonly string[]
  /** Another caller with another kind of credential has the same permissions. */
  isRepetition?: boolean
  isPerson?: boolean
  mustChange?: boolean
  /** A session that lacks a second factor it needs. */
  mustAddFactor?: boolean
  /** A session, or a token of one, whose user was authenticated an hour ago. */
  isStale?: boolean
  /** The cookie comes from a page of another site. */
  isCrossOrigin?: boolean
  isAccessToken?: boolean
  isPersonalKey?: boolean
  /** A token that may do less than its person. */
  isNarrowed?: boolean
}

/** Custom role names; `former` is removed from the configuration while a user still has it. */
export const roles = {
  support: ['users:read', 'users:write', 'sessions:read', 'sessions:write'],
  analyst: ['reports:read'],
  gateway: ['tokens:introspect', 'signing_keys:write'],
  root: ['*'],
  guest: [],
}
const everyRole: Record<string, readonly string[]> = { admin: ['*'], user: [], ...roles }

/** Words that open something here, and others that do not. */
export const words = [
  ...['users:read', 'users:write', 'sessions:read', 'sessions:write', 'keys:read', 'keys:write'],
  ...['tokens:introspect', 'signing_keys:write', 'audit:read', 'metrics:read', 'webhooks:write', 'reports:read'],
  ...[
    'webhooks:read',
    'events:read',
    'users:export_hashes',
    'users:impersonate',
    'users:import',
    'groups:read',
    'groups:write',
    ...['organizations:read', 'organizations:write'],
  ],
  ...['attributes:read', 'attributes:write', 'branding:write'],
  ...['roles:write', 'policies:read', 'policies:write'],
]

const sameOrigin = { 'sec-fetch-site': 'same-origin' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export async function everyCaller(app: Started): Promise<Caller[]> {
  return [...(await strangers(app)), ...(await keyCallers(app)), ...(await people(app))]
}

async function makeKey(app: Started, permissions: readonly string[]): Promise<{ key_id: string; key: string }> {
  const response = await app.call('POST', '/keys', { body: { name: 'a caller', permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

async function tokenFor(app: Started, headers: Record<string, string>, permissions?: string[]): Promise<string> {
  const body = permissions && { permissions }
  const response = await app.call('POST', '/token', { key: null, headers, body })
  assert.equal(response.status, 200, response.text)
  return response.body.access_token
}

async function keyCallers(app: Started): Promise<Caller[]> {
  const sets = [['*'], ...words.map((word) => [word]), ...words.map((word) => words.filter((other) => other !== word))]
  const callers: Caller[] = []
  for (const permissions of sets) {
    const { key } = await makeKey(app, permissions)
    const isOfMost = permissions.length > 1
    const what = isOfMost ? `all but ${words.find((word) => !permissions.includes(word))}` : permissions[0]
    const name = `key with ${what}`
    callers.push({ name, headers: { 'x-api-key': key }, permissions, isRepetition: isOfMost })
    const headers = bearer(await tokenFor(app, { 'x-api-key': key }))
    const isRepetition = permissions.length === 1 && what !== '*'
    callers.push({ name: `token of a ${name}`, headers, permissions, isAccessToken: true, isRepetition })
  }
  return callers
}

async function people(app: Started): Promise<Caller[]> {
  const callers: Caller[] = []
  for (const [role, permissions] of Object.entries(everyRole)) {
    await createPerson(app, { username: `one-${role}`, email: `one-${role}@example.com`, role })
    const headers = { cookie: (await openBrowser(app, `one-${role}`)).cookie, ...sameOrigin }
    callers.push({ name: `session of ${role}`, headers, permissions, isPerson: true })
    const token = bearer(await tokenFor(app, headers))
    callers.push({ name: `token of ${role}`, headers: token, permissions, isPerson: true, isAccessToken: true })
  }

  const former = await createPerson(app, { username: 'one-former', role: 'guest' })
  await app.runSql(`UPDATE users SET role = 'former' WHERE user_id = '${former.user_id}'`)
  const { cookie } = await openBrowser(app, 'one-former')
  callers.push({
    name: 'session of a role that is gone',
    headers: { cookie, ...sameOrigin },
    permissions: [],
    isPerson: true,
  })

  await createPerson(app, { username: 'narrow', role: 'admin' })
  const session = { cookie: (await openBrowser(app, 'narrow')).cookie }
  const permissions = ['users:read']
  const narrow = bearer(await tokenFor(app, { ...session, ...sameOrigin }, permissions))
  callers.push(
    {
      name: 'narrowed token of an admin',
      headers: narrow,
      permissions,
      isPerson: true,
      isAccessToken: true,
      isNarrowed: true,
    },
    {
      name: 'session in a page of another site',
      headers: session,
      permissions: ['*'],
      isPerson: true,
      isCrossOrigin: true,
    },
  )

  callers.push(...(await personalKeys(app)))
  const { user_id } = await createPerson(app, { username: 'must-change', role: 'admin' })
  await app.call('POST', `/users/${user_id}/password`, { body: { password, must_change: true } })
  const bound = { cookie: (await openBrowser(app, 'must-change')).cookie, ...sameOrigin }
  callers.push({
    name: 'session that must change the password',
    headers: bound,
    permissions: ['*'],
    isPerson: true,
    mustChange: true,
  })
  callers.push(...(await withoutProof(app)))
  return callers
}

/** Keys of an administrator, and of a user who was one. */
async function personalKeys(app: Started): Promise<Caller[]> {
  const callers: Caller[] = []
  const add = async (name: string, key: string, permissions: readonly string[]) => {
    const common = { permissions, isPerson: true, isPersonalKey: true }
    callers.push({ name, headers: { 'x-api-key': key }, ...common })
    const headers = bearer(await tokenFor(app, { 'x-api-key': key }))
    callers.push({ name: `token of a ${name}`, headers, isAccessToken: true, ...common })
  }
  await createPerson(app, { username: 'key-holder', role: 'admin' })
  const holder = await openBrowser(app, 'key-holder')
  for (const permissions of [['*'], ['users:read', 'keys:write'], []]) {
    const { body } = await holder.call('POST', '/me/keys', { body: { name: 'mine', permissions } })
    await add(`personal key with ${permissions}`, body.key, permissions)
  }
  const { user_id } = await createPerson(app, { username: 'demoted', role: 'admin' })
  const demoted = await openBrowser(app, 'demoted')
  const { body } = await demoted.call('POST', '/me/keys', { body: { name: 'mine', permissions: ['*'] } })
  await app.call('PATCH', `/users/${user_id}`, { body: { role: 'support' } })
  await add('personal key of a former admin', body.key, roles.support)
  return callers
}

/** Sessions of administrators who have proved too little, or too long ago. */
async function withoutProof(app: Started): Promise<Caller[]> {
  const bound = await createPerson(app, { username: 'bound', role: 'admin' })
  const group = await app.call('POST', '/groups', { body: { name: 'Bound' } })
  await app.call('PUT', `/groups/${group.body.group_id}/members/${bound.user_id}`)
  const short = { cookie: (await openBrowser(app, 'bound')).cookie, ...sameOrigin }
  const twice = await createPerson(app, { username: 'bound-twice', role: 'admin' })
  await app.call('PUT', `/groups/${group.body.group_id}/members/${twice.user_id}`)
  await app.call('POST', `/users/${twice.user_id}/password`, { body: { password, must_change: true } })
  const both = { cookie: (await openBrowser(app, 'bound-twice')).cookie, ...sameOrigin }

  await createPerson(app, { username: 'stale', role: 'admin' })
  const { cookie, session_id } = await openBrowser(app, 'stale')
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
  await app.runSql(`UPDATE sessions SET auth_time = '${anHourAgo}' WHERE session_id = '${session_id}'`)
  const stale = { cookie, ...sameOrigin }
  const token = bearer(await tokenFor(app, stale))
  const common = { permissions: ['*'], isPerson: true }
  return [
    { name: 'session without the factor it needs', headers: short, mustAddFactor: true, ...common },
    { name: 'session without factor and password', headers: both, mustAddFactor: true, mustChange: true, ...common },
    { name: 'session of an hour ago', headers: stale, isStale: true, ...common },
    { name: 'token of a session of an hour ago', headers: token, isStale: true, isAccessToken: true, ...common },
  ]
}

/** A caller without a credential, and callers with invalid ones. */
async function strangers(app: Started): Promise<Caller[]> {
  const revoked = await makeKey(app, ['*'])
  const ofRevoked = await tokenFor(app, { 'x-api-key': revoked.key })
  await app.call('DELETE', `/keys/${revoked.key_id}`)

  const expired = await makeKey(app, ['*'])
  await app.runSql(`UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z' WHERE key_id = '${expired.key_id}'`)

  await createPerson(app, { username: 'gone', role: 'admin' })
  const [endedSession, idle, open] = [
    await openBrowser(app, 'gone'),
    await openBrowser(app, 'gone'),
    await openBrowser(app, 'gone'),
  ]
  const ofEnded = await tokenFor(app, { cookie: endedSession.cookie, ...sameOrigin })
  const flipped = (await tokenFor(app, { cookie: open.cookie, ...sameOrigin })).replace(/.(?=.$)/, (c) =>
    c === 'A' ? 'B' : 'A',
  )
  await endedSession.call('DELETE', '/sessions/current')
  await app.runSql(
    `UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z' WHERE session_id = '${idle.session_id}'`,
  )

  const disabled = await createPerson(app, { username: 'disabled', role: 'admin' })
  const browser = await openBrowser(app, 'disabled')
  const ofDisabled = await tokenFor(app, { cookie: browser.cookie, ...sameOrigin })
  await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })

  const invalid: Record<string, Record<string, string>> = {
    'a malformed key': { 'x-api-key': 'rb_rubbish' },
    'an empty key': { 'x-api-key': '' },
    'an unknown key': { 'x-api-key': makeApiKey() },
    'a revoked key': { 'x-api-key': revoked.key },
    'an expired key': { 'x-api-key': expired.key },
    'the name and password of an admin': { authorization: `Basic ${btoa(`gone:${password}`)}` },
    'an empty bearer': { authorization: 'Bearer ' },
    'a malformed token': { ...bearer('eyJhbGciOiJub25lIn0.e30.') },
    'a token with a flipped bit': bearer(flipped),
    'the token of a revoked key': bearer(ofRevoked),
    'the token of an ended session': bearer(ofEnded),
    'the token of a disabled admin': bearer(ofDisabled),
    'an ended session': { cookie: endedSession.cookie, ...sameOrigin },
    'an expired session': { cookie: idle.cookie, ...sameOrigin },
    'the session of a disabled admin': { cookie: browser.cookie, ...sameOrigin },
    'an unknown session': { cookie: `rollbook=${'A'.repeat(43)}`, ...sameOrigin },
    'a session sent as a key': { 'x-api-key': tokenIn(open.cookie) },
    'a session sent as a bearer': bearer(tokenIn(open.cookie)),
    'a key sent as a cookie': { cookie: `rollbook=${adminKey}`, ...sameOrigin },
  }
  const both = { 'x-api-key': adminKey, cookie: open.cookie, ...sameOrigin }
  return [
    { name: 'nobody', headers: {}, refused: 'credential_missing', permissions: [] },
    { name: 'two at once', headers: both, refused: 'ambiguous_credentials', permissions: ['*'] },
    ...Object.entries(invalid).map(
      ([name, headers]): Caller => ({ name, headers, refused: 'credential_invalid', permissions: ['*'] }),
    ),
  ]
}

function tokenIn(cookie: string): string {
  return /rollbook=([^;]+)/.exec(cookie)?.[1] ?? ''
}
