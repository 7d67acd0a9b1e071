import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, describe, it, type TestContext } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { anyEngine, engines, type Started, start } from '../../../test/harness.ts'
import { mappedSections, resolveReferences, sectionNames } from '../../core/configuration-file.ts'
import { readYaml } from '../../lib/yaml-document.ts'

const env = { ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_ROLES: '{"support":["users:read"],"auditor":["audit:read"]}' }
const everything = `version: 1
attributes:
  - { name: department, type: string, searchable: true }
organizations:
  - { name: Acme, second_factor: required, domains: [ACME.example] }
groups:
  - { name: Support, role: support, organization: Acme }
connections:
  - name: Acme Entra
    organization: Acme
    kind: oidc
    issuer: https://acme.example/oidc
    client_id: rollbook
    group_claim: groups
    groups: { support: Support }
provisioning:
  - { name: Acme Okta, profile: okta, organization: acme }
webhooks:
  - { url: https://hooks.example.com/rollbook, event_types: ["user.*", key.created] }
keys:
  - { name: main-api, permissions: [tokens:introspect, users:read] }
`

for (const engine of engines) {
  describe(`configuration files on ${engine.name}`, () => {
    const ends: (() => unknown)[] = []
    let starting: Promise<Started> | undefined
    const t = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext
    const shared = () => (starting ??= start(t, engine, { env }))
    after(async () => {
      for (const end of ends) await end()
    })
    afterEach(async () => {
      if (starting === undefined) return
      const app = await starting
      const nothing = Object.fromEntries(sectionNames.map((name) => [name, mappedSections.includes(name) ? {} : []]))
      await post(app, { version: 1, ...nothing }, '?allow_delete=2000')
      for (const { group_id } of (await app.call('GET', '/groups')).body)
        await app.call('DELETE', `/groups/${group_id}`)
      for (const { key_id, managed } of (await app.call('GET', '/keys')).body) {
        if (!managed) await app.call('DELETE', `/keys/${key_id}`)
      }
    })

    it('create, keep, change and remove what they describe; the plan says so, and the last one is empty', async () => {
      const app = await shared()
      const plan = await yaml(app, everything, '?dry_run=true')
      assert.equal(plan.status, 200, plan.text)
      assert.equal(plan.body.created, 7)
      assert.equal(plan.body.secrets, undefined)
      assert.deepEqual((await app.call('GET', '/groups')).body, [])

      const applied = await yaml(app, everything, '?source=4f2c1d7')
      assert.equal(applied.status, 200, applied.text)
      assert.deepEqual(
        applied.body.secrets.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
        [
          ['provisioning', 'Acme Okta'],
          ['webhooks', 'https://hooks.example.com/rollbook'],
          ['keys', 'main-api'],
        ],
      )
      for (const path of ['/attributes', '/organizations', '/groups', '/connections', '/provisioning', '/webhooks']) {
        assert.deepEqual(
          (await app.call('GET', path)).body.map((one: { managed_by: string }) => one.managed_by),
          ['file'],
        )
      }
      const again = await yaml(app, everything, '?dry_run=true')
      assert.deepEqual([again.body.changes, again.body.unchanged], [[], 7])
      assert.equal(again.headers.etag, (await app.call('GET', '/configuration')).headers.etag)

      const changed = everything.replace('role: support', 'role: auditor').replace(/keys:[\s\S]*/, 'keys: []\n')
      const refused = await yaml(app, changed)
      assert.deepEqual([refused.status, refused.body.code], [409, 'deletion_not_allowed'])
      const second = await yaml(app, changed, '?allow_delete=1')
      assert.deepEqual(
        second.body.changes.map(({ members, ...change }: { members: unknown[] }) => ({
          ...change,
          members: members.slice(0, 1),
        })),
        [
          {
            kind: 'groups',
            name: 'Support',
            action: 'update',
            drift: false,
            members: [{ pointer: '#/role', before: 'support', after: 'auditor' }],
          },
          {
            kind: 'keys',
            name: 'main-api',
            action: 'delete',
            drift: false,
            members: [{ pointer: '#/name', before: 'main-api', after: null }],
          },
        ],
      )
    })

    it('have an export that is the same text for the same state, adopts what it describes, and then has an empty plan', async () => {
      const app = await shared()
      await app.call('POST', '/groups', { body: { name: 'Zoo', description: 'no' } })
      await app.call('POST', '/groups', { body: { name: 'Aquarium', role: 'support' } })
      await app.call('POST', '/keys', { body: { name: 'one', permissions: ['users:read', 'audit:read'] } })
      const exported = () => app.call('GET', '/configuration', { headers: { accept: 'application/yaml' } })
      const { text, headers } = await exported()
      assert.equal(text, (await exported()).text)
      assert.match(text, /groups:\n {2}- name: Aquarium\n {4}role: support\n {2}- name: Zoo\n {4}description: no\n/)
      const adopted = await yaml(app, text, '', { 'if-match': String(headers.etag) })
      assert.deepEqual([adopted.body.adopted, adopted.body.created, adopted.body.deleted], [3, 0, 0], adopted.text)
      assert.deepEqual((await yaml(app, text, '?dry_run=true')).body.changes, [])
      assert.equal((await exported()).text, text)

      const left = await post(app, { version: 1, groups: [] })
      assert.deepEqual([left.body.released, left.body.deleted], [2, 0], 'an adopted object stays')
      assert.equal((await app.call('GET', '/groups')).body.length, 2)
      assert.equal((await app.call('GET', '/groups')).body[0].managed_by, undefined)
    })

    it('accept a change that changes nothing, also one with a list in another order', async () => {
      const app = await shared()
      await yaml(app, `${everything}roles:\n  - { role: helper, permissions: [sessions:read, users:read] }\n`)
      const same: [path: string, id: string, body: object][] = [
        ['/roles', 'role', { permissions: ['users:read', 'sessions:read'] }],
        ['/attributes', 'name', { searchable: true }],
        ['/organizations', 'organization_id', { name: 'Acme', second_factor: 'required' }],
        ['/groups', 'group_id', { name: 'Support', role: 'support' }],
        ['/connections', 'connection_id', { name: 'Acme Entra', client_id: 'rollbook', group_claim: 'groups' }],
        ['/provisioning', 'connection_id', { name: 'Acme Okta', profile: 'okta' }],
        ['/webhooks', 'endpoint_id', { event_types: ['key.created', 'user.*'] }],
        ['/keys', 'key_id', { permissions: ['users:read', 'tokens:introspect'] }],
      ]
      for (const [path, id, body] of same) {
        const listed = (await app.call('GET', path)).body as Record<string, unknown>[]
        const found = listed.find((one) => one.managed_by === 'file')
        const { status, text } = await app.call('PATCH', `${path}/${found?.[id]}`, { body })
        assert.equal(status, 200, `${path}: ${text}`)
      }
      assert.deepEqual((await app.call('GET', '/configuration/history')).body.drift, [])
    })

    it('find what was changed by hand, and set it right', async () => {
      const app = await shared()
      const file = { version: 1, groups: [{ name: 'Support', role: 'support' }, { name: 'Second' }] }
      await post(app, file)
      const groups = (await app.call('GET', '/groups')).body as { group_id: string; name: string }[]
      const [second, support] = [groups[0]?.group_id, groups[1]?.group_id]
      const patch = (query: string, body: object) => app.call('PATCH', `/groups/${support}${query}`, { body })
      const refused = await patch('', { role: 'auditor' })
      assert.deepEqual([refused.status, refused.body.code], [409, 'managed_elsewhere'])
      assert.equal((await patch('', { role: 'support' })).status, 200, 'nothing changes')
      assert.equal((await patch('?override=true', { role: 'auditor' })).status, 200)
      assert.equal((await app.call('DELETE', `/groups/${second}`)).body.code, 'managed_elsewhere')
      assert.equal((await app.call('DELETE', `/groups/${second}?override=true`)).status, 200)
      const history = (await app.call('GET', '/configuration/history')).body
      assert.deepEqual(history.drift, [
        { kind: 'groups', name: 'Second', deleted: true, members: [] },
        { kind: 'groups', name: 'Support', deleted: false, members: ['role'] },
      ])
      const plan = await post(app, file, '?dry_run=true')
      assert.deepEqual(
        plan.body.changes.map(({ name, action, drift }: Record<string, unknown>) => [name, action, drift]),
        [
          ['Second', 'create', true],
          ['Support', 'update', true],
        ],
      )
      assert.equal((await patch('?override=true', { role: 'support' })).status, 200)
      assert.equal((await post(app, file, '?dry_run=true')).body.drifted, 1, 'it was changed back')
    })

    it('keep the id of what they rename, and refuse what is ambiguous', async () => {
      const app = await shared()
      await post(app, { version: 1, groups: [{ name: 'Old' }] })
      const [before] = (await app.call('GET', '/groups')).body
      const renamed = await post(app, { version: 1, groups: [{ name: 'New', renamed_from: 'Old' }] })
      assert.deepEqual([renamed.body.renamed, renamed.body.deleted], [1, 0], renamed.text)
      const [group] = (await app.call('GET', '/groups')).body
      assert.deepEqual([group.group_id, group.name], [before.group_id, 'New'])
      for (const order of [1, -1]) {
        const chain = [
          { name: 'Third', renamed_from: 'Second' },
          { name: 'Second', renamed_from: 'First' },
        ]
        await post(app, { version: 1, groups: [{ name: 'First' }, { name: 'Second' }] }, '?allow_delete=9')
        const ids = async () => (await app.call('GET', '/groups')).body.map((one: { group_id: string }) => one.group_id)
        const former = await ids()
        const moved = await post(app, { version: 1, groups: order === 1 ? chain : chain.toReversed() })
        assert.deepEqual([moved.body.renamed, moved.body.created, moved.body.deleted], [2, 0, 0], moved.text)
        assert.deepEqual(await ids(), former)
      }
      const keys = [1, 2].map(() => app.call('POST', '/keys', { body: { name: 'twin', permissions: ['users:read'] } }))
      const ids = (await Promise.all(keys)).map(({ body }) => body.key_id)
      const refused = await post(app, { version: 1, keys: [{ name: 'twin', permissions: ['users:read'] }] })
      assert.equal(refused.body.errors[0].code, 'ambiguous_name')
      for (const id of ids) assert.match(refused.body.errors[0].detail, new RegExp(id))
    })

    it('are refused with all faults at once, each with pointer, line and column, and change nothing', async () => {
      const app = await shared()
      const text = `version: 1
users: [{ username: ada }]
grups: []
groups:
  - { name: Support, rol: support }
  - { name: Other, role: suport }
  - { name: other }
connections:
  - { name: Acme, kind: oidc, issuer: https://acme.example, client_id: a, group_claim: g, groups: { x: Othr } }
keys:
  - { name: a, permissions: [users:raed] }
`
      const refused = await yaml(app, text)
      assert.equal(refused.status, 422, refused.text)
      assert.deepEqual(
        refused.body.errors.map(({ pointer, code, line, column }: Record<string, unknown>) => [
          pointer,
          code,
          line,
          column,
        ]),
        [
          ['#/users', 'users_not_accepted', 2, 8],
          ['#/grups', 'unknown_member', 3, 1],
          ['#/groups/0/rol', 'unknown_member', 5, 22],
          ['#/groups/1/role', 'role_unknown', 6, 26],
          ['#/groups/2/name', 'named_twice', 7, 13],
          ['#/connections/0/groups/x', 'group_unknown', 9, 104],
          ['#/keys/0/permissions/0', 'permission_unknown', 11, 30],
        ],
      )
      const details = refused.body.errors.map(({ detail }: { detail: string }) => detail).join(' ')
      for (const name of ['groups', 'role', 'support', 'Other'])
        assert.match(details, new RegExp(`Did you mean "${name}"`))
      assert.deepEqual((await app.call('GET', '/groups')).body, [])
      const faulty = await post(app, {
        version: 1,
        roles: [
          { role: 'clerk', permissions: ['users:read'], permision: 1 },
          { role: 'porter', permissions: 7 },
        ],
        groups: [
          { name: 'Same', rol: 'user', role: 'usr' },
          { name: 'same', description: 7 },
          { name: 'Staff', role: 'porter' },
          { name: 'SAME' },
        ],
        policies: {
          second_factor: { porter: 'required', clark: 'required', 'group:Stuff': 'required' },
          inactivity: { clark: { days: 30, notice_days: 7 }, 'group:Stuff': { days: 30, notice_days: 7 } },
          third: 1,
        },
      })
      assert.deepEqual(
        faulty.body.errors.map(({ pointer, code }: Record<string, unknown>) => `${pointer} ${code}`).sort(),
        [
          '#/groups/0/rol unknown_member',
          '#/groups/0/role role_unknown',
          '#/groups/1/description wrong_type',
          '#/groups/1/name named_twice',
          '#/groups/3/name named_twice',
          '#/policies/inactivity/clark role_unknown',
          '#/policies/inactivity/group:Stuff group_unknown',
          '#/policies/second_factor/clark role_unknown',
          '#/policies/second_factor/group:Stuff group_unknown',
          '#/policies/third unknown_member',
          '#/roles/0/permision unknown_member',
          '#/roles/1/permissions wrong_type',
        ],
        faulty.text,
      )
      const syntax = await yaml(app, 'version: 1\ngroups: [\n')
      assert.deepEqual([syntax.status, syntax.body.code, syntax.body.errors[0].line], [400, 'malformed_yaml', 3])
    })

    it("refuse two objects that take each other's names, whoever renamed them, and say what to do", async () => {
      const app = await shared()
      const two = [{ name: 'One' }, { name: 'Two' }]
      await post(app, { version: 1, groups: two })
      const swapped = [
        { name: 'One', renamed_from: 'Two' },
        { name: 'Two', renamed_from: 'one' },
      ]
      const refused = await post(app, { version: 1, groups: swapped }, '?dry_run=true')
      assert.deepEqual(codesOf(refused), [
        '#/groups/0/renamed_from names_swapped',
        '#/groups/1/renamed_from names_swapped',
      ])
      const groups = (await app.call('GET', '/groups')).body as { group_id: string; name: string }[]
      const rename = (index: number, name: string) =>
        app.call('PATCH', `/groups/${groups[index]?.group_id}?override=true`, { body: { name } })
      const names = ['Third', 'One', 'Two']
      for (const [turn, name] of names.entries()) assert.equal((await rename(turn % 2, name)).status, 200)
      const byHand = await post(app, { version: 1, groups: two })
      assert.deepEqual(codesOf(byHand), ['#/groups/0/name names_swapped', '#/groups/1/name names_swapped'])
      assert.match(byHand.body.detail, /Rename one to a name that is free/)
    })

    it('describe organizations with the domains for which they vouch, and leave those that were proved', async () => {
      const app = await shared()
      const file = {
        version: 1,
        organizations: [{ name: 'Acme', external_id: 'crm-1', domains: ['acme.example', 'old.example'] }],
        groups: [{ name: 'Desk', organization: 'ACME' }],
        keys: [{ name: 'of Acme', permissions: ['users:read'], organization: 'Acme' }],
        provisioning: [{ name: 'Okta', organization: 'Acme' }],
        connections: [
          { name: 'Entra', organization: 'Acme', kind: 'oidc', issuer: 'https://acme.example', client_id: 'a' },
        ],
      }
      const created = await post(app, file)
      assert.equal(created.status, 200, created.text)
      const [acme] = (await app.call('GET', '/organizations')).body
      const path = `/organizations/${acme.organization_id}`
      assert.equal(acme.managed_by, 'file')
      const { organization_id } = acme
      for (const one of ['/groups', '/connections', '/provisioning', '/keys']) {
        const listed: Record<string, unknown>[] = (await app.call('GET', one)).body
        assert.equal(listed.find(({ managed_by }) => managed_by === 'file')?.organization_id, organization_id, one)
      }
      assert.deepEqual((await post(app, file, '?dry_run=true')).body.changes, [])

      // A domain that the customer proves is nothing that was changed by hand.
      await app.call('POST', `${path}/domains`, { body: { domain: 'proved.example' } })
      await app.runSql(
        `UPDATE organization_domains SET verified_at = created_at, verified_by = 'dns' WHERE domain = 'proved.example'`,
      )
      assert.deepEqual((await post(app, file, '?dry_run=true')).body.changes, [])
      for (const [method, url, body] of [
        ['PATCH', path, { active: false }],
        ['DELETE', path, undefined],
        ['POST', `${path}/domains`, { domain: 'stated.example', verified: true }],
        ['DELETE', `${path}/domains/acme.example`, undefined],
      ] as const) {
        const refused = await app.call(method, url, body && { body })
        assert.equal(refused.body.code, 'managed_elsewhere', `${method} ${url} ${refused.text}`)
      }
      assert.equal(
        (await app.call('PATCH', `${path}?override=true`, { body: { second_factor: 'required' } })).status,
        200,
      )
      const [acmeOfFile] = file.organizations
      const changed = await post(app, {
        version: 1,
        organizations: [
          { ...acmeOfFile, name: 'Acme Inc.', renamed_from: 'Acme', domains: ['proved.example', 'acme.example'] },
        ],
      })
      assert.deepEqual(
        changed.body.changes.map(({ name, action, drift, members }: Record<string, unknown>) => {
          const pointers = (members as { pointer: string }[]).map(({ pointer }) => pointer).sort()
          return [name, action, drift, pointers]
        }),
        [['Acme Inc.', 'rename', true, ['#/domains', '#/name', '#/second_factor']]],
        changed.text,
      )
      const { domains } = (await app.call('GET', path)).body as { domains: { domain: string }[] }
      assert.deepEqual(
        domains.map(({ domain }) => domain),
        ['acme.example', 'proved.example'],
      )

      const unknown = await post(app, { version: 1, groups: [{ name: 'Desk', organization: 'Acme Inc' }] })
      const [fault] = unknown.body.errors
      assert.deepEqual([fault.pointer, fault.code], ['#/groups/0/organization', 'organization_unknown'])
      assert.match(fault.detail, /Did you mean "Acme Inc\."/)
      const left = await post(app, { version: 1, organizations: [] }, '?dry_run=true')
      assert.equal(left.body.code, 'organization_not_empty', left.text)
      const text = (await app.call('GET', '/configuration', { headers: { accept: 'application/yaml' } })).text
      assert.match(text, /- name: Desk\n {4}organization: Acme Inc\.\n/)
      assert.match(
        text,
        /- name: Acme Inc\.\n {4}external_id: crm-1\n {4}domains:\n {6}- acme\.example\n {6}- proved\.example\n/,
      )
    })

    it('set the second-factor policy, with roles and groups of the file, and put it back when it leaves the file', async () => {
      const app = await shared()
      const policy = async () => {
        const { second_factor, managed_by } = (await app.call('GET', '/policies')).body
        return [second_factor, managed_by.second_factor]
      }
      const required = { clerk: 'required', 'group:Staff': 'required' }
      const file = {
        version: 1,
        roles: [{ role: 'clerk', permissions: ['users:read'] }],
        groups: [{ name: 'Staff', role: 'clerk' }],
        policies: { second_factor: required },
      }
      const applied = await post(app, file)
      assert.deepEqual([applied.body.created, await policy()], [3, [required, 'file']], applied.text)
      assert.deepEqual((await app.call('GET', '/configuration')).body.policies, file.policies)
      assert.deepEqual((await post(app, file, '?dry_run=true')).body.changes, [])

      const optional = { body: { second_factor: 'optional' } }
      assert.equal((await app.call('PATCH', '/policies', optional)).body.code, 'managed_elsewhere')
      assert.equal((await app.call('PATCH', '/policies?override=true', optional)).status, 200)
      const drifted = await post(app, file)
      assert.deepEqual(drifted.body.changes, [
        {
          kind: 'policies',
          name: 'second_factor',
          action: 'update',
          drift: true,
          members: [{ pointer: '#/second_factor', before: 'optional', after: required }],
        },
      ])
      const renamed = {
        ...file,
        groups: [{ name: 'Employees', renamed_from: 'Staff', role: 'clerk' }],
        policies: { second_factor: { 'group:Employees': 'required' } },
      }
      assert.equal((await post(app, renamed)).body.renamed, 1)
      const removed = await post(app, { version: 1, roles: [], groups: [], policies: {} }, '?allow_delete=3')
      assert.deepEqual(
        [removed.status, removed.body.deleted, await policy()],
        [200, 3, ['optional', null]],
        removed.text,
      )

      await app.call('PATCH', '/policies', { body: { second_factor: 'required' } })
      const adopting = { version: 1, policies: { second_factor: 'required' } }
      assert.equal((await post(app, adopting)).body.adopted, 1)
      const released = await post(app, { version: 1, policies: {} })
      assert.deepEqual([released.body.released, await policy()], [1, ['required', null]], 'an adopted policy stays')
      await app.call('PATCH', '/policies', { body: { second_factor: null } })
    })

    it('set the inactivity rule, which others change with override only, and remove it when it leaves the file', async () => {
      const app = await shared()
      const policy = async () => {
        const { inactivity, managed_by } = (await app.call('GET', '/policies')).body
        return [inactivity, managed_by]
      }
      const limit = { days: 90, notice_days: 14 }
      const inactivity = { temp: { days: 30, notice_days: 7 }, 'group:Board': limit, '*': limit }
      const file = {
        version: 1,
        roles: [{ role: 'temp', permissions: [] }],
        groups: [{ name: 'Board' }],
        policies: { inactivity },
      }
      const applied = await post(app, file)
      const byFile = { second_factor: null, inactivity: 'file' }
      assert.deepEqual([applied.body.created, await policy()], [3, [inactivity, byFile]], applied.text)
      assert.deepEqual((await app.call('GET', '/configuration')).body.policies, { inactivity })
      assert.deepEqual((await post(app, file, '?dry_run=true')).body.changes, [])
      const none = { body: { inactivity: null } }
      assert.equal((await app.call('PATCH', '/policies', none)).body.code, 'managed_elsewhere')
      assert.equal((await app.call('PATCH', '/policies?override=true', none)).status, 200)
      const drifted = (await post(app, file)).body.changes
      assert.deepEqual(
        drifted.map(({ name, action, drift }: Record<string, unknown>) => [name, action, drift]),
        [['inactivity', 'update', true]],
      )
      const renamed = {
        ...file,
        groups: [{ name: 'Directors', renamed_from: 'Board' }],
        policies: { inactivity: { 'group:Directors': limit } },
      }
      assert.equal((await post(app, renamed)).body.renamed, 1)
      const removed = await post(app, { version: 1, roles: [], groups: [], policies: {} }, '?allow_delete=3')
      assert.deepEqual(
        [removed.body.deleted, await policy()],
        [3, [null, { second_factor: null, inactivity: null }]],
        removed.text,
      )
    })

    it('set the branding as a whole, with clean logos, and put it back when it leaves the file', async () => {
      const app = await shared()
      const logo = 'data:image/svg+xml,<svg viewBox="0 0 8 8"><script/><path d="M0 0h8v8z"/></svg>'
      const file = { version: 1, branding: { name: 'Acme', logo, accent_color: '#7A1F5C' } }
      const low = await post(app, {
        version: 1,
        branding: { ...file.branding, accent_color: '#ffff00', terms_url: 'x:' },
      })
      assert.deepEqual(codesOf(low), ['#/branding/accent_color contrast_too_low', '#/branding/terms_url url_invalid'])

      const [{ kind, name, action, members }] = (await post(app, file)).body.changes
      assert.deepEqual([kind, name, action], ['branding', 'product', 'create'])
      const logoAfter = members.find(({ pointer }: { pointer: string }) => pointer === '#/logo').after
      assert.match(logoAfter, /^sha256:[0-9a-f]{64}$/)
      const found = (await app.call('GET', '/branding')).body
      assert.deepEqual([found.name, found.accent_color, found.managed_by], ['Acme', '#7a1f5c', 'file'])
      assert.deepEqual((await post(app, file, '?dry_run=true')).body.changes, [])

      assert.equal((await app.call('PUT', '/branding', { body: found })).status, 200, 'nothing changes')
      const byHand = { body: { ...found, name: 'Other' } }
      assert.equal((await app.call('PUT', '/branding', byHand)).body.code, 'managed_elsewhere')
      assert.equal((await app.call('PUT', '/branding?override=true', byHand)).status, 200)
      const drifted = (await post(app, file)).body.changes
      assert.deepEqual(
        [drifted[0].drift, drifted[0].members],
        [true, [{ pointer: '#/name', before: 'Other', after: 'Acme' }]],
      )

      // The export has the clean logo, and what the file left out is not in it.
      const { branding } = (await app.call('GET', '/configuration')).body
      assert.deepEqual(branding, { name: 'Acme', logo: found.logo, accent_color: '#7a1f5c' })
      assert.deepEqual((await post(app, { version: 1, branding }, '?dry_run=true')).body.changes, [])
      assert.equal((await post(app, { version: 1, branding: {} })).body.code, 'deletion_not_allowed')
      assert.equal((await post(app, { version: 1, branding: {} }, '?allow_delete=1')).body.deleted, 1)
      const { updated_at: _, ...unset } = (await app.call('GET', '/branding')).body
      assert.deepEqual([...new Set(Object.values(unset))], [null], 'without managed_by')

      await app.call('PUT', '/branding', { body: { support_url: 'https://help.example' } })
      const adopted = await post(app, { version: 1, branding: { support_url: 'https://help.example/' } })
      assert.equal(adopted.body.adopted, 1, adopted.text)
      assert.equal((await post(app, { version: 1, branding: {} })).body.released, 1)
      assert.equal(
        (await app.call('GET', '/branding')).body.support_url,
        'https://help.example/',
        'it was there before',
      )
      await app.call('PUT', '/branding', { body: {} })
    })

    it('show a changed secret without showing it, and store no plain secret', async () => {
      const app = await shared()
      const file = (client_secret: string) => ({
        version: 1,
        connections: [{ name: 'Acme', kind: 'oidc', issuer: 'https://acme.example', client_id: 'a', client_secret }],
      })
      const [first, second] = ['the-first-secret-of-acme', 'the-second-secret-of-acme']
      const answers = [await post(app, file(first)), await post(app, file(first), '?dry_run=true')]
      assert.deepEqual(answers[1]?.body.changes, [])
      const plan = await post(app, file(second), '?dry_run=true')
      assert.deepEqual(plan.body.changes[0].members, [
        { pointer: '#/client_secret', before: null, after: null, secret: true },
      ])
      answers.push(plan, await post(app, file(second)), await app.call('GET', '/configuration'))
      answers.push(await app.call('GET', '/configuration/history'), await app.call('GET', '/audit?limit=100'))
      for (const { text } of answers) assert.doesNotMatch(text, /-secret-of-acme/)
      const rows = await app.runSql('SELECT applied, secrets FROM configuration_objects')
      assert.doesNotMatch(JSON.stringify(rows), /-secret-of-acme/)
      const { connection_id } = (await app.call('GET', '/connections')).body[0]
      await app.call('PATCH', `/connections/${connection_id}?override=true`, { body: { client_secret: first } })
      assert.equal((await post(app, file(second), '?dry_run=true')).body.changes[0].drift, true)
    })

    it('need the permission of each change; a plan needs configuration:read alone, and an older plan is refused', async () => {
      const app = await shared()
      const keyWith = async (permissions: string[]) =>
        (await app.call('POST', '/keys', { body: { name: `k${permissions}`, permissions } })).body.key as string
      const [reader, writer] = [
        await keyWith(['configuration:read']),
        await keyWith(['configuration:read', 'configuration:write']),
      ]
      const body = { version: 1, groups: [{ name: 'Support', role: 'support' }] }
      const plan = await app.call('POST', '/configuration?dry_run=true', { key: reader, body })
      assert.deepEqual([plan.status, plan.body.created], [200, 1], plan.text)
      assert.equal((await app.call('POST', '/configuration', { key: reader, body })).status, 403)
      const refused = await app.call('POST', '/configuration', { key: writer, body })
      assert.deepEqual([refused.status, refused.body.code], [403, 'permission_denied'])
      const ifMatch = { 'if-match': String(plan.headers.etag) }
      const both = await Promise.all([1, 2].map(() => app.call('POST', '/configuration', { body, headers: ifMatch })))
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
    })

    it('have one request id, and a generation that only grows', async () => {
      const app = await shared()
      const groups = [{ name: 'One' }, { name: 'Two' }]
      const applied = await post(app, { version: 1, generation: 7, groups })
      const id = String(applied.headers['x-request-id'])
      const { body } = await app.call('GET', `/audit?limit=100`)
      const actions = body.filter((one: { request_id: string }) => one.request_id === id)
      assert.deepEqual(actions.map(({ action }: { action: string }) => action).sort(), [
        'configuration.applied',
        'group.created',
        'group.created',
      ])
      for (const generation of [6, undefined]) {
        const refused = await post(app, { version: 1, ...(generation && { generation }), groups })
        assert.equal(refused.body.errors[0].pointer, '#/generation')
      }
      await app.runSql("DELETE FROM journal_state WHERE name = 'configuration_generation'")
    })
  })
}

describe('the guide and the examples of configuration files', () => {
  const root = new URL('../../../', import.meta.url)
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const guide = read('docs/configuration-as-code.md')
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)

  it('are files that a new system accepts, and the schema for editors too', async (t) => {
    const app = await start(t, anyEngine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
    const isInSchema = new Ajv2020({ strict: false, validateFormats: false }).compile(
      (await app.call('GET', '/configuration.schema.json')).body,
    )
    for (const logo of [{ file: '' }, { env: 'LOGO' }, 7])
      assert.equal(isInSchema({ version: 1, branding: { logo } }), false)
    const texts = [
      String(blocks[0]),
      read('examples/configuration/small.yaml'),
      read('examples/configuration/company.yaml'),
    ]
    for (const text of texts) {
      const { value, faults } = await readYaml(text)
      assert.deepEqual(faults, [])
      assert.ok(isInSchema(value), JSON.stringify(isInSchema.errors))
      const { resolved, faults: missing } = resolveReferences(value, {
        env: () => 'a secret',
        readFile: () => 'a secret',
        readLogo: () => Buffer.from('<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'),
      })
      assert.deepEqual(missing, [])
      const plan = await post(app, resolved as object, '?dry_run=true')
      assert.equal(plan.status, 200, plan.text)
    }
  })

  it('cannot change the second-factor policy of the settings, and may repeat it', async (t) => {
    const app = await start(t, anyEngine, { env: { ROLLBOOK_SECOND_FACTOR: '{"admin":"required"}' } })
    const file = (second_factor: unknown) => ({ version: 1, policies: { second_factor } })
    const refused = await post(app, file('required'), '?dry_run=true')
    assert.deepEqual(codesOf(refused), ['#/policies/second_factor managed_elsewhere'])
    assert.match(refused.body.detail, /ROLLBOOK_SECOND_FACTOR/)
    assert.equal((await post(app, file({ admin: 'required' }))).status, 200)
    assert.equal((await post(app, { version: 1, policies: {} }, '?allow_delete=1')).body.deleted, 1)
  })

  it('have pipelines that are YAML, and name commands and options that exist', async () => {
    const { parse } = await import('yaml')
    assert.ok(parse(String(blocks[1])).jobs.drift)
    assert.ok(parse(String(blocks[2])).drift.script)
    const help = read('man/rollbook.1').replaceAll('\\', '')
    const options = [...guide.matchAll(/rollbook (?:plan|apply) [^\n`]*?(--[a-z-]+)/g)].map(([, option = '']) => option)
    for (const option of new Set(options)) assert.match(help, new RegExp(option))
  })
})

function codesOf({ body }: { body: { errors?: { pointer: string; code: string }[] } }): string[] {
  return (body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)
}

function yaml(app: Started, body: string, query = '', headers: Record<string, string> = {}) {
  return app.call('POST', `/configuration${query}`, {
    body,
    headers: { 'content-type': 'application/yaml', ...headers },
  })
}

function post(app: Started, body: object, query = '') {
  return app.call('POST', `/configuration${query}`, { body })
}
