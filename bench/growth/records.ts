/** A store with many audit records, in a valid chain, made once. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { fillIndexes } from '../../src/record/journal/by-id.ts'
import { chainHash, digestOf } from '../../src/record/journal/chain.ts'
import type { RecordRow } from '../../src/record/journal/rows.ts'
import { openConnection } from '../../src/store/db/sqlite/connection.ts'
import { cache, isKept, removeUnused, seeded, shapeOf } from '../seed.ts'
import { users as sampleUsers } from '../users.ts'

const commitEvery = 500_000

/** Returns a folder with so many users and audit records, as a server stores them that has changed users for years. */
export async function withRecords(users: number, count: number): Promise<string> {
  const name = `records-${users}-${count}-`
  const folder = join(cache, name + shapeOf('ours'))
  if (isKept(folder)) return folder
  removeUnused(name)
  const source = await seeded('ours', users)
  console.error(`Adding ${count.toLocaleString('en')} audit records …`)
  const unfinished = `${folder}.unfinished-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  cpSync(source, unfinished, { recursive: true })
  addRecords(join(unfinished, 'rollbook.db'), users, count)
  await indexRecords(join(unfinished, 'rollbook.db'))
  if (existsSync(folder)) rmSync(unfinished, { recursive: true })
  else renameSync(unfinished, folder)
  return folder
}

async function indexRecords(path: string): Promise<void> {
  const db = openConnection({ path })
  await db.alone(() => fillIndexes(db, 1))
  db.close()
}

function addRecords(path: string, users: number, count: number): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000')
  const head = db.prepare('SELECT seq, hash FROM audit_records ORDER BY seq DESC LIMIT 1').get()
  let previous = (head?.hash as string | undefined) ?? ''
  const first = Number(head?.seq ?? 0) + 1
  const ids = Array.from(sampleUsers(users), (user) => user.user_id)
  const columns = ['seq', 'record_id', 'occurred_at', 'action', 'outcome', 'code', 'actor_kind', 'actor_id', 'key_id']
  columns.push(
    'session_id',
    'target_kind',
    'target_id',
    'request_id',
    'who',
    'what',
    'who_digest',
    'what_digest',
    'hash',
  )
  const places = columns.map((column) => `:${column}`).join(', ')
  const insert = db.prepare(`INSERT INTO audit_records (${columns.join(', ')}) VALUES (${places})`)
  const who = '{"salt":"AAAAAAAAAAAAAAAAAAAAAA","name":"sync"}'
  const whoDigest = digestOf(who)
  const start = Date.parse('2025-01-01T00:00:00Z')
  db.exec('BEGIN')
  for (let i = 0; i < count; i++) {
    const id = (i + first).toString(16).padStart(12, '0')
    const target = ids[(i * 7919) % ids.length] as string
    const what = `{"salt":"${id}AAAAAAAAAA","changes":{"first_name":{"before":"Ada","after":"Ada ${i}"}}}`
    const row: Omit<RecordRow, 'hash'> = {
      seq: first + i,
      record_id: `01941f29-7c00-7000-8000-${id}`,
      occurred_at: new Date(start + i * 5).toISOString(),
      ...({ action: 'user.updated', outcome: 'success', code: null, actor_kind: 'api_key', actor_id: 'sync' } as const),
      key_id: 'sync',
      session_id: null,
      target_kind: 'user',
      target_id: target,
      request_id: id,
      who,
      what,
      who_digest: whoDigest,
      what_digest: digestOf(what),
      organization_id: null,
      former_organization_id: null,
    }
    previous = chainHash(previous, row)
    insert.run({ ...row, hash: previous } as Record<string, SQLInputValue>)
    if ((i + 1) % commitEvery === 0) db.exec('COMMIT; BEGIN')
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}
