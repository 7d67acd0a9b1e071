/** Imports of a limited caller: what their rows may find, and who may read, continue and cancel them. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { anyEngine, createUser, start } from '../harness.ts'
import { createOrganization } from '../organizations.ts'

const words = ['users:read', 'users:write', 'users:import', 'groups:read', 'groups:write']
const permissions = words.map((word) => `${word}@organization`)

type Row = Record<string, unknown>

const linesOf = (text: string): Row[] => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))

/** A caller of each of two organizations, with a user and a group there, and of the whole service. */
async function open(t: TestContext) {
  const app = await start(t, anyEngine)
  const place = async (name: string) => {
    const organization_id = await createOrganization(app, { name })
    const { key } = (await app.call('POST', '/keys', { body: { name, permissions, organization_id } })).body
    const body = { username: `ada-${name}`, email: `ada@${name}.example`, external_id: `${name}-1`, organization_id }
    const { user_id } = await createUser(app, body)
    const group = await app.call('POST', '/groups', { body: { name: `Staff ${name}`, organization_id } })
    assert.equal(group.status, 201, group.text)
    return { organization_id, key: key as string, user_id: String(user_id) }
  }
  const [acme, globex] = [await place('acme'), await place('globex')]
  const send = (key: string, query: string, rows: readonly Row[]) =>
    app.call('POST', `/users/import?${query}`, {
      key,
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    })
  const rowsOf = async (key: string, job_id: string) =>
    linesOf((await app.call('GET', `/imports/${job_id}/rows`, { key })).text)
  return { app, acme, globex, send, rowsOf }
}

describe('an import of a limited caller', () => {
  it('finds no user and no group of another organization, by whatever its rows name', async (t) => {
    const { app, acme, globex, send, rowsOf } = await open(t)
    const before = (await app.call('GET', `/users/${globex.user_id}`)).body
    const rows: Row[] = [
      { username: 'ada-globex', first_name: 'Mine' },
      { username: 'new', email: 'ada@globex.example' },
      { username: 'new', external_id: 'globex-1' },
      { username: 'new', user_id: globex.user_id },
      { username: 'ada-acme', groups: ['Staff globex'] },
      { username: 'ada-acme', groups: ['Staff unknown'] },
      { username: 'ada-acme', groups: ['Staff acme'] },
    ]
    const verdicts: string[][] = []
    for (const query of ['mode=update', 'mode=create&on_conflict=skip', 'mode=update&dry_run=true']) {
      const sent = await send(acme.key, query, rows)
      assert.equal(sent.status, 200, sent.text)
      const found = await rowsOf(acme.key, sent.body.job_id)
      assert.ok(!JSON.stringify(found).includes(globex.user_id), JSON.stringify(found))
      verdicts.push(found.map(({ verdict, code }) => `${verdict} ${code}`))
    }
    const refused = ['username_taken', 'email_taken', 'external_id_taken', 'user_id_taken', 'group_unknown']
    const [update, create, trial] = verdicts
    assert.deepEqual(
      update,
      [...refused, 'group_unknown'].map((code) => `rejected ${code}`).concat('updated undefined'),
    )
    assert.deepEqual(create?.slice(0, 4), update.slice(0, 4))
    assert.deepEqual(trial?.slice(0, 6), update.slice(0, 6))
    for (const match of ['email=ada@globex.example', 'external_id=globex-1', `user_id=${globex.user_id}`]) {
      const [member, value] = match.split('=') as [string, string]
      const row = { [member]: value, first_name: 'Mine' }
      const { body } = await send(acme.key, `mode=update&match=${member}`, [row])
      const unknown = await send(acme.key, `mode=update&match=${member}`, [{ ...row, [member]: acme.organization_id }])
      const [found, none] = [await rowsOf(acme.key, body.job_id), await rowsOf(acme.key, unknown.body.job_id)]
      assert.deepEqual([match, found[0]?.verdict], [match, 'rejected'])
      assert.deepEqual([match, none[0]?.verdict], [match, 'rejected'])
    }
    assert.deepEqual((await app.call('GET', `/users/${globex.user_id}`)).body, before)
    assert.deepEqual((await app.call('GET', '/users?username=new')).body, [])
  })

  it('is known to its organization and to callers of the whole service, and to no other organization', async (t) => {
    const { app, acme, globex, send, rowsOf } = await open(t)
    const begun = await send(acme.key, 'complete=false', [{ username: 'first' }])
    assert.equal(begun.status, 200, begun.text)
    const { job_id } = begun.body
    const unknown = '019a9f3e-0000-7000-8000-000000000000'
    const answerOf = async (method: string, path: string) => {
      const { status, body } = await app.call(method, path, { key: globex.key })
      return [status, body?.code]
    }
    for (const [method, part] of [
      ['GET', ''],
      ['GET', '/rows'],
      ['POST', '/cancel'],
    ] as const) {
      const found = await answerOf(method, `/imports/${job_id}${part}`)
      assert.deepEqual(found, [404, 'import_not_found'], part)
      assert.deepEqual(found, await answerOf(method, `/imports/${unknown}${part}`))
    }
    assert.deepEqual((await app.call('GET', '/imports', { key: globex.key })).body, [])
    const seized = await send(globex.key, `job_id=${job_id}&complete=true`, [{ username: 'second' }])
    assert.deepEqual([seized.status, seized.body.code], [404, 'import_not_found'], seized.text)
    const { body: job } = await app.call('GET', `/imports/${job_id}`)
    assert.deepEqual([job.state, job.created], ['running', 1])
    const cancelled = await app.call('POST', `/imports/${job_id}/cancel`, { key: acme.key })
    assert.equal(cancelled.status, 200, cancelled.text)
    assert.deepEqual((await rowsOf(acme.key, job_id)).length, 1)
    // What the service imports is nothing of the organization, also where it changed its users.
    const whole = (await app.call('POST', '/keys', { body: { name: 'whole', permissions: words } })).body.key
    const changed = await send(whole, 'mode=update', [{ username: 'ada-acme', first_name: 'Ada' }])
    assert.equal(changed.body.updated, 1, changed.text)
    const listed = (await app.call('GET', '/imports', { key: acme.key })).body as { job_id: string }[]
    assert.deepEqual(
      listed.map((one) => one.job_id),
      [job_id],
    )
    assert.equal((await app.call('GET', `/imports/${changed.body.job_id}`, { key: acme.key })).status, 404)
  })
})
