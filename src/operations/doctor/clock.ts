/** Compares this machine's clock with the clocks that must agree with it. */
import { hasTable } from '../../store/db/catalog.ts'
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import { databaseClock, explainWait, findClock } from '../../store/jobs/clock.ts'
import { type Finding, reportOf } from './finding.ts'

const { ok, warning, failed } = reportOf('clock')

/** Access tokens are short-lived, and several machines compare their times. */
const [doubtfulMs, wrongMs] = [2000, 60_000]
const advice = 'Synchronize the machines with a time server (chrony, systemd-timesyncd).'

export async function checkClocks(db: Db): Promise<Finding[]> {
  return [...(await ofDatabase(db)), ...(await ofRecords(db)), ...(await ofHousekeeping(db))]
}

/** Whether housekeeping is paused because the clock jumped. */
async function ofHousekeeping(db: Db): Promise<Finding[]> {
  if (!(await hasTable(db, 'journal_state'))) return []
  const state = await findClock(db)
  if (state === undefined) return []
  const wait = explainWait(state)
  if (wait === undefined) return [ok('housekeeping', `trusted the clock at ${state.trusted}`)]
  const [found, ...rest] = wait.split('. ')
  return [warning('housekeeping', String(found), rest.join('. '))]
}

/** How far another clock is ahead of ours; `blurMs` is the uncertainty. */
export function compareClocks(check: string, aheadMs: number, blurMs: number): Finding {
  const apart = Math.max(0, Math.abs(aheadMs) - blurMs)
  if (apart <= doubtfulMs) return ok(check, `agrees with ours within ${Math.ceil((apart + blurMs) / 1000)} s`)
  const found = `is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`
  return apart <= wrongMs ? warning(check, found, advice) : failed(check, found, advice)
}

async function ofDatabase(db: Db): Promise<Finding[]> {
  const begun = Date.now()
  const ms = await databaseClock(db)
  if (ms === undefined) return []
  const took = Date.now() - begun
  return [compareClocks("the database's clock", ms - begun - took / 2, took / 2)]
}

/** Records from the future mean that the clock was once ahead. */
async function ofRecords(db: Db): Promise<Finding[]> {
  if (!(await hasTable(db, 'audit_records'))) return []
  const row = await db.get<{ occurred_at: string }>(
    sql`SELECT occurred_at FROM audit_records ORDER BY seq DESC LIMIT 1`,
  )
  if (row === undefined) return []
  const aheadMs = Date.parse(row.occurred_at) - Date.now()
  if (aheadMs <= doubtfulMs) return [ok('this clock', 'later than the newest audit record, as it should be')]
  const found = `the newest audit record is from ${row.occurred_at}, which is in the future`
  return [aheadMs <= wrongMs ? warning('this clock', found, advice) : failed('this clock', found, advice)]
}
