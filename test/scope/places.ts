/** Two organizations and none, with the same in each, and callers who are limited to the first. */
import assert from 'node:assert/strict'
import { scopablePermissions } from '../../src/core/permissions.ts'
import { createUser, type Started } from '../harness.ts'
import { unknownId } from '../http/access-table.ts'
import { mailEnv } from '../mails/mailing.ts'
import { moveTo } from '../organizations.ts'
import { createPerson, openBrowser, password } from '../people.ts'

export const limitedPermissions = scopablePermissions.map((word) => `${word}@organization`)

export const env = {
  ...mailEnv,
  ROLLBOOK_ROLES: JSON.stringify({
    limited: limitedPermissions,
    reader: ['users:read@organization'],
    whole: ['users:read'],
  }),
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_HASH_QUEUE: '1000',
  ROLLBOOK_DELETION_GRACE_DAYS: '30',
  ROLLBOOK_ACCESS_REQUESTS: 'on',
}

export const places = ['own', 'other', 'none'] as const
export type Place = (typeof places)[number]

/** What belongs to a place, by the names that ids have in paths. */
export type Ids = Record<
  | 'organization_id'
  | 'user_id'
  | 'new_user_id'
  | 'deleted_user_id'
  | 'session_id'
  | 'group_id'
  | 'key_id'
  | 'personal_key_id'
  | 'provisioning_id'
  | 'connection_id'
  | 'job_id'
  | 'mail_id'
  | 'request_id'
  | 'domain',
  string
>

/** Nothing has these ids, nor this domain. */
export const unknownIds = new Proxy({} as Ids, {
  get: (_, name) => (name === 'domain' ? 'unknown.example' : unknownId),
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function post(app: Started, path: string, body?: unknown, headers: Record<string, string> = {}, key?: string) {
  const response = await app.call('POST', path, { body, headers, ...(key !== undefined && { key }) })
  assert.ok([200, 201].includes(response.status), `${path}: ${response.text}`)
  return response.body
}

/** Each name contains that of its place, so that a response that shows something of another place is found. */
export async function fillPlace(app: Started, place: Place): Promise<Ids> {
  const name = `zz${place}`
  const isPlaced = place !== 'none'
  const organization_id = isPlaced ? (await post(app, '/organizations', { name })).organization_id : unknownId
  const within = isPlaced ? { organization_id } : {}
  const place_ = async (user_id: string) => (isPlaced ? moveTo(app, user_id, organization_id) : undefined)
  const { user_id } = await createPerson(app, {
    username: `${name}-person`,
    email: `person@${name}.example`,
    last_name: name,
  })
  await place_(user_id)
  const person = await openBrowser(app, `${name}-person`)
  const personal = await person.call('POST', '/me/keys', { body: { name: `${name} personal` } })
  assert.equal(personal.status, 201, personal.text)
  const fresh = await createUser(app, { username: `${name}-new`, email: `new@${name}.example` })
  await place_(String(fresh.user_id))
  await post(app, `/users/${fresh.user_id}/invitation`, {})
  const deleted = await createUser(app, { username: `${name}-deleted` })
  await place_(String(deleted.user_id))
  assert.equal((await app.call('DELETE', `/users/${deleted.user_id}`)).status, 200)
  const { group_id } = await post(app, '/groups', { name: `${name} group`, external_id: `${name}-group`, ...within })
  assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
  const permissions = isPlaced ? ['users:import@organization'] : ['users:import']
  const { key_id, key } = await post(app, '/keys', { name: `${name} key`, permissions, ...within })
  const provisioning = await post(app, '/provisioning', { name: `${name} scim`, ...within })
  if (isPlaced) {
    const body = { permissions: ['scim:write@organization'] }
    assert.equal((await app.call('PATCH', `/keys/${provisioning.key_id}`, { body })).status, 200)
  }
  const oidc = { kind: 'oidc', issuer: `https://${name}.example`, client_id: 'rollbook' }
  const { connection_id } = await post(app, '/connections', { name: `${name} oidc`, ...oidc, ...within })
  const type = { 'content-type': 'application/x-ndjson' }
  const { job_id } = await post(app, '/users/import?complete=false', '', type, key)
  await app.storage.settleJournal()
  const mails = (await app.call('GET', '/mails?limit=100')).body
  const mail_id = mails.find((one: { user_id: string }) => one.user_id === fresh.user_id)?.mail_id
  assert.ok(mail_id)
  const domain = { domain: `${name}.example`, verified: true }
  if (isPlaced) await post(app, `/organizations/${organization_id}/domains`, domain)
  const request_id = `019a9f3e-0000-7000-8000-0000000001${places.indexOf(place)}0`
  await app.runSql(`
    INSERT INTO access_requests (request_id, state, email, email_key, created_at, expires_at, delete_at)
    VALUES ('${request_id}', 'waiting', 'asks@${name}.example', 'asks@${name}.example', '2026-11-30T00:00:00.000Z', '9999-01-01', '9999-01-01')`)
  return {
    ...{ organization_id, user_id, new_user_id: String(fresh.user_id), deleted_user_id: String(deleted.user_id) },
    ...{ session_id: person.session_id, group_id, key_id, personal_key_id: personal.body.key_id },
    ...{ provisioning_id: provisioning.connection_id, connection_id, job_id, mail_id, request_id },
    domain: domain.domain,
  }
}

export type LimitedCaller = { name: string; headers: Record<string, string> }

/** A caller of each kind, with every permission that can be limited. The first one is a session. */
export async function limitedCallers(app: Started, organization_id: string): Promise<LimitedCaller[]> {
  const { user_id } = await createPerson(app, { username: 'boss', email: 'boss@zzown.example', role: 'limited' })
  await moveTo(app, user_id, organization_id)
  const boss = await openBrowser(app, 'boss', password)
  const session = { cookie: boss.cookie, 'sec-fetch-site': 'same-origin' }
  const personal = await boss.call('POST', '/me/keys', { body: { name: 'all', permissions: limitedPermissions } })
  assert.equal(personal.status, 201, personal.text)
  const { key } = await post(app, '/keys', { name: 'all', permissions: limitedPermissions, organization_id })
  const whole = await post(app, '/keys', { name: 'whole', permissions: scopablePermissions, organization_id })
  const tokenOf = async (headers: Record<string, string>, body?: object) => {
    const response = await app.call('POST', '/token', { key: null, headers, body })
    assert.equal(response.status, 200, response.text)
    return bearer(response.body.access_token)
  }
  const kinds = { session, 'personal key': { 'x-api-key': personal.body.key }, key: { 'x-api-key': key } }
  const callers: LimitedCaller[] = []
  for (const [name, headers] of Object.entries(kinds)) {
    callers.push({ name, headers }, { name: `token of a ${name}`, headers: await tokenOf(headers) })
  }
  const narrowed = await tokenOf({ 'x-api-key': whole.key }, { permissions: limitedPermissions })
  return [...callers, { name: 'narrowed token of a key with the whole permissions', headers: narrowed }]
}
