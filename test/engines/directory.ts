/** Roles, policies, attributes, organizations, groups and their members, and the branding. */
import assert from 'node:assert/strict'
import { system } from '../../src/core/actor.ts'
import { scopeOf } from '../../src/core/scope.ts'
import { openSetupLink } from '../../src/directory/organizations/service.ts'
import { findLatestManaged } from '../../src/directory/provisioning/service.ts'
import { runInactivity } from '../../src/operations/inactivity/run.ts'
import { password } from '../people.ts'
import type { Script } from './script.ts'

/** The look of the pages. */
export async function branding({ admin }: Script): Promise<void> {
  await admin('GET /branding')
  await admin('PUT /branding', { name: 'Acme', accent_color: '#7a1f5c' })
  await admin('PUT /branding', { accent_color: '#ffff00' }, { refused: 422 })
  await admin('PUT /branding?dry_run=true', {})
  await admin('POST /branding/preview', { branding: { name: 'Acme' } })
  await admin('GET /branding')
  await admin('PUT /branding', {})
  const { organization_id } = await admin('POST /organizations', { name: 'With a look' })
  const path = `/organizations/${organization_id}/branding`
  await admin(`PUT ${path}`, { name: 'Of its own' })
  await admin(`GET ${path}`)
  await admin(`DELETE ${path}`)
  await admin(`DELETE /organizations/${organization_id}`)
}

export async function roles({ app, admin, holder, signIn, change, request }: Script): Promise<void> {
  await admin('GET /policies')
  const second_factor = { user: 'optional', admin: 'optional', 'group:Board': 'required' }
  await admin('PATCH /policies', { second_factor })
  await admin('PATCH /policies', { second_factor: { helper: 'required' } }, { refused: 422 })
  const inactivity = { '*': { days: 90, notice_days: 14 }, 'group:Board': { days: 30, notice_days: 7 } }
  await admin('PATCH /policies', { inactivity })
  await admin('PATCH /policies', { inactivity: { helper: { days: 90, notice_days: 14 } } }, { refused: 422 })
  await admin('POST /inactivity/preview', { until: '2099-01-01T00:00:00Z' })
  const { user_id: idle } = await admin('POST /users', { username: 'idle', email: 'idle@example.com' })
  await app.runSql(`UPDATE users SET created_at = '2020-02-02T02:02:02.000Z' WHERE user_id = '${idle}'`)
  await runInactivity({ storage: app.storage, request: request() })
  await change('inactivity.disable', { user_id: idle })
  await change('inactivity.set_stop', { users: 20, active_users: 100 })
  await admin('POST /inactivity/confirmation')
  await admin('POST /inactivity/confirmation', undefined, { refused: 409 })
  await admin('PATCH /policies', { inactivity: null })
  await admin('POST /roles', { role: 'helper', description: 'Helps', permissions: ['users:read', 'reports:read'] })
  await admin('POST /roles', { role: 'helper', permissions: [] }, { refused: 409 })
  await admin('POST /roles', { role: 'typist', permissions: ['users:raed'] }, { refused: 422 })
  await admin('POST /users', { username: 'hal', password, role: 'helper' })
  await admin('POST /groups', { name: 'Helpers', role: 'helper' })
  const hal = await signIn('hal')
  const { access_token } = await hal.caller('POST /token')
  await admin('POST /users', { username: 'hedy', email: 'hedy@example.com', role: 'helper' })
  const [{ user_id }] = await admin('GET /users?username=hedy')
  await admin(`POST /users/${user_id}/invitation`, {})
  await admin('PATCH /roles/helper', { permissions: ['users:read', 'groups:read'] })
  await holder(access_token)('GET /users', undefined, { refused: 401 })
  await admin('GET /roles')
  await admin('GET /roles/helper')
  await admin('GET /roles/support')
  await admin('DELETE /roles/helper', undefined, { refused: 409 })
  await admin('DELETE /roles/helper?replace_with=support&dry_run=true')
  await admin('DELETE /roles/helper?replace_with=support')
  await admin('GET /roles/helper', undefined, { refused: 404 })
  await change('roles.move_holders', { role: 'helper' })
  await hal.caller('GET /me')
  const { key, key_id } = await admin('POST /keys', { name: 'roles', permissions: ['roles:write', 'users:read'] })
  await holder(key)('POST /roles', { role: 'strong', permissions: ['users:write'] }, { refused: 403 })
  await admin(`PATCH /keys/${key_id}`, {
    name: 'none',
    permissions: ['users:read'],
    expires_at: '2099-01-01T00:00:00Z',
  })
  await holder(key)('POST /roles', { role: 'weak', permissions: [] }, { refused: 403 })
}

export async function attributes({ admin, signIn }: Script): Promise<void> {
  await admin('POST /attributes', { name: 'department', label: 'Department', type: 'string', searchable: true })
  await admin('POST /attributes', { name: 'department', type: 'string' }, { refused: 409 })
  await admin('POST /attributes', { name: 'badge', type: 'string', unique: true })
  await admin('POST /attributes', { name: 'contact', type: 'email' })
  await admin('POST /attributes', { name: 'mailbox', type: 'email', unique: true })
  await admin('GET /attributes')
  await admin('GET /attributes/department')
  const anita = await admin('POST /users', {
    username: 'anita',
    attributes: { department: 'Compilers', badge: 'b-1', contact: 'anita@example.com' },
  })
  await admin('POST /users', { username: 'bea', attributes: { badge: 'b-1' } }, { refused: 409 })
  await admin('POST /attributes', { name: 'floor', type: 'string', required: true }, { refused: 409 })
  await admin('POST /attributes', { name: 'team', type: 'string', in_token: true })
  await admin('POST /users', { username: 'lin', password, attributes: { team: 'Kernel' } })
  await (await signIn('lin')).caller('POST /token')
  await admin('GET /users?attributes.team=Kernel')
  await admin('GET /users?q=compil')
  await admin('GET /users?q=b-1&count=true&limit=5')
  await admin('GET /users?attributes.department=Compilers')
  await admin(`PATCH /users/${anita.user_id}`, { attributes: { department: 'Languages' } })
  await admin('PATCH /attributes/department', { label: 'Team', unique: true })
  await admin('PATCH /attributes/contact', { unique: true })
  await admin('PATCH /attributes/contact', { searchable: true, unique: false })
  await admin('DELETE /attributes/badge?dry_run=true')
  await admin('DELETE /attributes/badge')
  await admin(`GET /users/${anita.user_id}`)
  await admin(`DELETE /users/${anita.user_id}`)
}

export async function organizations({ admin, app, change, holder, signIn }: Script): Promise<void> {
  const nowhere = '019a9f3e-0000-7000-8000-000000000000'
  const acme = await admin('POST /organizations', { name: 'Acme', external_id: 'o-1' })
  await admin('POST /organizations', { name: 'ACME' }, { refused: 409 })
  await admin('POST /organizations?dry_run=true', { name: 'Other' })
  const other = await admin('POST /organizations', { name: 'Other', active: false, second_factor: 'required' })
  await admin(`PATCH /organizations/${other.organization_id}`, { external_id: 'o-1' }, { refused: 409 })
  await admin(`PATCH /organizations/${other.organization_id}`, { name: 'Another', active: true, second_factor: null })
  await admin(`GET /organizations/${acme.organization_id}`)
  await admin('GET /organizations?limit=1')
  const key = await admin('POST /keys', {
    ...{ name: 'of Acme', permissions: ['users:read'], organization_id: acme.organization_id },
  })
  await admin(`PATCH /keys/${key.key_id}`, { organization_id: null })
  await admin('GET /organizations?q=acm&sort=-created_at')
  await admin('GET /organizations?active=true&external_id=o-1')
  await admin('GET /organizations?name=another')
  const domains = `/organizations/${acme.organization_id}/domains`
  await admin(`POST ${domains}`, { domain: 'Acme.example.' })
  await admin(`POST ${domains}?dry_run=true`, { domain: 'second.example' })
  await admin(`POST ${domains}/acme.example/verify?dry_run=true`)
  await admin(`POST ${domains}/acme.example/verify`)
  await admin(`POST ${domains}`, { domain: 'stated.example', verified: true })
  const domainsOfOther = `/organizations/${other.organization_id}/domains`
  await admin(`POST ${domainsOfOther}`, { domain: 'acme.example' })
  await admin(`POST ${domainsOfOther}/acme.example/verify`, undefined, { refused: 409 })
  await admin(`DELETE ${domains}/stated.example`)
  await admin(`DELETE ${domains}/stated.example`, undefined, { refused: 404 })
  await admin(`GET /organizations/${acme.organization_id}`)
  const setupLinks = `/organizations/${acme.organization_id}/setup-links`
  await admin(`POST ${setupLinks}?dry_run=true`, { features: ['domains'] })
  const setupLink = await admin(`POST ${setupLinks}`, {
    ...{ features: ['connection', 'provisioning'], email: 'it@example.com', locale: 'de' },
  })
  await admin(`GET ${setupLinks}`)
  const opened = await openSetupLink({ db: app.storage.db, now: Date.now() }, setupLink.url.split('/').at(-1))
  assert.ok('actor' in opened)
  await change('setup_links.note_use', { setup_link_id: setupLink.setup_link_id })
  // Who arrived last, as the page of a link reads it.
  await findLatestManaged(app.storage.db, scopeOf(system), nowhere)
  await admin(`DELETE ${setupLinks}/${setupLink.setup_link_id}`)
  await admin(`POST ${setupLinks}`, { features: ['provisioning'], email: 'admins@example.com' })
  await admin(`DELETE ${setupLinks}/${nowhere}`, undefined, { refused: 404 })
  const { organization_id } = acme
  const olga = await admin('POST /users', { username: 'olga', password, email: 'olga@example.com', organization_id })
  await admin('POST /users', { username: 'nobody', organization_id: nowhere }, { refused: 422 })
  const rest = await admin('POST /organizations', { name: 'Rest' })
  const desk = await admin('POST /groups', { name: 'Acme desk', role: 'support', organization_id })
  await admin(`PATCH /groups/${desk.group_id}`, { organization_id: nowhere }, { refused: 422 })
  await admin(`PUT /groups/${desk.group_id}/members/${olga.user_id}`)
  const connection = { kind: 'oidc', name: 'Of Acme', issuer: 'https://acme.example', client_id: 'acme' }
  const { connection_id } = await admin('POST /connections', connection)
  await app.runSql(
    `UPDATE sign_in_connections SET organization_id = '${organization_id}' WHERE connection_id = '${connection_id}'`,
  )
  await admin(`POST /users/${olga.user_id}/identities`, { connection_id, subject: 'olga at acme' })
  await signIn('olga')
  const permissions = ['users:read', 'users:write', 'groups:read', 'groups:write', 'connections:write'].map(
    (word) => `${word}@organization`,
  )
  const { key: limitedKey } = await admin('POST /keys', { name: 'limited', permissions, organization_id })
  const limited = holder(limitedKey)
  await limited(`PATCH /connections/${connection_id}`, { position: 4 }, { refused: 403 })
  const pat = await limited('POST /users', { username: 'pat' })
  const guests = await limited('POST /groups', { name: 'With guests' })
  const guest = await admin('POST /users', { username: 'wanda' })
  for (const { user_id } of [pat, guest]) await admin(`PUT /groups/${guests.group_id}/members/${user_id}`)
  await limited(`PATCH /groups/${guests.group_id}`, { role: 'user' }, { refused: 403 })
  await limited('GET /groups?sort=-member_count&limit=1')
  await limited(`DELETE /groups/${guests.group_id}/members/${guest.user_id}`, undefined, { refused: 404 })
  await limited('GET /users?include=groups&limit=5')
  await limited('GET /roles')
  await admin(`PATCH /users/${guest.user_id}`, { organization_id })
  await admin(`PATCH /groups/${guests.group_id}`, { organization_id: null })
  await admin(`GET /users?organization=${organization_id}&count=true&limit=5`)
  await admin('GET /users?organization=none&q=olga')
  await admin(`GET /groups?organization=${organization_id}`)
  await admin('GET /groups?organization=none&limit=1')
  await admin(`GET /organizations/${organization_id}`)
  await admin(`DELETE /organizations/${organization_id}`, undefined, { refused: 409 })
  await admin(`PATCH /users/${olga.user_id}?dry_run=true`, { organization_id: rest.organization_id })
  await admin(`PATCH /users/${olga.user_id}`, { organization_id: rest.organization_id })
  // The time without access is no inactivity.
  await admin('PATCH /policies', { inactivity: { '*': { days: 365, notice_days: 14 } } })
  await signIn('olga')
  await app.runSql(`
    INSERT INTO challenges (challenge_id, purpose, user_id, browser_hash, amr, credentials_version, attempts, created_at, expires_at)
    VALUES ('${nowhere}', 'sign_in', '${olga.user_id}', '', 'pwd', 1, 0, '2026-11-30T00:00:00.000Z', '2026-12-30T00:00:00.000Z')`)
  await admin(`PATCH /organizations/${rest.organization_id}`, { active: false })
  await admin(`PATCH /organizations/${rest.organization_id}`, { active: true })
  await admin('PATCH /policies', { inactivity: null })
  await admin(`DELETE /connections/${connection_id}`)
  await admin(`DELETE /users/${olga.user_id}`)
  await admin(`DELETE /organizations/${rest.organization_id}`)
  await admin(`POST /users/${olga.user_id}/restore`)
  const move = { action: 'set_organization', user_ids: [olga.user_id] }
  await admin('POST /users/bulk', { ...move, organization_id })
  await admin('POST /users/bulk', { ...move, organization_id: nowhere }, { refused: 422 })
  await admin('POST /users/bulk', { ...move, organization_id: null })
  await admin(`DELETE /organizations/${other.organization_id}?dry_run=true`)
  const closed = await admin('POST /organizations', { name: 'Closed' })
  const inClosed = { organization_id: closed.organization_id }
  const kim = await admin('POST /users', { username: 'closed-kim', ...inClosed })
  const left = await admin('POST /groups', { name: 'Closed desk', ...inClosed })
  await admin(`PUT /groups/${left.group_id}/members/${kim.user_id}`)
  await admin(`PUT /groups/${left.group_id}/members/${olga.user_id}`)
  await admin('POST /keys', { name: 'of Closed', permissions: ['users:read'], ...inClosed })
  await admin('POST /provisioning', { name: 'of Closed', ...inClosed })
  await admin('POST /connections', { ...connection, name: 'Of Closed', issuer: 'https://closed.example', ...inClosed })
  await admin(`POST /organizations/${closed.organization_id}/setup-links`, { features: ['domains'] })
  await admin(`DELETE /organizations/${closed.organization_id}?users=delete&dry_run=true`)
  await admin(`DELETE /organizations/${closed.organization_id}?users=delete`)
  await admin(`DELETE /users/${kim.user_id}?purge=true`)
  await admin(`DELETE /organizations/${other.organization_id}`)
  await admin(`GET /organizations/${other.organization_id}`, undefined, { refused: 404 })
}

export async function groups({ admin, app, change, holder, request, signIn }: Script): Promise<void> {
  const staff = await admin('POST /groups', { name: 'Staff', description: 'Answers', external_id: 's-1', role: 'user' })
  await admin('POST /groups', { name: 'STAFF' }, { refused: 409 })
  const board = await admin('POST /groups', { name: 'Board', role: 'admin' })
  await admin('GET /groups')
  await admin(`GET /groups/${staff.group_id}`)
  await admin(`PATCH /groups/${staff.group_id}`, { description: 'Helps', role: 'support' })
  const [ada, bob] = [await admin('POST /users', { username: 'mia' }), await admin('POST /users', { username: 'noa' })]
  await admin(`POST /groups/${staff.group_id}/members`, { add: [ada.user_id, bob.user_id] })
  await admin(`PUT /groups/${board.group_id}/members/${ada.user_id}?dry_run=true`)
  await admin(`PUT /groups/${board.group_id}/members/${ada.user_id}`)
  const { key } = await admin('POST /keys', { name: 'groups', permissions: ['groups:read', 'groups:write'] })
  await holder(key)(`PUT /groups/${board.group_id}/members/${bob.user_id}`, undefined, { refused: 403 })
  await admin(`GET /groups/${staff.group_id}/members`)
  await admin(`GET /groups/${staff.group_id}/members?limit=1&sort=-username`)
  await admin(`GET /users/${ada.user_id}/groups`)
  await admin(`GET /users/${ada.user_id}`)
  await admin(`GET /users?group=${staff.group_id}`)
  await admin('GET /groups?q=sta&sort=-member_count&limit=1')
  await admin('GET /groups?external_id=s-1')
  await admin('GET /groups?name=staff')
  await admin(`PUT /groups/${board.group_id}/members/${ada.user_id}`, { expires_at: '2099-12-31T23:59:59Z' })
  await admin(`PUT /groups/${board.group_id}/members/${ada.user_id}`, { expires_at: null })
  const end = { expires_at: '2099-12-31T23:59:59Z' }
  await admin(`POST /groups/${staff.group_id}/members`, { add: [ada.user_id], ...end })
  await admin(`GET /groups/${staff.group_id}/members`)
  await app.storage.change('users.notice_ends', undefined, {
    ...request(),
    now: Date.parse(end.expires_at) - 3_600_000,
  })
  await change('groups.remove_ended', undefined as never)
  await admin(`PUT /groups/${staff.group_id}/members/${ada.user_id}`, { expires_at: null })
  await admin(`DELETE /groups/${board.group_id}/members/${ada.user_id}`)
  // Whose access tokens have other permissions from now on.
  const lin = await signIn('lin')
  const { user_id } = await lin.caller('GET /me')
  await lin.caller('POST /me/keys', { name: 'laptop' })
  await admin(`PUT /groups/${staff.group_id}/members/${user_id}`)
  await admin(`DELETE /users/${ada.user_id}`)
  await admin(`POST /groups/${staff.group_id}/members`, { remove: [bob.user_id] })
  // A link that an administrator made before ends with the gain of a role.
  await admin(`POST /users/${bob.user_id}/invitation`, {})
  await admin(`PUT /groups/${board.group_id}/members/${bob.user_id}`)
  await admin(`DELETE /groups/${board.group_id}`)
  await admin(`GET /groups/${board.group_id}`, undefined, { refused: 404 })
}
