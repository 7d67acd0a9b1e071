/** The passwords of rows, compared with those of the users who are there, or hashed, before the rows are on their way. */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { Hasher } from '../passwords/hash.ts'
import { passwordFault } from '../passwords/policy.ts'
import type { Arrival, Directory, Match } from '../users/bulk.ts'
import { namesOf } from '../users/bulk.ts'
import type { UserRow } from '../users/store.ts'
import type { ReadRow } from './row.ts'

/** By the name of its user, what a password was hashed to: the row may not be in the store yet when it comes again. */
export type Recent = Map<string, { mark: string; hash: string }>

type Parts = { hasher: Hasher; productName: string; atOnce: number; recent: Recent }
type Options = { match: Match; dryRun: boolean; signal: AbortSignal }

const pauseMs = 100
const remembered = 1000
/** Nothing that is kept, not even for a moment, lets anybody guess a password. */
const markKey = randomBytes(32)
const markOf = (clear: string) => `mark ${createHmac('sha256', markKey).update(clear).digest('base64url')}`

/** Hashes what is to be hashed, `atOnce` at a time: people who sign in meanwhile are not to wait behind a file. */
export async function settlePasswords(
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
      for (const { row, n, clear } of queue) settled[n] = await settle(row, clear, owners(row), parts, options)
    }),
  )
  return settled
}

function withoutClear({ clear: _, ...row }: ReadRow): Arrival {
  return row
}

/** Who is there already, of those rows that bring a password. */
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
  const { input, brought } = row
  const keys = {
    username: input.username_key,
    email: input.email_key,
    external_id: input.external_id,
    user_id: brought.user_id,
  }
  return keys[match] ?? undefined
}

async function settle(
  row: ReadRow,
  clear: string,
  owner: UserRow | undefined,
  { hasher, productName, recent }: Parts,
  { match, dryRun, signal }: Options,
): Promise<Arrival> {
  const settled = withoutClear(row)
  if ('fault' in settled) return settled
  const { input } = settled
  const { username, email } = { ...owner, ...input }
  const words = [username, email, productName].filter((word) => typeof word === 'string')
  const fault = passwordFault(clear, { words })
  if (fault) return { row: row.row, fault: { code: fault.code, pointer: '#/password', detail: fault.detail } }
  const hash = await hashFor(clear, { owner, key: keyOf(row, match) }, { hasher, recent }, { dryRun, signal })
  const isSame = hash === owner?.password_hash
  return {
    ...settled,
    input: { ...input, password_hash: hash },
    ...(isSame && { password: { kind: 'same', verified_hash: hash } }),
  }
}

type Whose = { owner: UserRow | undefined; key: string | undefined }

/** The user's own hash when the password is theirs already. In a dry run a mark takes the place of a new hash. */
async function hashFor(
  clear: string,
  { owner, key = '' }: Whose,
  { hasher, recent }: Pick<Parts, 'hasher' | 'recent'>,
  { dryRun, signal }: Pick<Options, 'dryRun' | 'signal'>,
): Promise<string> {
  const mark = markOf(clear)
  const known = owner?.password_hash
  if (known === mark) return mark
  if (known && !known.startsWith('mark ') && (await inTurn(() => hasher.verify(known, clear), signal))) return known
  if (dryRun) return mark
  const before = recent.get(key)
  if (before?.mark === mark) return before.hash
  const hash = await inTurn(() => hasher.hash(clear), signal)
  recent.delete(key)
  recent.set(key, { mark, hash })
  if (recent.size > remembered) recent.delete(recent.keys().next().value as string)
  return hash
}

/** Waits while others fill the queue. */
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
