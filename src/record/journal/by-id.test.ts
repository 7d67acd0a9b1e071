import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { it } from 'node:test'
import { makeMigratedFile } from '../../../test/migrated-file.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import type { Connection } from '../../store/db/sqlite/connection.ts'
import { emptyIndexes, fillIndexes, findById, removeFromIndex } from './by-id.ts'
import { appendIndexed, type Entry } from './journal.ts'

const uuids = Array.from({ length: 40 }, (_, n) => `01a20fb7-40ee-738b-bb05-${String(n * 7).padStart(12, '0')}`)
/** Some have the same words for the index, some none, and some are parts of others. */
const odd = [
  '',
  '-',
  '--',
  'admin',
  'ADMIN',
  'ad-min',
  'a:b',
  'b:a',
  'a',
  'xa',
  'x',
  'Zoë',
  '"',
  'a OR b',
  'ids:x',
  '用户',
  '1*',
]
const ids = [...uuids, ...odd]
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const below = (n: number) => Math.floor(Math.random() * n)

/** A change with a record, perhaps without a target, and up to two events. */
function entry(): Entry {
  const target_id = below(10) === 0 ? null : pick(ids)
  const text = { occurred_at: '2026-11-24T09:30:00.000Z', request_id: '', who: null, who_digest: '', what_digest: '' }
  const ids_ = { record_id: '', key_id: null, session_id: null, target_kind: 'user', target_id, code: null }
  const action = pick(['user.updated', 'user.erased'])
  const record = { ...text, ...ids_, action, outcome: 'success' as const, actor_kind: 'system', actor_id: 'system' }
  const event = () => ({ event_id: '', type: 'user.updated', subject: '', owner_id: pick(ids), data: null })
  const events = Array.from({ length: below(3) }, () => ({ ...event(), occurred_at: text.occurred_at }))
  const nowhere = { organization_id: null, former_organization_id: null }
  return { records: [{ ...record, what: null, ...nowhere }], events }
}

async function write(db: Connection, changes: number): Promise<void> {
  for (let left = changes; left > 0; ) {
    const together = Math.min(left, 1 + below(60))
    left -= together
    await db.alone(() => appendIndexed(db, Array.from({ length: together }, entry)))
  }
}

async function checkAll(db: Connection): Promise<void> {
  for (const [index, table, column] of [
    ['audit_targets', 'audit_records', 'target_id'],
    ['event_owners', 'events', 'owner_id'],
  ] as const) {
    const rows = await db.all<{ seq: number; id: string | null; type: string }>(sql`
      SELECT seq, ${rawSql(column)} AS id, ${rawSql(table === 'events' ? 'type' : 'action')} AS type
      FROM ${rawSql(table)} ORDER BY seq`)
    const top = (rows.at(-1)?.seq ?? 0) + 2
    for (const id of ids) {
      for (let n = 0; n < 4; n++) {
        const [above, descending, limit] = [n === 0 ? 0 : below(top), n % 2 === 1, n < 2 ? top : 1 + below(5)]
        const end = n === 0 ? top : above + below(top)
        const wanted = rows.filter(
          (row) => row.id === id && row.seq > above && row.seq < end && row.type === 'user.updated',
        )
        const condition = table === 'events' ? sql`type = ${'user.updated'}` : sql`action = ${'user.updated'}`
        const lookup = { id, above, below: end, descending, limit }
        const found = await findById<{ seq: number }>(db, index, rawSql('seq'), lookup, condition)
        const inOrder = descending ? wanted.toReversed() : wanted
        assert.deepEqual(
          found.map(({ seq }) => seq),
          inOrder.slice(0, limit).map(({ seq }) => seq),
          JSON.stringify({ index, ...lookup }),
        )
      }
    }
  }
}

it('the journal of SQLite finds exactly the rows with an id, in both orders and any range, indexed or not yet', async (t) => {
  const { db } = await makeMigratedFile(t)
  for (let round = 0; round < 4; round++) {
    await write(db, 150 + 400 * round)
    await checkAll(db)
  }
})

it('rows deleted from the journal of SQLite also leave the indexes, and those that remain are found', async (t) => {
  const { db } = await makeMigratedFile(t)
  await write(db, 1800)
  const deleted = [
    ['audit_targets', 'audit_records', rawSql('seq <= 900')],
    ['event_owners', 'events', rawSql('seq % 3 = 1')],
  ] as const
  for (const [index, table, condition] of deleted) {
    await db.alone(async () => {
      await removeFromIndex(db, index, condition)
      await db.run(sql`DELETE FROM ${rawSql(table)} WHERE ${condition}`)
    })
  }
  await write(db, 700)
  await checkAll(db)
  for (const [index, table] of deleted) {
    const [entries, rows] = [await countEntries(db, index), await countRows(db, table)]
    assert.ok(rows - entries >= 0 && rows - entries < 900, `${entries} entries for ${rows} rows of ${table}`)
  }
  await db.alone(async () => {
    db.exec('DELETE FROM audit_records; DELETE FROM events')
    await emptyIndexes(db)
  })
  await write(db, 600)
  await checkAll(db)
})

/** Includes those of which a batch has not been merged with their deletion yet, which no search finds. */
async function countEntries(db: Connection, index: string): Promise<number> {
  const vocabulary = rawSql(`temp.words_of_${index}`)
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_${index} USING fts5vocab(main, ${index}, instance)`)
  return Number((await db.get<{ n: number }>(sql`SELECT count(DISTINCT doc) AS n FROM ${vocabulary}`))?.n)
}

async function countRows(db: Connection, table: string): Promise<number> {
  return Number((await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${rawSql(table)}`))?.n)
}

it('the journal of SQLite is indexed in batches that write few pages each, and the indexes stay in few pieces', async (t) => {
  const { db, path } = await makeMigratedFile(t)
  db.exec('PRAGMA wal_autocheckpoint = 0')
  const pagesInLog = () => Math.floor(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 4096
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60000)
    INSERT INTO events (event_id, type, subject, owner_id, occurred_at, data)
    SELECT '', 'user.updated', '', format('01a20fb7-40ee-738b-bb05-%012d', n * 7919 % 20011), '', NULL FROM numbers`)
  // As if the events had come by and by.
  let most = 0
  await db.run(sql`UPDATE journal_indexed SET event_owners = 0`)
  db.exec('CREATE TEMP TABLE later AS SELECT * FROM events; DELETE FROM events')
  for (let seq = 500; seq <= 60_000; seq += 500) {
    await db.run(sql`INSERT INTO events SELECT * FROM later WHERE seq > ${seq - 500} AND seq <= ${seq}`)
    const before = pagesInLog()
    await db.alone(() => fillIndexes(db))
    most = Math.max(most, pagesInLog() - before)
  }
  assert.ok(most <= 100, `${most} pages were written in one batch`)
  const pieces = await db.get<{ n: number }>(sql`SELECT count(DISTINCT segid) AS n FROM event_owners_idx`)
  assert.ok(Number(pieces?.n) <= 24, `${pieces?.n} pieces are left`)
  const owner = `01a20fb7-40ee-738b-bb05-${String(7919).padStart(12, '0')}`
  const found = await findById<{ seq: number }>(db, 'event_owners', rawSql('seq'), { id: owner })
  assert.deepEqual(
    found.map(({ seq }) => seq),
    [1, 20_012, 40_023],
  )
})
