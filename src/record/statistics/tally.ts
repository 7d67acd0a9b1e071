/** Counts journal entries, in the commit that gives them their place. */
import type { Transaction } from '../../store/db/db.ts'
import { addCounts, addPresences, type Count, type Kind, type Presence } from './store.ts'

/** The parts of a journal entry that the counts need. */
type Counted = {
  records: readonly { action: string; outcome: string; occurred_at: string }[]
  events: readonly { type: string; owner_id: string; occurred_at: string; data: string | null }[]
}

export async function tally(db: Transaction, entries: readonly Counted[]): Promise<void> {
  const counts = new Counter()
  const presences = new Map<string, Presence>()
  for (const { records, events } of entries) {
    for (const { action, outcome, occurred_at } of records) {
      if (action === 'session.created' && outcome === 'failure') counts.add(dayOf(occurred_at), 'failed_sign_ins')
    }
    for (const { type, owner_id: user_id, occurred_at, data } of events) {
      const date = dayOf(occurred_at)
      if (type === 'user.created') counts.add(dayOf(createdAt(data) ?? occurred_at), 'sign_ups')
      if (type !== 'session.created' || isImpersonation(data)) continue
      counts.add(date, 'sign_ins')
      presences.set(`${date} ${user_id}`, { date, user_id })
    }
  }
  await addAll(db, counts, [...presences.values()])
}

/** Counts users who were active in a session that had started earlier. */
export async function tallyPresences(db: Transaction, presences: readonly Presence[]): Promise<void> {
  await addAll(db, new Counter(), presences)
}

async function addAll(db: Transaction, counts: Counter, presences: readonly Presence[]): Promise<void> {
  if (presences.length > 0) {
    for (const date of await addPresences(db, presences)) counts.add(date, 'active_users')
  }
  if (counts.all.length > 0) await addCounts(db, counts.all)
}

class Counter {
  readonly #counts = new Map<string, Count>()

  get all(): Count[] {
    return [...this.#counts.values()]
  }

  add(date: string, kind: Kind): void {
    const key = `${date} ${kind}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { date, kind, count: 1 })
    else known.count++
  }
}

/** An imported user keeps the sign-up date of the previous system. */
function createdAt(data: string | null): string | undefined {
  return data === null ? undefined : (JSON.parse(data) as { created_at?: string }).created_at
}

/** An administrator who acts as a user is not that user's sign-in. */
function isImpersonation(data: string | null): boolean {
  return data !== null && (JSON.parse(data) as { act?: object }).act !== undefined
}

function dayOf(instant: string): string {
  return instant.slice(0, 10)
}
