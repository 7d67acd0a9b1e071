/**
 * The rules that slow down guessing. Pure: the counts so far go in, the new counts come out. A failure is counted before
 * the password is checked, and taken back if it was right, so that parallel attempts cannot outrun it.
 */

import {
  freeFailures,
  longestDelayMs,
  longestWaitMs,
  networkLimit,
  strangerLimit,
  totalLimit,
} from '../../../directory/users/service.ts'

/** The count under one key; the next attempt is allowed from `allowedAtMs` on. */
export type Throttle = { failures: number; allowedAtMs: number }
export type Counted = ReadonlyMap<string, Throttle>

/** A shared allowance of failures, for a network or a name: `burst` at once, and one more every `refillMs`. */
export type Budget = { key: string; burst: number; refillMs: number }

/** The keys under which a password attempt is counted. */
export type Attempt = {
  /** All failures of the account, by anyone. */
  total: string
  /** Failures of one browser that has signed in before (`isFamiliar`), or of strangers from one network. */
  lane: string
  isFamiliar: boolean
  budgets: readonly Budget[]
}

/** An allowed attempt. With `isShutOut` it fails whatever the password is. */
export type Reservation = Attempt & { isShutOut: boolean; laneFailures: number }

export const untouched: Throttle = { failures: 0, allowedAtMs: 0 }

/** The delay after this many failures in a row: none, then 1 s, 2 s, 4 s … 15 min. */
export function delayMs(failures: number): number {
  return failures < freeFailures ? 0 : Math.min(2 ** (failures - freeFailures) * 1000, longestDelayMs)
}

export function keysOf({ total, lane, budgets }: Attempt): string[] {
  return [total, lane, ...budgets.map(({ key }) => key)]
}

/** Returns how long this attempt must wait; 0 if it is allowed. */
export function waitMs({ lane, budgets }: Attempt, counted: Counted, now: number): number {
  return Math.max(0, ...[lane, ...budgets.map(({ key }) => key)].map((key) => untilAllowed(of(counted, key), now)))
}

export function untilAllowed({ allowedAtMs }: Throttle, now: number): number {
  const wait = allowedAtMs - now
  return wait > longestWaitMs ? 0 : Math.max(0, wait)
}

/** Counts the attempt as a failure. Only for one that need not wait. */
export function reserve(attempt: Attempt, counted: Counted, now: number): { reservation: Reservation; next: Counted } {
  const { total, lane, isFamiliar, budgets } = attempt
  const all = of(counted, total)
  const before = of(counted, lane)
  // Strangers are stopped before the last ten attempts; otherwise they could take those from the account's owner.
  const isShutOut = isFamiliar
    ? all.failures >= totalLimit
    : all.failures >= strangerLimit || before.failures >= networkLimit
  const failures = before.failures + 1
  const delay = delayMs(failures)
  const next = new Map([
    [total, isShutOut ? all : { ...all, failures: all.failures + 1 }],
    // Without a delay the time stays: the nodes' clocks differ by milliseconds.
    [lane, { failures, allowedAtMs: delay === 0 ? before.allowedAtMs : now + delay }],
    ...budgets.map((budget) => [budget.key, spend(budget, of(counted, budget.key), now)] as const),
  ])
  return { reservation: { ...attempt, isShutOut, laneFailures: failures }, next }
}

/** A correct password: ends the failures in a row, and takes this attempt back from the shared counts. */
export function clear({ total, lane, budgets }: Reservation, counted: Counted): Counted {
  return new Map([
    [total, untouched],
    [lane, untouched],
    ...budgets.map((budget) => [budget.key, refund(budget, of(counted, budget.key))] as const),
  ])
}

/** Takes the attempt back completely: its password was not checked. */
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

/** A token bucket, stored as the time at which the next token is available: in the past while there are some. */
export function spend({ burst, refillMs }: Budget, { failures, allowedAtMs }: Throttle, now: number): Throttle {
  const full = now - (burst - 1) * refillMs
  const since = allowedAtMs > now ? full : Math.max(allowedAtMs, full)
  return { failures: failures + 1, allowedAtMs: since + refillMs }
}

function refund({ refillMs }: Budget, throttle: Throttle): Throttle {
  return { ...less(throttle), allowedAtMs: throttle.allowedAtMs - refillMs }
}
