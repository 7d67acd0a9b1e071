import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { runOn, schemaFor, skip } from '../../../test/nodes/nodes.ts'
import { plainRules } from '../../../test/plain-rules.ts'
import { handlers } from '../../app/handlers.ts'
import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../lib/postgres-url.ts'
import { verifyStore } from '../../record/audit/verify-store.ts'
import { sql } from '../db/sql.ts'
import { openPostgresStorage } from './storage.ts'

type Person = { username: string; email?: string; first_name?: string }

/** A store where creating a user is refused, or fails, after it has written, if the first name says so. */
async function open(t: TestContext) {
  const database = await schemaFor(t)
  const changes = await handlers.loadChanges()
  const storage = await openPostgresStorage({
    handlers: {
      ...handlers,
      ...changes,
      commands: {
        ...changes.commands,
        async 'users.create'(ctx, input) {
          if (input.first_name?.startsWith('renames')) {
            const renamed = ctx.db.returning(sql`UPDATE users SET last_name = 'renamed' RETURNING user_id`)
            if (input.first_name === 'renames at once') await renamed
            throw new AppError('role_not_grantable', 'Refused after a write alone.')
          }
          const created = await changes.commands['users.create'](ctx, input)
          if (input.first_name === 'refused') throw new AppError('role_not_grantable', 'Refused late.')
          if (input.first_name === 'faulty') throw new Error('Failed late.')
          if (input.first_name === 'broken') await ctx.db.run({ strings: ['SELECT 1 / 0'], values: [] })
          return created
        },
      },
    },
    address: parsePostgresUrl(database.url) as PostgresAddress,
    schema: database.schema,
    rules: plainRules,
    now: Date.now(),
    poolSize: 8,
    writeQueue: 1000,
    maxSnapshots: 2,
    snapshotSeconds: 60,
    onEvent() {},
    onDamage: assert.fail,
  })
  t.after(() => storage.close())
  const change = <Outcome>(work: () => Promise<Outcome>) =>
    work().then(
      () => 'done',
      (error) => (error.code === '22012' ? 'divided by zero' : (error.code ?? error.message)),
    )
  const request = () => ({ actor: system, now: Date.now(), requestId: 'test' })
  const create = ({ username, email, ...rest }: Person) =>
    change(() => {
      const keys = { username_key: username, ...(email && { email, email_key: email }) }
      return storage.change('users.create', { username, ...keys, ...rest }, request())
    })
  const update = (user_id: string, first_name: string, expected?: readonly number[]) =>
    change(() => {
      const input = { first_name }
      return storage.change('users.update', { user_id, input, expected }, request())
    })
  /** Everything that was written about the users, by name. */
  const stored = async () => {
    await storage.settleJournal()
    const names = (rows: Record<string, unknown>[], column: string) => rows.map((row) => String(row[column])).sort()
    const users = await runOn(database, 'SELECT username FROM users')
    const recorded = await runOn(
      database,
      `SELECT what::json ->> 'name' AS name FROM audit_records WHERE action = 'user.created'`,
    )
    const announced = await runOn(
      database,
      `SELECT data::json ->> 'username' AS name FROM events WHERE type = 'user.created'`,
    )
    const { fault } = await verifyStore(storage.db)
    return {
      users: names(users, 'username'),
      recorded: names(recorded, 'name'),
      announced: names(announced, 'name'),
      fault,
    }
  }
  /** How many transactions have written the users as they are. */
  const transactions = async () => {
    const rows = await runOn(database, 'SELECT DISTINCT xmin::text FROM users')
    return rows.length
  }
  const userIds = async () => {
    const rows = await runOn(database, 'SELECT user_id FROM users ORDER BY username')
    return rows.map(({ user_id }) => user_id as string)
  }
  return { database, storage, create, update, stored, transactions, userIds }
}

function assertStored(found: object, usernames: readonly string[]) {
  const names = usernames.toSorted()
  assert.deepEqual(found, { users: names, recorded: names, announced: names, fault: undefined })
}

describe('changes that share a transaction on PostgreSQL', { skip }, () => {
  it('are committed together, and each is recorded', async (t) => {
    const { create, stored, transactions } = await open(t)
    const people = Array.from({ length: 100 }, (_, i) => ({
      username: `person-${i}`,
      email: `person-${i}@example.com`,
    }))
    assert.deepEqual(await Promise.all(people.map(create)), Array(100).fill('done'))
    assertStored(
      await stored(),
      people.map(({ username }) => username),
    )
    assert.ok((await transactions()) < 20, `${await transactions()} transactions`)
  })

  it('give each name to one user, also when one uses it as a username and another as an email address', async (t) => {
    const { create, stored } = await open(t)
    const outcomes = await Promise.all([
      ...Array.from({ length: 30 }, (_, i) => create({ username: `person-${i % 10}`, email: `mail-${i}@example.com` })),
      ...Array.from({ length: 10 }, () => create({ username: 'both@example.com' })),
      ...Array.from({ length: 10 }, (_, i) => create({ username: `other-${i}`, email: 'both@example.com' })),
    ])
    assert.equal(outcomes.filter((one) => one === 'done').length, 11)
    assert.deepEqual([...new Set(outcomes)].sort(), ['done', 'email_taken', 'username_taken'])
    assert.equal((await stored()).users.length, 11)
  })

  it('are not harmed by one that is refused or fails after it has written', async (t) => {
    const { create, stored } = await open(t)
    const expected = { Ada: 'done', refused: 'role_not_grantable', faulty: 'Failed late.', broken: 'divided by zero' }
    const kinds = ['Ada', 'refused', 'Ada', 'Ada', 'faulty', 'Ada', 'broken'] as const
    const people = Array.from({ length: 70 }, (_, i) => ({
      username: `person-${i}`,
      first_name: kinds[i % kinds.length] as keyof typeof expected,
    }))
    assert.deepEqual(
      await Promise.all(people.map(create)),
      people.map(({ first_name }) => expected[first_name]),
    )
    const created = people.filter(({ first_name }) => first_name === 'Ada').map(({ username }) => username)
    assertStored(await stored(), created)
  })

  it('are undone when they are refused after a write that returned rows, or whose result they did not wait for', async (t) => {
    const { create, database } = await open(t)
    assert.equal(await create({ username: 'first' }), 'done')
    for (const first_name of ['renames at once', 'renames meanwhile']) {
      const people = [{ username: 'ada', first_name }, { username: first_name }]
      assert.deepEqual(await Promise.all(people.map(create)), ['role_not_grantable', 'done'])
    }
    const names = await runOn(database, 'SELECT DISTINCT last_name FROM users')
    assert.deepEqual(names, [{ last_name: '' }])
  })

  it('of one user never meet: each finds what the one before has written', async (t) => {
    const { create, update, userIds, database } = await open(t)
    await Promise.all(['ada', 'eve'].map((username) => create({ username })))
    const [ada = '', eve = ''] = await userIds()
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, i) => update(i % 2 ? ada : eve, `Name ${i}`)))
    assert.deepEqual(new Set(outcomes), new Set(['done']))
    const versions = async () => (await runOn(database, 'SELECT version FROM users')).map(({ version }) => version)
    assert.deepEqual(await versions(), [31, 31])
    const once = await Promise.all(Array.from({ length: 20 }, (_, i) => update(ada, `Once ${i}`, [31])))
    assert.deepEqual(once.sort(), ['done', ...Array(19).fill('precondition_failed')])
  })

  it('do not wait for a user whom another transaction holds', async (t) => {
    const { create, update, userIds, database } = await open(t)
    await Promise.all(Array.from({ length: 20 }, (_, i) => create({ username: `person-${i}` })))
    const [held = '', ...others] = await userIds()
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query('BEGIN')
      await holder.query(`SELECT 1 FROM ${database.schema}.users WHERE user_id = $1 FOR UPDATE`, [held])
      const waits = update(held, 'Late')
      assert.deepEqual(await Promise.all(others.map((id) => update(id, 'Early'))), Array(19).fill('done'))
      await holder.query('COMMIT')
      assert.equal(await waits, 'done')
    } finally {
      await holder.end()
    }
  })

  it('of a user who does not exist are refused, and the others are made', async (t) => {
    const { create, update, userIds } = await open(t)
    await create({ username: 'ada' })
    const [ada = ''] = await userIds()
    const nobody = '00000000-0000-7000-8000-000000000000'
    assert.deepEqual(await Promise.all([update(nobody, 'Eve'), update(ada, 'Ada')]), ['user_not_found', 'done'])
  })
})
