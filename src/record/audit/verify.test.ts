/** Attacks on the records by an attacker who can write to the database. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createUser, type Engine, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser, signIn } from '../../../test/people.ts'
import { openForReading } from '../../cli/audit/read-store.ts'
import { chainHash, digestOf } from '../journal/chain.ts'
import type { RecordRow } from '../journal/rows.ts'
import type { AuditCheckpoint } from './schema.ts'
import { type Verdict, verifyStore } from './verify-store.ts'

const columns = [
  'seq',
  'record_id',
  'occurred_at',
  'action',
  'outcome',
  'code',
  'actor_kind',
  'actor_id',
  'key_id',
  'session_id',
  'target_kind',
  'target_id',
  'request_id',
  'who',
  'what',
  'who_digest',
  'what_digest',
  'hash',
] as const

async function verify(app: Started, checkpoint?: AuditCheckpoint): Promise<Verdict> {
  await app.storage.settleJournal()
  const { db, close } = await openForReading(app.config)
  try {
    return await verifyStore(db, { checkpoint })
  } finally {
    await close()
  }
}

async function brokenAt(app: Started, checkpoint?: AuditCheckpoint): Promise<string> {
  const { fault } = await verify(app, checkpoint)
  return fault === undefined ? 'nothing' : `${fault.seq} ${fault.record_id}: ${fault.detail}`
}

function quote(value: unknown): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}

function flipped(value: string | number | null): string | number {
  if (value === null) return 'x'
  if (typeof value === 'number') return value + 1_000_000
  // A semicolon would end the test's statement.
  const at = Math.floor(value.length / 2)
  const code = value.charCodeAt(at)
  return value.slice(0, at) + String.fromCharCode(code === 0x3a ? code ^ 2 : code ^ 1) + value.slice(at + 1)
}

async function rowsOf({ runSql, storage }: Started): Promise<RecordRow[]> {
  await storage.settleJournal()
  const rows = await runSql(`SELECT ${columns.join(', ')} FROM audit_records ORDER BY seq`)
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }) as RecordRow)
}

/** Replaces the rows with these. */
async function putBack({ runSql }: Started, rows: readonly RecordRow[]): Promise<void> {
  const values = rows.map((row) => `(${columns.map((name) => quote(row[name])).join(', ')})`)
  await runSql(
    `DELETE FROM audit_records; INSERT INTO audit_records (${columns.join(', ')}) VALUES ${values.join(', ')}`,
  )
}

/** Returns the rows from `from` on, each with the hash that follows from the previous one. */
function chainedAnew(rows: readonly RecordRow[], from: number): RecordRow[] {
  const result = rows.slice(0, from)
  for (const row of rows.slice(from)) result.push({ ...row, hash: chainHash(result.at(-1)?.hash ?? '', row) })
  return result
}

async function startWithRecords(t: TestContext, engine: Engine) {
  const app = await start(t, engine)
  await createPerson(app, { username: 'ada', first_name: "O'Ada" })
  await signIn(app, 'ada', 'not the password of ada')
  const browser = await openBrowser(app, 'ada')
  await browser.call('PATCH', '/me', { body: { first_name: 'Augusta' } })
  await createUser(app)
  await createUser(app)
  const checkpoint = (await app.call('GET', '/audit/checkpoint')).body as AuditCheckpoint
  const rows = await rowsOf(app)
  assert.ok(rows.length >= 7)
  assert.equal(await brokenAt(app, checkpoint), 'nothing')
  return { app, rows, checkpoint }
}

for (const engine of everyEngine) {
  describe(`the chain of the audit on ${engine.name}`, () => {
    it('confirms an unchanged chain, and says where it ends', async (t) => {
      const { app, rows } = await startWithRecords(t, engine)
      const { fault, records, head, base, waiting } = await verify(app)
      assert.deepEqual([fault, records, waiting], [undefined, rows.length, 0])
      assert.deepEqual(
        [head, base],
        [
          { seq: rows.length, hash: rows.at(-1)?.hash },
          { seq: 0, hash: '' },
        ],
      )
    })

    it('reports which records are missing, from the beginning or between', async (t) => {
      const { app, rows } = await startWithRecords(t, engine)
      await app.runSql('DELETE FROM audit_records WHERE seq = 1')
      assert.equal(await brokenAt(app), `2 ${rows[1]?.record_id}: record 1 before it is missing`)
      await putBack(app, rows)
      await app.runSql('DELETE FROM audit_records WHERE seq IN (3, 4)')
      assert.equal(await brokenAt(app), `5 ${rows[4]?.record_id}: records 3 to 4 before it are missing`)
    })

    it('is valid after users were erased, and still accepts no other missing texts', async (t) => {
      const { app } = await startWithRecords(t, engine)
      const ids: string[] = []
      for (const username of ['bob', 'carol']) {
        const { user_id } = await createPerson(app, { username })
        await signIn(app, username, 'not their password')
        const browser = await openBrowser(app, username)
        await browser.call('PATCH', '/me', { body: { last_name: 'X' } })
        ids.push(user_id)
      }
      const checkpoint = (await app.call('GET', '/audit/checkpoint')).body as AuditCheckpoint
      assert.equal((await app.call('DELETE', `/users/${ids[0]}?purge=true`)).status, 200)
      const before = await rowsOf(app)
      assert.ok(before.filter(({ who, who_digest }) => who === null && who_digest !== '').length >= 3)
      assert.ok(before.filter(({ what, what_digest }) => what === null && what_digest !== '').length >= 4)
      assert.equal(await brokenAt(app, checkpoint), 'nothing')

      const others = before.find(({ target_id, what }) => target_id === ids[1] && what !== null) as RecordRow
      await app.runSql(`UPDATE audit_records SET what = NULL WHERE seq = ${others.seq}`)
      assert.match(await brokenAt(app), new RegExp(`^${others.seq} ${others.record_id}: .* is missing`))
      await putBack(app, before)

      // An invented erasure has no place in the chain, and an earlier one says nothing about what follows.
      await app.runSql(`UPDATE audit_records SET what = NULL WHERE seq = ${others.seq};
        UPDATE audit_records SET action = 'user.erased' WHERE seq = ${before.length}`)
      assert.match(await brokenAt(app), new RegExp(`^${others.seq} `))
      await putBack(app, before)
      await createUser(app)
      const last = (await rowsOf(app)).at(-1) as RecordRow
      const late = { ...last, target_id: ids[0] as string, what: null }
      await putBack(app, chainedAnew([...before, late], before.length))
      assert.match(await brokenAt(app), new RegExp(`^${late.seq} .* no erasure of that user follows$`))
    })
  })
}

for (const engine of engines) {
  describe(`the chain of the audit on ${engine.name}`, () => {
    it('names the record in which one byte was flipped, in any column, first, last or between', async (t) => {
      const { app, rows } = await startWithRecords(t, engine)
      for (const row of [rows[0], rows[3], rows.at(-1)] as RecordRow[]) {
        for (const column of columns) {
          await app.runSql(`UPDATE audit_records SET ${column} = ${quote(flipped(row[column]))} WHERE seq = ${row.seq}`)
          const found = await verify(app)
          const isNumber = column === 'seq'
          assert.ok(found.fault, `${column} of ${row.seq}`)
          if (!isNumber) {
            const named = column === 'record_id' ? flipped(row.record_id) : row.record_id
            assert.deepEqual([found.fault.seq, found.fault.record_id], [row.seq, named], column)
          } else if (row.seq < rows.length) assert.match(found.fault.detail, new RegExp(`record ${row.seq} before it`))
          const at = isNumber ? flipped(row.seq) : row.seq
          await app.runSql(`UPDATE audit_records SET ${column} = ${quote(row[column])} WHERE seq = ${at}`)
        }
      }
      assert.equal(await brokenAt(app), 'nothing')
    })

    it('detects with a checkpoint that records at the end, or all of them, are missing', async (t) => {
      const { app, rows, checkpoint } = await startWithRecords(t, engine)
      await app.runSql(`DELETE FROM audit_records WHERE seq > ${rows.length - 2}`)
      assert.equal(await brokenAt(app), 'nothing', 'without a checkpoint nobody can tell')
      const last = rows.at(-3) as RecordRow
      const missing = `seq ${rows.length - 1} to ${rows.length}, which the checkpoint of ${checkpoint.created_at} covers`
      assert.equal(
        await brokenAt(app, checkpoint),
        `${last.seq} ${last.record_id}: it is the last one, and ${missing}, are missing`,
      )
      await app.runSql('DELETE FROM audit_records')
      assert.match(await brokenAt(app, checkpoint), /^0 null: .* are missing$/)
    })

    it('is not deceived by new records in the place of removed ones', async (t) => {
      const { app, rows, checkpoint } = await startWithRecords(t, engine)
      await app.runSql(`DELETE FROM audit_records WHERE seq > ${rows.length - 2}`)
      for (let i = 0; i < 4; i++) await createUser(app)
      assert.equal(await brokenAt(app), 'nothing', 'without a checkpoint nobody can tell')
      assert.match(await brokenAt(app, checkpoint), new RegExp(`^${rows.length} .* has another hash for it`))
    })

    it('finds two swapped records, and one that was inserted twice', async (t) => {
      const { app, rows } = await startWithRecords(t, engine)
      const [third, fourth] = [rows[2], rows[3]] as [RecordRow, RecordRow]
      await putBack(app, rows.with(2, { ...fourth, seq: 3 }).with(3, { ...third, seq: 4 }))
      assert.match(await brokenAt(app), new RegExp(`^3 ${fourth.record_id}: its hash does not match`))
      await putBack(app, [...rows, { ...third, seq: rows.length + 1 }])
      assert.match(await brokenAt(app), new RegExp(`^${rows.length + 1} ${third.record_id}: its hash`))
      for (const seq of [0, -5]) {
        await putBack(app, [...rows, { ...third, seq }])
        assert.match(await brokenAt(app), new RegExp(`^${seq} ${third.record_id}: `))
      }
    })

    it('detects with a checkpoint a chain that was rewritten correctly', async (t) => {
      const { app, rows, checkpoint } = await startWithRecords(t, engine)
      const what = rows[3]?.what?.replace('ada', 'eve') as string
      const changed = { ...(rows[3] as RecordRow), what, what_digest: digestOf(what) }
      assert.notEqual(changed.what, rows[3]?.what)
      await putBack(app, chainedAnew(rows.with(3, changed), 3))
      assert.equal(await brokenAt(app), 'nothing', 'without a checkpoint nobody can tell')
      const last = rows.at(-1) as RecordRow
      assert.match(
        await brokenAt(app, checkpoint),
        new RegExp(
          `^${last.seq} ${last.record_id}: the checkpoint of .* has another hash for it: the chain was rewritten$`,
        ),
      )
    })

    it('does not take removed texts for an erased user', async (t) => {
      const { app, rows } = await startWithRecords(t, engine)
      for (const column of ['who', 'what']) {
        await app.runSql(`UPDATE audit_records SET ${column} = NULL WHERE seq = 4`)
        assert.match(await brokenAt(app), new RegExp(`^4 ${rows[3]?.record_id}: .*\\(\`${column}\`\\) is missing`))
        await putBack(app, rows)
      }
    })

    it('does not accept a false claim that retention deleted records', async (t) => {
      const { app, rows, checkpoint } = await startWithRecords(t, engine)
      const [, , third, fourth] = rows as [RecordRow, RecordRow, RecordRow, RecordRow]
      const base = JSON.stringify({ seq: third.seq, hash: third.hash })
      await app.runSql(`DELETE FROM audit_records WHERE seq <= 3;
        INSERT INTO journal_state (name, value) VALUES ('audit_base', '${base}')`)
      const expected = `4 ${fourth.record_id}: the records up to 3 were removed, but no audit.pruned record announces it`
      assert.equal(await brokenAt(app), expected)
      // The rest of the chain is unchanged.
      assert.match(await brokenAt(app, { ...checkpoint, seq: 2 }), /^4 /)
    })

    it('reports if the base was moved while the records still exist', async (t) => {
      const { app, rows } = await startWithRecords(t, engine)
      const base = JSON.stringify({ seq: 3, hash: rows[2]?.hash })
      await app.runSql(`INSERT INTO journal_state (name, value) VALUES ('audit_base', '${base}')`)
      assert.match(await brokenAt(app), /^1 /)
    })
  })
}
