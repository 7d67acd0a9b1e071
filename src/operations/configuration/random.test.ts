// It belongs to test:rest: random pairs of files, for rules that configuration.test.ts states one by one.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { engines, type Started, start } from '../../../test/harness.ts'
import { mappedSections } from '../../core/configuration-file.ts'
import { writeYaml } from '../../lib/yaml-document.ts'
import { kinds } from './kinds/kinds.ts'

type File = Record<string, Record<string, unknown>[] | Record<string, unknown>>

const names = fc.constantFrom('Alpha', 'beta', 'Gamma ray', 'no', '1e3', 'Ünïcode')
const listOf = (object: fc.Arbitrary<Record<string, unknown>>, member = 'name') =>
  fc.uniqueArray(object, { selector: (one) => String(one[member]).toLowerCase(), maxLength: 4 })
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const text = fc.constantFrom('', 'one', 'two: {x}', '# three', "it's", 'a\\b')

const logo =
  'data:image/svg+xml,<svg viewBox="0 0 8 8"><style>p{fill:red}</style><path fill="red" d="M0 0h8v8z"/></svg>'

const files: fc.Arbitrary<File> = fc.record({
  roles: listOf(
    fc.record({
      role: fc.constantFrom('auditor', 'clerk'),
      permissions: fc.uniqueArray(fc.constantFrom('users:read', 'reports:read', 'groups:read')),
      description: optional(text),
    }),
    'role',
  ),
  attributes: listOf(
    fc.record({
      name: fc.constantFrom('shift', 'desk', 'level'),
      type: fc.constantFrom('string', 'boolean'),
      label: optional(fc.constantFrom('Label', 'Other')),
      searchable: optional(fc.boolean()),
    }),
  ),
  organizations: listOf(
    fc.record({
      name: names,
      active: optional(fc.boolean()),
      second_factor: optional(fc.constantFrom('required', null)),
      // A domain cannot go from one organization to another in one apply.
      domains: fc.nat({ max: 2 }),
    }),
  ).map((all) =>
    all.map((one) => ({ ...one, domains: Array.from({ length: Number(one.domains) }, (_, n) => domainOf(one, n)) })),
  ),
  groups: listOf(
    fc.record({ name: names, description: optional(text), role: optional(fc.constantFrom('user', 'support', null)) }),
  ),
  connections: listOf(
    fc.record({
      name: names,
      kind: fc.constant('oidc'),
      issuer: fc.constantFrom('https://a.example', 'https://b.example'),
      client_id: fc.constantFrom('x', 'y'),
      position: optional(fc.nat({ max: 5 })),
      trusted_domains: optional(fc.uniqueArray(fc.constantFrom('a.example', 'b.example', 'c.example'))),
    }),
  ),
  provisioning: listOf(fc.record({ name: names, profile: optional(fc.constantFrom('okta', 'strict')) })),
  webhooks: listOf(
    fc.record({
      url: fc.constantFrom('https://a.example/x', 'https://b.example/'),
      description: optional(text),
      event_types: optional(fc.uniqueArray(fc.constantFrom('user.*', 'key.*', 'group.created'), { minLength: 1 })),
      active: optional(fc.boolean()),
    }),
    'url',
  ),
  keys: listOf(
    fc.record({
      name: names,
      permissions: fc.uniqueArray(fc.constantFrom('users:read', 'audit:read', 'groups:read'), { minLength: 1 }),
      expires_at: optional(fc.constantFrom('2999-01-01T00:00:00Z', '2888-01-01T01:00:00+01:00')),
    }),
  ),
  policies: fc.record({
    second_factor: fc.constantFrom(
      'optional',
      'required',
      { user: 'required', admin: 'optional' },
      { '*': 'optional' },
    ),
    inactivity: fc.constantFrom(null, { '*': { days: 90, notice_days: 14 } }, { user: { days: 30, notice_days: 7 } }),
  }),
  branding: fc.record({
    name: optional(fc.constantFrom('Acme', null)),
    logo: optional(fc.constantFrom(logo, null)),
    accent_color: optional(fc.constantFrom('#7A1F5C', '#1f5fbf')),
    support_url: optional(fc.constantFrom('mailto:help@a.example', 'https://a.example')),
  }),
})

function domainOf({ name }: Record<string, unknown>, n: number): string {
  return `D${n}.${Buffer.from(String(name).toLowerCase()).toString('hex')}.example`
}

const empty = Object.fromEntries(kinds.map(({ section }) => [section, mappedSections.includes(section) ? {} : []]))

for (const engine of engines) {
  describe(`random configuration files on ${engine.name}`, () => {
    it('leave what the last one says, whatever was there before, in any order, and hand changes are found', async (t) => {
      const app = await start(t, engine, {
        env: { ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_ROLES: '{"support":["users:read"]}' },
      })
      const apply = async (file: object, query = '?allow_delete=2000') => {
        const body = await writeYaml({ version: 1, ...file })
        const headers = { 'content-type': 'application/yaml' }
        const response = await app.call('POST', `/configuration${query}`, { body, headers })
        assert.equal(response.status, 200, `${response.text}\n${body}`)
        return response.body
      }
      const exported = async () =>
        (await app.call('GET', '/configuration', { headers: { accept: 'application/yaml' } })).text
      const rounds = process.env.CI ? 200 : 6
      await fc.assert(
        fc.asyncProperty(files, files, fc.nat(), async (a, b, n) => {
          await apply(a)
          const ofA = await exported()
          assert.deepEqual((await apply(a, '?dry_run=true')).changes, [])
          await apply(b)
          assert.deepEqual((await apply(reversed(b), '?dry_run=true')).changes, [])
          const after = await exported()
          await changeByHand(app, b, n)
          await apply(empty)
          await apply(reversed(b))
          assert.equal(await exported(), after, 'the same as alone')
          await apply(empty)
          await apply(JSON.parse(JSON.stringify(a)))
          assert.equal(await exported(), ofA)
        }),
        { numRuns: rounds },
      )
    })
  })
}

function reversed(file: File): File {
  return Object.fromEntries(
    Object.entries(file).map(([section, objects]) => [
      section,
      Array.isArray(objects) ? objects.toReversed() : objects,
    ]),
  )
}

/** Changes a group of the file, if there is one. The plan must find it, and nothing else. */
async function changeByHand(app: Started, file: File, n: number): Promise<void> {
  const groups = file.groups as Record<string, unknown>[]
  const chosen = groups[n % Math.max(groups.length, 1)]
  if (chosen === undefined) return
  const all = (await app.call('GET', '/groups?limit=100')).body as { group_id: string; name: string }[]
  const path = `/groups/${all.find(({ name }) => name === chosen.name)?.group_id}?override=true`
  const isDeleted = n % 3 === 0
  const response = isDeleted
    ? await app.call('DELETE', path)
    : await app.call('PATCH', path, { body: { description: `by hand ${n}` } })
  assert.equal(response.status, 200, response.text)
  const { body } = await app.call('POST', '/configuration?dry_run=true', { body: { version: 1, ...file } })
  assert.deepEqual(
    body.changes.map(({ name, action, drift }: Record<string, unknown>) => [name, action, drift]),
    [[chosen.name, isDeleted ? 'create' : 'update', true]],
  )
}
