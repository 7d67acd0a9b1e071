/** The audit records of a store as they stand in its tables, past the API that shows them. */
import type { RecordRow } from '../src/record/journal/rows.ts'
import type { Started } from './harness.ts'

export type Recorded = Pick<
  RecordRow,
  'record_id' | 'occurred_at' | 'action' | 'outcome' | 'code' | 'key_id' | 'session_id' | 'request_id'
> & {
  seq: number
  actor: { kind: string; id: string; name: string | undefined }
  target: { kind: string; id: string; name: string | undefined } | undefined
  address: string | undefined
  user_agent: string | undefined
  changes: Record<string, unknown>
  details: Record<string, unknown>
}

/** Those after `seq`, the oldest first. */
export async function recordsOf(
  { storage, runSql }: Pick<Started, 'storage' | 'runSql'>,
  seq = 0,
): Promise<Recorded[]> {
  await storage.settleJournal()
  return (await runSql(`SELECT * FROM audit_records WHERE seq > ${seq} ORDER BY seq`)).map((row) =>
    toRecorded(row as RecordRow),
  )
}

/** The number of the newest record. */
export async function newestRecord(app: Started): Promise<number> {
  return (await recordsOf(app)).at(-1)?.seq ?? 0
}

function toRecorded(row: RecordRow): Recorded {
  const { record_id, occurred_at, action, outcome, code, key_id, session_id, request_id } = row
  const who = JSON.parse(row.who ?? '{}')
  const what = JSON.parse(row.what ?? '{}')
  return {
    seq: Number(row.seq),
    record_id,
    occurred_at,
    action,
    outcome,
    code,
    key_id,
    session_id,
    request_id,
    actor: { kind: row.actor_kind, id: row.actor_id, name: who.name },
    target:
      row.target_kind === null ? undefined : { kind: row.target_kind, id: row.target_id as string, name: what.name },
    address: who.address,
    user_agent: who.user_agent,
    changes: what.changes ?? {},
    details: what.details ?? {},
  }
}
