import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory } from '../../../test/durability/process.ts'
import { adminKey, anyEngine, type Started, start } from '../../../test/harness.ts'
import { golden } from '../../../test/moving-in/files.ts'
import type { SourceName } from '../../moving-in/reading/source-names.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the API and the report return
type Row = Record<string, any>

/** An application with an import into it: `migrate` runs the command. */
async function begun(t: TestContext) {
  const app = await start(t, anyEngine, { env: { ROLLBOOK_ROLES: '{"chief": ["users:read"]}' } })
  const directory = makeDirectory(t)
  const env = { HOME: directory, ROLLBOOK_URL: await app.listen(), ROLLBOOK_API_KEY: adminKey }
  const rejects = join(directory, 'rejects.ndjson')
  const migrate = (source: SourceName, file: string, ...options: string[]) =>
    runCommand(['users', 'import', '--from', source, file, '--rejects', rejects, '--json', ...options], env)
  return { app, directory, env, migrate }
}

/** Each organization with the state of its domains and the usernames of its users. */
async function organizationsOf(app: Started) {
  const { body: organizations } = await app.call('GET', '/organizations')
  const found = []
  for (const { organization_id, name, external_id, active, second_factor, domains } of organizations) {
    const { body: users } = await app.call('GET', `/users?organization=${organization_id}&sort=username`)
    found.push({
      name,
      external_id,
      ...(!active && { active }),
      ...(second_factor && { second_factor }),
      domains: Object.fromEntries(domains.map((one: Row) => [one.domain, one.verified_at !== null])),
      users: users.map(({ username }: Row) => username),
    })
  }
  return found
}

const cases: [SourceName, string, string[], Row[], RegExp[]][] = [
  [
    'keycloak',
    golden('keycloak', 'organizations.json'),
    [],
    [
      {
        name: 'Compilers',
        external_id: '0a1b2c3d-0000-4000-8000-000000000002',
        active: false,
        domains: { 'compilers.example': true },
        users: ['grace'],
      },
      {
        name: 'Difference Works',
        external_id: '0a1b2c3d-0000-4000-8000-000000000001',
        domains: { 'works.example': true, 'works.test': false },
        users: ['ada'],
      },
    ],
    [/1 × membership of Difference Works: a user belongs to one organization: the one that manages them/],
  ],
  [
    'zitadel',
    golden('zitadel', 'export.json'),
    [],
    [
      { name: 'Compilers', external_id: '104133391254874700', domains: {}, users: ['grace'] },
      {
        name: 'Difference Works',
        external_id: '104133391254874632',
        domains: { 'works.example': true, 'works.zitadel.example': false },
        users: ['ada', 'charles@works.example'],
      },
      { name: 'Empty', external_id: '104133391254874701', domains: {}, users: [] },
    ],
    [/membership of Difference Works/, /role organization:ORG_OWNER: it is not in the role map/],
  ],
  [
    'logto',
    golden('logto', 'users.ndjson'),
    [],
    [
      { name: 'Compilers', external_id: 'org0compilers', domains: {}, users: ['grace@compilers.example'] },
      {
        name: 'Difference Works',
        external_id: 'org0works0000',
        second_factor: 'required',
        domains: { 'works.example': false },
        users: ['ada'],
      },
    ],
    [/membership of Compilers/, /role organization:editor/],
  ],
  [
    'better-auth',
    golden('better-auth', 'users.ndjson'),
    [],
    [
      { name: 'Compilers', external_id: 'orgCompilers', domains: {}, users: ['grace@compilers.example'] },
      { name: 'Difference Works', external_id: 'orgWorks', domains: {}, users: ['Ada'] },
    ],
    [/membership of Compilers/, /role organization:owner/],
  ],
  [
    'clerk',
    golden('clerk', 'export.csv'),
    ['--organizations', golden('clerk', 'organizations.json')],
    [
      {
        name: 'Difference Works',
        external_id: 'org_2abcWorks',
        domains: { 'works.example': true },
        users: ['ada', 'grace@example.com'],
      },
      { name: 'difference-works-2', external_id: 'org_2abcOther', domains: {}, users: [] },
    ],
    [/role org:admin/, /name of an organization: .*another one is used/],
  ],
  [
    'auth0',
    golden('auth0', 'users.ndjson'),
    ['--organizations', golden('auth0', 'organizations.ndjson')],
    [
      {
        name: 'Difference Works',
        external_id: 'org_Works',
        domains: { 'works.example': true, 'works.test': false },
        users: ['ada'],
      },
      { name: 'Empty', external_id: 'org_Empty', domains: {}, users: [] },
    ],
    [/role organization:owner/],
  ],
]

describe('organizations of another system', () => {
  for (const [source, file, options, expected, reported] of cases) {
    it(`are created with their domains and users, once, from ${source}`, async (t) => {
      const { app, migrate } = await begun(t)
      const trial = await migrate(source, file, ...options, '--dry-run')
      assert.match(trial.err, new RegExp(`${expected.length} organizations would be created \\(.*\\), 0 already there`))
      assert.deepEqual([await organizationsOf(app), (await app.call('GET', '/users')).body], [[], []])
      const first = await migrate(source, file, ...options)
      assert.match(first.err, new RegExp(`${expected.length} organizations created \\(`))
      for (const text of reported) assert.match(first.err, text)
      assert.deepEqual(await organizationsOf(app), expected)
      const again = await migrate(source, file, ...options)
      assert.match(again.err, new RegExp(`0 organizations created, ${expected.length} already there`))
      assert.match(again.err, /Nothing has changed/)
      assert.deepEqual(await organizationsOf(app), expected)
    })
  }

  it('give a user the role that the role map has for a role in the own organization, and none for others', async (t) => {
    const { app, directory, migrate } = await begun(t)
    const map = join(directory, 'roles.json')
    writeFileSync(map, JSON.stringify({ 'organization:owner': 'chief', 'organization:member': 'admin' }))
    const result = await migrate('better-auth', golden('better-auth', 'users.ndjson'), '--role-map', map)
    assert.equal(result.code, 0, result.err)
    const { body: users } = await app.call('GET', '/users?sort=username')
    assert.deepEqual(
      users.map(({ username, role }: Row) => [username, role]),
      // A member of the first organization in the file is no guest there, so grace becomes what her first mapped role says.
      [
        ['Ada', 'chief'],
        ['charles@works.example', 'user'],
        ['grace@compilers.example', 'admin'],
      ],
    )
  })

  it('are found by name if they have no external_id, and left out on request', async (t) => {
    const { app, migrate } = await begun(t)
    await app.call('POST', '/organizations', { body: { name: 'DIFFERENCE works' } })
    const file = golden('logto', 'users.ndjson')
    const without = await migrate('logto', file, '--without-organizations')
    assert.doesNotMatch(without.err, /organizations created/)
    assert.deepEqual(
      (await organizationsOf(app)).map(({ users }) => users),
      [[]],
    )
    const result = await migrate('logto', file, '--update')
    assert.match(result.err, /1 organization created \(Compilers\), 1 already there/)
    assert.deepEqual(
      (await organizationsOf(app)).map(({ name, users }) => [name, users]),
      [
        ['Compilers', ['grace@compilers.example']],
        ['DIFFERENCE works', ['ada']],
      ],
    )
  })

  it('are refused before any user, if the key may not create them', async (t) => {
    const { app, env } = await begun(t)
    const { body: key } = await app.call('POST', '/keys', { body: { name: 'import', permissions: ['users:import'] } })
    const args = ['users', 'import', '--from', 'zitadel', golden('zitadel', 'export.json')]
    const refused = await runCommand(args, { ...env, ROLLBOOK_API_KEY: key.key })
    assert.notEqual(refused.code, 0)
    assert.match(refused.err, /organizations:read and organizations:write.*--without-organizations/)
    assert.deepEqual((await app.call('GET', '/users')).body, [])
  })

  it('report a domain that another organization has, and import the rest', async (t) => {
    const { app, migrate, directory } = await begun(t)
    const { body: other } = await app.call('POST', '/organizations', { body: { name: 'Other' } })
    await app.call('POST', `/organizations/${other.organization_id}/domains`, {
      body: { domain: 'works.example', verified: true },
    })
    const report = join(directory, 'report.json')
    const result = await migrate('zitadel', golden('zitadel', 'export.json'), '--report', report)
    assert.equal(result.code, 0, result.err)
    const lines: Row[] = JSON.parse(readFileSync(report, 'utf8'))
    const line = lines.find(({ what }) => what === 'domain of an organization')
    assert.deepEqual([line?.count, line?.of], [1, ['Difference Works: works.example']])
    assert.equal((await app.call('GET', '/users')).body.length, 3)
  })
})
