/** Ids of another organization in every place that takes one: query, body, bulk selection, import row, SCIM reference. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupUrn, patchOpUrn, userUrn } from '../../src/scim/protocol/urns.ts'
import { type Answer, engines, start } from '../harness.ts'
import { unknownId } from '../http/access-table.ts'
import { everything } from '../http/watched.ts'
import { env, fillPlace, type Ids, limitedCallers, unknownIds } from './places.ts'

type Attack = [what: string, method: string, path: (foreign: Ids) => string, body?: (foreign: Ids, own: Ids) => unknown]

const as = (path: string) => () => path

/** Each is answered as with an id that does not exist. */
const attacks: Attack[] = [
  ['a filter by organization', 'GET', ({ organization_id }) => `/users?organization=${organization_id}`],
  ['a filter by group', 'GET', ({ group_id }) => `/users?group_id=${group_id}`],
  ['a filter by connection', 'GET', ({ provisioning_id }) => `/users?managed_by=${provisioning_id}`],
  ['a filter of groups by organization', 'GET', ({ organization_id }) => `/groups?organization=${organization_id}`],
  ['the audit of a target', 'GET', ({ user_id }) => `/audit?target=${user_id}`],
  ['the audit of a group', 'GET', ({ group_id }) => `/audit?target=${group_id}`],
  ['the audit by its actor', 'GET', ({ user_id }) => `/audit?actor=${user_id}`],
  ['messages of a user', 'GET', ({ new_user_id }) => `/mails?user_id=${new_user_id}`],
  ['members to add', 'POST', as('/groups/{own}/members'), ({ user_id }) => ({ add: [user_id] })],
  ['members to remove', 'POST', as('/groups/{own}/members'), ({ user_id }) => ({ remove: [user_id] })],
  [
    'users of a bulk change',
    'POST',
    as('/users/bulk'),
    ({ user_id }) => ({ action: 'deactivate', user_ids: [user_id] }),
  ],
  [
    'users to restore',
    'POST',
    as('/users/bulk'),
    ({ deleted_user_id }) => ({ action: 'restore', user_ids: [deleted_user_id] }),
  ],
  ['users to delete', 'POST', as('/users/bulk'), ({ user_id }) => ({ action: 'delete', user_ids: [user_id] })],
  [
    'the group of a filter of a bulk change',
    'POST',
    as('/users/bulk'),
    ({ group_id }) => ({ action: 'deactivate', filter: { group_id } }),
  ],
  [
    'the group of a bulk change',
    'POST',
    as('/users/bulk'),
    ({ group_id }, { user_id }) => ({ action: 'add_to_group', group_id, user_ids: [user_id] }),
  ],
  [
    'the connection of a key',
    'POST',
    as('/keys'),
    ({ provisioning_id }) => ({ name: 'x', permissions: ['scim:write@organization'], connection_id: provisioning_id }),
  ],
  [
    'the connection of an identity',
    'POST',
    as('/users/{own}/identities'),
    ({ connection_id }) => ({ connection_id, subject: 'x' }),
  ],
  [
    'the groups of a request for access',
    'POST',
    as('/access-requests/{own}/decision'),
    ({ group_id }) => ({ decision: 'approve', role: 'user', groups: [group_id] }),
  ],
  [
    'a user of an import',
    'POST',
    as('/users/import?mode=update&match=user_id'),
    ({ user_id }) => `{"user_id":"${user_id}","first_name":"Mine"}\n`,
  ],
]

/** Refused, and named by nothing but what was sent. */
const placements: [method: string, path: string, body: object][] = [
  ['POST', '/users', { username: 'placed' }],
  ['PATCH', '/users/{own}', {}],
  ['POST', '/groups', { name: 'placed' }],
  ['PATCH', '/groups/{own}', {}],
  ['POST', '/keys', { name: 'placed', permissions: ['users:read@organization'] }],
  ['PATCH', '/keys/{own}', {}],
  ['POST', '/provisioning', { name: 'placed' }],
  ['PATCH', '/provisioning/{own}', {}],
  ['POST', '/connections', { name: 'placed', kind: 'oidc', issuer: 'https://placed.example', client_id: 'x' }],
  ['PATCH', '/connections/{own}', {}],
  ['POST', '/users/bulk', { action: 'set_organization', user_ids: [unknownId] }],
]

function ownPath(path: string, own: Ids): string {
  const [, kind = ''] = path.split('/')
  const id = {
    users: own.user_id,
    groups: own.group_id,
    keys: own.key_id,
    provisioning: own.provisioning_id,
    connections: own.connection_id,
    'access-requests': own.request_id,
  }[kind]
  return path.replace('{own}', id ?? '')
}

/** Without what differs between any two requests, and with one id in place of those sent. */
function comparable({ status, text }: Answer, ids: Ids): string {
  const sent = Object.values(ids).filter((id) => id !== unknownId)
  const plain = sent.reduce((all, id) => all.replaceAll(id, unknownId), text)
  return `${status} ${plain.replaceAll(/"(instance|job_id|created_at|updated_at|finished_at)":"[^"]*"/g, '"$1":""')}`
}

for (const engine of engines) {
  describe(`ids of another organization on ${engine.name}`, () => {
    it('are unknown in every query and body that takes one', async (t) => {
      const app = await start(t, engine, { env })
      const [own, other, none] = [
        await fillPlace(app, 'own'),
        await fillPlace(app, 'other'),
        await fillPlace(app, 'none'),
      ]
      const [caller] = await limitedCallers(app, own.organization_id)
      const send = ([, method, path, body]: Attack, ids: Ids) => {
        const sent = body?.(ids, own)
        const type = typeof sent === 'string' ? { 'content-type': 'application/x-ndjson' } : {}
        return app.call(method, ownPath(path(ids), own), {
          key: null,
          headers: { ...caller?.headers, ...type },
          body: sent,
        })
      }
      const before = await everything(app)
      const faults: string[] = []
      for (const attack of attacks) {
        const expected = comparable(await send(attack, unknownIds), unknownIds)
        for (const foreign of [other, none]) {
          const found = comparable(await send(attack, foreign), foreign)
          if (found !== expected) faults.push(`${attack[0]}: ${found} instead of ${expected}`)
          if (/zzother|zznone|Mine/.test(found)) faults.push(`${attack[0]} shows ${found}`)
        }
      }
      assert.deepEqual(faults, [])
      assert.deepEqual(await everything(app), before)
    })

    it('cannot be where something of a limited caller belongs, nor can none, nor their own', async (t) => {
      const app = await start(t, engine, { env })
      const [own, other] = [await fillPlace(app, 'own'), await fillPlace(app, 'other')]
      const [caller] = await limitedCallers(app, own.organization_id)
      const before = await everything(app)
      const faults: string[] = []
      for (const [method, path, body] of placements) {
        const codes = new Set<string>()
        // A new user cannot have null there, whoever creates it.
        const values = [other.organization_id, own.organization_id, unknownId, ...(path === '/users' ? [] : [null])]
        for (const organization_id of values) {
          const response = await app.call(method, ownPath(path, own), {
            key: null,
            headers: caller?.headers ?? {},
            body: { ...body, organization_id },
          })
          codes.add(`${response.status} ${response.body?.code}`)
        }
        if (codes.size !== 1 || !codes.has('403 permission_denied')) faults.push(`${method} ${path}: ${[...codes]}`)
      }
      for (const organization of ['zzother', other.organization_id, 'zzown', 'nothing']) {
        const response = await app.call('POST', '/users/import', {
          key: null,
          headers: { ...caller?.headers, 'content-type': 'application/x-ndjson' },
          body: `{"username":"placed","organization":"${organization}"}\n`,
        })
        const { created = 0 } = response.body
        if (created !== 0) faults.push(`import: ${response.text}`)
      }
      assert.deepEqual(faults, [])
      assert.deepEqual(await everything(app), before)
    })

    it('are unknown to SCIM with a limited key, in paths, filters, members, managers and bulk requests', async (t) => {
      const app = await start(t, engine, { env })
      const [own, other, none] = [
        await fillPlace(app, 'own'),
        await fillPlace(app, 'other'),
        await fillPlace(app, 'none'),
      ]
      const key = await app.call('POST', '/keys', {
        body: { name: 'scim', permissions: ['scim:write@organization'], connection_id: own.provisioning_id },
      })
      assert.equal(key.status, 201, key.text)
      const scim = (method: string, path: string, body?: unknown) =>
        app.call(method, `/scim/v2${path}`, {
          key: null,
          headers: {
            authorization: `Bearer ${key.body.key}`,
            ...(body !== undefined && { 'content-type': 'application/scim+json' }),
          },
          ...(body !== undefined && { body }),
        })
      const patch = (...Operations: object[]) => ({ schemas: [patchOpUrn], Operations })
      const user = { schemas: [userUrn], userName: 'renamed' }
      const group = (...ids: string[]) => ({
        schemas: [groupUrn],
        displayName: 'staff',
        members: ids.map((value) => ({ value })),
      })
      const filter = (text: string) => `?filter=${encodeURIComponent(text)}`
      const requests: ((ids: Ids) => [method: string, path: string, body?: unknown])[] = [
        ({ user_id }) => ['GET', `/Users/${user_id}`],
        ({ user_id }) => ['PUT', `/Users/${user_id}`, user],
        ({ user_id }) => ['PATCH', `/Users/${user_id}`, patch({ op: 'replace', path: 'active', value: false })],
        ({ user_id }) => ['DELETE', `/Users/${user_id}`],
        ({ group_id }) => ['GET', `/Groups/${group_id}`],
        ({ group_id }) => ['PUT', `/Groups/${group_id}`, group()],
        ({ group_id }) => ['PATCH', `/Groups/${group_id}`, patch({ op: 'replace', path: 'displayName', value: 'x' })],
        ({ group_id }) => ['DELETE', `/Groups/${group_id}`],
        ({ user_id }) => ['POST', '/Groups', group(user_id)],
        ({ user_id }) => ['PUT', `/Groups/${own.group_id}`, group(own.user_id, user_id)],
        ({ user_id }) => [
          'PATCH',
          `/Groups/${own.group_id}`,
          patch({ op: 'add', path: 'members', value: [{ value: user_id }] }),
        ],
        ({ user_id }) => [
          'PATCH',
          `/Groups/${own.group_id}`,
          patch({ op: 'remove', path: `members[value eq "${user_id}"]` }),
        ],
        ({ user_id }) => ['GET', `/Users${filter(`id eq "${user_id}"`)}`],
        ({ user_id }) => ['GET', `/Groups${filter(`members.value eq "${user_id}"`)}`],
        ({ group_id }) => ['GET', `/Groups${filter(`id eq "${group_id}"`)}`],
        ({ group_id }) => ['GET', `/Users${filter(`groups.value eq "${group_id}"`)}`],
        ({ user_id }) => [
          'POST',
          '/Bulk',
          {
            schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
            Operations: [
              { method: 'DELETE', path: `/Users/${user_id}` },
              { method: 'POST', path: '/Groups', bulkId: 'g', data: group(user_id) },
            ],
          },
        ],
      ]
      const before = await everything(app)
      const faults: string[] = []
      for (const request of requests) {
        const expected = comparable(await scim(...request(unknownIds)), unknownIds)
        for (const foreign of [other, none]) {
          const [method, path, body] = request(foreign)
          const found = comparable(await scim(method, path, body), foreign)
          if (found !== expected) faults.push(`${method} ${path}: ${found} instead of ${expected}`)
        }
      }
      const names = [
        'userName eq',
        'userName sw',
        'userName co',
        'displayName eq',
        'emails.value co',
        'name.familyName eq',
      ]
      for (const words of names) {
        for (const name of ['zzother-person', 'zznone-person', 'person@zzother.example', 'zzother', 'zznone group']) {
          for (const path of ['/Users', '/Groups', '']) {
            const found = await scim('GET', `${path}${filter(`${words} "${name}"`)}`)
            if (found.status === 200 && found.body.totalResults !== 0)
              faults.push(`${path} ${words} ${name}: ${found.text}`)
          }
        }
      }
      const all = await scim('GET', '/?count=100')
      assert.equal(all.status, 200, all.text)
      if (/zzother|zznone/.test(all.text)) faults.push(all.text)
      const sorted = await scim('GET', '/Users?sortBy=name.familyName&count=100')
      if (/zzother|zznone/.test(sorted.text)) faults.push(sorted.text)
      assert.deepEqual(faults, [])
      assert.deepEqual(await everything(app), before)
    })
  })
}
