/** What "bare with journal" adds to a change: an audit record in a hash chain and an event, in the same commit. */
import { hash, randomUUIDv7 } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

type Document = Record<string, unknown>
type Change = { action: string; id: string; document: string; before?: Document; after: Document; at: string }

/** The members of an audit record and of an event; the hash covers the previous hash and all of the record. */
export function journalRows({ action, id, document, before = {}, after, at }: Change, previous: string) {
  const changes: Record<string, { before: unknown; after: unknown }> = {}
  for (const [member, value] of Object.entries(after)) {
    if (before[member] !== value) changes[member] = { before: before[member] ?? null, after: value }
  }
  const record = [randomUUIDv7(), at, action, 'api_key:bench', id, randomUUIDv7(), JSON.stringify(changes)]
  const chained = hash('sha256', JSON.stringify([previous, ...record]), 'hex')
  return { record: [...record, chained], event: [randomUUIDv7(), action, id, at, document], hash: chained }
}

const tables = (text: string, sequence: string) => [
  `CREATE TABLE IF NOT EXISTS bare_records (seq ${sequence}, record_id ${text}, occurred_at ${text}, action ${text},
     actor_id ${text}, target_id ${text}, request_id ${text}, what ${text}, hash ${text})`,
  'CREATE INDEX IF NOT EXISTS bare_records_actor ON bare_records (actor_id)',
  'CREATE INDEX IF NOT EXISTS bare_records_target ON bare_records (target_id)',
  `CREATE TABLE IF NOT EXISTS bare_events (seq ${sequence}, event_id ${text}, type ${text}, subject ${text},
     occurred_at ${text}, data ${text})`,
  'CREATE INDEX IF NOT EXISTS bare_events_subject ON bare_events (subject)',
]

/** Returns what writes both rows into the transaction that is open. A commit that fails must end the process. */
export function sqliteJournal(db: DatabaseSync): (change: Change) => void {
  for (const table of tables('TEXT', 'INTEGER PRIMARY KEY')) db.exec(table)
  const insertRecord = db.prepare('INSERT INTO bare_records VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)')
  const insertEvent = db.prepare('INSERT INTO bare_events VALUES (NULL, ?, ?, ?, ?, ?)')
  let head = ''
  return (change) => {
    const rows = journalRows(change, head)
    insertRecord.run(...rows.record)
    insertEvent.run(...rows.event)
    head = rows.hash
  }
}

export const postgresTables = tables('text COLLATE "C"', 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
