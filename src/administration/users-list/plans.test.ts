// Takes long for its size, and belongs to test:rest: it compares plans of 20,000 users, whose lists the tests beside it state one by one.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { combinations } from '../../../test/cases.ts'
import { freshSchema, postgresIsMissing } from '../../../test/postgres.ts'
import { system } from '../../core/actor.ts'
import type { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { indexPending } from '../../directory/search/search-index.ts'
import type { ListUsers } from '../../directory/users/schema.ts'
import { fold } from '../../lib/fold.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../lib/postgres-url.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { migrate } from '../../store/db/migrate.ts'
import { postgresDb } from '../../store/db/postgres/connection.ts'
import { connectToPrimary } from '../../store/db/postgres/primary.ts'
import { prepareSchema } from '../../store/db/postgres/schema.ts'
import { renderSql, type Sql, sql } from '../../store/db/sql.ts'
import { type Connection, openConnection } from '../../store/db/sqlite/connection.ts'
import { count, type Page, page, stream } from './list.ts'
import { type Format, filtersWithin, type ListPlan, planList } from './plan.ts'
import { countOf } from './postgres.ts'

const size = 20_000

/** Stores by their number of users. Filling one takes longer than most of the tests. */
const filled = new Map<number, Promise<string>>()
const place = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
after(() => rmSync(place, { recursive: true }))

/** Opens a copy of a store with this many users. */
async function manyUsers(t: { after(end: () => void): void }, count = size): Promise<Connection> {
  const template = filled.get(count) ?? fillStore(count)
  filled.set(count, template)
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const path = join(directory, 'rollbook.db')
  copyFileSync(await template, path)
  const connection = openConnection({ path })
  t.after(() => {
    connection.close()
    rmSync(directory, { recursive: true })
  })
  return connection
}

/** Each filter has a value that finds many and one that finds few; 200 wait for indexing. */
async function fillStore(count: number): Promise<string> {
  const path = join(place, `${count}.db`)
  const connection = openConnection({ path })
  await migrate(connection, Date.UTC(2026, 10, 20))
  connection.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}),
      people AS MATERIALIZED (
        SELECT n, format('00000000-0000-7000-8000-%012d', n) AS id, format('user-%05d', n * 7919 % ${count}) AS username,
          iif(n % 3 = 0, NULL, format('mail-%05d@example.org', n * 6007 % ${count})) AS email,
          iif(n % 500 = 0, 'admin', 'user') AS role, n % 4 > 0 AS active, iif(n % 5 > 0, 'hash', NULL) AS password_hash,
          iif(n % 5 < 2, '${organizationId(1)}', iif(n % 400 = 3, '${organizationId(2)}', NULL)) AS organization_id,
          n % 35 = 0 AS invited, iif(n % 45 = 0, 'service', 'person') AS kind,
          strftime('%Y-%m-%dT%H:%M:00.000Z', '2026-01-01', format('+%d minutes', n / 10)) AS created_at,
          iif(n % 2 = 0, NULL, strftime('%Y-%m-%dT%H:%M:00.000Z', '2026-02-01', format('+%d minutes', n * 31 % 999)))
            AS last_login_at
        FROM numbers)
    INSERT INTO users (user_id, version, document, username, username_key, email, email_key, external_id, first_name,
      last_name, role, active, invited, kind, password_hash, created_at, updated_at, last_login_at, organization_id, search_text)
    SELECT id, 1, json_object('user_id', id, 'username', username, 'email', email, 'role', role,
        'active', json(iif(active, 'true', 'false')), 'created_at', created_at, 'last_login_at', last_login_at),
      username, username, email, email, format('hr-%d', n), '', '', role, active, invited, kind, password_hash, created_at, created_at, last_login_at, organization_id,
      format(char(10, 10) || '%s' || char(10, 10) || '%s', username, email)
    FROM people ORDER BY n;
    INSERT INTO search_pending SELECT row_id FROM users;
    INSERT INTO sign_in_throttles SELECT 'user:' || user_id || ':total', 95, created_at, created_at
      FROM users WHERE row_id % 1001 = 0`)
  connection.exec('BEGIN')
  await indexPending(connection, count - 100)
  connection.exec('COMMIT')
  // Users changed since then wait as well, and are still in the index.
  connection.exec('INSERT INTO search_pending SELECT row_id FROM users WHERE row_id % 199 = 0 LIMIT 100')
  // With the last connection the log goes into the file.
  connection.close()
  return path
}

function organizationId(n: number): string {
  return `00000000-0000-7000-8000-00000000a00${n}`
}

const filters: Record<string, ListUsers> = {
  none: {},
  'found often': { q: 'user-' },
  'found seldom': { q: 'user-01' },
  'found nowhere': { q: 'zzzq' },
  'a beginning': { q: 'u' },
  'a common role': { role: 'user' },
  'a rare role': { role: 'admin' },
  active: { active: true },
  inactive: { active: false },
  invited: { invited: true },
  'not invited': { invited: false },
  'a service account': { kind: 'service' },
  'a person': { kind: 'person' },
  'with a password': { has_password: true },
  'without a password': { has_password: false },
  'who has signed in': { has_signed_in: true },
  'who has never signed in': { has_signed_in: false },
  'created lately': { created_after: '2026-01-02T09:00:00Z' },
  'created long ago': { created_before: '2026-01-01T01:00:00Z' },
  'created at some time': { created_after: '2026-01-01T01:00:00Z', created_before: '2026-01-02T09:00:00Z' },
  'signed in lately': { last_login_after: '2026-02-01T16:30:00Z' },
  'signed in before': { last_login_before: '2026-02-01T16:30:00Z' },
  'inactive since': { inactive_since: '2026-01-01T09:00:00Z' },
  locked: { locked: true },
  'not locked': { locked: false },
  'some ids': { user_id: [7, 70, 700].map((n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`) },
  'a username': { username: 'user-07919' },
  'an address': { email: 'mail-06007@example.org' },
  'an external id': { external_id: 'hr-7' },
  'of a large organization': { organization: organizationId(1) },
  'of a small organization': { organization: organizationId(2) },
  'of no organization': { organization: 'none' },
}
const names = Object.keys(filters)
const pairs = combinations(names.flatMap((one, i) => names.slice(i + 1).map((other) => `${one}, ${other}`)))

function queryOf(name: string): ListUsers {
  return Object.assign({}, ...name.split(', ').map((one) => filters[one])) as ListUsers
}

const sorts = [
  undefined,
  ...(['username', 'email', 'created_at', 'last_login_at'] as const).flatMap((name) => [name, `-${name}` as const]),
]

function ordered(lists: readonly string[]) {
  return combinations(lists.flatMap((name) => sorts.map((sort) => ({ name, sort }))))
}

/**
 * Three orders of each pair of filters and a place for each. A filter meets every order at every place, with changing others: all orders of
 * all pairs at all places are twelve times as many, and take a minute.
 */
function orderedPairs() {
  return pairs.flatMap((name) => {
    const [one = '', other = ''] = name.split(', ')
    const sum = names.indexOf(one) + names.indexOf(other)
    return [0, 1, 2].map((k) => ({
      name,
      sort: pick(sorts, sum + 3 * k),
      places: [pick([undefined, '2026-01-01T20:00:00.000Z'], Math.floor(sum / sorts.length) + k)],
    }))
  })
}

/** From the beginning, behind users without a value, and behind others. */
const places = [undefined, null, 'user-1', '2026-01-01T20:00:00.000Z']

/** The plan of a list, `behind` a place in the middle of its order or from the beginning. */
function planOf(query: ListUsers, sort: (typeof sorts)[number], behind: string | null | undefined): ListPlan {
  const plan = planList(scopeOf(system), { ...query, ...(sort !== undefined && { sort }) }, 'json')
  if (behind === undefined) return plan
  const after =
    sort === undefined
      ? { user_id: `00000000-0000-7000-8000-000000010000` }
      : { value: behind, user_id: '00000000-0000-7000-8000-000000000009' }
  return { ...plan, after }
}

function pick<T>(list: readonly T[], i: number): T {
  return list[i % list.length] as T
}

/** Plans by their statement. SQLite makes one when it prepares the statement, so the parameters do not matter. */
const plans = new Map<string, string[]>()

function explain(connection: Connection, statement: Sql): string[] {
  const { text, parameters } = renderSql(statement, () => '?')
  const known = plans.get(text)
  if (known !== undefined) return known
  const steps = connection.raw.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters)
  const plan = steps.map(({ detail }) => String(detail))
  plans.set(text, plan)
  return plan
}

/** A handle that looks at each statement before it runs. */
function watched(db: Db, look: (statement: Sql) => void | Promise<void>): Db {
  return {
    ...db,
    async get(statement) {
      await look(statement)
      return db.get(statement)
    },
    async all(statement) {
      await look(statement)
      return db.all(statement)
    },
  }
}

/** Refuses to sort documents, and to look through the table where an index has the order. */
function refuseSlowWay(text: string, steps: string[], list: string): void {
  const way = `${list}\n${text}\n${steps.join('\n')}`
  const outer = text.slice(0, text.indexOf(' FROM '))
  if (/\bdocument\b/.test(outer)) assert.ok(!steps.some((step) => step.includes('TEMP B-TREE')), way)
  if (steps.some((step) => step.includes('TEMP B-TREE'))) assert.match(text, /json_each/, way)
  for (const step of steps) assert.doesNotMatch(step, /^SCAN users$/, way)
  // Work without a limit counts its steps, so that it can be ended.
  if (steps.some((step) => /^(SCAN|SEARCH) users\b|users_search VIRTUAL/.test(step))) {
    assert.match(text, /spend\(|LIMIT|json_each|count\(\*\) AS n FROM users$/, way)
  }
  refuseRepeatedSearch(text, steps, list)
}

/** A filter that is pushed into the search index (`=`) runs the search again for each row that it lets in. */
function refuseRepeatedSearch(text: string, steps: string[], list: string): void {
  for (const step of steps.filter((step) => step.includes('users_search VIRTUAL TABLE'))) {
    assert.doesNotMatch(step, /INDEX \d+:\S*=/, `${list}\n${text}\n${steps.join('\n')}`)
  }
}

/** User 12,005 is one of ten created at that moment; the cursor is from when there still was one. */
async function checkGoneBoundary(db: Transaction): Promise<void> {
  const created_at = '2026-01-01T20:00:00.000Z'
  const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
  await db.run(sql`DELETE FROM users WHERE user_id = ${id(12_005)}`)
  for (const [sort, next] of [
    ['created_at', [12_006, 12_007]],
    ['-created_at', [12_004, 12_003]],
  ] as const) {
    for (const filter of [{}, { q: 'user-' }, { external_id: 'hr-7' }]) {
      const plan = {
        ...planList(scopeOf(system), { sort, ...filter }, 'json'),
        after: { value: created_at, user_id: id(12_005) },
      }
      const { body } = await page(db, { ...plan, limit: 2 })
      const found = (JSON.parse(Buffer.from(body).toString()) as { user_id: string }[]).map(({ user_id }) => user_id)
      const rest = 'external_id' in filter ? (sort === 'created_at' ? [] : [7]) : next
      assert.deepEqual(found, rest.map(id), `${sort} ${JSON.stringify(filter)}`)
    }
  }
}

describe('the query plans of lists on sqlite', () => {
  it('never sort documents or scan the table, for any filter, order and position', async (t) => {
    const connection = await manyUsers(t)
    const lists = [...ordered(names).map((list) => ({ ...list, places })), ...orderedPairs()]
    for (const { name, sort, places } of lists) {
      for (const behind of places) {
        const plan = planOf(queryOf(name), sort, behind)
        const list = `${name} by ${sort} behind ${behind}`
        const db = watched(connection, (statement) => {
          refuseSlowWay(renderSql(statement, () => '?').text, explain(connection, statement), list)
        })
        await page(db, { ...plan, limit: 3 })
        const { done } = await stream(db, plan).next()
        assert.equal(done, false, list)
      }
    }
  })

  it('walk the index of an order if many users match, and sort row numbers if few do', async (t) => {
    const connection = await manyUsers(t)
    const stepsOf = async (query: ListUsers): Promise<string[]> => {
      const all: string[] = []
      const db = watched(connection, (statement) => {
        const isOrdered = /sort_value/.test(renderSql(statement, () => '?').text)
        if (isOrdered) all.push(...explain(connection, statement))
      })
      await page(db, { ...planList(scopeOf(system), query, 'json'), limit: 20 })
      return all
    }
    const few = [/^SCAN found/, /^SEARCH users USING INTEGER PRIMARY KEY/, /TEMP B-TREE/]
    const cases: [ListUsers, RegExp[]][] = [
      [{ role: 'user', sort: 'username' }, [/^SCAN users USING INDEX sqlite_autoindex_users_2/]],
      [{ active: false, sort: '-created_at' }, [/INDEX users_created_at/]],
      [{ q: 'user-', sort: 'username' }, [/^SCAN users USING INDEX sqlite_autoindex_users_2/]],
      [{ created_after: '2026-01-01T01:00:00Z', sort: 'created_at' }, [/INDEX users_created_at \(created_at>\?\)/]],
      [{ role: 'user' }, [/^SEARCH users USING INDEX users_role \(role=\?\)/]],
      [{ active: false }, [/USING INDEX users_inactive/]],
      [{ has_signed_in: false }, [/^SEARCH users USING INDEX users_never_signed_in \(last_login_at=\?\)/]],
      [{ has_signed_in: false, role: 'user' }, [/USING INDEX users_never_signed_in/]],
      [{ has_signed_in: false, sort: '-last_login_at' }, [/USING INDEX users_never_signed_in/]],
      [{ has_signed_in: true, sort: 'last_login_at' }, [/USING INDEX users_last_login_at/]],
      [{ role: 'admin', sort: 'username' }, few],
      [{ q: 'user-01', sort: 'username' }, few],
      [{ last_login_after: '2026-02-01T16:30:00Z', sort: 'username' }, few],
      [{ last_login_after: '2026-02-01T16:30:00Z' }, few],
      [{ created_after: '2026-01-02T09:00:00Z', role: 'user', sort: '-email' }, few],
      [{ q: 'zzzq', role: 'user', sort: 'username' }, few],
    ]
    for (const [query, expected] of cases) {
      const steps = await stepsOf(query)
      for (const step of expected) {
        assert.ok(
          steps.some((one) => step.test(one)),
          `${JSON.stringify(query)}: ${steps.join('; ')}`,
        )
      }
      assert.equal(
        steps.some((step) => step.includes('TEMP B-TREE')),
        expected === few,
        JSON.stringify(query),
      )
    }
  })

  it('continue after a user who is gone, among those with the same value', async (t) => {
    await checkGoneBoundary(await manyUsers(t))
  })

  it('give the whole of 20,000 users, filtered and in order, in pieces of 500', async (t) => {
    const connection = await manyUsers(t)
    type User = { user_id: string; username: string; email: string | null; role: string; active: boolean }
    const documents = await connection.all<{ document: string }>({
      strings: ['SELECT document FROM users'],
      values: [],
    })
    const users = documents.map(({ document }) => JSON.parse(document) as User)
    const by = (member: 'username' | 'email', direction: number) => (a: User, b: User) => {
      const [one, other] = [a, b].map((user) => `${user[member] ?? ''} ${user.user_id}`) as [string, string]
      return one < other ? -direction : direction
    }
    const cases: [ListUsers, User[]][] = [
      [{ role: 'user', sort: 'username' }, users.filter(({ role }) => role === 'user').toSorted(by('username', 1))],
      [{ q: 'user-', active: true }, users.filter(({ active }) => active)],
      [{ q: 'user-', sort: '-email' }, users.toSorted(by('email', -1))],
      [
        { q: 'user-01', sort: 'email' },
        users.filter(({ username }) => /^user-01/.test(username)).toSorted(by('email', 1)),
      ],
      [{ active: false }, users.filter(({ active }) => !active)],
      [{ q: 'mail-' }, users.filter(({ email }) => email !== null)],
    ]
    for (const [query, expected] of cases) {
      const plan = planList(scopeOf(system), query, 'json')
      const pieces: string[] = []
      for await (const piece of stream(connection, plan)) {
        pieces.push(Buffer.from(piece).toString())
        assert.ok((pieces.at(-1)?.split('"user_id"').length ?? 0) - 1 <= 500, JSON.stringify(query))
      }
      assert.deepEqual(JSON.parse(pieces.join('')), expected, JSON.stringify(query))
      assert.equal(await count(connection, plan.filters), expected.length, JSON.stringify(query))
    }
  })

  it('reach any position of any list, using indexes only', async (t) => {
    const connection = await manyUsers(t)
    await checkPlaces(connection, (list) =>
      watched(connection, (statement) => {
        refuseRows(renderSql(statement, () => '?').text, explain(connection, statement), list)
      }),
    )
  })

  it('estimate how many users match', async (t) => {
    await checkEstimates(await manyUsers(t))
  })

  it('return the same page or none at all, however little a page may cost', async (t) => {
    const connection = await manyUsers(t)
    let inputCount = 0
    let refused = 0
    for (const [i, name] of [...names, ...pairs].entries()) {
      const sort = pick(sorts, i)
      const place = pick([{}, { offset: 7000 }, { count: true }, { offset: 40, count: true }], i)
      const plan = { ...planOf(queryOf(name), sort, pick([undefined, 'user-1'], i)), limit: 5, ...place }
      // Some of the combinations cost more than any page may.
      const whole = await page(connection, plan).catch((error: AppError) => {
        assert.equal(error.code, 'list_too_costly', `${name} by ${sort}: ${error.message}`)
        return undefined
      })
      for (const us of [1500, 6000, 20_000]) {
        const bounded = await connection.meter.within(us, () => page(connection, plan))
        if (bounded === undefined) refused++
        else inputCount++
        if (bounded !== undefined) assert.deepEqual(bounded, whole, `${name} by ${sort} for ${us}`)
      }
    }
    const tried = names.length + pairs.length
    assert.ok(inputCount > tried / 4 && refused > tried / 4, `${inputCount} given, ${refused} refused of ${tried} by 3`)
    assert.equal(connection.meter.left(), Number.POSITIVE_INFINITY)
  })

  it('give a page of a search with its exact count the same rows as without', async (t) => {
    await checkCounted(await manyUsers(t))
  })

  it('count a text that most users contain, also while changed ones wait for indexing', async (t) => {
    const connection = await manyUsers(t, 60_000)
    connection.exec(`
      UPDATE users SET search_text = 'other' WHERE row_id % 1009 = 0 OR row_id % 199 = 0;
      DELETE FROM users WHERE row_id % 1013 = 0;
      INSERT OR IGNORE INTO search_pending SELECT row_id FROM search_texts WHERE row_id % 1009 = 0 OR row_id % 1013 = 0;
      INSERT OR IGNORE INTO search_pending SELECT row_id FROM search_texts WHERE row_id % 199 = 0`)
    const found = await connection.get<{ n: number }>(
      sql`SELECT count(*) AS n FROM users WHERE search_text LIKE '%user-%' AND role = 'user'`,
    )
    const send = () =>
      page(connection, planList(scopeOf(system), { q: 'user-', role: 'user', count: true, limit: 5 }, 'json'))
    assert.equal((await send()).total, found?.n)
    await connection.alone(() => indexPending(connection, 60_000))
    assert.equal((await send()).total, found?.n)
    assert.deepEqual(
      await connection.all(sql`SELECT * FROM search_texts ORDER BY row_id`),
      await connection.all(sql`SELECT row_id, search_text FROM users ORDER BY row_id`),
    )
  })

  it('refuse a page that would read too many users, and suggest alternatives', async (t) => {
    const connection = await manyUsers(t, 60_000)
    // After a large import: users that wait for indexing are looked at one by one.
    connection.exec('INSERT OR IGNORE INTO search_pending SELECT row_id FROM users')
    const send = (query: ListUsers) => page(connection, planList(scopeOf(system), { limit: 5, ...query }, 'json'))
    await assert.rejects(send({ q: 'user-', count: true }), { code: 'list_too_costly', message: /count=estimate/ })
    await assert.rejects(send({ q: 'user-', offset: 30_000 }), { code: 'list_too_costly', message: /follow the Link/ })
    assert.ok((await send({ q: 'user-', count: 'estimate' })).isEstimated)
    // A list that is streamed, and the search for those whom a bulk change concerns, may take their time.
    assert.equal(await count(connection, planList(scopeOf(system), { q: 'user-' }, 'json').filters), 60_000)
  })

  it('count the same as a look at each user does', async (t) => {
    const connection = await manyUsers(t)
    const everybody = filtersWithin(scopeOf(system), {})
    assert.equal(await count(connection, everybody), size)
    const watchedBy = (list: string) =>
      watched(connection, (statement) => {
        refuseRepeatedSearch(renderSql(statement, () => '?').text, explain(connection, statement), list)
      })
    for (const name of [...names, ...pairs]) {
      const { filters } = planList(scopeOf(system), queryOf(name), 'json')
      const { length } = await expectedList(connection, { name, sort: undefined, behind: undefined })
      assert.equal(await count(watchedBy(name), filters), length, name)
    }
  })
})

type Copy = { db: Transaction; client: pg.Client; end(): Promise<void> }

/** The users of a SQLite store on PostgreSQL. */
async function copied(connection: Connection): Promise<Copy> {
  const { url, schema, drop } = await freshSchema()
  const address = parsePostgresUrl(url) as PostgresAddress
  const options = { address, schema, name: 'test', size: 1, statementMs: 60_000, idleInTransactionMs: 0 }
  await prepareSchema(options, { schema, now: Date.UTC(2026, 10, 20), onEvent: assert.fail })
  const { client } = await connectToPrimary(options)
  const end = async () => {
    await client.end()
    await drop()
  }
  const db = postgresDb(client, schema)
  const rows = JSON.stringify(await connection.all(sql`SELECT * FROM users`))
  await db.run(sql`INSERT INTO users SELECT * FROM json_populate_recordset(NULL::users, ${rows}::json)`)
  await db.run(sql`INSERT INTO sign_in_throttles SELECT 'user:' || user_id || ':total', 95, created_at, created_at
    FROM users WHERE substr(user_id, 25)::int % 1001 = 0`)
  await client.query('VACUUM ANALYZE users')
  return { db, client, end }
}

/** Pages behind an offset are cut out of the whole list; `open` hands out where they are read. */
async function checkPlaces(connection: Connection, open: (list: string) => Db): Promise<void> {
  const lists = combinations([...ordered(names), ...pairs.map((name, i) => ({ name, sort: pick(sorts, i) }))])
  for (const [i, { name, sort }] of lists.entries()) {
    const behind = pick([undefined, undefined, '2026-01-01T20:00:00.000Z'], i)
    const plan = planOf(queryOf(name), sort, behind)
    const rest = await expectedList(connection, { name, sort, behind })
    if (i % 20 === 0) assert.deepEqual(await wholeList(connection, plan), rest, `${name} by ${sort} behind ${behind}`)
    // Each place in some orders of each filter, and in some pairs.
    const every = name.includes(', ') ? 3 : 2
    for (const offset of placesIn(rest.length).filter((_, k) => k % every === i % every)) {
      const list = `${name} by ${sort} behind ${JSON.stringify(plan.after)} from ${offset}`
      const found = await page(open(list), { ...plan, limit: 3, offset })
      assert.deepEqual(usersOf(found), rest.slice(offset, offset + 3), list)
      assert.equal(found.next !== undefined, offset + 3 < rest.length, list)
    }
  }
}

/** Pages of searches, with their exact count and without. */
async function checkCounted(db: Db): Promise<void> {
  const searches = [...names, ...pairs].filter((name) => queryOf(name).q !== undefined)
  assert.ok(searches.length > 10)
  for (const [i, name] of searches.entries()) {
    const plan = {
      ...planOf(queryOf(name), pick(sorts, i), pick(places, i >> 1)),
      limit: 4,
      ...pick([{}, { offset: 70 }, { offset: 5000 }], i),
    }
    const { total, ...rest } = await page(db, { ...plan, count: true })
    assert.deepEqual(rest, await page(db, plan), name)
    assert.equal(total, await count(db, plan.filters), name)
  }
}

/** The beginning, the middle from both sides, the end and what is behind it. */
function placesIn(length: number): number[] {
  const places = [1, length / 2 - 1, length / 2 + 3, length - 2, length, 30_000]
  return [...new Set(places.map(Math.floor).filter((place) => place > 0))]
}

type Listed = { user_id: string }

function usersOf({ body }: Page): Listed[] {
  return JSON.parse(Buffer.from(body as Uint8Array).toString())
}

/** Ids by the filter that matches them, and all users by their order and place. The stores of all tests have the same users. */
const matches = new Map<string, Promise<Set<string>>>()
const orders = new Map<string, Promise<Listed[]>>()

function readOnce<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? read()
  known.set(key, value)
  return value
}

type List = { name: string; sort: (typeof sorts)[number]; behind: string | null | undefined }

/** Returns what a list must contain: in the order of all users, those whom each of its filters matches alone. */
async function expectedList(connection: Connection, { name, sort, behind }: List): Promise<Listed[]> {
  const parts = name.split(', ')
  const members = parts.flatMap((part) => Object.keys(filters[part] ?? {}))
  // Two values of one member: the second replaces the first.
  if (new Set(members).size < members.length) return wholeList(connection, planOf(queryOf(name), sort, behind))
  const all = await readOnce(orders, `${sort} ${behind}`, () => wholeList(connection, planOf({}, sort, behind)))
  const found = await Promise.all(
    parts.map((part) =>
      readOnce(matches, part, async () => {
        const users = await wholeList(connection, planOf(queryOf(part), undefined, undefined))
        return new Set(users.map(({ user_id }) => user_id))
      }),
    ),
  )
  return all.filter(({ user_id }) => found.every((ids) => ids.has(user_id)))
}

async function wholeList(db: Db, plan: ListPlan): Promise<Listed[]> {
  const pieces = []
  for await (const piece of stream(db, plan)) pieces.push(piece)
  return usersOf({ body: Buffer.concat(pieces) })
}

/** On the way to a place no row is read: but to look for a text in it, and those of the page. */
function refuseRows(text: string, steps: string[], list: string): void {
  refuseRepeatedSearch(text, steps, list)
  if (text.includes('instr(')) return
  // One user at most.
  if (text.endsWith('WHERE external_id = ? LIMIT 1')) return
  for (const step of steps.filter((step) => /^(SCAN|SEARCH) users\b/.test(step))) {
    assert.match(step, /COVERING INDEX|INTEGER PRIMARY KEY/, `${list}\n${text}\n${steps.join('\n')}`)
  }
}

/** How many match about, beside how many do. */
async function checkEstimates(db: Db): Promise<void> {
  for (const name of names) {
    const plan = { ...planOf(queryOf(name), undefined, undefined), limit: 1 }
    const { total: real = 0 } = await page(db, { ...plan, count: true })
    const { total = 0, isEstimated } = await page(db, { ...plan, count: 'estimate' })
    if (!isEstimated) assert.equal(total, real, name)
    else assert.ok(Math.abs(total - real) <= real / 4, `${name}: ${total} of ${real}`)
    // Users that are shown are counted: a page at the end needs no estimate.
    const last = { ...plan, limit: 5, offset: Math.max(0, real - 5), count: 'estimate' as const }
    assert.deepEqual((await page(db, last)).total, real, name)
    const seen = await page(db, { ...last, limit: 2 })
    if (real > 2) assert.ok((seen.total ?? 0) >= real - 2, name)
  }
}

describe('the query plans of lists on postgres', { skip: postgresIsMissing }, () => {
  // Filling one takes longer than most of the tests: they share it, and undo what they change.
  let connection: Connection
  let db: Transaction
  let client: pg.Client
  const ends: (() => unknown)[] = []
  before(async () => {
    connection = await manyUsers({ after: (end) => void ends.push(end) })
    const copy = await copied(connection)
    ends.push(copy.end)
    ;({ db, client } = copy)
  })
  after(async () => {
    for (const end of ends) await end()
  })

  /** Runs a test in a transaction that is rolled back. */
  async function undone(work: () => Promise<void>): Promise<void> {
    await client.query('BEGIN')
    await work().finally(() => client.query('ROLLBACK'))
  }

  it('return the same bytes and positions as on sqlite, for any filter, order and position', async () => {
    const onBoth = async (plan: ListPlan, list: string): Promise<void> => {
      const [here, there] = [await page(connection, plan), await page(db, plan)]
      assert.equal(Buffer.from(there.body).toString(), Buffer.from(here.body).toString(), list)
      assert.deepEqual([there.next, there.total], [here.next, here.total], list)
    }
    for (const { name, sort } of ordered(names)) {
      for (const behind of places) {
        const plan = planOf(queryOf(name), sort, behind)
        await onBoth({ ...plan, limit: 3, count: sort === undefined }, `${name} by ${sort} behind ${behind}`)
      }
    }
    for (const [i, pair] of pairs.entries()) {
      const sort = sorts[i % sorts.length]
      await onBoth({ ...planOf(queryOf(pair), sort, undefined), limit: 100, count: true }, `${pair} by ${sort}`)
    }
  })

  it('continue after a user who is gone, among those with the same value', () => undone(() => checkGoneBoundary(db)))

  it('lead to any place of any list, as on sqlite', () => checkPlaces(connection, () => db))

  it('estimate how many users match', () => checkEstimates(db))

  it('give a page of a search with its exact count the same rows as without', () => checkCounted(db))

  it('find words of two characters by the index of trigrams, in any script', () =>
    undone(async () => {
      const words = ['li', 'ce', 'ли', '佐藤', '지우', 'शर'].map(fold)
      await client.query(`UPDATE users SET search_text = search_text || E'\\n\\nanna ' ||
        coalesce((ARRAY['${words.join("', '")}'])[1 + substr(user_id, 25)::int % 600], '') WHERE substr(user_id, 25)::int % 600 < 60`)
      await client.query(`SET LOCAL enable_seqscan = off`)
      for (const word of words) {
        const { filters } = planList(scopeOf(system), { q: `anna ${word}` }, 'json')
        const { text, parameters } = renderSql(countOf(filters), (n) => `$${n}`)
        const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING OFF) ${text}`, parameters)
        const way = rows.map((row) => row['QUERY PLAN']).join('\n')
        assert.match(way, /Bitmap Heap Scan on users .*rows=3[34] /, word + way)
        assert.doesNotMatch(way, /Rows Removed by Index Recheck: \d\d/, way)
      }
    }))

  it('are refused when the planner expects too much of them', async () => {
    const send = (query: ListUsers) => page(db, planList(scopeOf(system), { limit: 5, ...query }, 'json'))
    assert.equal((await send({ q: 'user-', count: true })).total, size)
    // As if there were far more users.
    await client.query('SET cpu_tuple_cost = 2')
    await assert.rejects(send({ q: 'user-', count: true }), { code: 'list_too_costly', message: /count=estimate/ })
    await assert.rejects(send({ q: 'mail', sort: 'email', offset: 9000 }), { message: /follow the Link/ })
    assert.ok((await send({ q: 'user-', count: 'estimate' })).isEstimated)
    assert.equal(await count(db, planList(scopeOf(system), { q: 'user-' }, 'json').filters), size)
    await client.query('RESET cpu_tuple_cost')
  })

  it('lead to the same whole list as on sqlite, in every format', async () => {
    const whole = async (handle: Db, plan: ListPlan): Promise<string> => {
      const pieces = []
      for await (const piece of stream(handle, plan)) pieces.push(piece)
      return Buffer.concat(pieces).toString()
    }
    const formats = ['json', 'ndjson', 'csv'] as const
    for (const [i, name] of names.entries()) {
      for (const format of name === 'none' ? formats : [formats[i % 3] as Format]) {
        const sort = name === 'none' ? undefined : sorts[i % sorts.length]
        const plan = { ...planOf(queryOf(name), sort, undefined), format }
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const there = await whole(db, plan)
        await client.query('COMMIT')
        assert.ok(there === (await whole(connection, plan)), `${name} by ${sort} as ${format}`)
      }
    }
  })

  it('find each part of an order in an index, and sort only what the filters found', async () => {
    // From here on it sorts only where no index has the order.
    await client.query('SET enable_sort = off; SET enable_incremental_sort = off')
    for (const name of [
      'none',
      'found seldom',
      'a common role',
      'inactive',
      'created lately',
      'signed in before',
      'who has never signed in',
      'of a large organization',
    ]) {
      const isWithin = name.includes('organization')
      for (const sort of sorts) {
        // Its other orders are those of all users.
        if (isWithin && sort !== undefined && !sort.includes('username')) continue
        for (const behind of places) {
          const watching = watched(db, async (statement) => {
            const { text, parameters } = renderSql(statement, (n) => `$${n}`)
            if (text.startsWith('EXPLAIN')) return
            const { rows } = await client.query(`EXPLAIN ${text}`, parameters)
            const way = rows.map((row) => row['QUERY PLAN']).join('\n')
            const isToSort = text.includes("|| ''")
            assert.equal(/\bSort\b/.test(way), isToSort, `${name} by ${sort} behind ${behind}\n${text}\n${way}`)
            if (isWithin)
              assert.match(way, /using users_organization/, `${name} by ${sort} behind ${behind}\n${text}\n${way}`)
            // From its start the table is read only for what no index finds.
            if (name === 'none') assert.doesNotMatch(way, /Seq Scan/, `by ${sort} behind ${behind}\n${text}`)
          })
          await page(watching, { ...planOf(queryOf(name), sort, behind), limit: 3 })
        }
      }
    }
  })
})
