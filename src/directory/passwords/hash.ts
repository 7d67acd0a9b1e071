import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Argon2, type Argon2Parameters, argon2Parameters, loadArgon2, saltBytes, tagBytes } from './argon2.ts'
import { faultOf, foreignMemoryKib, foreignMemoryOf, isDear } from './limits.ts'
import type { Phc } from './phc.ts'
import { normalizePassword } from './policy.ts'
import { yieldToRequests } from './priority.ts'
import { createQueue, type QueueLoad, type TaskOptions } from './queue.ts'
import { createRefusalTime } from './refusal-time.ts'
import { costOf, readStored, type StoredHash } from './stored.ts'
import { isMadeOf } from './verify.ts'

/** The priority of a request for a hash: unauthenticated callers come last and take turns by `from`. */
export type Caller = Pick<TaskOptions, 'isStranger' | 'from'>

/**
 * Hashes and verifies passwords, a few at a time, and expensive ones one by one. All running hashes together use no more
 * memory than `foreignMemoryKib` plus one of our hashes per `concurrency`. Every method except needsRehash may throw `overloaded`.
 */
export type Hasher = {
  /** Returns the password's argon2id hash as a PHC string. policy.ts decides which passwords are allowed. */
  hash(password: string, caller?: Caller): Promise<string>
  /** Verifies against the output of hash(), or a hash that readForeignHash accepts. */
  verify(stored: string, password: string): Promise<boolean>
  /** The same for sign-in. null stands for a user without a hash: the refusal takes as long as any other. */
  verifyEvenly(stored: string | null, password: string, caller?: Caller): Promise<boolean>
  /** Whether the hash has outdated parameters, and should be replaced when the password is next available. */
  needsRehash(stored: string): boolean
  /** How many callers wait. */
  readonly queued: number
  load(): QueueLoad
}

type HasherOptions = {
  concurrency: number
  queueLimit: number
  load?: () => Promise<Argon2>
  /** The cost of our hashes; tests of other things use a lower one. */
  parameters?: Argon2Parameters
}

export function createHasher(options: HasherOptions): Hasher {
  const { concurrency, queueLimit, load = loadArgon2, parameters = argon2Parameters } = options
  const queue = createQueue({ concurrency, limit: queueLimit, memoryLimitKib: foreignMemoryKib })
  const refusalTime = createRefusalTime()
  let loading: Promise<Argon2> | undefined
  const argon2 = (): Promise<Argon2> => {
    loading ??= yieldToRequests().then(() => load())
    return loading
  }
  // The password of this hash is unknown, so it costs as much as any other and never matches.
  const absentPhc: Phc = { ...parameters, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) }
  const absent: StoredHash = { kind: 'argon2', phc: absentPhc }

  async function verifyEvenly(hash: StoredHash, password: string, caller: Caller): Promise<boolean> {
    const readings = readingsOf(password)
    const attempt = isOwn(hash, parameters) ? tryOwn : tryForeign
    const { isRight, millis } = await queue.run(() => attempt(hash, readings), { ...caller, ...costsOf(hash) })
    if (isRight && isPossible(password)) return true
    const rest = refusalTime.millis(readings.length) - millis
    // Outside the queue: it uses no processor and delays no one.
    if (rest > 0) await sleep(rest)
    return false
  }

  async function tryOwn(hash: StoredHash, readings: readonly string[]): Promise<Tried> {
    const tried = await tryReadings(hash, readings)
    refusalTime.tookOwn(tried.millis / tried.count)
    return tried
  }

  async function tryForeign(hash: StoredHash, readings: readonly string[]): Promise<Tried> {
    const tried = await tryReadings(hash, readings)
    // Otherwise a hash with a single round would be refused instantly.
    const own = await tryReadings(absent, readings.slice(0, 1))
    refusalTime.tookForeign(costOf(hash), tried.millis / tried.count, own.millis)
    return { ...tried, millis: tried.millis + own.millis }
  }

  async function tryReadings(hash: StoredHash, readings: readonly string[]): Promise<Tried> {
    const implementation = await argon2()
    const startedAt = performance.now()
    let [isRight, count] = [false, 0]
    for (const reading of readings) {
      count++
      isRight = await isMadeOf(hash, reading, implementation)
      if (isRight) break
    }
    return { isRight, count, millis: performance.now() - startedAt }
  }

  return {
    get queued() {
      return queue.queued
    },
    load: queue.load,
    hash: (password, caller = {}) =>
      queue.run(async () => (await argon2()).hash(normalizePassword(password), parameters), caller),
    async verify(stored, password) {
      const hash = readVerifiable(stored)
      const attempt = () => tryReadings(hash, readingsOf(password))
      const { isRight } = await queue.run(attempt, costsOf(hash))
      return isRight && isPossible(password)
    },
    verifyEvenly: async (stored, password, caller = {}) =>
      verifyEvenly(stored === null ? absent : readVerifiable(stored), password, caller),
    needsRehash(stored) {
      const hash = readStored(stored)
      return hash === undefined || !isOwn(hash, parameters)
    },
  }
}

function costsOf(hash: StoredHash) {
  return { isDear: isDear(hash), memoryKib: foreignMemoryOf(hash) }
}

function readVerifiable(stored: string): StoredHash {
  const hash = readStored(stored)
  if (hash === undefined || faultOf(hash) !== undefined)
    throw new Error('This service cannot verify a stored password hash.')
  return hash
}

type Tried = { isRight: boolean; count: number; millis: number }

/** We hash the normalized form; other systems hashed the raw input. */
function readingsOf(password: string): string[] {
  return [...new Set([normalizePassword(password), password])]
}

/**
 * No password is empty. Some implementations of bcrypt ignore everything after U+0000; PBKDF2 and scrypt treat a password
 * with trailing U+0000 as the same one.
 */
function isPossible(password: string): boolean {
  return password !== '' && !password.includes('\0')
}

/** A foreign hash with our parameters is treated like our own. */
function isOwn(hash: StoredHash, ours: Argon2Parameters): boolean {
  if (hash.kind !== 'argon2') return false
  const { salt, tag, ...parameters } = hash.phc
  const names = Object.keys(argon2Parameters) as (keyof Argon2Parameters)[]
  return names.every((name) => parameters[name] === ours[name]) && salt.length >= saltBytes && tag.length === tagBytes
}
