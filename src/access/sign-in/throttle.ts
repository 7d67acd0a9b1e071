/**
 * The rules that slow guessing down. Pure: what was counted so far goes in, what is to be kept comes out. A failure is
 * counted before the password is looked at, and taken back when it was right, so that tries made side by side cannot
 * outrun it.
 */

/** What is counted under one key; another try may be made from `allowedAtMs` on. */
export type Throttle = { failures: number; allowedAtMs: number }
export type Counted = ReadonlyMap<string, Throttle>

/** Failures that many may have together, of a network or in a name: `burst` of them at once, and one more each `refillMs`. */
export type Budget = { key: string; burst: number; refillMs: number }

/** What a try at a password is counted under. */
export type Attempt = {
  /** All failures of the account, whoever made them. */
  total: string
  /** Those of one browser that somebody has signed in with before (`isFamiliar`), or of strangers from one network. */
  lane: string
  isFamiliar: boolean
  budgets: readonly Budget[]
}

/** A try that may be made. With `isShutOut` it fails whatever the password is. */
export type Reservation = Attempt & { isShutOut: boolean; laneFailures: number }

const freeFailures = 5
const longestDelayMs = 15 * 60_000

/** NIST SP 800-63B-4 §3.2.2: no more than 100 failures in a row. The last ten are kept for familiar browsers. */
export const totalLimit = 100
export const strangerLimit = 90

/** What one network may have of the strangers' failures, or it alone could use them all up and so keep everybody out. */
export const networkLimit = 20

export const untouched: Throttle = { failures: 0, allowedAtMs: 0 }

/** How long to wait after so many failures in a row: nothing, then 1 s, 2 s, 4 s … 15 min. */
export function delayMs(failures: number): number {
  return failures < freeFailures ? 0 : Math.min(2 ** (failures - freeFailures) * 1000, longestDelayMs)
}

export function keysOf({ total, lane, budgets }: Attempt): string[] {
  return [total, lane, ...budgets.map(({ key }) => key)]
}

/** How long this try must wait; 0 when it may be made. */
export function waitMs({ lane, budgets }: Attempt, counted: Counted, now: number): number {
  return Math.max(0, ...[lane, ...budgets.map(({ key }) => key)].map((key) => untilAllowed(of(counted, key), now)))
}

export function untilAllowed({ allowedAtMs }: Throttle, now: number): number {
  const wait = allowedAtMs - now
  // Later than any rule sets it: it was counted by a clock that went wrong, and nobody has to wait for that.
  return wait > 2 * longestDelayMs ? 0 : Math.max(0, wait)
}

/** Counts the try as a failure. Only for one that need not wait. */
export function reserve(attempt: Attempt, counted: Counted, now: number): { reservation: Reservation; next: Counted } {
  const { total, lane, isFamiliar, budgets } = attempt
  const all = of(counted, total)
  const before = of(counted, lane)
  // Strangers come to an end before the last ten tries do, or they could take those from whom the account belongs to.
  const isShutOut = isFamiliar
    ? all.failures >= totalLimit
    : all.failures >= strangerLimit || before.failures >= networkLimit
  const failures = before.failures + 1
  const delay = delayMs(failures)
  const next = new Map([
    [total, isShutOut ? all : { ...all, failures: all.failures + 1 }],
    // Without a delay the time stays: nodes do not agree to the millisecond on what is now.
    [lane, { failures, allowedAtMs: delay === 0 ? before.allowedAtMs : now + delay }],
    ...budgets.map((budget) => [budget.key, spend(budget, of(counted, budget.key), now)] as const),
  ])
  return { reservation: { ...attempt, isShutOut, laneFailures: failures }, next }
}

/** A right password: the failures in a row end, and what is counted for many together has had none from this try. */
export function clear({ total, lane, budgets }: Reservation, counted: Counted): Counted {
  return new Map([
    [total, untouched],
    [lane, untouched],
    ...budgets.map((budget) => [budget.key, refund(budget, of(counted, budget.key))] as const),
  ])
}

/** As if the try had not been made: its password was not looked at. */
export function giveBack(reservation: Reservation, counted: Counted): Counted {
  const { total, lane, isShutOut, laneFailures, budgets } = reservation
  const [all, own] = [of(counted, total), of(counted, lane)]
  const isLatest = own.failures === laneFailures
  return new Map([
    [total, isShutOut ? all : less(all)],
    [lane, isLatest ? { ...less(own), allowedAtMs: 0 } : less(own)],
    ...budgets.map((budget) => [budget.key, refund(budget, of(counted, budget.key))] as const),
  ])
}

function of(counted: Counted, key: string): Throttle {
  return counted.get(key) ?? untouched
}

function less({ failures, allowedAtMs }: Throttle): Throttle {
  return { failures: Math.max(0, failures - 1), allowedAtMs }
}

/** A bucket of which only the time is kept at which one more may be taken: it lies in the past while there are some. */
function spend({ burst, refillMs }: Budget, { failures, allowedAtMs }: Throttle, now: number): Throttle {
  const full = now - (burst - 1) * refillMs
  const since = allowedAtMs > now ? full : Math.max(allowedAtMs, full)
  return { failures: failures + 1, allowedAtMs: since + refillMs }
}

function refund({ refillMs }: Budget, throttle: Throttle): Throttle {
  return { ...less(throttle), allowedAtMs: throttle.allowedAtMs - refillMs }
}
