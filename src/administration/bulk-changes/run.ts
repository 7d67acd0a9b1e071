/** Processes the users of a bulk change in batches, and reports the outcome line by line. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, afterParts } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { findLastId } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { newToken, tokenHashOf } from '../../record/mails/service.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import type { Asked, Outcome } from './bulk-change.ts'
import type { Batch } from './change-users.ts'
import type { BulkLine } from './schema.ts'
import type { Judged, ManyVerdict } from './verdicts.ts'

/** About 30 ms of the writer thread, which is how long another change may have to wait. */
const changedAtOnce = 200
/** Larger for a dry run, which delays no change. */
const judgedAtOnce = 1000
const idsAtOnce = 1000
/** How often progress is reported: several times a second if only refusals have lines, and at least once. */
const [progressMs, silenceMs] = [250, 1000]
const [triesWhenBusy, pauseWhenBusyMs] = [6, 50]

export type Run = {
  storage: Storage
  rules: Pick<Rules, 'roles' | 'sendsMail' | 'disabledOrganizations'>
  selection: Asked
  dryRun: boolean
  /** Also what an identity provider manages. */
  override: boolean
  /** Only refused users get a line. */
  refusedOnly: boolean
  /** Epoch milliseconds. */
  startedAt: number
  signal: AbortSignal
  /** Checks the caller again for each batch, and refuses one who lost the permission. */
  request(): Promise<ChangeRequest>
  /** Where the link with this token leads. */
  urlOf(token: string): string
}

type Counts = Omit<Outcome, 'total'>

/** The number of users. */
export async function countUsers({ storage, selection: asked, request, signal }: Run): Promise<number> {
  if (asked.filters === undefined) return asked.user_ids.length
  const { filters, except } = asked
  const { actor } = await request()
  const count = (user_ids = filters.user_ids) =>
    storage.query('users.count', { ...filters, ...(user_ids && { user_ids }) }, { actor, signal })
  if (except.size === 0) return count()
  const excepted = [...except].filter((id) => filters.user_ids?.includes(id) ?? true)
  return (await count()) - (await count(excepted))
}

/** Returns the summary. Fails where it cannot continue; what was done by then stays. */
export async function* run(parts: Run): AsyncGenerator<BulkLine, Counts> {
  const { refusedOnly, dryRun, override, selection: asked } = parts
  const counts: Counts = { changed: 0, unchanged: 0, refused: 0 }
  let toldAt = performance.now()
  const progress = (): BulkLine => {
    toldAt = performance.now()
    return { type: 'progress', done: counts.changed + counts.unchanged + counts.refused, ...counts }
  }
  let administratorsGone = 0
  const only = asked.filters && { filters: asked.filters, createdUntil: timestamp(parts.startedAt) }
  for await (const user_ids of batches(parts)) {
    if (user_ids.length === 0) {
      if (performance.now() - toldAt >= progressMs) yield progress()
      continue
    }
    const batch = { user_ids, override, ...(only && { only }), ...(dryRun && { administratorsGone }) }
    const changing = changeBatch(parts, batch).catch((error: unknown) => {
      throw dryRun || counts.changed === 0
        ? error
        : afterParts(error, `${counts.changed} users are changed and stay so.`)
    })
    const judged = yield* meanwhile(changing, progress)
    administratorsGone += judged.administratorsGone
    for (const row of judged.verdicts) {
      counts[row.verdict]++
      // A link is shown only here.
      if (refusedOnly && row.verdict !== 'refused' && !('url' in row)) continue
      toldAt = performance.now()
      yield { type: 'row', ...row }
    }
    if (performance.now() - toldAt >= progressMs) yield progress()
  }
  return counts
}

/** Waits for the work, and reports progress at regular intervals. */
async function* meanwhile<T>(work: Promise<T>, report: () => BulkLine): AsyncGenerator<BulkLine, T> {
  const done = work.then((value) => ({ value }))
  for (;;) {
    const timer = new AbortController()
    const silence = sleep(silenceMs, undefined, { signal: timer.signal }).catch(() => undefined)
    const first = await Promise.race([done, silence]).finally(() => timer.abort())
    if (first !== undefined) return first.value
    yield report()
  }
}

/** Yields the ids in the order of the changes; an empty batch is a sign of life. */
async function* batches(parts: Run): AsyncGenerator<string[]> {
  const atOnce = parts.dryRun ? judgedAtOnce : changedAtOnce
  // The caller comes last: their change could end their own session, or the permission to continue. And of all
  // administrators, the caller is the one who stays.
  const self = (await parts.request()).actor.signedIn?.user_id
  let isSelfMeant = false
  for await (const ids of parts.selection.filters === undefined ? [parts.selection.user_ids] : matches(parts)) {
    isSelfMeant ||= self !== undefined && ids.includes(self)
    const others = ids.filter((id) => id !== self)
    for (let start = 0; start < others.length; start += atOnce) yield others.slice(start, start + atOnce)
    yield []
  }
  if (self !== undefined && isSelfMeant) yield [self]
}

/** Yields the matching users by user_id, read shortly before they are changed, so that other changes count. */
async function* matches({ storage, selection: asked, request, signal }: Run): AsyncGenerator<string[]> {
  if (asked.filters === undefined) return
  const { filters, except } = asked
  const last = await findLastId(storage.db)
  let after: string | undefined
  for (;;) {
    const { actor } = await request()
    const ids = await storage.query('users.matching', { filters, after, limit: idsAtOnce }, { actor, signal })
    // Ids increase: users after the last one were created in the meantime.
    yield ids.filter((id) => !except.has(id) && last !== undefined && id <= last)
    after = ids.at(-1)
    if (after === undefined || ids.length < idsAtOnce || last === undefined || after >= last) return
  }
}

async function changeBatch(parts: Run, batch: Omit<Batch, 'action'>): Promise<Reported> {
  for (let tries = 1; ; tries++) {
    parts.signal.throwIfAborted()
    const request = await parts.request()
    try {
      return await act(parts, batch, request)
    } catch (error) {
      // Too many writes at the moment: the batch had no effect.
      if (!(error instanceof AppError) || error.code !== 'overloaded' || tries === triesWhenBusy) throw error
      await sleep(pauseWhenBusyMs * tries, undefined, { signal: parts.signal })
    }
  }
}

/** The result for a user, with the link if the caller is to hand it over. */
type Reported = Omit<Judged, 'verdicts'> & { verdicts: Omit<Extract<BulkLine, { type: 'row' }>, 'type'>[] }

async function act(
  parts: Run,
  { user_ids, ...rest }: Omit<Batch, 'action'>,
  request: ChangeRequest,
): Promise<Reported> {
  const { storage, selection: asked, dryRun, rules, signal } = parts
  const { action } = asked
  if (action.action === 'restore') {
    // Several deleted users can have had the same name: only restoring one shows which others cannot be restored.
    const { result } = await storage.change('users.restore_many', { user_ids }, { ...request, dryRun })
    return { verdicts: result satisfies ManyVerdict[], administratorsGone: 0 }
  }
  const batch = { action, user_ids, ...rest }
  if (dryRun) {
    const { actor, now } = request
    return storage.query('users.judge_many', { ...batch, caller: { actor, now, rules } }, { actor, signal })
  }
  if (action.action !== 'invite') return reported((await storage.change('users.change_many', batch, request)).result)
  const tokens = new Map(user_ids.map((userId) => [userId, newToken()]))
  const token_hashes = Object.fromEntries([...tokens].map(([userId, token]) => [userId, tokenHashOf(token)]))
  const { result } = await storage.change('users.change_many', { ...batch, token_hashes }, request)
  return reported(result, (userId) => parts.urlOf(tokens.get(userId) as string))
}

function reported({ verdicts, ...rest }: Judged, urlOf?: (userId: string) => string): Reported {
  return {
    ...rest,
    verdicts: verdicts.map((one) => {
      if (!('shown' in one)) return one
      const { shown: _, ...verdict } = one
      return { ...verdict, ...(urlOf && { url: urlOf(one.user_id) }) }
    }),
  }
}
