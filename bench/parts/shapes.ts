/** Every way to ask for a page of the list, in the process itself and without HTTP. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { page } from '../../src/administration/users-list/list.ts'
import type { Position } from '../../src/administration/users-list/plan.ts'
import { AppError } from '../../src/core/errors.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../src/lib/postgres-url.ts'
import type { Db } from '../../src/store/db/db.ts'
import { postgresDb } from '../../src/store/db/postgres/connection.ts'
import { connectToPrimary } from '../../src/store/db/postgres/primary.ts'
import { rawSql, type Sql, sql } from '../../src/store/db/sql.ts'
import { openConnection } from '../../src/store/db/sqlite/connection.ts'
import { type Known, type Places, planOf, shapes } from '../list-shapes.ts'
import { query, withDatabase } from '../postgres.ts'
import { atMost, type Row } from '../report.ts'
import { copyOf, seeded } from '../seed.ts'
import { million, type Part } from './settings.ts'

/** One of this many combinations is measured; a prime, so that each value appears with each other one. */
const every = 131
const mixed = 3000
const shown = 20
const tries = 3

/**
 * One in ten has no password, one in three has never signed in, one in a thousand is a service account, and there are four
 * roles. `n` counts the users.
 */
function variety(instant: string): string {
  return `kind = CASE WHEN ${isService} THEN 'service' ELSE 'person' END,
    password_hash = CASE WHEN NOT ${isService} AND n * 7919 % 100 < 90 THEN 'hash' END,
    last_login_at = CASE WHEN NOT ${isService} AND n * 6007 % 3 > 0 THEN ${instant} END,
    role = CASE WHEN n * 31 % 1000 < 1 THEN 'admin' WHEN n * 37 % 100 < 10 THEN 'support'
      WHEN n * 41 % 100 < 50 THEN 'member' ELSE 'user' END`
}
const isService = '(n % 1000 = 500)'
const numbered =
  'FROM (SELECT user_id AS id, row_number() OVER (ORDER BY user_id) AS n FROM users) AS numbered WHERE id = user_id'

export const listShapes: Part = async ({ users = million }) => {
  const folder = copyOf(await seeded('ours', users))
  const connection = openConnection({ path: join(folder, 'rollbook.db') })
  try {
    const instant = `strftime('%Y-%m-%dT%H:%M:%fZ', '2024-01-01', format('+%d seconds', n * 104729 % 60000000))`
    connection.exec(`UPDATE users SET ${variety(instant)} ${numbered}; PRAGMA wal_checkpoint(TRUNCATE)`)
    const inTransaction = async (work: () => Promise<unknown>) => {
      connection.exec('BEGIN')
      await work().finally(() => connection.exec('COMMIT'))
    }
    // What other processes take of the cores is not counted.
    const clock = () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    }
    return await walk({ db: connection, users, clock, inTransaction, name: 'SQLite, CPU time' })
  } finally {
    connection.close()
    rmSync(folder, { recursive: true })
  }
}

export const postgresShapes: Part = ({ users = million }) =>
  withDatabase({ users, writes: true }, async ({ url }) => {
    const instant = `to_char(timestamp '2024-01-01' + (n * 104729 % 60000000) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    await query(url, `UPDATE users SET ${variety(instant)} ${numbered}`, 'VACUUM (FULL, ANALYZE) users')
    const address = parsePostgresUrl(url) as PostgresAddress
    const options = { address, schema: 'rollbook', name: 'bench', size: 1, statementMs: 60_000, idleInTransactionMs: 0 }
    const { client } = await connectToPrimary(options)
    try {
      const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL random_page_cost = 1.1'
      const inTransaction = async (work: () => Promise<unknown>) => {
        await client.query(begin)
        await work().finally(() => client.query('ROLLBACK'))
      }
      const clock = () => performance.now()
      return await walk({ db: postgresDb(client, 'rollbook'), users, clock, inTransaction, name: 'PostgreSQL' })
    } finally {
      await client.end()
    }
  })

type Walk = {
  db: Db
  users: number
  clock: () => number
  inTransaction: (work: () => Promise<unknown>) => Promise<void>
  name: string
}

async function walk({ db, users, clock, inTransaction, name }: Walk): Promise<Row[]> {
  const measured: { name: string; ms: number; refused: boolean }[] = []
  const measure = async (name: string, plan: ReturnType<typeof planOf>) => {
    let ms = Number.POSITIVE_INFINITY
    let refused = false
    for (let i = 0; i < tries; i++) {
      const began = clock()
      await inTransaction(() => page(db, plan)).catch((error) => {
        if (!(error instanceof AppError)) throw error
        refused = true
      })
      ms = Math.min(ms, clock() - began)
    }
    return { name, ms, refused }
  }
  const plain = await measure('', planOf({ name: '', query: { limit: 50 } }))
  let i = 0
  for (const shape of shapes(await knownOf(db), await placesOf(db), users, mixed)) {
    if (i++ % every === 0) measured.push(await measure(shape.name, planOf(shape)))
  }
  measured.sort((a, b) => b.ms - a.ms)
  console.error(`${name}: the slowest of ${measured.length} pages, × the plain one of ${plain.ms.toFixed(2)} ms`)
  for (const { name, ms, refused } of measured.slice(0, shown)) {
    console.error(
      `${(ms / plain.ms).toFixed(0).padStart(6)} × ${ms.toFixed(0).padStart(5)} ms  ${name}${refused ? '  (refused)' : ''}`,
    )
  }
  const answered = measured.filter(({ refused }) => !refused)
  const slowest = answered[0]?.ms ?? 0
  const count = measured.length.toLocaleString('en')
  return [
    {
      work: `the slowest of ${count} pages that are answered, ${name}`,
      unit: 'ms',
      ours: slowest,
      target: atMost(100),
      judged: 'ours',
    },
    {
      work: '… of those that are refused',
      unit: 'ms',
      ours: measured.find(({ refused }) => refused)?.ms ?? 0,
      judged: 'ours',
    },
    {
      work: '… answered within 100 ms',
      unit: '%',
      ours: (100 * answered.filter(({ ms }) => ms <= 100).length) / measured.length,
      judged: 'ours',
    },
    {
      work: '… refused',
      unit: '%',
      ours: (100 * (measured.length - answered.length)) / measured.length,
      judged: 'ours',
    },
  ]
}

type Found = { user_id: string; username: string; value: string | null }

/** The user at this share of an order, among users with a value there. */
async function at(db: Db, column: string, share: number): Promise<Found> {
  const order: Sql = rawSql(column)
  const counted = await db.get<{ n: string | number }>(sql`SELECT count(${order}) AS n FROM users`)
  const offset = Math.floor(share * Number(counted?.n))
  return (await db.get<Found>(sql`
    SELECT user_id, username, ${order} AS value FROM users WHERE ${order} IS NOT NULL
    ORDER BY ${order}, user_id LIMIT 1 OFFSET ${offset}`)) as Found
}

async function knownOf(db: Db): Promise<Known> {
  const value = async (column: string, share: number) => (await at(db, column, share)).value as string
  const instants = async (column: string) => ({
    early: await value(column, 0.001),
    middle: await value(column, 0.5),
    late: await value(column, 0.999),
  })
  const ids = []
  for (const share of [0.1, 0.2, 0.5, 0.9]) ids.push((await at(db, 'user_id', share)).user_id)
  return {
    ids,
    username: (await at(db, 'user_id', 0.5)).username,
    email: await value('email_key', 0.5),
    externalId: await value('external_id', 0.5),
    created: await instants('created_at'),
    signedIn: await instants('last_login_at'),
  }
}

async function placesOf(db: Db): Promise<Places> {
  const places: Places = new Map()
  for (const [name, column] of [
    [undefined, 'user_id'],
    ['username', 'username_key'],
    ['email', 'email_key'],
    ['created_at', 'created_at'],
    ['last_login_at', 'last_login_at'],
  ] as const) {
    const found: Position[] = []
    for (const share of [0.4, 0.9]) {
      const { user_id, value } = await at(db, column, share)
      found.push(name === undefined ? { user_id } : { value, user_id })
    }
    places.set(name, found)
    if (name !== undefined) places.set(`-${name}`, found.toReversed())
  }
  return places
}
