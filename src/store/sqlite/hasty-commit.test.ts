import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { waitUntil } from '../../../test/nodes/nodes.ts'
import { plainRules } from '../../../test/plain-rules.ts'
import { handlers } from '../../app/handlers.ts'
import { system } from '../../core/actor.ts'
import { verifyStore } from '../../record/audit/verify-store.ts'
import { sql } from '../db/sql.ts'
import { openConnection } from '../db/sqlite/connection.ts'
import { startWriter } from './writer.ts'

const lateRefusals = new URL('../../../test/late-refusals.ts', import.meta.url)

type Person = { username: string; first_name: string }
type Create = (person: Person) => Promise<unknown>

/** Creates these users at once. Returns the outcome of each, and what is stored afterwards. */
function createTogether(t: TestContext, program: URL, people: Person[]) {
  return createBy(t, program, async (create) => people.map(create))
}

/** The same for users whom `send` creates. */
async function createBy(
  t: TestContext,
  program: URL,
  send: (create: Create, directory: string) => Promise<Promise<unknown>[]>,
) {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-hasty-commit-'))
  const path = join(directory, 'rollbook.db')
  t.after(() => rmSync(directory, { recursive: true }))
  const announced: string[] = []
  const writer = await startWriter(
    { path, rules: plainRules, startedAt: Date.now() },
    {
      program,
      queueLimit: 1000,
      onFault: (error) => assert.fail(error),
      onAnnouncement: ({ kind }) => void announced.push(kind),
    },
  )
  const request = { actor: system, now: Date.now(), requestId: 'test', dryRun: false }
  const create: Create = ({ username, first_name }) =>
    writer.run({ name: 'users.create', input: { username, username_key: username, first_name }, ...request })
  const settled = await Promise.allSettled(await send(create, directory))
  await writer.close()
  const connection = openConnection({ path, readOnly: true })
  t.after(() => connection.close())
  const users = await connection.all<{ username: string }>(sql`SELECT username FROM users ORDER BY row_id`)
  const records = await connection.all<{ what: string }>(sql`
    SELECT what FROM audit_records WHERE action = 'user.created' ORDER BY seq`)
  const events = await connection.all<{ data: string }>(
    sql`SELECT data FROM events WHERE type = 'user.created' ORDER BY seq`,
  )
  const [day] = await connection.all<{ n: number }>(
    sql`SELECT sum(count) AS n FROM daily_counts WHERE kind = 'sign_ups'`,
  )
  const verdict = await verifyStore(connection)
  return {
    outcomes: settled.map((one) => (one.status === 'fulfilled' ? 'created' : (one.reason.code ?? one.reason.message))),
    users: users.map(({ username }) => username),
    recorded: records.map(({ what }) => (JSON.parse(what) as { name: string }).name),
    usernames: events.map(({ data }) => (JSON.parse(data) as { username: string }).username),
    signUps: Number(day?.n),
    announced,
    fault: verdict.fault,
  }
}

/** What must be true of the users who were created. */
function assertStored(found: Awaited<ReturnType<typeof createBy>>, usernames: string[]) {
  assert.deepEqual(found.users, usernames)
  assert.deepEqual(found.recorded, usernames)
  assert.deepEqual(found.usernames, usernames)
  assert.equal(found.signUps, usernames.length)
  assert.equal(found.fault, undefined)
}

/** Creates two users, and the others while the first of them is being created. */
function createMeanwhile(t: TestContext, others: Person[]) {
  return createBy(t, lateRefusals, async (create, directory) => {
    const end = join(directory, 'end')
    const first = [
      { username: 'first', first_name: `waits for ${end}` },
      { username: 'second', first_name: 'Ada' },
    ]
    const sent = first.map(create)
    await waitUntil('the first is being created', 10_000, async () => existsSync(`${end}.begun`))
    sent.push(...others.map(create))
    // The writer sends the changes of a turn at its end.
    await nextTurn()
    writeFileSync(end, '')
    return sent
  })
}

describe('changes that share a commit on SQLite', () => {
  const people = Array.from({ length: 60 }, (_, i) => ({ username: `person-${i % 20}`, first_name: 'Ada' }))

  it('are recorded each, in their order; refused ones leave nothing', async (t) => {
    const found = await createTogether(t, handlers.threads.writer, people)
    assert.deepEqual(found.outcomes, [...Array(20).fill('created'), ...Array(40).fill('username_taken')])
    assertStored(
      found,
      people.slice(0, 20).map(({ username }) => username),
    )
  })

  it('are announced together', async (t) => {
    const { announced } = await createTogether(t, handlers.threads.writer, people.slice(0, 3))
    assert.deepEqual(announced, ['users_changed', 'journal'])
  })

  it('are joined by those that arrive before the commit, in their order', async (t) => {
    const others = ['third', 'second', 'fourth'].map((username) => ({ username, first_name: 'Ada' }))
    const found = await createMeanwhile(t, others)
    assert.deepEqual(found.outcomes, ['created', 'created', 'created', 'username_taken', 'created'])
    assert.deepEqual(found.announced, ['users_changed', 'journal'], 'one commit')
    assertStored(found, ['first', 'second', 'third', 'fourth'])
  })

  it('are not undone for one that joins them and is refused after it has written', async (t) => {
    const found = await createMeanwhile(t, [
      { username: 'third', first_name: 'refused' },
      { username: 'fourth', first_name: 'Ada' },
    ])
    assert.deepEqual(found.outcomes, ['created', 'created', 'role_not_grantable', 'created'])
    assertStored(found, ['first', 'second', 'fourth'])
  })

  it('are undone alone when they are refused or fail after they have written', async (t) => {
    const kinds = ['Ada', 'refused', 'Ada', 'Ada', 'faulty']
    const mixed = Array.from({ length: 40 }, (_, i) => ({
      username: `person-${i}`,
      first_name: kinds[i % kinds.length] as string,
    }))
    const found = await createTogether(t, lateRefusals, mixed)
    const expected = { Ada: 'created', refused: 'role_not_grantable', faulty: 'Failed late.' } as Record<string, string>
    assert.deepEqual(
      found.outcomes,
      mixed.map(({ first_name }) => expected[first_name]),
    )
    const created = mixed.filter(({ first_name }) => first_name === 'Ada').map(({ username }) => username)
    assertStored(found, created)
  })
})
