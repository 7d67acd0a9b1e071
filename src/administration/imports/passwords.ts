/** Checks and hashes the passwords of rows before the rows are written. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import { type Hasher, passwordFault } from '../../directory/passwords/service.ts'
import {
  type Arrival,
  type Directory,
  type Match,
  namesOf,
  type UserRow,
  wordsOf,
} from '../../directory/users/service.ts'
import type { ReadRow } from './row.ts'

type Parts = { hasher: Hasher; productName: string; atOnce: number }
type Options = { match: Match; dryRun: boolean; signal: AbortSignal }

const pauseMs = 100

/** Hashes `atOnce` passwords at a time: users who sign in must not wait behind a file. */
export async function hashPasswords(
  rows: readonly ReadRow[],
  directory: Directory,
  parts: Parts,
  options: Options,
): Promise<Arrival[]> {
  const settled = rows.map(withoutClear)
  const withPassword = rows.flatMap((row, n) => (row.clear === undefined ? [] : [{ row, n, clear: row.clear }]))
  if (withPassword.length === 0) return settled
  const owners = await findOwners(directory, rows, options.match)
  const queue = withPassword.values()
  await Promise.all(
    Array.from({ length: parts.atOnce }, async () => {
      for (const { row, n, clear } of queue)
        settled[n] = await hashOrRefuse({ row, clear, owner: owners(row) }, parts, options)
    }),
  )
  return settled
}

function withoutClear({ clear: _, ...row }: ReadRow): Arrival {
  return row
}

/** Finds existing users among the rows with a password. */
async function findOwners(directory: Directory, rows: readonly ReadRow[], match: Match) {
  const known = await directory.find(namesOf(rows.filter(({ clear }) => clear !== undefined)))
  const keyOfUser = (row: UserRow) =>
    ({ username: row.username_key, email: row.email_key, external_id: row.external_id, user_id: row.user_id })[match]
  const byKey = new Map(known.map((row) => [keyOfUser(row), row]))
  return (row: ReadRow): UserRow | undefined => {
    const key = keyOf(row, match)
    return key === undefined ? undefined : byKey.get(key)
  }
}

function keyOf(row: Arrival, match: Match): string | undefined {
  if ('fault' in row) return undefined
  const { input, imported: brought } = row
  const keys = {
    username: input.username_key,
    email: input.email_key,
    external_id: input.external_id,
    user_id: brought.user_id,
  }
  return keys[match] ?? undefined
}

/**
 * Users who have a password keep it, so the row's is not compared: the result would tell the caller whether a guess is
 * right, as often as they like.
 */
async function hashOrRefuse(
  { row, clear, owner }: { row: ReadRow; clear: string; owner: UserRow | undefined },
  { hasher, productName }: Parts,
  { dryRun, signal }: Options,
): Promise<Arrival> {
  const settled = withoutClear(row)
  if ('fault' in settled) return settled
  const { input } = settled
  const fault = passwordFault(clear, { words: wordsOf({ ...owner, ...input }, productName) })
  const isLeft = owner !== undefined && owner.password_hash !== null
  // The mistake is in the file, whichever user the row is about.
  if (isLeft && fault?.code !== 'password_looks_like_hash') return { ...settled, isPasswordLeft: true }
  if (fault)
    return {
      row: row.row,
      line: row.line ?? null,
      fault: { code: fault.code, pointer: '#/password', detail: fault.detail },
    }
  // A dry run stores nothing, so there is nothing to hash.
  const password_hash = dryRun ? '' : await inTurn(() => hasher.hash(clear, { from: 'import' }), signal)
  return { ...settled, input: { ...input, password_hash } }
}

/** Waits while the queue is full. */
async function inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'overloaded') throw error
      await sleep(pauseMs, undefined, { signal })
    }
  }
}
