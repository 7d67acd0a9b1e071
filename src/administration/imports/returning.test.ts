/** What an export shows, an import takes: member by member, in every form. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { Decrypter } from 'age-encryption'
import { personWithPhone } from '../../../test/factors.ts'
import { adminKey, type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { connectTo } from '../../../test/scim/provider.ts'
import { listedUserSchema, rowMembers } from '../../directory/users/schema.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import { importDescription } from './answers.ts'
import { ignoredMembers } from './schema.ts'

type Row = Record<string, unknown>
/** Only lists of the members of a group have it; membership-ends.test.ts looks at those. */
const ofMembers = 'membership_expires_at'
const lines = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const organizationId = '01a20801-0000-7000-8000-000000000001'
const env = { ROLLBOOK_KEY_ENCRYPTION_SECRET: 's'.repeat(32) }

async function prepared(t: TestContext, engine: Engine): Promise<Started> {
  const app = await start(t, engine, { env })
  assert.equal((await app.call('POST', '/attributes', { body: { name: 'team', type: 'string' } })).status, 201)
  assert.equal((await app.call('POST', '/groups', { body: { name: 'Sales; North' } })).status, 201)
  const { body } = await app.call('POST', '/organizations', { body: { name: 'Acme' } })
  // In every store the same.
  await app.runSql(
    `UPDATE organizations SET organization_id = '${organizationId}' WHERE organization_id = '${body.organization_id}'`,
  )
  return app
}

/** Users who together have every member that a user can have. */
async function filled(t: TestContext, engine: Engine): Promise<Started> {
  const app = await prepared(t, engine)
  const { createUser: provision } = await connectTo(app)
  const { id } = await provision({ userName: 'sue', emails: [{ value: 'sue@acme.example', primary: true }] })
  const { user_id } = await personWithPhone(app, Date.now(), {
    username: 'ada',
    first_name: '=Ada',
    email: 'ada@acme.example',
  })
  const others = [
    { username: 'bot', kind: 'service' },
    {
      username: 'eve',
      locale: 'de',
      external_id: 'hr-1',
      last_name: 'Ey',
      expires_at: '2099-12-31T23:59:59.999Z',
      organization_id: organizationId,
      attributes: { team: 'North' },
    },
  ]
  for (const body of others) {
    const { status, text } = await app.call('POST', '/users', { body })
    assert.equal(status, 201, text)
  }
  const more = { user_id: '00000000-0000-4000-8000-000000000001', username: 'ivy', email: 'ivy@acme.example' }
  await app.call('POST', '/users/import?mode=create', {
    body: lines([{ ...more, invite: true }]),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  await app.runSql("UPDATE users SET email_verified = 1 WHERE username = 'ada'")
  const [group] = (await app.call('GET', '/groups')).body
  const added = await app.call('POST', '/users/bulk', {
    body: { action: 'add_to_group', group_id: group.group_id, user_ids: [id, user_id] },
  })
  assert.equal(added.status, 200, added.text)
  const [eve] = (await app.call('GET', '/users?username=eve')).body
  await app.call('PATCH', `/users/${eve.user_id}`, { body: { active: false } })
  // The document follows with the next change.
  await app.call('PATCH', `/users/${user_id}`, { body: { last_name: 'Ly' } })
  await app.call('POST', `/users/${user_id}/password`, {
    body: { password: 'a moth in relay seventy', must_change: true },
  })
  return app
}

async function sealed(url: string): Promise<Row[]> {
  const response = await fetch(`${url}/users/export`, {
    method: 'POST',
    headers: { 'x-api-key': adminKey, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: 'opened by few people only' }),
  })
  const decrypter = new Decrypter()
  decrypter.addPassphrase('opened by few people only')
  const text = await decrypter.decrypt(new Uint8Array(await response.arrayBuffer()), 'text')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function bring(app: Started, body: string | Buffer, type: string, query = '') {
  const job = await app.call('POST', `/users/import${query}`, { body, headers: { 'content-type': type } })
  assert.equal(job.status, 200, job.text)
  assert.deepEqual(job.body.rejects, [])
  return job.body
}

async function listedRows(app: Started): Promise<Row[]> {
  return (await app.call('GET', '/users?include=groups')).body
}

for (const engine of engines) {
  describe(`what an export shows on ${engine.name}`, () => {
    it('comes back with every import: each member is taken, or ignored as documented', async (t) => {
      const from = await filled(t, engine)
      const rows = await listedRows(from)
      const members = new Set(rows.flatMap((row) => Object.keys(row)))
      assert.deepEqual(
        [...members].toSorted(),
        Object.keys(listedUserSchema.properties)
          .filter((member) => member !== ofMembers)
          .toSorted(),
        'a user with each member',
      )
      const csv = (await from.call('GET', '/users?include=groups', { headers: { accept: 'text/csv' } })).text
      const ndjson = (await from.call('GET', '/users?include=groups', { headers: { accept: 'application/x-ndjson' } }))
        .text
      const url = await from.listen()
      const excel = await fetch(`${url}/users?include=groups`, {
        headers: { accept: xlsxMediaType, 'x-api-key': adminKey },
      })
      const workbook = Buffer.from(await excel.arrayBuffer())
      const secrets = await sealed(url)
      for (const [form, body, type] of [
        ['JSON', lines(rows), 'application/x-ndjson'],
        ['NDJSON', ndjson, 'application/x-ndjson'],
        ['CSV', csv, 'text/csv'],
        ['Excel', workbook, xlsxMediaType],
        ['the encrypted export', lines(secrets), 'application/x-ndjson'],
      ] as const) {
        // Into the same store: nothing changes.
        const again = await bring(from, body, type, '?mode=update')
        assert.deepEqual([again.unchanged, again.updated], [rows.length, 0], form)
        const to = await prepared(t, engine)
        assert.equal((await bring(to, body, type)).created, rows.length, form)
        const there = new Map((await listedRows(to)).map((row) => [row.user_id, row]))
        const isSealed = form === 'the encrypted export'
        const columns = form === 'CSV' || form === 'Excel' ? [...rowMembers, 'expires_at', 'groups'] : [...members]
        for (const row of rows)
          for (const member of columns) {
            if (Object.hasOwn(ignoredMembers, member) && !(isSealed && member === 'has_password')) continue
            assert.deepEqual(there.get(row.user_id)?.[member], row[member], `${member} in ${form}`)
          }
      }
      const documented = readFileSync(new URL('../../../docs/migrate/file.md', import.meta.url), 'utf8')
      for (const member of Object.keys(ignoredMembers)) {
        assert.ok(members.has(member) || member === ofMembers, `no export shows ${member}`)
        for (const text of [importDescription, documented]) assert.ok(text.includes(`\`${member}\` (`), member)
      }
      const extra = new Set(secrets.flatMap((row) => Object.keys(row)).filter((member) => !members.has(member)))
      assert.deepEqual([...extra].toSorted(), ['factors', 'must_change_password', 'password_hash'])
    })
  })
}
