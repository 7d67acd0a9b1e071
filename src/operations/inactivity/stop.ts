/** A run that would disable too many users stops, and waits until an administrator confirms it. */
import { AppError } from '../../core/errors.ts'
import { inactivityJob, inactivityStop } from '../../core/inactivity.ts'
import { timestamp } from '../../lib/instant.ts'
import { requestRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { deleteState, findState, setState } from '../../store/state.ts'
import type { InactivityStop } from './schema.ts'

const target = { kind: 'policy', id: 'inactivity' } as const

export async function findStop(db: Db): Promise<InactivityStop | undefined> {
  const state = await findState(db, inactivityStop)
  return state === undefined ? undefined : (JSON.parse(state) as InactivityStop)
}

/** The state of a stop that is not confirmed. */
export async function findUnconfirmed(db: Db): Promise<InactivityStop | undefined> {
  const stop = await findStop(db)
  return stop?.confirmed_at === null ? stop : undefined
}

type Counts = Pick<InactivityStop, 'users' | 'active_users'>

/** Records that a run stopped, once; null: that no run is stopped any more. */
export async function setStop(ctx: ChangeContext, counts: Counts | null): Promise<void> {
  await ctx.db.lock([inactivityStop])
  if (counts === null) {
    await deleteState(ctx.db, inactivityStop)
    return
  }
  const found = await findUnconfirmed(ctx.db)
  const stop: InactivityStop = { stopped_at: found?.stopped_at ?? timestamp(ctx.now), ...counts, confirmed_at: null }
  await setState(ctx.db, inactivityStop, JSON.stringify(stop))
  if (found === undefined) ctx.recordFor(ctx, { action: 'inactivity.stopped', target, details: counts })
}

/** Lets the run continue with the users who are due now. @throws AppError `inactivity_not_stopped` */
export async function confirm(ctx: ChangeContext): Promise<InactivityStop> {
  await ctx.db.lock([inactivityStop])
  const found = await findUnconfirmed(ctx.db)
  if (found === undefined) throw new AppError('inactivity_not_stopped', 'No run waits for a confirmation.')
  const stop = { ...found, confirmed_at: timestamp(ctx.now) }
  await setState(ctx.db, inactivityStop, JSON.stringify(stop))
  const { users, active_users } = found
  ctx.record({ action: 'inactivity.confirmed', target, details: { users, active_users } })
  await requestRun(ctx.db, inactivityJob)
  return stop
}
